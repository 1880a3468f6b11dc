"""A module on its way to what it becomes: changes that follow each other, as one list."""

from collections.abc import Sequence

from astedit.semantic.imports.lines import merged
from astedit.semantic.move.module_code import ModuleCode
from astedit.text.splice import Change, compose, splice


class ChangedModule:
    """`before`, and the `changes` that were made to it; `code` is what it is by now."""

    def __init__(self, before: ModuleCode) -> None:
        self.before, self.code = before, before
        self.changes: list[Change] = []

    def make(self, more: Sequence[Change]) -> None:
        """Makes changes of the code as it is by now; they do not overlap."""
        if more:
            second = merged(more)
            self.changes = [
                change for change, _, _ in compose(self.before.code, self.changes, second)
            ]
            self.code = ModuleCode(self.before.path, splice(self.before.code, self.changes))
