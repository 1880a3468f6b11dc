"""What a rule object is compiled in, with who says what a name stands for: `Names`. (rule G1)"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any as Raw
from typing import NoReturn, ParamSpec, Protocol, TypeVar

from tree_sitter import Node

from astedit.errors import RequestError
from astedit.language import Grammar, Row
from astedit.rule.environment import Environment
from astedit.rule.failure import one_of, wrong
from astedit.rule.match.node import NO_CONSTRAINTS, NO_LITERALS, Constraints, Literals, Rule
from astedit.rule.match.utility import Globals
from astedit.text.source import ByteRange, Change


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


class ResolvesTo(Rule):
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


Parts = ParamSpec("Parts")
Value = TypeVar("Value")

# A pattern such as f($A, $B) in { } ends at its comma.
_QUOTES = "A text with a comma or a brace needs quotes. "


@dataclass(slots=True)
class Scope:
    """What a rule object is compiled in: its language, and the names it may use."""

    row: Row
    grammar: Grammar
    rule: str | None = None
    path: str | None = None
    globals: Globals = field(default_factory=Globals)
    names: Names | None = None
    local_names: frozenset[str] = frozenset()
    locals: dict[str, Rule] = field(default_factory=dict)
    parameters: tuple[str, ...] = ()
    rewriters: frozenset[str] = frozenset()
    prefix: str = ""
    warnings: list[str] = field(default_factory=list)
    hints: list[str] = field(default_factory=list)  # for a rule that finds nothing

    def fail(
        self, problem: str, place: str, hint: str | None = None, key: str | None = None
    ) -> NoReturn:
        raise wrong(problem, self.prefix + place, self.rule, hint, self.path, key=key)

    def at(
        self, place: str, make: Callable[Parts, Value], *parts: Parts.args, **more: Parts.kwargs
    ) -> Value:
        """Returns what is made of these; what is wrong with them is wrong at this place."""
        try:
            return make(*parts, **more)
        except RequestError as error:
            self.fail(error.message, place, error.hint)
        except ValueError as error:  # also half a character
            self.fail(str(error), place)

    def mapping(self, raw: Raw, place: str) -> dict[str, Raw]:
        """Returns `raw` if it is an object, whose keys are the user's own, without null values."""
        return self.keys(raw, place, raw if isinstance(raw, dict) else ())

    def keys(self, raw: Raw, place: str, valid: Iterable[str], *required: str) -> dict[str, Raw]:
        """Returns `raw` if it is an object with these keys only, and without null values (G1)."""
        if not isinstance(raw, dict):
            self.fail("an object is expected here", place)
        valid = tuple(valid)
        for key, value in raw.items():
            if key not in valid:
                hint = one_of(valid, key) if value is not None else _QUOTES + one_of(valid, key)
                self.fail(f"unknown key {key!r}", place, hint, key)
            if value is None:
                self.fail("the value is missing (null)", f"{place}.{key}", "Give it one.")
        for key in required:
            if key not in raw:
                self.fail(f"{key!r} is missing", place)
        return raw

    def resolver(self, place: str) -> Names:
        """Says what names resolve to. It fails where nobody resolves names."""
        if self.names is None:
            self.fail("nobody resolves names here", place)
        return self.names

    def flag(self, raw: Raw, place: str) -> bool:
        if not isinstance(raw, bool):
            self.fail("true or false is expected here", place)
        return raw

    def choice(self, raw: Raw, place: str, what: str, valid: Sequence[str]) -> str:
        """Returns `raw` if it is one of these words for `what`."""
        if raw not in valid:
            self.fail(f"unknown {what} {raw!r}", place, one_of(valid, raw))
        return str(raw)

    def items(self, raw: Raw, place: str, what: str) -> list[Raw]:
        """Returns `raw` if it is a list; `what` says of what."""
        if not isinstance(raw, list):
            self.fail(f"a list of {what} is expected here", place)
        return raw

    def text(self, raw: Raw, place: str) -> str:
        if not isinstance(raw, str):
            self.fail("a string is expected here", place)
        return raw
