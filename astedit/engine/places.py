"""How many places of a file hold the name that a pattern is about, and what stands there.

Counted where a file is parsed anyway, with the tree and the matches at hand; what a place
lacks to match is found out later, for one place of each kind (see `near`).
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import islice
from typing import NamedTuple

from tree_sitter import Node

from astedit.engine.program import Pairs
from astedit.language.traits import traits
from astedit.model.request import EditRequest
from astedit.pattern.compile import Goal, Pattern
from astedit.pattern.match import Found

_MOST = 300  # places of one name in one file
_NAMES = 3  # of one pattern
_NAME = re.compile(rb"[^\W\d]\w{2,}")  # shorter ones stand everywhere


class KindData(NamedTuple):
    """How often a name stands in a node of this kind unmatched, and first where."""

    kind: str
    times: int
    start: int


class PlacesData(NamedTuple):
    """The places of one of an op's names in one file: in code, and as a part of a match."""

    op: int
    name: bytes
    places: int
    matched: int
    kinds: tuple[KindData, ...]


def counts_places(request: EditRequest, mode: str, shown: bool) -> bool:
    """Whether places are counted: where a person is shown what a pattern finds."""
    wanted = shown if mode == "edit" else mode.startswith(("text", "json", "lines:"))
    return wanted and not (request.no_near or request.regions)


def names_of(pattern: Pattern) -> list[bytes]:
    """The longest names that a pattern spells; which is the rarest, the files say."""
    names = sorted(set(_names(pattern.goal, traits(pattern.row.name).facts.literals)))
    return sorted(names, key=len, reverse=True)[:_NAMES]


def _names(goal: Goal, literals: frozenset[str]) -> Iterator[bytes]:
    if goal.hole is not None or goal.kind_name in literals:
        return
    if not goal.children and goal.named and _NAME.fullmatch(goal.text):
        yield goal.text
    for child in goal.children:
        yield from _names(child, literals)


def places_of(pairs: Pairs, root: Node, source: bytes) -> tuple[PlacesData, ...]:
    """The places of the ops that are patterns and spell a name."""
    counted: list[PlacesData] = []
    for op, matches in pairs:
        if op.pattern is not None:
            literals = traits(op.pattern.row.name).facts.literals
            counted += [
                _counted(op.index, name, matches, root, source, literals)
                for name in names_of(op.pattern)
            ]
    return tuple(counted)


def _counted(
    op: int,
    name: bytes,
    matches: Sequence[Found],
    root: Node,
    source: bytes,
    literals: frozenset[str],
) -> PlacesData:
    starts = [found.start() for found in islice(_word(name).finditer(source), _MOST)]
    matched = {own for match in matches if (own := _own(match, starts)) is not None}
    counts: Counter[str] = Counter()
    first: dict[str, int] = {}
    for start in starts:
        if start not in matched:
            kind = _kind(root, start, start + len(name), literals)
            if kind is not None:
                counts[kind] += 1
                first.setdefault(kind, start)
    kinds = tuple(KindData(kind, count, first[kind]) for kind, count in counts.items())
    return PlacesData(op, name, len(matched) + counts.total(), len(matched), kinds)


@cache
def _word(name: bytes) -> re.Pattern[bytes]:
    """A name by itself. Its bytes come first: a look behind in front is asked at each byte."""
    text = re.escape(name)
    return re.compile(text + rb"(?![\w$])(?<![\w$]" + text + rb")")


def _own(match: Found, starts: Sequence[int]) -> int | None:
    """The place of the name in a match that is the pattern's own, not a capture's."""
    captures = list(_captures(match))
    for start in starts[bisect_left(starts, match.node.start_byte) :]:
        if start >= match.node.end_byte:
            return None
        if not any(low <= start < high for low, high in captures):
            return start
    return None


def _captures(match: Found) -> Iterable[tuple[int, int]]:
    for node in match.single.values():
        yield node.start_byte, node.end_byte
    for nodes in match.multi.values():
        if nodes:
            yield nodes[0].start_byte, nodes[-1].end_byte


def _kind(root: Node, start: int, end: int, literals: frozenset[str]) -> str | None:
    """What a name in code stands in: the kind of the smallest node that holds more."""
    node = root.descendant_for_byte_range(start, end)
    if node is None or (node.start_byte, node.end_byte) != (start, end) or node.is_extra:
        return None
    around = node.parent
    while around is not None and (around.start_byte, around.end_byte) == (start, end):
        around = around.parent
    if around is None or around.is_extra or {node.type, around.type} & literals:
        return None
    return around.type
