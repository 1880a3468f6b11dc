"""Moves on small trees: what the files are afterwards."""

from collections.abc import Sequence
from pathlib import Path

from astedit.engine.run_context import Run
from astedit.model.plan import Plan
from astedit.staging.preview import preview
from astedit.text.splice import splice
from astedit.workspace.root import Workspace
from tests.support.requests import request_of


def tree_of(root: Path, files: dict[str, str]) -> Path:
    """Writes the files below a directory."""
    for path, text in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode())
    return root


def planned(root: Path, identifiers: Sequence[str], dest: str, **options: bool) -> Plan:
    """The plan of one move."""
    with Workspace(root) as workspace:
        request = request_of("move", workspace, identifiers, dest, **options)
        return preview(request, workspace, Run(inline=True))


def moved(root: Path, identifiers: Sequence[str], dest: str, **options: bool) -> dict[str, str]:
    """The Python files as a move would make them; the tree stays as it is."""
    plan = planned(root, identifiers, dest, **options)
    after = {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*.py")}
    for file in plan.files:
        after[file.path] = splice(after.get(file.read_from, b""), file.changes)
        if file.operation == "delete":
            del after[file.path]
    return {path: text.decode() for path, text in sorted(after.items())}
