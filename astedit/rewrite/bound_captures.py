"""Captures with a `yield` or an `await`, which belong to the function around them.

In a template with a function of its own they would belong to that one. (F12)
"""

from collections.abc import Iterator

from tree_sitter import Node

from astedit.language.barred import Barred
from astedit.language.node_place import around
from astedit.rewrite.checked_edit import Put
from astedit.text.indent import Mark


def bound_names(put: Put, barred: Barred) -> frozenset[str]:
    """The captures of an edit that hold something which belongs to a function around them.

    Where it is that of the match itself, only a language asks that checks it everywhere.
    """
    if not barred.bound or not put.is_node:
        return frozenset()
    words = tuple(kind.partition("_")[0].encode() for kind in barred.bound)
    text = put.text.data
    if not any(word in text for word in words):
        return frozenset()
    return frozenset(mark.name for mark in put.text.marks if _is_bound(mark, put, barred))


def _is_bound(mark: Mark, put: Put, barred: Barred) -> bool:
    if not mark.name or not mark.nodes:
        return False
    low, high = mark.nodes[0].start_byte, mark.nodes[-1].end_byte
    for node in mark.nodes:
        for inner in _bound_in(node, low, high, barred):
            owner = around(inner, barred.functions)
            inside = owner is not None and put.start <= owner.start_byte < put.end
            if barred.is_checked or not (inside and owner and owner.end_byte <= put.end):
                return True
    return False


def _bound_in(root: Node, low: int, high: int, barred: Barred) -> Iterator[Node]:
    """What belongs to functions that are not between two places themselves."""
    stack = [root]
    while stack:
        node = stack.pop()
        if node.end_byte <= low or high <= node.start_byte:
            continue
        if node.type in barred.bound:
            yield node
        is_function = node.type in barred.functions
        if not (is_function and low <= node.start_byte and node.end_byte <= high):
            stack.extend(reversed(node.children))


def misowned(root: Node, start: int, put: Put, barred: Barred) -> tuple[str, Node] | None:
    """A capture, and what in it comes to belong to a function that is not its own."""
    end = start + len(put.text.data)
    for mark in put.text.marks:
        if mark.name not in put.bound:
            continue
        low, high = start + mark.start, start + mark.end
        for node in _bound_in(root, low, high, barred):
            function = around(node, barred.functions)
            is_new = function is not None and start <= function.start_byte < end
            if (is_new or barred.is_checked) and barred.is_unbound(node):
                return mark.name, node
    return None
