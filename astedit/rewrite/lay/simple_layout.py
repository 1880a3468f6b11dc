"""A match that is laid out without a look at its lines.

In most matches no line break stands where something changes, and no comment anywhere. Then
what changes follows from the alignment, and the questions that `layout` asks of each match
are answered once for all of them. What is made is the same.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from tree_sitter import Node

from astedit.pattern.compile import Goal, Pattern
from astedit.pattern.template import Slot
from astedit.rewrite.make.align import BRACKETS, Items, TemplateGap
from astedit.rewrite.make.piece import Piece, applied, moved_to, trimmed
from astedit.text.indent import Mark, Text

_COMMA = re.compile(rb"\A[ \t]*[,;]")
_SEPARATORS = frozenset(b",;")
KeptCaptures = tuple[tuple[Slot, int], ...]
LeafNodes = Mapping[int, Sequence[Node]]
LeafSpans = Mapping[int, tuple[int, int]]


class LayoutStep(NamedTuple):
    """What is made of one region, and the captures that stay before it.

    `way`: "write" `text` in its place, "keep" or "skip" what is there, "append" or "prepend"
    it to the items of a list or "fill" an empty list with it; "end" is behind the last
    region. `inner` says of each end whether it is a leaf's, `behind` that a capture ends
    where it begins, `closer` that the bracket to the right wants no separator. `bracket` is
    the leaf at the other end of the list.
    """

    captures: KeptCaptures
    left: int = -1
    right: int = -1
    way: str = "end"
    text: bytes = b""
    inner: tuple[bool, bool] = (True, True)
    behind: bool = False
    closer: bool = False
    has_parts: bool = True
    bracket: int = -1


def steps_of(
    pattern: Pattern, regions: Sequence[TemplateGap], captures: KeptCaptures
) -> tuple[LayoutStep, ...] | None:
    """The steps through any match on one line; None if its regions need a closer look."""
    if any(map(pattern.may_differ, pattern.leaves)):
        return None
    parents = dict(_parents(pattern.goal, None))
    steps: list[LayoutStep] = []
    rest = captures
    for region in regions:
        step = _step(region, pattern.leaves, parents)
        if step is None:
            return None
        steps.append(step._replace(captures=tuple(c for c in rest if c[1] <= region.left)))
        rest = tuple(c for c in rest if c[1] > region.left)
    return (*steps, LayoutStep(rest))


def _parents(goal: Goal, parent: Goal | None) -> Iterator[tuple[int, int]]:
    """Which goal each leaf is a child of."""
    if not goal.children:
        yield goal.place, id(parent)
    for child in goal.children:
        yield from _parents(child, goal)


def _step(
    region: TemplateGap, goals: Sequence[Goal], parents: Mapping[int, int]
) -> LayoutStep | None:
    text = _text(region.parts)
    inner = region.left >= 0, region.right < len(goals)
    behind = inner[0] and goals[region.left].hole is not None
    way = "write"
    bracket = -1
    if region.bared:
        way, text = "skip", b""
    elif region.items is not None and region.items.place != "insert":
        bracket = _bracket(region, goals, parents)
        way, text = region.items.place, _items(region.items)
        if text is None or bracket < 0 or region.closer or not region.adds:
            return None
    elif text is None or (not inner[1] and text.rstrip().endswith((b",", b";"))):
        return None  # where the match ends, the same may follow in the source
    elif not text.strip() and not all(inner):
        text = b""
    elif not text.strip() and region.adds and not region.spaces:
        way = "keep"
    ends, parts = (region.left, region.right), bool(region.parts)
    return LayoutStep((), *ends, way, text, inner, behind, region.closer, parts, bracket)


def _text(parts: Sequence[bytes | Slot]) -> bytes | None:
    """What a region writes; None if it holds a slot or a line break."""
    if any(not isinstance(part, bytes) or b"\n" in part for part in parts):
        return None
    return b"".join(part for part in parts if isinstance(part, bytes))


def _items(items: Items) -> bytes | None:
    """New items and what is written around them; None as in `_text`."""
    between = b"," + items.gap
    texts = [text for parts in items.parts if (text := _text(parts)) is not None]
    if len(texts) < len(items.parts):
        return None
    new = between.join(texts)
    if items.place == "prepend":
        return new + between
    new += b"," if items.comma else b""
    return new.join(items.margins) if items.place == "fill" else between + new


def _bracket(region: TemplateGap, goals: Sequence[Goal], parents: Mapping[int, int]) -> int:
    """The bracket at the other end of the list that a region adds to.

    -1 where the items and the brackets are not children of one node.
    """
    if not (region.opens or region.closes) or region.left < 0 or region.right == len(goals):
        return -1
    parent = parents[region.left]
    if parents[region.right] != parent:
        return -1
    beside = [goal for goal in goals if parents[goal.place] == parent]
    openers = [goal for goal in beside if goal.text in BRACKETS and goal.hole is None]
    if len(openers) != 1:
        return -1
    closers = [goal for goal in beside if goal.text == BRACKETS[openers[0].text]]
    ends = closers if region.opens else openers
    return ends[0].place if len(closers) == 1 else -1


def simply_laid(
    steps: Sequence[LayoutStep],
    nodes: LeafNodes,
    spans: LeafSpans,
    start: int,
    end: int,
    source: bytes,
    edits: Sequence[Piece],
    frozen: Sequence[int],
) -> tuple[list[Piece], Text] | None:
    """The pieces of a match without comments, and its text. None if lines matter to it.

    `nodes` and `spans` say where its leaves stand, bytes `start` to `end` are replaced;
    `edits` are made within its captures, and lines at `frozen` begin inside a literal.
    """
    pieces: list[Piece] = []
    written = _Written(nodes, spans, source, edits, frozen)
    at = start
    captures: KeptCaptures = ()
    for step in steps:
        captures += step.captures
        if step.way == "end":
            break
        low = spans[step.left][1] if step.inner[0] else start
        high = spans[step.right][0] if step.inner[1] else end
        if low == high and not step.has_parts:
            continue
        if not _applies(step, low, high, nodes, spans, source):
            return None
        written.stay(at, low, captures)
        at, captures = high, ()
        piece = _piece(step, low, high, source)
        if piece is None:
            written.put(source[low:high])
        else:
            pieces.append(piece)
            before, behind = source[low : piece.start], source[piece.end : high]
            written.put(before + piece.text.data + behind)
    written.stay(at, end, captures)
    return pieces, written.text()


class _Written:
    """The text of a match as far as it is written."""

    def __init__(
        self,
        nodes: LeafNodes,
        spans: LeafSpans,
        source: bytes,
        edits: Sequence[Piece],
        frozen: Sequence[int],
    ) -> None:
        self._nodes = nodes
        self._spans = spans
        self._source = source
        self._edits = edits
        self._frozen = frozen
        self._parts: list[bytes] = []
        self._lines: list[int] = []
        self._marks: list[Mark] = []
        self._size = 0

    def put(self, data: bytes) -> None:
        """Adds new text."""
        self._parts.append(data)
        self._size += len(data)

    def stay(self, low: int, high: int, captures: KeptCaptures) -> None:
        """Adds source that stays but for the edits within it, with its captures marked."""
        edits: list[Piece] = []
        if self._edits:
            edits = [edit for edit in self._edits if low <= edit.start and edit.end <= high]
        by = self._size - low
        for slot, place in captures:
            start, end = self._spans[place]
            composed = any(start <= edit.start and edit.end <= end for edit in edits)
            if edits:
                start, end = moved_to(start, edits), moved_to(end, edits)
            mark = Mark(start + by, end + by, slot.name, self._nodes[place], slot.many, composed)
            self._marks.append(mark)
        if not edits and not self._frozen:
            self.put(self._source[low:high])
            return
        text, size = applied(edits, low, high, self._source, self._frozen), self._size
        self._lines += [size + at for at in text.frozen]
        self._marks += [mark.at(mark.start + size, mark.end + size) for mark in text.marks]
        self.put(text.data)

    def text(self) -> Text:
        """All of it."""
        return Text(b"".join(self._parts), self._lines, self._marks)


def _applies(
    step: LayoutStep, low: int, high: int, nodes: LeafNodes, spans: LeafSpans, source: bytes
) -> bool:
    """Does a step do what the source asks for? Lines, separators and comments ask for more."""
    way = step.way
    if low < high and b"\n" in source[low:high]:
        return False
    if way == "fill":
        return not source[low:high].strip()
    if step.behind or way == "append":
        before = nodes[step.left]
        if source[low - 1] in _SEPARATORS or before[-1].is_extra:
            return False
    if way == "append":
        return low == high and _is_flat(step, low, spans, source) and not _may_be_items(before)
    if way == "prepend":
        first = nodes[step.right][0]
        may_differ = source[high] in _SEPARATORS or first.is_extra
        return low == high and _is_flat(step, low, spans, source) and not may_differ
    return True


def _is_flat(step: LayoutStep, at: int, spans: LeafSpans, source: bytes) -> bool:
    """Is a list on one line?"""
    bracket = spans.get(step.bracket)
    if bracket is None:
        return False
    low, high = (bracket[1], at) if bracket[1] <= at else (at, bracket[0])
    return source.find(b"\n", low, high) < 0


def _may_be_items(nodes: Sequence[Node]) -> bool:
    """Is a node alone between brackets, with commas of its own?"""
    return len(nodes) == 1 and any(child.type == "," for child in nodes[0].children)


def _piece(step: LayoutStep, low: int, high: int, source: bytes) -> Piece | None:
    text, gap = step.text, source[low:high]
    if step.way == "append" or step.way == "prepend":
        return Piece(high, high, Text(text))
    if step.way == "fill":
        return Piece(low, high, Text(text))
    if step.way == "skip" or not (step.has_parts or gap.strip(b" \t" if step.closer else b"")):
        return None
    if step.way == "keep":
        text = _COMMA.sub(b"", gap) if step.closer else gap
    if not gap and text:
        return Piece(low, high, Text(text))
    return trimmed(Piece(low, high, Text(text)), source)
