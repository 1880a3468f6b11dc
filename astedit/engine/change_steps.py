"""Changes of a tree that are worked out in steps, each for what the one before it leaves."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from astedit.model.edit import FilePlan, Skip
from astedit.text.source import Change, compose, splice
from astedit.workspace.root import Workspace


@dataclass(slots=True)
class WorkedOut:
    """What becomes of a tree: `edits` by path, of the files as `expected` says.

    `read` gives a file's bytes as they were when the edits were made. `created` is a new
    file, `end` stands for one that goes.
    """

    edits: dict[str, list[Change]]
    expected: dict[str, str]
    hints: list[str]
    read: Callable[[str], bytes]
    skipped: list[Skip] = field(default_factory=list)
    files_searched: int = 0
    created: FilePlan | None = None
    end: FilePlan | None = None


class ChangeSteps:
    """Changes that are worked out one after the other, as those of the tree before the first."""

    def __init__(self, workspace: Workspace) -> None:
        self._before: dict[str, bytes] = {}
        self.contents = dict(workspace.overlay)
        self.made: WorkedOut | None = None

    def take(self, step: WorkedOut) -> None:
        """Adds what was worked out for the tree of `contents`."""
        first = self.made or replace(step, edits={}, expected={}, hints=[])
        for path, changes in step.edits.items():
            before = self._before.setdefault(path, step.read(path))
            earlier = first.edits.get(path, [])
            first.edits[path] = [c for c, _, _ in compose(before, earlier, changes)]
            first.expected.setdefault(path, step.expected[path])
            self.contents[path] = splice(before, first.edits[path])
        first.hints += step.hints
        first.created, first.end = step.created, step.end
        self.made = first
