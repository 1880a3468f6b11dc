"""What belongs to a function or a loop around it still belongs to that: `yield`, `return`, `break`.

What a template puts around a capture must not take these over, and what it takes away must not
leave them to others: `for (…) { break; }` is no `forEach`.
"""

import re
from collections.abc import Iterator

from tree_sitter import Node

from astedit.language.brackets import nearest
from astedit.language.facts import Barred
from astedit.rewrite.make.template_tree import smallest
from astedit.rewrite.prove.fault import Fault, Put, shown

# How such things are written in any language: a text without one of these has none.
SIGNS = re.compile(rb"\b(?:await|break|continue|return|super|target|yield)\b|\?")


def of_other_owner(root: Node, start: int, put: Put, barred: Barred) -> Fault | None:
    """The fault of an edit that moves what belongs to others; it begins at byte `start`."""
    if not (barred.bound or barred.jumps) or not put.is_node or not SIGNS.search(put.text.data):
        return None
    end = start + len(put.text.data)
    for mark in put.text.marks:
        if not mark.name or not mark.nodes or not SIGNS.search(put.text.data, mark.start, mark.end):
            continue
        first, last = mark.nodes[0].start_byte, mark.nodes[-1].end_byte
        before = (node for part in mark.nodes for node in _owned(part, first, last, barred))
        low, high = start + mark.start, start + mark.end
        after = _owned(_largest(smallest(root, low, high)), low, high, barred)
        for old, new in zip(before, after, strict=False):
            owner, other = (
                nearest(node, barred.jumps.get(node.type, barred.functions)) for node in (old, new)
            )
            if owner is not None and first <= owner.start_byte and owner.end_byte <= last:
                continue  # which was captured with it
            was = _place(owner, put.start, put.end, barred)
            is_moved = was != _place(other, start, end, barred)
            if old.type in barred.bound:
                is_moved = barred.is_unbound(new) and (barred.is_checked or is_moved)
            if is_moved:
                what = f"the {old.type.partition('_')[0]} in ${mark.name} would belong to another"
                kind = "function" if old.type in barred.bound else "function or loop"
                return Fault("changes_structure", f"{what} {kind}: {shown(new.text or b'')}")
    return None


def _largest(node: Node) -> Node:
    """The largest node with the same text: `break` is a statement, too."""
    while (outer := node.parent) is not None and outer.byte_range == node.byte_range:
        node = outer
    return node


def _place(owner: Node | None, low: int, high: int, barred: Barred) -> tuple[bool, bool]:
    """Is an owner a part of an edit, and is it a function?"""
    inside = owner is not None and low <= owner.start_byte and owner.end_byte <= high
    return inside, owner is not None and owner.type in barred.functions


def _owned(root: Node, low: int, high: int, barred: Barred) -> Iterator[Node]:
    """The nodes between two places that belong to something around them, in order."""
    stack = [root]
    while stack:
        node = stack.pop()
        if low < node.end_byte and node.start_byte < high:
            is_owned = node.type in barred.jumps or node.type in barred.bound
            if is_owned and node.is_named and low <= node.start_byte:
                yield node
            stack.extend(reversed(node.children))
