"""How one match fits a template: where the leaves of its pattern stand, and which stay.

A layout is kept by shape: of matches that differ in their captures alone, one is laid out.
Where a match has one line and no comment, its layout follows from what stands around its
captures and from the kinds of these. It is kept as pieces that say which capture goes where.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from tree_sitter import Node

from astedit.language.facts import TEXT
from astedit.language.traits import traits
from astedit.pattern.compile import Pattern
from astedit.pattern.match import Found
from astedit.pattern.template import Slot, Template
from astedit.rewrite.make.align import Absent, Alignment, TemplateGap
from astedit.rewrite.make.piece import Piece, applied
from astedit.rewrite.make.render import has_idle_comma, without_newline
from astedit.rewrite.make.template_leaves import Pair
from astedit.rewrite.make.template_tree import TemplateTree
from astedit.text.indent import Mark, Text
from astedit.text.source import ByteRange

_NOTHING = Absent()
_MOST = 10_000  # layouts that are kept of one op
_WHITE = frozenset(b" \t\n\r\v\f")


@dataclass(slots=True)
class Fit:
    """What all matches have in common in which the same leaves have no text.

    `captures` are the slots that stay, each with its leaf of the pattern.
    """

    kept: tuple[Pair, ...]
    regions: tuple[TemplateGap, ...]
    captures: tuple[tuple[Slot, int], ...]


Capture = tuple[int, int, str, bool, list[Node]]  # its bytes, its name, does it take many, nodes
LayoutKey = tuple[bytes | int | str, ...]
LayoutParts = tuple[bytes | int, ...]  # of a text: what is written, or the number of a capture
LayoutPlace = tuple[int, int]  # how many bytes behind so many captures


class KeptLayout(NamedTuple):
    """What matches that differ in their captures alone become, and the pieces that change them."""

    text: LayoutParts
    pieces: tuple[tuple[LayoutPlace, LayoutPlace, LayoutParts], ...]


class Fits:
    """One pattern and one template, with its tree, and the fits of the matches seen so far."""

    def __init__(self, pattern: Pattern, template: Template) -> None:
        self.pattern = pattern
        self._template = template
        self._fits: dict[Absent, Fit] = {}
        self.layouts: dict[LayoutKey, KeptLayout] = {}

    @cached_property
    def alignment(self) -> Alignment:
        return Alignment(self.pattern, self._template)

    @cached_property
    def tree(self) -> TemplateTree:
        return TemplateTree(self._template, self.pattern)

    def fit(self, absent: Absent) -> Fit:
        """The fit of a match that lacks these leaves."""
        if absent not in self._fits:
            kept, leaves = self.alignment.kept(absent), self.alignment.leaves
            slots = ((leaves[new].slot, old) for old, new in kept)
            captures = tuple((slot, old) for slot, old in slots if slot is not None)
            self._fits[absent] = Fit(kept, self.alignment.regions(absent), captures)
        return self._fits[absent]

    def keep(self, shape: "MatchShape", text: Text, pieces: Sequence[Piece], source: bytes) -> None:
        """Keeps the layout of a match that became this, if its captures say all of it."""
        if shape.key in self.layouts or len(self.layouts) > _MOST or self.alignment.others:
            return
        if (layout := _kept(shape, text, pieces, source)) is not None:
            self.layouts[shape.key] = layout


@dataclass(slots=True)
class Aligned:
    """The leaves of a pattern in one match: where they stand, and which of them stay.

    `comments` were captured, but belong to the item before the capture, whose line they end.
    """

    alignment: Alignment
    nodes: dict[int, list[Node]]
    spans: dict[int, ByteRange]
    fit: Fit
    comments: tuple[ByteRange, ...] = ()

    def gaps(self) -> Iterator[ByteRange]:
        """Where a comment stays beside what it was beside."""
        kept = [self.spans[old] for old, _ in self.fit.kept]
        torn = {
            self.spans[region.left][1]
            for region in self.fit.regions
            if region.left in self.spans and not (region.adds and region.items is not None)
        }
        yield from ((one[1], two[0]) for one, two in pairwise(kept) if one[1] not in torn)

    def captures(self) -> list[tuple[Slot, ByteRange, list[Node]]]:
        """The captures that stay where they are."""
        return [(slot, self.spans[old], self.nodes[old]) for slot, old in self.fit.captures]


def aligned(fits: Fits, found: Found, source: bytes) -> Aligned | None:
    """How one match fits its template."""
    nodes: dict[int, list[Node]] = {}
    ends: dict[int, ByteRange] = {}
    for goal, node in found.trail:
        if goal.pattern is fits.pattern:
            place, span = goal.place, (node.start_byte, node.end_byte)
            if place in nodes:
                nodes[place].append(node)
                ends[place] = ends[place][0], span[1]
            else:
                nodes[place], ends[place] = [node], span
    for place, captured in nodes.items():
        if len(captured) == 2 and has_idle_comma(captured):  # it stays where it is, for a gap
            del captured[1]
            ends[place] = ends[place][0], captured[0].end_byte
    spans: dict[int, ByteRange] = {}
    at = found.node.start_byte
    for place in sorted(ends):
        low, high = ends[place]
        if low < high:
            high = without_newline(nodes[place][-1], high, source)
        if low < high:
            if low < at:
                return None
            spans[place] = low, high
            at = high
    if TEXT in traits(fits.pattern.row.name).facts.texts:
        spans |= {place: _with_blanks(nodes[place], span) for place, span in spans.items()}
    for place, span in _passed_over(fits.pattern, spans, source):
        token = found.node.descendant_for_byte_range(*span)
        nodes[place], spans[place] = [token] if token else [], span
    fit = fits.fit(_absent(fits.alignment, spans, found, source))
    comments: list[ByteRange] = []
    before = _with_items_before(fit)
    for place, captured in nodes.items():
        if captured[0].is_extra and place in spans:
            is_later = _is_behind_comma(spans[place][0], source)
            if is_later or place in before:
                nodes[place] = kept = _without_first_comments(captured, source)
                spans[place] = kept[0].start_byte, spans[place][1]
                gone = captured[: len(captured) - len(kept)] if is_later else ()
                comments += ((node.start_byte, node.end_byte) for node in gone)
    return Aligned(fits.alignment, nodes, spans, fit, tuple(comments)) if fit.kept else None


def _with_blanks(nodes: list[Node], span: ByteRange) -> ByteRange:
    """With the white space right inside of tags, where text or a tag is right outside of these.

    Not where it is at an end of what is around them, save a `<pre>`.
    """
    before, outer, behind = nodes[0].prev_sibling, nodes[0].parent, nodes[-1].next_sibling
    if before is None or outer is None or behind is None:
        return span
    left, right = outer.prev_sibling, outer.next_sibling
    is_after = left and left.end_byte == before.start_byte and _tells(left, before)
    is_ahead = right and behind.end_byte == right.start_byte and _tells(right, behind)
    return before.end_byte if is_after else span[0], behind.start_byte if is_ahead else span[1]


def _tells(outside: Node, tag: Node) -> bool:
    name = (outside.text or b"").lower().lstrip(b"</")
    return outside.type != tag.type or name.startswith(b"pre")


def _passed_over(
    pattern: Pattern, spans: dict[int, ByteRange], source: bytes
) -> Iterator[tuple[int, ByteRange]]:
    """Tokens that nobody had to look for, as the `}` behind statements and before an `else`."""
    for place, leaf in enumerate(pattern.leaves):
        if place not in spans and leaf.hole is None and {place - 1, place + 1} <= spans.keys():
            low, high = spans[place - 1][1], spans[place + 1][0]
            if source[low:high].strip() == leaf.text:
                at = source.index(leaf.text, low)
                yield place, (at, at + len(leaf.text))


def _with_items_before(fit: Fit) -> list[int]:
    """The captures that stay, of several items, and have new items put before them."""
    many = {place for slot, place in fit.captures if slot.many}
    before = ("prepend", "insert")
    places = [r.right for r in fit.regions if r.items and r.items.place in before]
    return [place for place in places if place in many]


def _without_first_comments(nodes: list[Node], source: bytes) -> list[Node]:
    """Without the comments that end the line of what stands before: they belong to that."""
    first = next((at for at, node in enumerate(nodes) if not node.is_extra), 0)
    ended = source.count(b"\n", nodes[0].start_byte, nodes[first].start_byte) > 0
    begun = source[source.rfind(b"\n", 0, nodes[0].start_byte) + 1 : nodes[0].start_byte].strip()
    return nodes[first:] if ended and begun else nodes


def _is_behind_comma(at: int, source: bytes) -> bool:
    while at and source[at - 1] in _WHITE:
        at -= 1
    return source[at - 1 : at] == b","


def _absent(
    alignment: Alignment, spans: dict[int, ByteRange], found: Found, source: bytes
) -> Absent:
    """The leaves that have no text of their own, or another one than their name."""
    if len(spans) == len(alignment.goals) and not alignment.names and not alignment.others:
        return _NOTHING
    missing = [place for place in range(len(alignment.goals)) if place not in spans]
    for place, text in alignment.names:
        if place in spans and source[slice(*spans[place])] != text:
            missing.append(place)
    empty = [slot for slot in alignment.others if not _has_text(slot, found)]
    return Absent(frozenset(missing), frozenset(empty)) if missing or empty else _NOTHING


def _has_text(slot: Slot, found: Found) -> bool:
    if found.texts is not None and slot.name in found.texts:
        return bool(found.texts[slot.name].data)
    return bool(found.nodes(*slot))


class MatchShape(NamedTuple):
    """A match on one line, and its captures in order."""

    key: LayoutKey
    start: int
    end: int
    captures: list[Capture]
    layout: KeptLayout | None


def match_shape(
    fits: Fits, found: Found, source: bytes, comments: tuple[bytes, ...]
) -> MatchShape | None:
    """None for a match of which something else may decide how it is laid out.

    That is one with a line break, or with a sign that `comments` begin with.
    """
    trail = found.trail
    if not trail or found.texts:
        return None
    start, end = trail[0][1].start_byte, trail[-1][1].end_byte
    text = source[start:end]
    node = found.node
    if b"\n" in text or (node.start_byte, node.end_byte) != (start, end):
        return None
    if any(map(text.__contains__, comments)):
        return None
    key: list[bytes | int | str] = [len(trail)]
    captures: list[Capture] = []
    place, at = -1, start
    for goal, inner in trail:
        if goal.place < place or goal.pattern is not fits.pattern:
            return None
        if goal.hole is None:
            continue
        low, high = inner.start_byte, inner.end_byte
        if goal.place == place:
            first, _, name, many, nodes = captures[-1]
            captures[-1] = first, high, name, many, nodes
            nodes.append(inner)
            key[-1] = inner.type
        elif low < at or low == high or inner.is_extra:
            return None
        else:
            place = goal.place
            captures.append((low, high, goal.hole.name or "", goal.hole.many, [inner]))
            key += (source[at:low], place, inner.type, inner.type)
        at = high
    whole = (*key, source[at:end])
    return MatchShape(whole, start, end, captures, fits.layouts.get(whole))


def laid_out(layout: KeptLayout, shape: MatchShape, source: bytes) -> tuple[Text, list[Piece]]:
    """The text and the pieces of a match as its shape has them."""
    starts = [shape.start, *(capture[1] for capture in shape.captures)]
    pieces = [
        Piece(starts[left] + low, starts[right] + high, _filled(parts, shape, source))
        for (left, low), (right, high), parts in layout.pieces
    ]
    return _filled(layout.text, shape, source), pieces


def _filled(parts: LayoutParts, shape: MatchShape, source: bytes) -> Text:
    if len(parts) == 1 and isinstance(parts[0], bytes):
        return Text(parts[0])
    texts: list[bytes] = []
    marks: list[Mark] = []
    at = 0
    for part in parts:
        if isinstance(part, bytes):
            texts.append(part)
            at += len(part)
        else:
            low, high, name, many, nodes = shape.captures[part]
            texts.append(source[low:high])
            marks.append(Mark(at, at + high - low, name, nodes, many))
            at += high - low
    return Text(b"".join(texts), (), marks)


def _kept(
    shape: MatchShape, text: Text, pieces: Sequence[Piece], source: bytes
) -> KeptLayout | None:
    numbers = {capture[2]: number for number, capture in enumerate(shape.captures)}
    starts = [shape.start, *(capture[1] for capture in shape.captures)]
    ends = [*(capture[0] for capture in shape.captures), shape.end]
    edges = [edge for piece in pieces for edge in (piece.start, piece.end)]
    places = [(at := bisect_right(starts, edge) - 1, edge - starts[at]) for edge in edges]
    texts = [text, *(piece.text for piece in pieces)]
    if (
        len(numbers) < len(shape.captures)
        or any(mark.composed or mark.name not in numbers for one in texts for mark in one.marks)
        or any(edge > ends[at] for edge, (at, _) in zip(edges, places, strict=True))
        or text.data.rstrip().endswith((b";", b","))
    ):
        return None
    whole, *parts = (tuple(_parts(one, numbers)) for one in texts)
    layout = KeptLayout(whole, tuple(zip(places[::2], places[1::2], parts, strict=True)))
    other, captures = b"", list[Capture]()  # do the pieces say the same of any captures?
    for start, (low, _, name, many, nodes) in zip(starts, shape.captures, strict=False):
        other += source[start:low]
        captures.append((len(other), len(other) + 9, name, many, nodes))
        other += b"\0%08d" % len(captures)
    other += source[starts[-1] : shape.end]
    made, changes = laid_out(layout, shape._replace(start=0, captures=captures), other)
    is_same = laid_out(layout, shape, source)[0].data == text.data
    return layout if is_same and applied(changes, 0, len(other), other).data == made.data else None


def _parts(text: Text, numbers: Mapping[str, int]) -> Iterator[bytes | int]:
    """What a text consists of: what is written, and the numbers of the captures."""
    at = 0
    for mark in text.marks:
        yield text.data[at : mark.start]
        yield numbers[mark.name]
        at = mark.end
    yield text.data[at:]
