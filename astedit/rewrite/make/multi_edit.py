"""Several edits of one match, made all or none. (rules F10, F11)"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from tree_sitter import Node

from astedit.language.facts import Facts
from astedit.pattern.listed import outermost
from astedit.pattern.match import Found
from astedit.pattern.template import Slot
from astedit.rewrite.lay.list_items import BRACKETS, ItemList, bracket_of, inserted, listing_at
from astedit.rewrite.make.align import Items
from astedit.rewrite.make.delete import cuts
from astedit.rewrite.make.render import Fill, Style, render
from astedit.text.indent import Text, cut, join
from astedit.text.source import ByteRange

if TYPE_CHECKING:
    from astedit.rule.fixes.fix import Fix, TargetEdit

# Around items with commas between them; other braces are around statements, other angles tags.
_ITEMS_BETWEEN = {
    "}": re.compile(r"object|dict|set|map|hash|literal|initializer|import|export|list|table"),
    ">": re.compile(r"type|generic"),
}
# What ends in its list: the brackets may be a child's, of a target of such a kind.
_WITH_LIST = re.compile(r"call|invocation|creation|instan|new|macro|decorator|annotation|attribute")


class EditPart(NamedTuple):
    """Bytes `start` to `end` become the edit's template, or `kept` where it deletes.

    `target` are the bytes of what it is beside or inside; `found` is the match with the
    target in it, under its own name. `written` are the items that a list gets, and what is
    put around them.
    """

    start: int
    end: int
    target: ByteRange
    edit: "TargetEdit"
    found: Found
    kept: bytes = b""
    written: "tuple[bytes | TargetEdit, ...]" = ()

    @property
    def deletes(self) -> bool:
        return self.edit.position == "delete"

    def text(self, style: Style, fill: Fill) -> Text:
        if self.deletes:
            return Text(self.kept)
        if not self.written:
            return render(self.found, self.start, self.edit.template, style, fill)
        return join(
            [
                Text(one)
                if isinstance(one, bytes)
                else _bare(render(self.found, self.start, one.template, style, fill))
                for one in self.written
            ]
        )


def _bare(item: Text) -> Text:
    """An item without blanks and commas around it: the list has its own."""
    text = item.data.rstrip(b" \t,")
    return cut(item, len(text) - len(text.lstrip(b" \t,")), len(text))


def parts_of(fix: "Fix", found: Found, style: Style) -> tuple[EditPart, ...]:
    """The edits of one match in the order of their places; at one place, as declared.

    None at all if one of them finds no target.
    """
    parts: list[EditPart] = []
    deleted: list[tuple[TargetEdit, Node]] = []
    lists: dict[tuple[int, str], _Added] = {}
    for edit in fix.edits:
        if not (targets := list(_targets(edit, found, style))):
            return ()
        for nodes in targets:
            listing = _listing(edit, nodes, style.source, style.facts)
            if edit.position == "delete":
                deleted += ((edit, node) for node in nodes)
            elif listing is None:
                parts.append(_part(edit, nodes, found, style.source))
            else:
                place = edit.position if listing.items else "fill"
                added = lists.setdefault((listing.start, place), _Added(nodes, place, listing, []))
                added.edits.append(edit)
    for added in lists.values():
        parts += _item_parts(added, found, style.source)
    for start, end, kept in cuts([node for _, node in deleted], style.source, style.facts):
        parts.append(EditPart(start, end, (start, end), deleted[0][0], found, kept))
    return tuple(sorted(parts, key=lambda part: (part.start, part.end)))


class _Added(NamedTuple):
    """The edits that put items into one list at one place, and their target."""

    nodes: Sequence[Node]
    place: str  # as in `Items`
    listing: ItemList
    edits: "list[TargetEdit]"


def clashing(parts: Sequence[EditPart]) -> bool:
    """Do two of them overlap, or is something put where another deletes up to?"""
    return any(
        one.end > two.start or (one.deletes and not two.deletes and one.end == two.start == two.end)
        for one, two in pairwise(parts)
    )


def _targets(edit: "TargetEdit", found: Found, style: Style) -> Iterator[Sequence[Node]]:
    target = edit.target
    if target is None:
        yield (found.node,)
    elif isinstance(target, Slot):
        if nodes := found.nodes(*target):
            yield nodes
    else:
        yield from ((node,) for node in _within(edit, found, style))


def _within(edit: "TargetEdit", found: Found, style: Style) -> Iterator[Node]:
    """The nodes inside the match for which the rule holds, outermost only."""
    from astedit.rule.environment import Bindings, Environment

    def holds(node: Node) -> bool:
        env = Environment(style.root, style.source, Bindings(found.single, found.multi))
        return edit.target.match(node, env) is not None  # type: ignore[union-attr]

    return outermost(found.node, holds)


def _item_parts(added: _Added, found: Found, source: bytes) -> Iterator[EditPart]:
    """One part; two where items are put into a list of which the last one needs a comma."""
    edits = sorted(added.edits, key=lambda edit: edit.position == "append")
    items = Items(tuple((str(at).encode(),) for at in range(len(edits))), added.place, b" ", False)
    part = _part(edits[0], added.nodes, found, source)
    for piece in inserted(items, added.listing, _numbered) or ():
        texts = piece.text.data.split(b"\0")  # every second one is the number of an item
        written = [edits[int(text)] if at % 2 else text for at, text in enumerate(texts)]
        yield part._replace(start=piece.start, end=piece.end, written=tuple(written))


def _numbered(parts: tuple[bytes | Slot, ...], line: bytes | None) -> Text:
    """What stands for an item until it is rendered: its number, between signs no code has."""
    return Text(b"".join([b"\0", *(part for part in parts if isinstance(part, bytes)), b"\0"]))


def _listing(
    edit: "TargetEdit", nodes: Sequence[Node], source: bytes, facts: Facts
) -> ItemList | None:
    """The list that an edit puts an item into: of a call, that of its arguments."""
    if edit.position not in ("prepend", "append") or len(nodes) != 1:
        return None
    if any(b"\n" in part for part in edit.template.parts if isinstance(part, bytes)):
        return None
    closer = _closing_bracket(nodes[0])
    listing = None if closer is None else listing_at(closer, source)
    if closer is None or listing is None or closer.parent is None:
        return None
    if closer.parent.type in facts.blank_lists:
        return replace(listing, sign=b"")
    return listing if _holds_items(closer.parent, closer, listing) else None


def _closing_bracket(target: Node) -> Node | None:
    """The bracket that ends a list, or a call, or what else is a name with a list behind it."""
    node = target
    while node.child_count and node.end_byte == target.end_byte:
        *before, last = node.children
        if any(BRACKETS.get(bracket_of(child)) == bracket_of(last) for child in before):
            return last
        if not _WITH_LIST.search(target.type):
            return None
        node = last
    return None


def _holds_items(node: Node, closer: Node, listing: ItemList) -> bool:
    """Are there commas between what a pair of brackets holds, or would there be?"""
    if listing.comma is not None or listing.separated:
        return True
    if node.type.startswith("parenthesized"):
        return False
    kinds = _ITEMS_BETWEEN.get(bracket_of(closer))
    return kinds is None or kinds.search(node.type) is not None


def _part(edit: "TargetEdit", nodes: Sequence[Node], found: Found, source: bytes) -> EditPart:
    from astedit.rule.fixes.fix import TARGET

    low, high = nodes[0].start_byte, nodes[-1].end_byte
    if len(nodes) == 1:
        held = replace(found, single={**found.single, TARGET: nodes[0]})
    else:
        held = replace(found, texts={**(found.texts or {}), TARGET: Text(source[low:high])})
    start, end = _place(edit.position, low, high, nodes)
    return EditPart(start, end, (low, high), edit, held)


def _place(position: str, low: int, high: int, nodes: Sequence[Node]) -> ByteRange:
    """What the template replaces: the target, or the nothing beside or inside it."""
    first, last = nodes[0], nodes[-1]
    if position in ("prepend", "append") and len(nodes) == 1 and first.child_count > 1:
        opener, closer = first.children[0], first.children[-1]
        if BRACKETS.get(opener.type) == closer.type:
            low, high = opener.end_byte, closer.start_byte
    if position in ("before", "prepend"):
        return low, low
    if position in ("after", "append"):
        return high, high
    return first.start_byte, last.end_byte
