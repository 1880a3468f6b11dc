"""The tree of three services whose names collide on purpose."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from astedit.facts.reading import FactReader, FactTask
from astedit.locating.answer import find_in
from astedit.locating.inventory.inventory import Inventory
from astedit.locating.result import LocateResult
from astedit.workers.pool import TaskOutcome
from astedit.workspace.root import Workspace
from tests.support.cases import tree


def build(root: Path, **more: str) -> Path:
    """Writes the tree below `root`; `more` files have `__` for `/` and end in their suffix."""
    named = {f"{stem.replace('__', '/')}.{end}": text for name, text in more.items()
             for stem, _, end in [name.rpartition("_")]}  # fmt: skip
    for path, text in {**tree("services"), **named}.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    return root


def find(
    workspace: Workspace, identifier: object, kind: str | None = None, *, state: str | None = None
) -> LocateResult:
    return find_in(Inventory(workspace, state=state), identifier, kind)


def paths_parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths that are parsed to find names, from now on."""
    paths: list[str] = []
    parse = FactReader._read

    def noted(
        self: FactReader, tasks: Sequence[FactTask]
    ) -> Iterator[tuple[FactTask, TaskOutcome]]:
        paths.extend(task.path for task in tasks)
        return parse(self, tasks)

    monkeypatch.setattr(FactReader, "_read", noted)
    return paths
