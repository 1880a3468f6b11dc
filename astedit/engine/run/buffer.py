"""One buffer to a Plan: what a request does to a text that is in no tree."""

import os
import stat
from typing import Any

from astedit.discover.discover import Discovery
from astedit.engine.files.file import Engine
from astedit.engine.files.matches import Purpose
from astedit.engine.files.outcome import FileData
from astedit.engine.run.jobs import Job
from astedit.engine.run.merge import Merge
from astedit.engine.run.prepare import PreparedRun, compile_languages
from astedit.engine.run.replay import Replay
from astedit.language import Row
from astedit.model.plan import Plan
from astedit.model.request import EditRequest

_STATUS = os.stat_result((stat.S_IFREG | 0o644, *[0] * 9))


def plan_buffer(request: EditRequest, name: str, row: Row, content: bytes, names: str = "") -> Plan:
    """What the request does to `content`, as a file called `name` of language `row`.

    It is parsed in this process; `names` says who resolves names (see
    `name_resolver`). Raises what compiling the ops raises.
    """
    prepared = _prepared(request, "edit", name, row, content, names)
    data = _data(prepared, name, row)
    outcome = Replay.in_order(prepared, [(job, data) for job in prepared.jobs])
    return Merge(request, ".", prepared).plan(outcome)


def scan_buffer(
    request: EditRequest, name: str, row: Row, content: bytes, names: str = ""
) -> list[dict[str, Any]]:
    """What the rules of the request find in `content`, in order of position.

    Each finding is ast-grep's JSON object with an empty `file`. Parsed in this process;
    raises what compiling the rules raises.
    """
    prepared = _prepared(request, "scan", name, row, content, names)
    return list(_data(prepared, name, row).matches)


def _prepared(
    request: EditRequest, mode: Purpose, name: str, row: Row, content: bytes, names: str
) -> PreparedRun:
    engine = Engine(request, mode, True, lambda path, limit: (content, _STATUS), names)
    prepared = PreparedRun(engine, [Job(name, row)], {}, [], Discovery(files=[name]))
    compile_languages(prepared, request, [row])
    return prepared


def _data(prepared: PreparedRun, name: str, row: Row) -> FileData:
    data = prepared.engine.file(name, row.name, inline=False)
    assert isinstance(data, FileData)  # nothing is deferred outside a pool
    return data
