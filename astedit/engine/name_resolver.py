"""Who answers what rules ask about names. It is named by a text, which workers can be sent."""

from collections.abc import Sequence
from functools import cached_property
from importlib import import_module
from typing import cast

from astedit.rule.names import EditedFile, ImportChanges, Names
from astedit.text.splice import ByteRange, Change


def provided(target: str) -> Names | None:
    """The resolver at `package.module:name`; None for "", which means that nobody resolves."""
    return Provided(target) if target else None


class Provided:
    """The `Names` that what is at `target` makes; imported when a rule first asks.

    Only the text goes to workers: processes share no objects.
    """

    def __init__(self, target: str) -> None:
        self._target = target

    @cached_property
    def _names(self) -> Names:
        module, _, name = self._target.partition(":")
        return cast(Names, getattr(import_module(module), name)())

    def resolved(self, source: bytes, start: int, end: int) -> frozenset[str]:
        """The qualified names of the expression that spans these bytes."""
        return self._names.resolved(source, start, end)

    def check_imports(self, language: str, asked: ImportChanges) -> None:
        """Raises `RequestError` for what is no import in the language."""
        self._names.check_imports(language, asked)

    def import_edits(self, file: EditedFile, asked: ImportChanges) -> list[Change]:
        """Changes of the text that a rewrite made: imports it needs, and needs no more."""
        return self._names.import_edits(file, asked)

    def hidden_imports(
        self, file: EditedFile, asked: ImportChanges, places: Sequence[ByteRange]
    ) -> dict[int, str]:
        """Why some places of a text do not see an import that is to be added, by number."""
        return self._names.hidden_imports(file, asked, places)

    def missing_imports(self, file: EditedFile, names: Sequence[str]) -> tuple[str, ...]:
        """The imports that a text needs for these names, as far as they are known."""
        return self._names.missing_imports(file, names)
