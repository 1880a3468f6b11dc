"""Flaws of a tree: what the parser could not make sense of, or had to invent."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from astedit.rewrite.checked_edit import Put
from astedit.rewrite.fault import Fault, shown


def count_flaws(root: Node) -> int:
    """How many there are; 0 without looking where all is right."""
    return sum(1 for _ in flaws(root))


def flaws(root: Node) -> Iterator[Node]:
    """ERROR and MISSING nodes in order, and nodes that hold a MISSING leaf which is hidden.

    A hidden leaf (`_newline` in Python) is no child of its node: nothing but `has_error`
    tells of it.
    """
    stack = [root] if root.has_error else []
    while stack:
        node = stack.pop()
        inner = [child for child in node.children if child.has_error]
        if node.is_error or node.is_missing or not inner:
            yield node
        stack.extend(reversed(inner))


def parses_no_worse(before: Node, after: Node, start: int, result: bytes) -> Fault | None:
    """None if a result has no more flaws than the text had; byte `start` is its first change."""
    if count_flaws(after) <= count_flaws(before):
        return None
    return flawed(after, start, result)


def flaw_in_new_text(before: Node, root: Node, puts: Sequence[Put]) -> int | None:
    """Where the first flaw is that new text has outside of its captures; None if nowhere.

    A text may have had as many flaws before, in code that an edit took away. What lacks at the
    end of new text is a flaw of it if nothing lacked in the old text.
    """
    shift = 0
    lacking = [node.start_byte for node in flaws(before) if node.is_missing]
    known = sorted((node.start_byte, node.end_byte) for node in flaws(root))
    for put in puts:
        low = put.start + shift
        high = low + len(put.text.data)
        spared = [(low + mark.start, low + mark.end) for mark in put.text.marks]
        for start, end in known[bisect_left(known, (low, low)) :]:
            if start >= high:
                if end == high and not any(put.start <= at <= put.end for at in lacking):
                    return start
                break
            if end <= high and not any(one <= start and end <= two for one, two in spared):
                return start
        shift += len(put.text.data) - (put.end - put.start)
    return None


def flawed(root: Node, start: int, result: bytes) -> Fault:
    """Names the first flaw that stands at byte `start` or behind it, or else the first."""
    node = next((node for node in flaws(root) if node.end_byte >= start), None)
    node = node or next(flaws(root))
    at = node.start_byte
    if node.start_byte < start < node.end_byte and not (node.is_missing or node.is_error):
        at = start  # what lacks its end may be all of a file
    line = shown(result[result.rfind(b"\n", 0, at) + 1 :].partition(b"\n")[0])
    if node.is_missing:
        what = f"a {node.type!r} is missing"
    elif node.is_error and node.end_byte > node.start_byte:
        what = f"{shown(result[node.start_byte : node.end_byte])} is unexpected"
    else:
        what = f"a {node.type} does not end so"
    return Fault("breaks_syntax", f"{what}: {line}")
