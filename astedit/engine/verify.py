"""Non-interference: a rewrite changes the tree where it was made and nowhere else.

The old tree is told of the edits and the result is parsed incrementally; the C library
then says which ranges differ in structure. (spec: F12)
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from tree_sitter import Language, Node, Query, QueryCursor, Tree

from astedit.edit import Change, Lines
from astedit.language import Grammar

_SILENT = re.compile(rb"[\s;]*")
_FLAWS: dict[int, Query] = {}


def regions(root: Node, source: bytes, changes: Sequence[Change]) -> list[tuple[int, int]]:
    """For each change the bytes within which the structure may differ.

    The smallest node that contains the change, widened to its parent as long as the
    parent adds nothing but white space and `;`.
    """
    found = []
    for start, end, _ in changes:
        node = root.descendant_for_byte_range(start, max(start, end - 1) if end > start else end)
        while node is not None and not (node.start_byte <= start and end <= node.end_byte):
            node = node.parent
        if node is None:
            found.append((0, len(source)))
            continue
        parent = node.parent
        while parent is not None and _adds_nothing(parent, node, source):
            node, parent = parent, parent.parent
        found.append((min(start, node.start_byte), max(end, node.end_byte)))
    return found


def _adds_nothing(parent: Node, node: Node, source: bytes) -> bool:
    before = source[parent.start_byte : node.start_byte]
    after = source[node.end_byte : parent.end_byte]
    return bool(_SILENT.fullmatch(before) and _SILENT.fullmatch(after))


def verify(
    grammar: Grammar,
    tree: Tree,
    source: bytes,
    lines: Lines,
    changes: Sequence[Change],
    result: bytes,
) -> str | None:
    """None if the result parses no worse and changed only where it was edited.

    Otherwise `breaks_syntax` or `changes_structure`. `tree` is edited on the way and
    must not be used afterwards; `changes` are sorted and do not overlap.
    """
    flaws = count_flaws(grammar.language, tree.root_node)
    allowed = regions(tree.root_node, source, changes)
    for start, end, new in reversed(changes):
        _tell(tree, lines, start, end, new)
    after = grammar.parser().parse(result, tree)
    if count_flaws(grammar.language, after.root_node) > flaws:
        return "breaks_syntax"
    carried = _carry(allowed, changes)
    for changed in tree.changed_ranges(after):
        if not _within(changed.start_byte, changed.end_byte, carried):
            return "changes_structure"
    return None


def _tell(tree: Tree, lines: Lines, start: int, end: int, new: bytes) -> None:
    row, column = lines.point(start)
    newlines = new.count(b"\n")
    tail = len(new) - (new.rfind(b"\n") + 1)
    stop = (row + newlines, tail if newlines else column + len(new))
    tree.edit(start, end, start + len(new), (row, column), lines.point(end), stop)


def count_flaws(language: Language, root: Node) -> int:
    """ERROR plus MISSING nodes, counted in C; 0 without looking when there are none."""
    if not root.has_error:
        return 0
    query = _FLAWS.get(hash(language))
    if query is None:
        query = _FLAWS[hash(language)] = Query(language, "(ERROR) @e (MISSING) @m")
    return sum(map(len, QueryCursor(query).captures(root).values()))


def _carry(allowed: Sequence[tuple[int, int]], changes: Sequence[Change]) -> list[tuple[int, int]]:
    """Regions of the old text, in the coordinates of the new one, merged where they touch.

    A change moves a region's start if it lies before it, and its end if it begins before.
    """
    starts = [change[0] for change in changes]
    ends = [change[1] for change in changes]
    sums = [0]
    for start, end, new in changes:
        sums.append(sums[-1] + len(new) - (end - start))
    merged: list[tuple[int, int]] = []
    for low, high in sorted(allowed):
        new_low = low + sums[min(bisect_right(ends, low), bisect_left(starts, low))]
        new_high = high + sums[bisect_left(starts, high)]
        if merged and new_low <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], new_high))
        else:
            merged.append((new_low, new_high))
    return merged


def _within(start: int, end: int, merged: Sequence[tuple[int, int]]) -> bool:
    return any(low <= start and end <= high for low, high in merged)
