"""`resolvesTo`: what a name stands for, however it was imported. (Ours; Python only.)

Beside it `Names`, who answers that and changes imports: `semantic/` has one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from tree_sitter import Node

from astedit.rule.environment import Environment
from astedit.rule.match.atomic import _Atom
from astedit.rule.match.node import NO_CONSTRAINTS, NO_LITERALS, Constraints, Literals
from astedit.text.splice import ByteRange, Change


@dataclass(frozen=True, slots=True)
class ImportChanges:
    """What to do to a file's imports; each is one import, written as in code.

    What is in `add` comes where the text uses it, what is in `remove` goes where nothing
    uses it; with `prune` so does every import whose last use the edits took away.
    """

    add: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()
    prune: bool = False


@dataclass(frozen=True, slots=True)
class EditedFile:
    """A file of a language, its text (UTF-8) before the edits, and after them.

    `is_script` says that it is a script of a page, which has no imports.
    """

    path: str
    language: str
    before: bytes
    after: bytes
    is_script: bool = False


class Names(Protocol):
    """What the names in a file resolve to. Rules are given one when they are compiled."""

    def resolved(self, source: bytes, start: int, end: int) -> frozenset[str]:
        """The qualified names of the expression that spans these bytes."""

    def check_imports(self, language: str, asked: ImportChanges) -> None:
        """Raises `RequestError` for what is no import in the language."""

    def import_edits(self, file: EditedFile, asked: ImportChanges) -> list[Change]:
        """Changes of the text after the edits; raises `RequestError` where they cannot be."""

    def hidden_imports(
        self, file: EditedFile, asked: ImportChanges, places: Sequence[ByteRange]
    ) -> dict[int, str]:
        """Why some places of the text after the edits do not see an import to add, by number."""

    def missing_imports(self, file: EditedFile, names: Sequence[str]) -> tuple[str, ...]:
        """The imports that a text needs for these names, as far as they are known."""


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
