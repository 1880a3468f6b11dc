"""How one match fits a template: where the leaves of its pattern stand, and which stay."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from tree_sitter import Node

from astedit.pattern.compile import Pattern
from astedit.pattern.match import Found
from astedit.pattern.template import Slot, Template
from astedit.rewrite.make.align import Absent, Alignment, TemplateGap
from astedit.rewrite.make.render import without_newline
from astedit.rewrite.make.template_leaves import Pair
from astedit.rewrite.make.template_tree import TemplateTree
from astedit.text.source import ByteRange

_NOTHING = Absent()
_WHITE = frozenset(b" \t\n\r\v\f")


@dataclass(slots=True)
class Fit:
    """What all matches have in common in which the same leaves have no text.

    `captures` are the slots that stay, each with its leaf of the pattern.
    """

    kept: tuple[Pair, ...]
    regions: tuple[TemplateGap, ...]
    captures: tuple[tuple[Slot, int], ...]


class Fits:
    """One pattern and one template, with its tree, and the fits of the matches seen so far."""

    def __init__(self, pattern: Pattern, template: Template) -> None:
        self.pattern = pattern
        self._template = template
        self._fits: dict[Absent, Fit] = {}

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


def aligned(fits: Fits, found: Found, trail: Sequence[ByteRange], source: bytes) -> Aligned | None:
    """How one match fits its template; `trail` are the bytes of the steps of the match's own."""
    nodes: dict[int, list[Node]] = {}
    ends: dict[int, ByteRange] = {}
    for (goal, node), span in zip(found.trail, trail, strict=True):
        if goal is not None and goal.pattern is fits.pattern:
            place = goal.place
            if place in nodes:
                nodes[place].append(node)
                ends[place] = ends[place][0], span[1]
            else:
                nodes[place], ends[place] = [node], span
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
        return bool(found.texts[slot.name])
    return bool(found.multi.get(slot.name) if slot.many else found.single.get(slot.name))
