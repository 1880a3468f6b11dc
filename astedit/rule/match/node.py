"""What every node of a compiled rule offers. (rule C5)"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import TypeVar

from tree_sitter import Node

from astedit.pattern.required_text import Literal
from astedit.pattern.template import Metavariable
from astedit.rule.environment import Environment

_T = TypeVar("_T")

Captures = Mapping[str, Metavariable]
# Alternatives: a file that holds all literals of none of them holds no match.
Literals = tuple[frozenset[Literal], ...]
NO_LITERALS: Literals = (frozenset(),)
MAX_ALTERNATIVES = 64
MOST_PAIRS = 256  # put together to see how many alternatives they are
Constraints = Mapping[str, "Rule"]
NO_CONSTRAINTS: Constraints = {}


class Rule:
    """A compiled rule, or a part of one; nothing is known of it but for what it overrides."""

    def match(self, node: Node, env: Environment) -> Node | None:
        """The node when it matches, with `env` extended; else None, and `env` as it was."""
        raise NotImplementedError

    def kinds(self) -> frozenset[int] | None:
        """The kinds that a matching node can be of; None if that is not known."""
        return None

    def literals(self, own: bool = False, constraints: "Constraints" = NO_CONSTRAINTS) -> Literals:
        """The texts that a file with a match holds; with `own`, that the match itself holds.

        A capture that has one of the `constraints` matches that.
        """
        return NO_LITERALS

    def captures(self) -> Captures:
        """The captures that a match may bind."""
        return {}

    def sure_captures(self) -> frozenset[str]:
        """The names that are bound whenever the rule holds."""
        return frozenset()

    def parts(self) -> "Iterable[Rule]":
        """The rules that are asked about the very same node, or its siblings."""
        return ()


def both(each: Iterable[tuple[frozenset[_T], ...]]) -> tuple[frozenset[_T], ...]:
    """The alternatives of rules that must all hold; of too many, those of some rules."""
    combined: tuple[frozenset[_T], ...] = (frozenset(),)
    for alternatives in each:
        if len(combined) * len(alternatives) <= MOST_PAIRS:
            pairs = tuple({one | two for one, two in product(combined, alternatives)})
            if len(pairs) <= MAX_ALTERNATIVES:
                combined = pairs
    return combined


def either(each: Iterable[tuple[frozenset[_T], ...]]) -> tuple[frozenset[_T], ...]:
    """The alternatives of rules of which one must hold. If one needs nothing, none is needed."""
    several = list(each)
    found = {one for alternatives in several for one in alternatives}
    return tuple(found) if several and frozenset() not in found else (frozenset(),)


def all_captures(rules: Iterable[Rule]) -> Captures:
    """The captures of several rules about one match."""
    return together(*(rule.captures() for rule in rules))


def together(*each: Captures) -> Captures:
    """The captures of each. A name for one node here and for many there may have either sigil."""
    found: dict[str, Metavariable] = {}
    for name, hole in (pair for captures in each for pair in captures.items()):
        known = found.get(name, hole)
        if known.loose or hole.loose:
            found[name] = hole if known.loose else known
        else:
            found[name] = known._replace(loose=known.many != hole.many)
    return found


def probed(captures: Captures) -> Captures:
    """The captures of a rule that is only asked whether it matches, and binds nothing."""
    return {name: hole._replace(loose=True) for name, hole in captures.items()}


_PARTS = re.compile(r"(?:(?P<step>[+-]?\d*)[nN])?(?P<offset>[+-]?\d+)?")
_ILLEGAL = re.compile(r"[^0-9nN+\-\s]")


@dataclass(frozen=True, slots=True)
class Position:
    """The places `step * n + offset` for n = 0, 1, 2, …; the first place is 1."""

    step: int
    offset: int

    def holds(self, place: int) -> bool:
        if self.step == 0:
            return place == self.offset
        distance = place - self.offset
        return distance % self.step == 0 and distance // self.step >= 0


def parse_position(text: str) -> Position:
    """Reads `3`, `2n+1`, `-n + 2`; raises ValueError with what is wrong."""
    if illegal := _ILLEGAL.search(text):
        raise ValueError(f"illegal character {illegal[0]!r} in the position {text!r}")
    compact = "".join(text.split())
    found = _PARTS.fullmatch(compact)
    if found is None or not compact or len(compact) > 20:
        raise ValueError(f"{text!r} is not a position; write 3, 2n+1 or -n+2")
    step, offset = found["step"], found["offset"]
    if step is not None and offset is not None and offset[0] not in "+-":
        raise ValueError(f"{text!r} is not a position: a sign is missing after n")
    if step in ("", "+", "-"):
        step += "1"
    return Position(int(step or 0), int(offset or 0))
