"""One small tree for each framework, and one with calls of every client."""

from pathlib import Path

from astedit.locating.inventory.inventory import Inventory
from astedit.workspace.root import Workspace
from tests.support.cases import tree

FLASK, FASTAPI, STARLETTE = map(tree, ("flask", "fastapi", "starlette"))
DJANGO, SPRING, EXPRESS, CLIENTS = map(tree, ("django", "spring", "express", "clients"))


def inventory_of(root: Path, files: dict[str, str]) -> Inventory:
    """The inventory of a tree of these files below `root`."""
    (root / "astedit.toml").write_text('roots = ["."]\n')
    for path, text in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return Inventory(Workspace(root))
