"""Renames on small trees; `«old»` marks every place that must change, and no other may."""

import re
from pathlib import Path

from astedit.engine.run_context import Run
from astedit.model.plan import Plan
from astedit.staging.preview import preview
from astedit.workspace.root import Workspace
from tests.support.requests import request_of

_MARKED = re.compile("«([^»]*)»")


def planned(root: Path, files: dict[str, str], identifier: str, new: str) -> Plan:
    """The plan of one rename in a tree of these files, their marks taken off."""
    for path, text in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(_MARKED.sub(lambda found: found[1].partition("|")[0], text).encode())
    with Workspace(root) as workspace:
        request = request_of("rename", workspace, identifier, new)
        return preview(request, workspace, Run(inline=True))


def result(root: Path, plan: Plan) -> dict[str, str]:
    """The files as the plan would make them."""
    after = {}
    for path in sorted(root.rglob("*.py")):
        text, shift = path.read_bytes(), 0
        name = str(path.relative_to(root))
        for edit in next((file.edits for file in plan.files if file.path == name), []):
            text = text[: edit.start + shift] + edit.new + text[edit.end + shift :]
            shift += len(edit.new) - (edit.end - edit.start)
        after[name] = text.decode()
    return after


def expected(files: dict[str, str], new: str) -> dict[str, str]:
    """The files with every marked place renamed; `«old|text»` becomes that text."""

    def change(found: re.Match[str]) -> str:
        return found[1].partition("|")[2] or new

    return {
        path: _MARKED.sub(change, text)
        for path, text in sorted(files.items())
        if path.endswith(".py")
    }
