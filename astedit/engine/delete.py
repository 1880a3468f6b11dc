"""What goes with a deleted match: its statement, its separator, its line. (spec: F14)"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from astedit.language.facts import Facts

_SILENT = re.compile(rb"[\s;]*")
_BLANKS = re.compile(rb"[ \t]*")
_SEPARATORS = frozenset({",", ";"})


@dataclass(slots=True)
class Removal:
    """One deleted match: the node that goes, and the bytes that go with it."""

    node: Node
    start: int
    end: int


def removal(node: Node, start: int, end: int, source: bytes, facts: Facts) -> Removal:
    """Widens a deletion to its statement, if that then holds nothing but punctuation."""
    parent = node.parent
    while (
        parent is not None
        and parent.parent is not None
        and parent.type not in facts.blocks
        and _SILENT.fullmatch(source, parent.start_byte, start)
        and _SILENT.fullmatch(source, end, parent.end_byte)
    ):
        node = parent
        start, end = min(start, node.start_byte), max(end, node.end_byte)
        parent = node.parent
    return Removal(node, start, end)


def emptied(removals: Sequence[Removal], facts: Facts) -> list[bool]:
    """Which of these deletions would leave a block without a statement it needs."""
    gone = {r.node.id for r in removals}
    return [facts.sole_statement(r.node, gone) for r in removals]


def widen(removals: Sequence[Removal], source: bytes) -> list[tuple[int, int]]:
    """Final ranges, in the order given: separators solved per list, blank lines gone."""
    by_node = {r.node.id: r for r in removals}
    ranges = [_with_separator(r, by_node, source) for r in removals]
    taken = _union(ranges)
    return [_with_lines(low, high, taken, source) for low, high in ranges]


def _with_separator(r: Removal, by_node: Mapping[int, Removal], source: bytes) -> tuple[int, int]:
    """One adjoining separator goes with a list item: the next, or the one before the last.

    The last items of a list that all go take the separator before the first of them.
    """
    after = r.node.next_sibling
    if after is not None and after.type in _SEPARATORS and after.end_byte > r.end:
        end = _skip_blanks(source, after.end_byte)
        if after.next_sibling is None or after.next_sibling.start_byte != end:
            end = after.end_byte  # a comment or the end of the line follows
        before = r.node.prev_sibling
        last = after.next_sibling is None or not after.next_sibling.is_named
        if last and before is not None and before.type in _SEPARATORS:
            return before.end_byte, after.end_byte
        if _is_run_to_end(r.node, by_node):
            return _from_previous(r), end
        return r.start, end
    return _from_previous(r), r.end


def _is_run_to_end(node: Node, by_node: Mapping[int, Removal]) -> bool:
    """Do all items after this one go too, with no separator after the last?"""
    current: Node | None = node
    separator: Node | None = None
    while current is not None:
        if current.is_named:
            if current.id not in by_node:
                return False
            separator = None
        elif current.type in _SEPARATORS:
            separator = current
        else:
            break
        current = current.next_sibling
    return separator is None


def _from_previous(r: Removal) -> int:
    before = r.node.prev_sibling
    if before is not None and before.type in _SEPARATORS and before.start_byte < r.start:
        return before.start_byte
    return r.start


def _skip_blanks(source: bytes, at: int) -> int:
    found = _BLANKS.match(source, at)
    return found.end() if found else at


def _union(ranges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], high))
        else:
            merged.append((low, high))
    return merged


def _with_lines(
    low: int, high: int, taken: Sequence[tuple[int, int]], source: bytes
) -> tuple[int, int]:
    """The whole line and its newline, if nothing else is left on it."""
    line_start = source.rfind(b"\n", 0, low) + 1
    newline = source.find(b"\n", high)
    line_end = len(source) if newline < 0 else newline
    rest = bytearray(source[line_start:line_end])
    for start, end in taken:
        if start < line_end and end > line_start:
            a, b = max(start, line_start) - line_start, min(end, line_end) - line_start
            rest[a:b] = b" " * (b - a)
    if rest.strip():
        return low, high
    return line_start, line_end if newline < 0 else newline + 1
