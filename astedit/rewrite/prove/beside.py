"""The structure of what stands beside edits: it is what it was."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from tree_sitter import Node, Tree

from astedit.language.facts import Facts
from astedit.rewrite.make.template_tree import smallest
from astedit.rewrite.prove.fault import Fault, changed, misreading
from astedit.text.splice import Change, united

_SILENT = re.compile(rb"[\s;]*")
_NOTHING = b" \t\r\n\f\v;"


@dataclass(slots=True)
class ChangedRange:
    """Bytes `low` to `high`, within which the structure may differ.

    The node around it is of kind `kind`, from `outer_low` to `outer_high`; None if that is
    the root, which nothing can leave.
    """

    low: int
    high: int
    kind: int | None = None
    outer_low: int = 0
    outer_high: int = 0


def regions(
    root: Node, source: bytes, changes: Sequence[Change], facts: Facts
) -> list[ChangedRange]:
    """For each change its region: the smallest node that contains the change.

    It is widened to its parent as long as the parent adds nothing but white space and `;`.
    """
    return [_region(root, source, change, facts) for change in changes]


def _region(root: Node, source: bytes, change: Change, facts: Facts) -> ChangedRange:
    start, end, _ = change
    node = smallest(root, start, end)
    parent = node.parent
    while parent is not None and _adds_nothing(parent, node, source):
        node, parent = parent, parent.parent
    if parent is not None and _moves_start(parent, change, facts):
        node, parent = parent, parent.parent
    region = ChangedRange(min(start, node.start_byte), max(end, node.end_byte))
    if parent is not None and parent.id != root.id:
        region.kind = parent.kind_id
        region.outer_low, region.outer_high = parent.start_byte, parent.end_byte
    return region


def _adds_nothing(parent: Node, node: Node, source: bytes) -> bool:
    return bool(
        _SILENT.fullmatch(source, parent.start_byte, node.start_byte)
        and _SILENT.fullmatch(source, node.end_byte, parent.end_byte)
    )


def _moves_start(block: Node, change: Change, facts: Facts) -> bool:
    """Is the block one without braces, which begins behind the comments that now begin it?"""
    start, _, new = change
    begins = block.type in facts.blocks | facts.bare and block.start_byte == start
    return begins and (not new or new.startswith(facts.comments))


def strayed(
    before: Tree,
    after: Tree,
    allowed: Sequence[ChangedRange],
    changes: Sequence[Change],
    result: bytes,
    facts: Facts,
) -> Fault | None:
    """The fault of a result that differs in structure where it was not edited."""
    moved = _Moved(changes)
    spans = [(moved.start(each.low), moved.end(each.high)) for each in allowed]
    merged = united((low, _behind(result, high, facts)) for low, high in spans)
    starts = [low for low, _ in merged]
    for difference in before.changed_ranges(after):
        at = bisect_right(starts, difference.start_byte) - 1
        if at < 0 or difference.end_byte > merged[at][1]:
            before_it = [one for one in allowed if moved.start(one.low) <= difference.start_byte]
            return _bound(after.root_node, (before_it or allowed[:1])[-1], moved, result)
    root = after.root_node
    for each, span in zip(allowed, spans, strict=True):
        if each.kind is not None and _escapes(root, each, span, moved, result):
            return _bound(after.root_node, each, moved, result)
    return None


def _behind(text: bytes, at: int, facts: Facts) -> int:
    """Behind the white space and `;` that follow, or the comment that ends the line.

    An empty statement is nobody's, and a comment may end the block that new text begins.
    """
    silent = _SILENT.match(text, at)
    end = silent.end() if silent else at
    if facts.comments and text.startswith(facts.comments, end) and b"\n" not in text[at:end]:
        newline = text.find(b"\n", end)
        return newline if newline >= 0 else len(text)
    return end


def _bound(root: Node, region: ChangedRange, moved: "_Moved", result: bytes) -> Fault:
    """Shows the smallest piece of the result that holds new text and something beside it."""
    low, high = moved.start(region.low), moved.end(region.high)
    both = misreading(root, low, high, result, "")
    return changed("it binds with what stands beside it", both, ())


class _Moved:
    """Where places of the old text are in the new one.

    A change moves a start if it lies before it, and an end if it begins before it. A
    place inside of a change moves to that end of the new text.
    """

    def __init__(self, changes: Sequence[Change]) -> None:
        self._starts = [change[0] for change in changes]
        self._ends = [change[1] for change in changes]
        self._sums = [0]
        for start, end, new in changes:
            self._sums.append(self._sums[-1] + len(new) - (end - start))

    def start(self, at: int) -> int:
        before = min(bisect_right(self._ends, at), bisect_left(self._starts, at))
        if before < len(self._starts) and self._starts[before] < at:
            at = self._starts[before]
        return at + self._sums[before]

    def end(self, at: int) -> int:
        before = bisect_left(self._starts, at)
        if before and at < self._ends[before - 1]:
            at = self._ends[before - 1]
        return at + self._sums[before]


def _escapes(
    root: Node, region: ChangedRange, span: tuple[int, int], moved: _Moved, result: bytes
) -> bool:
    """Does the new text, which is there now, stand beside the node that held the old one?"""
    low, high = span
    start, end = moved.start(region.outer_low), moved.end(region.outer_high)
    if low == high:
        return False
    if region.outer_low < region.low:
        low = start  # with what stands before it in that node; else with what stands behind it
    else:
        high = end
    if _is_held(smallest(root, low, high), start, end, region.kind):
        return False
    low, high = _without_ends(root, low, high, result)
    return not _is_held(smallest(root, low, high), start, end, region.kind)


def _is_held(cover: Node, start: int, end: int, kind: int | None) -> bool:
    """Is a node the one of that kind that spans `start` to `end`, or within it?"""
    if cover.start_byte < start or end < cover.end_byte:
        return False
    node: Node | None = cover
    while node is not None and (node.start_byte, node.end_byte) == (start, end):
        if node.kind_id == kind:
            return True
        node = node.parent
    return node is cover


def _without_ends(root: Node, low: int, high: int, result: bytes) -> tuple[int, int]:
    """The span without comments, white space and `;` at its ends: they may be anyone's."""
    while low < high:
        text = result[low:high]
        first = low + len(text) - len(text.lstrip(_NOTHING))
        last = low + len(text.rstrip(_NOTHING))
        if first >= last:
            break
        head, tail = smallest(root, first, first + 1), smallest(root, last - 1, last)
        if head.is_extra:
            low = min(head.end_byte, last)
        elif tail.is_extra:
            high = max(tail.start_byte, first)
        else:
            return first, last
    return low, high
