"""One buffer to a Plan: what a request does to a text that is in no tree."""

import os
import stat
from typing import Any

from astedit.discover.discover import Discovery
from astedit.engine.file import Engine
from astedit.engine.merge import Merge
from astedit.engine.outcome import FileData
from astedit.engine.run import Job
from astedit.engine.survey import Survey, compile_languages
from astedit.language import Row
from astedit.model.plan import Plan
from astedit.model.request import EditRequest

_STATUS = os.stat_result((stat.S_IFREG | 0o644, *[0] * 9))


def plan_buffer(request: EditRequest, name: str, row: Row, content: bytes, names: str = "") -> Plan:
    """What the request does to `content`, as a file called `name` of language `row`.

    It is parsed in this process; `names` says who resolves names (see
    `name_resolver`). Raises what compiling the ops raises.
    """
    surveyed = _surveyed(request, "edit", name, row, content, names)
    return Merge(request, ".", surveyed).plan([(0, _data(surveyed, name, row))])


def scan_buffer(
    request: EditRequest, name: str, row: Row, content: bytes, names: str = ""
) -> list[dict[str, Any]]:
    """What the rules of the request find in `content`, in order of position.

    Each finding is ast-grep's JSON object with an empty `file`. Parsed in this process;
    raises what compiling the rules raises.
    """
    surveyed = _surveyed(request, "scan", name, row, content, names)
    return list(_data(surveyed, name, row).matches)


def _surveyed(
    request: EditRequest, mode: str, name: str, row: Row, content: bytes, names: str
) -> Survey:
    engine = Engine(request, mode, True, lambda path, limit: (content, _STATUS), names)
    surveyed = Survey(engine, [Job(0, name, row)], {}, [], Discovery(files=[name]))
    compile_languages(surveyed, request, [row])
    return surveyed


def _data(surveyed: Survey, name: str, row: Row) -> FileData:
    data = surveyed.engine.file(name, row.name, inline=False)
    assert isinstance(data, FileData)  # nothing is deferred outside a pool
    return data
