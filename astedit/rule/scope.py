"""What a rule object is compiled in; it also raises the errors about the object. (rule G1)"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any as Raw
from typing import NoReturn

from astedit.language import Grammar, Row
from astedit.rule.failure import one_of, wrong
from astedit.rule.match.node import Rule
from astedit.rule.match.utility import Globals
from astedit.rule.names import Names

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

    def keys(self, raw: Raw, place: str, valid: Iterable[str]) -> dict[str, Raw]:
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
        return raw

    def resolver(self, place: str) -> Names:
        """Says what names resolve to. It fails where nobody resolves names."""
        if self.names is None:
            self.fail("nobody resolves names here", place)
        return self.names

    def text(self, raw: Raw, place: str) -> str:
        if not isinstance(raw, str):
            self.fail("a string is expected here", place)
        return raw
