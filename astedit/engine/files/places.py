"""How many places hold the name that a pattern is about, and what stands there.

Counted where a file is parsed anyway, with the tree and the matches at hand. What a place
lacks to match is for `astedit.explanation` to say, of one place of each kind.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import islice
from typing import Literal, NamedTuple

from tree_sitter import Node

from astedit.engine.program import CompiledOp, Pairs
from astedit.language.brackets import largest
from astedit.language.traits import traits
from astedit.model.edit import Near, NearReason
from astedit.model.request import EditRequest
from astedit.pattern.compile import Goal, Pattern
from astedit.pattern.match import Found
from astedit.text.source import Spans, holds

_MOST = 300  # places of one name in one file
_FEW = 100  # matches of an op up to which its near misses are told unasked
_NAMES = 3  # of one pattern
_REASONS = 3  # kinds of places of one op that are told
_NAME = re.compile(rb"[^\W\d]\w{2,}")  # shorter ones stand everywhere


class Around(NamedTuple):
    """How many lines before and after it are told with each match."""

    before: int
    after: int


# What a run is for: to plan edits; to tell matches as lines or as ast-grep's objects; to
# report what rules find, as such objects or with what their text shows only.
Purpose = Literal["edit", "text", "json", "scan", "brief"] | Around


class KindData(NamedTuple):
    """How often a name stands in a node of this kind unmatched, and first where."""

    kind: str
    times: int
    start: int


class PlacesData(NamedTuple):
    """The places of one of an op's names in one file: in code, and as a part of a match.

    `taken` are the places that matches of other ops have.
    """

    name: bytes
    places: int
    matched: int
    taken: int
    kinds: tuple[KindData, ...]


class OpPlaces(NamedTuple):
    """How often an op matches in one file, and the places of its names.

    `names` is None where they were not counted: there are too many matches already.
    """

    op: int
    matches: int
    names: tuple[PlacesData, ...] | None


class NamePlace(NamedTuple):
    """The first place of a kind: in which file, of which language, at which byte."""

    path: str
    language: str
    start: int


class PlaceCounts:
    """The places of all files, added up by op and name.

    Of an op with many matches nothing is told, unless that is asked for.
    """

    def __init__(self, request: EditRequest) -> None:
        self._all = request.near
        self._matches: Counter[int] = Counter()
        self._uncounted: set[int] = set()
        self._places: Counter[tuple[int, bytes]] = Counter()
        self._matched: Counter[tuple[int, bytes]] = Counter()
        self._taken: Counter[tuple[int, bytes]] = Counter()
        self._kinds: dict[tuple[int, bytes], Counter[str]] = {}
        self._first: dict[tuple[int, bytes, str], NamePlace] = {}

    def add(self, path: str, language: str, counts: Iterable[OpPlaces]) -> None:
        """Adds those of one file; files come in path order."""
        for op, matches, names in counts:
            self._matches[op] += matches
            if names is None:
                self._uncounted.add(op)
            for name, places, matched, taken, kinds in names or ():
                self._places[op, name] += places
                self._matched[op, name] += matched
                self._taken[op, name] += taken
                sums = self._kinds.setdefault((op, name), Counter())
                for kind, times, start in kinds:
                    sums[kind] += times
                    self._first.setdefault((op, name, kind), NamePlace(path, language, start))

    def near(self, compiled: Iterable[CompiledOp]) -> list[Near]:
        """The counts of each op that is a pattern and spells a name, of its rarest name.

        Of an op there is nothing to say if other ops match wherever its name stands.
        """
        ops: dict[int, Pattern] = {}
        for op in compiled:
            few = self._matches[op.index] <= _FEW and op.index not in self._uncounted
            if op.pattern is not None and (self._all or few):
                ops.setdefault(op.index, op.pattern)
        told = (self._of(op, ops[op], own) for op in sorted(ops) if (own := names_of(ops[op])))
        return [n for n in told if n.places or not self._taken[n.op, n.name.encode()]]

    def _of(self, op: int, pattern: Pattern, names: Sequence[bytes]) -> Near:
        key = op, min(names, key=lambda name: self._places[op, name])
        kinds = self._kinds.get(key, Counter()).most_common(_REASONS)
        reasons = [NearReason(kind, count, self._first[*key, kind].path) for kind, count in kinds]
        name = key[1].decode()
        return Near(op, pattern.text, name, self._places[key], self._matched[key], reasons)

    def first(self, near: Near, reason: NearReason) -> NamePlace:
        """The first place of the kind that a reason is about."""
        return self._first[near.op, near.name.encode(), reason.kind]


def counts_places(request: EditRequest, mode: Purpose, shown: bool) -> bool:
    """Whether places are counted: where a person is shown what a pattern finds."""
    return (shown if mode == "edit" else mode not in ("scan", "brief")) and not request.no_near


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


def places_of(
    pairs: Pairs, root: Node, source: bytes, spans: Spans | None, seen: "Counter[int] | None"
) -> tuple[OpPlaces, ...]:
    """The places of the ops that are patterns and spell a name, in the spans if there are any.

    A place that another op of the request matches lacks nothing. `seen` adds up the matches
    of each op: from many on, its names are not counted any more. With None they always are.
    """
    ops = []
    for op, matches in pairs:
        if op.pattern is not None and (names := names_of(op.pattern)):
            if seen is not None:
                seen[op.index] += len(matches)
            is_counted = seen is None or seen[op.index] <= _FEW
            ops.append((op, matches, names, is_counted))
    counted = {name for _, _, names, is_counted in ops if is_counted for name in names}
    starts = {name: _starts(name, source, spans) for name in counted}
    matched = {
        (op.index, name): {at for match in matches if (at := _own(match, starts[name])) is not None}
        for op, matches, names, _ in ops
        for name in counted.intersection(names)
    }
    taken: dict[bytes, set[int]] = {name: set() for name in counted}
    for (_, name), places in matched.items():
        taken[name] |= places

    def data(op: CompiledOp, name: bytes) -> PlacesData:
        others = [at for at in starts[name] if at not in taken[name]]
        return _counted(op, name, matched[op.index, name], taken[name], others, root, source)

    return tuple(
        OpPlaces(
            op.index, len(matches), tuple(data(op, name) for name in names) if is_counted else None
        )
        for op, matches, names, is_counted in ops
    )


def _starts(name: bytes, source: bytes, spans: Spans | None) -> list[int]:
    starts = (found.start() for found in _word(name).finditer(source))
    return list(islice((at for at in starts if holds(spans, at, at + len(name))), _MOST))


def _counted(
    op: CompiledOp,
    name: bytes,
    matched: set[int],
    taken: set[int],
    others: list[int],
    root: Node,
    source: bytes,
) -> PlacesData:
    assert op.pattern is not None
    literals = traits(op.pattern.row.name).facts.literals
    dotted = name + b"." in op.pattern.text.encode()
    counts: Counter[str] = Counter()
    first: dict[str, int] = {}
    for start in others:
        end = start + len(name)
        if not dotted and source[end : end + 1] == b".":
            continue  # it says where another name is from: `Double.TYPE`
        if (kind := _kind(root, start, end, literals)) is not None:
            counts[kind] += 1
            first.setdefault(kind, start)
    kinds = tuple(KindData(kind, count, first[kind]) for kind, count in counts.items())
    own = len(matched)
    return PlacesData(name, own + counts.total(), own, len(taken - matched), kinds)


@cache
def _word(name: bytes) -> re.Pattern[bytes]:
    """A name by itself. Its bytes come first: a look behind in front is asked at each byte."""
    text = re.escape(name)
    return re.compile(text + rb"(?![\w$])(?<![\w$]" + text + rb")")


def _own(match: Found, starts: Sequence[int]) -> int | None:
    """The place of the name in a match that is the pattern's own, not a capture's."""
    captures = list(captured_spans(match))
    for start in starts[bisect_left(starts, match.node.start_byte) :]:
        if start >= match.node.end_byte:
            return None
        if not any(low <= start < high for low, high in captures):
            return start
    return None


def captured_spans(match: Found) -> Iterable[tuple[int, int]]:
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
    around = largest(node).parent
    if around is None or around.is_extra or {node.type, around.type} & literals:
        return None
    return around.type
