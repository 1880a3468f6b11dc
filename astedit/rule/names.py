"""`resolvesTo`: what a name stands for, however it was imported. (Ours; Python only.)"""

from collections.abc import Sequence
from typing import Protocol

from tree_sitter import Node

from astedit.rule.atomic import _Atom
from astedit.rule.environment import Environment
from astedit.rule.node import NO_CONSTRAINTS, NO_LITERALS, Constraints, Literals
from astedit.text.splice import Change


class Names(Protocol):
    """What the names in a file resolve to. Rules are given one when they are compiled."""

    def resolved(self, source: bytes, start: int, end: int) -> frozenset[str]:
        """The qualified names of the expression that spans these bytes."""

    def import_edits(
        self, source: bytes, wanted: Sequence[str], unused: Sequence[str]
    ) -> list[Change]:
        """Edits of the text that a rewrite made: imports it needs, and needs no more."""


class ResolvesTo(_Atom):
    """`resolvesTo`: the node is a name or attribute that resolves to one of these."""

    def __init__(self, wanted: Sequence[str], names: Names) -> None:
        self._wanted = frozenset(wanted)
        self._names = names

    def match(self, node: Node, env: Environment) -> Node | None:
        found = self._names.resolved(env.source, node.start_byte, node.end_byte)
        return node if found & self._wanted else None

    def literals(self, own: bool = False, constraints: Constraints = NO_CONSTRAINTS) -> Literals:
        """Every way to import a name spells the parts of it; the name itself need not."""
        if own:
            return NO_LITERALS
        return tuple(
            frozenset(part.encode() for part in one.removeprefix("builtins.").split("."))
            for one in sorted(self._wanted)
        )
