"""Items put into a list as the list is laid out.

On lines of their own where the items stand so, with their indentation. A comma behind the
last one only where there was one and the list ends on a line of its own.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from tree_sitter import Node

from astedit.rewrite.make.piece import Piece, framed
from astedit.text.indent import Text, join, leading, unit_of
from astedit.text.source import end_of_line

if TYPE_CHECKING:
    from astedit.pattern.template import Slot
    from astedit.rewrite.make.align import Items, TemplateGap

_UNIT = b" " * 4  # where a file shows none
BRACKETS = {"(": ")", "[": "]", "{": "}", "<": ">"}
# Renders the parts of an item, which is to stand on a line with that indentation, if any.
RenderItem = Callable[[tuple["bytes | Slot", ...], bytes | None], Text]


@dataclass(slots=True)
class ItemList:
    """A list in the source: its items, and what stands between them and its ends.

    Bytes `start` to `end` are what is between its brackets. `comma` is the one behind the
    last item.
    """

    source: bytes
    start: int
    end: int
    items: list[Node]
    comments: list[Node]
    comma: Node | None
    separated: bool  # by commas, as far as one can see
    sign: bytes = b","  # between items; nothing where blanks alone are

    @property
    def newline(self) -> bytes:
        return end_of_line(self.source[self.start : self.end])

    @property
    def in_lines(self) -> bool:
        """Do the items stand on lines of their own, all or all but the first?"""
        later = self.items[1:] or self.items or self.comments[-1:]
        return bool(later) and all(_begins_line(node, self.source) for node in later)

    @property
    def ends_on_own_line(self) -> bool:
        """Is there nothing but white space between the last line break and its end?"""
        last = self.source.rfind(b"\n", self.start, self.end)
        return last >= 0 and not self.source[last : self.end].strip()

    @property
    def indent(self) -> bytes:
        """The indentation of its items; below the first one, where they share lines."""
        if self.in_lines:
            return leading(self.source, (self.items[-1:] or self.comments[-1:])[0].start_byte)
        white = leading(self.source, self.items[0].start_byte)
        return white + b" " * (self.items[0].start_point[1] - len(white))


def bracket_of(node: Node) -> str:
    """The bracket that a node is, or that is all of it; else its kind."""
    is_all = node.child_count == 1 and node.end_byte - node.start_byte == 1
    return (node.children[0] if is_all else node).type


def listing_at(bracket: Node, source: bytes) -> ItemList | None:
    """The list that a bracket opens or closes."""
    parent = bracket.parent
    if parent is None:
        return None
    nodes = parent.children
    at = next(i for i, node in enumerate(nodes) if node.id == bracket.id)
    sign = bracket_of(bracket)
    if sign in BRACKETS:
        ends = [i for i in range(at + 1, len(nodes)) if bracket_of(nodes[i]) == BRACKETS[sign]]
        return _between(nodes, at, ends[0], source) if ends else None
    starts = [i for i in range(at) if BRACKETS.get(bracket_of(nodes[i])) == sign]
    return _between(nodes, starts[-1], at, source) if starts else None


def _listing_of(nodes: Sequence[Node], source: bytes) -> ItemList:
    """The list whose items these are, brackets around them included."""
    if BRACKETS.get(nodes[0].type) == nodes[-1].type:
        return _between(nodes, 0, len(nodes) - 1, source)
    return _listing(nodes, nodes[0].start_byte, nodes[-1].end_byte, source)


def listing_of_gap(
    gap: "TemplateGap", nodes: Sequence[Node], low: int, high: int, source: bytes
) -> ItemList | None:
    """The list that is added to between two places, beside nodes that stay."""
    place = gap.items.place if gap.items is not None else ""
    if place == "insert":  # behind a comma
        parent, start = nodes[0].parent, nodes[0].end_byte
        return parent and _listing(parent.children, start, parent.end_byte, source)
    is_bracket = gap.closes or gap.opens
    listing = listing_at(nodes[0], source) if is_bracket else _listing_of(nodes, source)
    if listing is None or not listing.items:
        return listing
    if place == "prepend":
        return listing if listing.items[0].start_byte >= high else None
    return listing if listing.items[-1].end_byte <= low else None


def _between(nodes: Sequence[Node], low: int, high: int, source: bytes) -> ItemList:
    return _listing(nodes[low + 1 : high], nodes[low].end_byte, nodes[high].start_byte, source)


def _listing(nodes: Sequence[Node], start: int, end: int, source: bytes) -> ItemList:
    inner = [node for node in nodes if not node.is_extra and node.start_byte < node.end_byte]
    while len(inner) == 1 and any(child.type == "," for child in inner[0].children):
        if inner[0].children[0].type in BRACKETS:
            break
        inner = [node for node in inner[0].children if not node.is_extra]
    items = [node for node in inner if node.type != ","]
    last = inner[-1] if inner and inner[-1].type == "," else None
    comments = [node for node in nodes if node.is_extra]
    separated = any(node.type == "," for node in inner)
    return ItemList(source, start, end, items, comments, last, separated)


def _begins_line(node: Node, source: bytes) -> bool:
    line = source.rfind(b"\n", 0, node.start_byte) + 1
    return line > 0 and not source[line : node.start_byte].strip()


def inserted(items: "Items", listing: ItemList, item: RenderItem) -> Iterator[Piece] | None:
    """The pieces that put new items into a list; None if there is no telling how."""
    if items.place == "insert":
        return iter([_inserted(items, listing, item)])
    if listing.items and items.place == "prepend":
        indent = listing.indent if listing.in_lines else None
        return iter([_before(items, listing, item, listing.items[0], indent)])
    if listing.items:
        return _appended(items, listing, item)
    if items.place == "prepend":
        return None
    return iter([_filled(items, listing, item)])


def _written(
    items: "Items", listing: ItemList, item: RenderItem, indent: bytes | None
) -> tuple[Text, bytes]:
    """The items as one text and what stands between: on lines of an indentation, if there is one.

    What stands between them is without the separator.
    """
    gap = items.gap if indent is None else listing.newline + indent
    first, *later = (item(parts, indent) for parts in items.parts)
    between = Text(listing.sign + gap)
    return join([first, *chain.from_iterable((between, text) for text in later)]), gap


def _before(
    items: "Items", listing: ItemList, item: RenderItem, following: Node, indent: bytes | None
) -> Piece:
    at = following.start_byte if indent is None else _first_on_line(listing, following)
    new, gap = _written(items, listing, item, indent)
    return Piece(at, at, framed(b"", new, listing.sign + gap))


def _inserted(items: "Items", listing: ItemList, item: RenderItem) -> Piece:
    """Behind the comma: on lines of their own where the next two items begin lines."""
    source = listing.source
    following = [node for node in listing.items if node.start_byte >= listing.start]
    first, at = following[0], _first_on_line(listing, following[0])
    in_lines = at != first.start_byte or all(_begins_line(node, source) for node in following[:2])
    return _before(items, listing, item, first, leading(source, at) if in_lines else None)


def _first_on_line(listing: ItemList, item: Node) -> int:
    """Before an item, and before the comments on lines above it."""
    above = [
        node.start_byte
        for node in listing.comments
        if listing.start <= node.start_byte < item.start_byte and _begins_line(node, listing.source)
    ]
    return min(above, default=item.start_byte)


def _appended(items: "Items", listing: ItemList, item: RenderItem) -> Iterator[Piece]:
    last = listing.items[-1]
    end = last.end_byte if listing.comma is None else listing.comma.end_byte
    behind = [node for node in listing.comments if node.start_byte >= last.end_byte]
    trailing = listing.comma is not None and listing.ends_on_own_line
    is_on_line = b"\n" not in listing.source[end : listing.end]
    if not listing.in_lines and (not behind or is_on_line):
        if behind:  # `a /* why */`
            end = behind[-1].end_byte
        new, gap = _written(items, listing, item, None)
        lead = gap if listing.comma is not None else listing.sign + gap
        comma = listing.sign if trailing or (items.comma and listing.comma is None) else b""
        yield Piece(end, end, framed(lead, new, comma))
        return
    new, own = _written(items, listing, item, listing.indent)
    at = max([end, *(node.start_byte + len((node.text or b"").rstrip()) for node in behind)])
    comma = listing.sign if trailing or (items.comma and listing.ends_on_own_line) else b""
    if listing.sign and listing.comma is None and at > end:
        yield Piece(end, end, Text(listing.sign))
    lead = listing.sign if listing.comma is None and at == end else b""
    yield Piece(at, at, framed(lead + own, new, comma))


def _filled(items: "Items", listing: ItemList, item: RenderItem) -> Piece:
    """An empty list gets its items where its comments end."""
    comma = listing.sign if items.comma else b""
    if listing.comments:
        nodes = listing.comments
        at = nodes[-1].start_byte + len((nodes[-1].text or b"").rstrip())
        indent = leading(listing.source, nodes[-1].start_byte)
        if not _begins_line(nodes[-1], listing.source):
            indent += unit_of(listing.source) or _UNIT
        new, own = _written(items, listing, item, indent)
        return Piece(at, at, framed(own, new, comma))
    new, _ = _written(items, listing, item, None)
    head, tail = items.margins
    return Piece(listing.start, listing.end, framed(head, new, comma + tail))
