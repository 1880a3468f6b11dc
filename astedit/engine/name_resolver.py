"""Who answers what rules ask about names. It is named by a text, which workers can be sent."""

from collections.abc import Sequence
from functools import cached_property
from importlib import import_module
from typing import cast

from astedit.rule.names import Names
from astedit.text.splice import Change


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

    def import_edits(
        self, source: bytes, wanted: Sequence[str], unused: Sequence[str]
    ) -> list[Change]:
        """Edits of the text that a rewrite made: imports it needs, and needs no more."""
        return self._names.import_edits(source, wanted, unused)
