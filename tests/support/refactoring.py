"""Operations on small trees: what is planned, and what the files would be then.

`«old»` marks a place that a rename must change, `«old|text»` one that becomes that text.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from astedit.engine.run_context import Run
from astedit.model.plan import Plan
from astedit.staging.preview import preview
from astedit.text.source import splice
from astedit.workspace.root import Workspace
from tests.support.requests import request_of

_MARKED = re.compile("«([^»]*)»")


def tree_of(root: Path, files: dict[str, str]) -> Path:
    """Writes the files below a directory, their marks taken off."""
    for path, text in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(_MARKED.sub(lambda mark: mark[1].partition("|")[0], text).encode())
    return root


def selected(files: dict[str, str]) -> str:
    """The place that is marked in a file, whose marks are taken off."""
    ((path, text),) = files.items()
    before, code, behind = re.split("[«»]", text)
    files[path] = before + code + behind
    ends = (before, before + code)
    start, end = (f"{to.count(chr(10)) + 1}:{len(to.rpartition(chr(10))[2]) + 1}" for to in ends)
    return f"{path}:{start}-{end}"


def planned(root: Path, kind: str, *args: Any, **options: Any) -> Plan:
    """The plan of one operation in a tree."""
    with Workspace(root) as workspace:
        return preview(request_of(kind, workspace, *args, **options), workspace, Run(inline=True))


def result(root: Path, plan: Plan) -> dict[str, str]:
    """All files of a tree as the plan would make them."""
    files = (path for path in root.rglob("*") if path.is_file() and path.suffix != ".pyc")
    before = {str(path.relative_to(root)): path.read_bytes() for path in files}
    gone = {file.read_from for file in plan.files if file.operation != "modify"}
    after = {path: text for path, text in before.items() if path not in gone}
    for file in plan.files:
        if file.operation != "delete":
            after[file.path] = splice(before.get(file.read_from, b""), file.changes)
    return {path: text.decode() for path, text in sorted(after.items())}


def expected(files: dict[str, str], new: str) -> dict[str, str]:
    """The files with every marked place renamed."""

    def change(mark: re.Match[str]) -> str:
        return mark[1].partition("|")[2] or new

    return {path: _MARKED.sub(change, text) for path, text in sorted(files.items())}


def moved(root: Path, identifiers: Sequence[str], dest: str, **options: bool) -> dict[str, str]:
    """The files as a move would make them; the tree stays as it is."""
    return result(root, planned(root, "move", identifiers, dest, **options))
