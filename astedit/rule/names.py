"""`resolvesTo`: what a name stands for, however it was imported. (Ours; Python only.)"""

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Protocol, cast

from tree_sitter import Node

from astedit.edit import Change
from astedit.rule.atomic import _Atom
from astedit.rule.environment import Environment
from astedit.rule.node import Literals

# Who answers is said by name, as a worker's work is: processes share no objects.
PROVIDER = "astedit.semantic.names:PythonNames"


class Names(Protocol):
    """What the names in a file resolve to."""

    def resolved(self, source: bytes, start: int, end: int) -> frozenset[str]:
        """The qualified names of the expression that spans these bytes."""

    def import_edits(
        self, source: bytes, wanted: Sequence[str], unused: Sequence[str]
    ) -> list[Change]:
        """Edits of the text that a rewrite made: imports it needs, and needs no more."""


@cache
def names() -> Names:
    """The one that answers in this process; imported when a rule first asks."""
    module, _, name = PROVIDER.partition(":")
    return cast(Names, getattr(import_module(module), name)())


class ResolvesTo(_Atom):
    """`resolvesTo`: the node is a name or attribute that resolves to one of these."""

    def __init__(self, wanted: Sequence[str]) -> None:
        self._wanted = frozenset(wanted)

    def match(self, node: Node, env: Environment) -> Node | None:
        found = names().resolved(env.source, node.start_byte, node.end_byte)
        return node if found & self._wanted else None

    def literals(self) -> Literals:
        """Every way to import a name spells the parts of it."""
        return tuple(
            frozenset(part.encode() for part in one.removeprefix("builtins.").split("."))
            for one in sorted(self._wanted)
        )
