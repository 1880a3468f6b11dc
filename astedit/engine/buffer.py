"""One buffer to a Plan: what a request does to a text that is in no tree."""

import os
import stat

from astedit.engine.discover import Discovery
from astedit.engine.file import Engine
from astedit.engine.merge import Merge
from astedit.engine.run import Job
from astedit.engine.survey import Survey, compile_languages
from astedit.language import Row
from astedit.model import EditRequest, Plan

_STATUS = os.stat_result((stat.S_IFREG | 0o644, *[0] * 9))


def plan_buffer(request: EditRequest, name: str, row: Row, content: bytes) -> Plan:
    """What the request does to `content`, as a file called `name` of language `row`.

    It is parsed in this process. Raises what compiling the ops raises.
    """
    engine = Engine(request, "edit", True, lambda path, limit: (content, _STATUS))
    job = Job(0, name, row)
    found = Survey(engine, [job], {}, [], Discovery(files=[name]))
    compile_languages(found, request, [row])
    merge = Merge(request, ".", found)
    data = engine.file(name, row.name, inline=False)
    assert not isinstance(data, str)
    return merge.plan([(0, data)])
