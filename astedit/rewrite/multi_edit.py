"""Several edits of one match, made all or none. (rules F10, F11)"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from tree_sitter import Node

from astedit.pattern.match import Found
from astedit.pattern.template import Slot
from astedit.rewrite.align import Items
from astedit.rewrite.delete import removal, widen
from astedit.rewrite.list_items import ItemList, inserted, listing_at
from astedit.rewrite.render import Fill, Style, render
from astedit.text.indent import Text
from astedit.text.splice import ByteRange

if TYPE_CHECKING:
    from astedit.rule.fix import Fix, TargetEdit

# Braces around items with commas between them; others are around statements.
_ITEMS = re.compile(r"object|dict|set|map|hash|literal|initializer|imports|exports|list|table")
_BRACKETS = {"(": ")", "[": "]", "{": "}"}


@dataclass(frozen=True, slots=True)
class EditPart:
    """Bytes `start` to `end` become the edit's template, or `kept` where it deletes.

    `target` are the bytes of what it is beside or inside; `found` is the match with the
    target in it, under its own name. `made` is the text of an item that a list gets.
    """

    start: int
    end: int
    target: ByteRange
    edit: "TargetEdit"
    found: Found
    kept: bytes = b""
    made: Text | None = None

    def text(self, source: bytes, style: Style, fill: Fill) -> Text:
        if self.edit.position == "delete":
            return Text(self.kept)
        if self.made is not None:
            return self.made
        return render(self.found, self.start, self.edit.template, source, style, fill)


def parts_of(fix: "Fix", found: Found, source: bytes, style: Style) -> tuple[EditPart, ...]:
    """The edits of one match in the order of their places; at one place, as declared.

    None at all if one of them finds no target.
    """
    parts: list[EditPart] = []
    deleted: list[tuple[TargetEdit, Node]] = []
    for edit in fix.edits:
        targets = list(_targets(edit, found, source, style))
        if not targets:
            return ()
        for nodes in targets:
            if edit.position == "delete":
                deleted += ((edit, node) for node in nodes)
            else:
                parts += _parts(edit, nodes, found, source)
    parts += _deletions(deleted, found, source, style)
    return tuple(sorted(parts, key=lambda part: (part.start, part.end)))


def clashing(parts: Sequence[EditPart]) -> bool:
    """Do two of them overlap, or is one put where another deletes up to?"""
    return any(
        one.end > two.start
        or (one.end == two.start and one.end > one.start and "delete" in _positions(one, two))
        for one, two in pairwise(parts)
    )


def _positions(first: EditPart, second: EditPart) -> tuple[str, str]:
    return first.edit.position, second.edit.position


def _targets(
    edit: "TargetEdit", found: Found, source: bytes, style: Style
) -> Iterator[Sequence[Node]]:
    target = edit.target
    if target is None:
        yield (found.node,)
    elif isinstance(target, Slot):
        single = found.single.get(target.name)
        nodes = found.multi.get(target.name, []) if target.many else [single] if single else []
        if nodes:
            yield nodes
    else:
        yield from ((node,) for node in _within(edit, found, source, style))


def _within(edit: "TargetEdit", found: Found, source: bytes, style: Style) -> Iterator[Node]:
    """The nodes inside the match for which the rule holds, outermost only."""
    from astedit.rule.environment import Bindings, Environment

    stack = [found.node]
    while stack:
        node = stack.pop()
        env = Environment(style.root, source, Bindings(found.single, found.multi))
        if edit.target.match(node, env) is not None:  # type: ignore[union-attr]
            yield node
        else:
            stack.extend(reversed(node.children))


def _parts(
    edit: "TargetEdit", nodes: Sequence[Node], found: Found, source: bytes
) -> Iterator[EditPart]:
    """One part; two where an item is put into a list of which the last one needs a comma."""
    listing = _listing(edit, nodes, source)
    if listing is None:
        yield _part(edit, nodes, found, source)
        return
    text = b"".join(part for part in edit.template.parts if isinstance(part, bytes))
    place = edit.position if listing.items else "fill"
    items = Items(((text.strip(b" \t,"),),), place, b" ", comma=False)
    for piece in inserted(items, listing, lambda parts, _: Text(text.strip(b" \t,"))) or ():
        span = nodes[0].start_byte, nodes[-1].end_byte
        yield EditPart(piece.start, piece.end, span, edit, found, made=piece.text)


def _listing(edit: "TargetEdit", nodes: Sequence[Node], source: bytes) -> ItemList | None:
    """The list that an edit puts an item into: of a call, that of its arguments."""
    if edit.position not in ("prepend", "append") or len(nodes) != 1 or edit.template.slots:
        return None
    if any(b"\n" in part for part in edit.template.parts if isinstance(part, bytes)):
        return None
    node: Node = nodes[0]
    while not _has_brackets(node) and node.child_count:
        node = node.children[-1]
    if not _has_brackets(node) or node.end_byte != nodes[0].end_byte:
        return None
    listing = listing_at(node.children[-1], source)
    return listing if listing is not None and _holds_items(node, listing) else None


def _has_brackets(node: Node) -> bool:
    nodes = node.children
    return len(nodes) > 1 and _BRACKETS.get(nodes[0].type) == nodes[-1].type


def _holds_items(node: Node, listing: ItemList) -> bool:
    """Are there commas between what a pair of brackets holds, or would there be?"""
    if listing.comma is not None or listing.separated:
        return True
    if node.type.startswith("parenthesized"):
        return False
    return node.children[0].type != "{" or _ITEMS.search(node.type) is not None


def _part(edit: "TargetEdit", nodes: Sequence[Node], found: Found, source: bytes) -> EditPart:
    from astedit.rule.fix import TARGET

    low, high = nodes[0].start_byte, nodes[-1].end_byte
    if len(nodes) == 1:
        held = replace(found, single={**found.single, TARGET: nodes[0]})
    else:
        held = replace(found, texts={**(found.texts or {}), TARGET: source[low:high]})
    start, end = _place(edit.position, low, high, nodes)
    return EditPart(start, end, (low, high), edit, held)


def _place(position: str, low: int, high: int, nodes: Sequence[Node]) -> ByteRange:
    """What the template replaces: the target, or the nothing beside or inside it."""
    first, last = nodes[0], nodes[-1]
    if position in ("prepend", "append") and len(nodes) == 1 and first.child_count > 1:
        opener, closer = first.children[0], first.children[-1]
        if _BRACKETS.get(opener.type) == closer.type:
            low, high = opener.end_byte, closer.start_byte
    if position in ("before", "prepend"):
        return low, low
    if position in ("after", "append"):
        return high, high
    return first.start_byte, last.end_byte


def _deletions(
    deleted: Sequence[tuple["TargetEdit", Node]], found: Found, source: bytes, style: Style
) -> Iterator[EditPart]:
    """With their separators and lines, as any deletion."""
    removals = [
        removal(node, node.start_byte, node.end_byte, source, style.facts) for _, node in deleted
    ]
    seen: set[ByteRange] = set()
    for (edit, _), cut in zip(deleted, widen(removals, source), strict=True):
        if (cut.start, cut.end) not in seen:
            seen.add((cut.start, cut.end))
            yield EditPart(cut.start, cut.end, (cut.start, cut.end), edit, found, cut.kept)
