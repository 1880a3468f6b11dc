"""One edit of one text: through a whole plan, or in memory where only the text counts."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from astedit.engine.compile_ops import compile_ops
from astedit.engine.files.edits import Editing
from astedit.engine.files.outcome import FileData
from astedit.engine.program import Program
from astedit.engine.request import request_of
from astedit.engine.run.plan import compute
from astedit.engine.run_context import Start
from astedit.language import named
from astedit.model.plan import Plan
from astedit.model.request import EditRequest
from astedit.text.source import Source, splice
from astedit.workspace.root import Workspace


def plan_of(root: Path, files: Mapping[str, bytes | str], *ops: Any, **options: Any) -> Plan:
    """The plan for these files; an op is a pair of pattern and rewrite, or a dict."""
    for name, data in files.items():
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data.encode() if isinstance(data, str) else data)
    given = [{"pat": op[0], "out": op[1]} if isinstance(op, tuple) else op for op in ops]
    with Workspace(root) as workspace:
        request = request_of({"ops": given, "paths": ["."], **options})
        with Start(request, workspace, jobs=1, inline=True, names="") as start:
            return compute(request, workspace, start)[0]


@cache
def program(language: str, *ops: tuple[str, str], **options: Any) -> tuple[Program, EditRequest]:
    given = [{"pat": pat, "out": out} for pat, out in ops]
    request = request_of({"ops": given, "paths": ["."], **options})
    row = named(language)
    assert row is not None
    return compile_ops(request, row, rewriting=True), request


def edited(language: str, text: str, *ops: tuple[str, str], **options: Any) -> tuple[str, FileData]:
    """The text after the edits that are not blocked, and everything that was found out."""
    compiled, request = program(language, *ops, **options)
    source, data = Source(text.encode()), FileData()
    tree = compiled.grammar.parser().parse(source.text)
    Editing("a", source, compiled, request, False, data).run(tree)
    return splice(source.raw, [edit.change for edit in data.edits]).decode(), data
