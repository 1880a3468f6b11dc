"""Non-interference: a rewrite changes the tree where it was made and nowhere else.

The old tree is told of the edits and the result is parsed incrementally; the C library
then says which ranges differ in structure. What it cannot see is new text that leaves its
parent (`if (a) f()` to `if (a) f(); g()`, `f()!` to `a + f()!`), so the node around every
edit is looked up as well. (rule F12)
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from tree_sitter import Node, Tree

from astedit.language import Grammar
from astedit.language.facts import Facts
from astedit.rewrite.renames import only_names
from astedit.text.splice import Change, Lines, splice

_SILENT = re.compile(rb"[\s;]*")
_NOTHING = b" \t\r\n\f\v;"
_SHOWN = 80  # characters of a piece of code that a message shows


@dataclass(slots=True)
class Region:
    """Bytes `low` to `high`, within which the structure may differ.

    The node around it is of kind `kind`, from `outer_low` to `outer_high`; None if that is
    the root, which nothing can leave.
    """

    low: int
    high: int
    kind: int | None = None
    outer_low: int = 0
    outer_high: int = 0


def regions(root: Node, source: bytes, changes: Sequence[Change], facts: Facts) -> list[Region]:
    """For each change its region: the smallest node that contains the change.

    It is widened to its parent as long as the parent adds nothing but white space and `;`.
    """
    return [_region(root, source, change, facts) for change in changes]


def _region(root: Node, source: bytes, change: Change, facts: Facts) -> Region:
    start, end, _ = change
    node = _smallest(root, start, end)
    parent = node.parent
    while parent is not None and _adds_nothing(parent, node, source):
        node, parent = parent, parent.parent
    if parent is not None and _moves_start(parent, change, facts):
        node, parent = parent, parent.parent
    region = Region(min(start, node.start_byte), max(end, node.end_byte))
    if parent is not None and parent.id != root.id:
        region.kind = parent.kind_id
        region.outer_low, region.outer_high = parent.start_byte, parent.end_byte
    return region


def _smallest(root: Node, start: int, end: int) -> Node:
    """The smallest node that contains bytes `start` to `end`; the root, at the edges."""
    node = root.descendant_for_byte_range(start, max(start, end - 1) if end > start else end)
    while node is not None and not (node.start_byte <= start and end <= node.end_byte):
        node = node.parent
    return node or root


def _adds_nothing(parent: Node, node: Node, source: bytes) -> bool:
    return bool(
        _SILENT.fullmatch(source, parent.start_byte, node.start_byte)
        and _SILENT.fullmatch(source, node.end_byte, parent.end_byte)
    )


def _moves_start(block: Node, change: Change, facts: Facts) -> bool:
    """Is the block one without braces, which begins behind the comments that now begin it?"""
    start, _, new = change
    begins = block.type in facts.blocks and block.start_byte == start
    return begins and (not new or new.startswith(facts.comments))


@dataclass(frozen=True, slots=True)
class Fault:
    """Why edits are not made: `breaks_syntax` or `changes_structure`, and what exactly is wrong."""

    reason: str
    detail: str


class Verification:
    """Looks at what changes make of one text: all of them, then some where something is wrong.

    `changes` are sorted and do not overlap. The tree stays as it is.
    """

    def __init__(
        self,
        grammar: Grammar,
        facts: Facts,
        tree: Tree,
        source: bytes,
        lines: Lines,
        changes: Sequence[Change],
    ) -> None:
        self._grammar = grammar
        self._facts = facts
        self._tree = tree
        self._source = source
        self._lines = lines
        self._changes = changes

    @cached_property
    def _flaws(self) -> int:
        return count_flaws(self._tree.root_node)

    @cached_property
    def _regions(self) -> list[Region]:
        return regions(self._tree.root_node, self._source, self._changes, self._facts)

    def fault(self, chosen: Sequence[int] | None = None) -> Fault | None:
        """What is wrong when the changes at these places, or all, are made; None if nothing."""
        places = range(len(self._changes)) if chosen is None else chosen
        changes = [self._changes[place] for place in places]
        root = self._tree.root_node
        if only_names(self._grammar, self._facts, root, self._source, changes):
            return None
        allowed = [self._regions[place] for place in places]
        before = self._tree.copy()
        for start, end, new in reversed(_joined(changes)):
            _tell(before, self._lines, start, end, new)
        result = splice(self._source, changes)
        after = self._grammar.parser().parse(result, before)
        if count_flaws(after.root_node) > self._flaws:
            return _flawed(after.root_node, changes[0][0], result)
        return _strayed(before, after, allowed, _Moved(changes), result)


def parses_no_worse(before: Node, after: Node, start: int, result: bytes) -> Fault | None:
    """None if a result has no more flaws than the text had; byte `start` is its first change."""
    if count_flaws(after) <= count_flaws(before):
        return None
    return _flawed(after, start, result)


def _strayed(
    before: Tree, after: Tree, allowed: Sequence[Region], moved: "_Moved", result: bytes
) -> Fault | None:
    """The fault of a result that differs in structure where it was not edited."""
    merged = _merged(
        (moved.start(each.low), _behind(result, moved.end(each.high))) for each in allowed
    )
    starts = [low for low, _ in merged]
    for changed in before.changed_ranges(after):
        at = bisect_right(starts, changed.start_byte) - 1
        if at < 0 or changed.end_byte > merged[at][1]:
            before_it = [one for one in allowed if moved.start(one.low) <= changed.start_byte]
            return _bound(after.root_node, (before_it or allowed[:1])[-1], moved, result)
    for each in allowed:
        if each.kind is not None and _escapes(after.root_node, each, moved, result):
            return _bound(after.root_node, each, moved, result)
    return None


def verify(
    grammar: Grammar,
    facts: Facts,
    tree: Tree,
    source: bytes,
    lines: Lines,
    changes: Sequence[Change],
) -> Fault | None:
    """None if the result parses no worse and changed only where it was edited."""
    return Verification(grammar, facts, tree, source, lines, changes).fault()


def _behind(text: bytes, at: int) -> int:
    """Behind the white space and `;` that follow: an empty statement is nobody's."""
    silent = _SILENT.match(text, at)
    return silent.end() if silent else at


def _joined(changes: Sequence[Change]) -> list[Change]:
    """Changes that touch as one: deleted nodes left at one place cost a visit per change."""
    runs: list[list[Change]] = []
    for change in changes:
        if runs and runs[-1][-1][1] == change[0]:
            runs[-1].append(change)
        else:
            runs.append([change])
    return [(run[0][0], run[-1][1], b"".join(new for _, _, new in run)) for run in runs]


def _tell(tree: Tree, lines: Lines, start: int, end: int, new: bytes) -> None:
    row, column = lines.point(start)
    newlines = new.count(b"\n")
    tail = len(new) - (new.rfind(b"\n") + 1)
    stop = (row + newlines, tail if newlines else column + len(new))
    tree.edit(start, end, start + len(new), (row, column), lines.point(end), stop)


def count_flaws(root: Node) -> int:
    """What the parser could not make sense of; 0 without looking where all is right."""
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


def _flawed(root: Node, start: int, result: bytes) -> Fault:
    """Names the first flaw that stands at byte `start` or behind it, or else the first."""
    node = next((node for node in flaws(root) if node.end_byte >= start), None)
    node = node or next(flaws(root))
    line = _shown(result[result.rfind(b"\n", 0, node.start_byte) + 1 :].partition(b"\n")[0])
    if node.is_missing:
        what = f"a {node.type!r} is missing"
    elif node.is_error and node.end_byte > node.start_byte:
        what = f"{_shown(result[node.start_byte : node.end_byte])} is unexpected"
    else:
        what = f"a {node.type} does not end so"
    return Fault("breaks_syntax", f"{what}: {line}")


def _bound(root: Node, region: Region, moved: "_Moved", result: bytes) -> Fault:
    """Shows the smallest piece of the result that holds new text and something beside it."""
    low, high = moved.start(region.low), moved.end(region.high)
    node: Node | None = _smallest(root, low, high)
    while node is not None and low <= node.start_byte and node.end_byte <= high:
        node = node.parent
    if node is None or node.parent is None:
        what = f"what stands beside it means something else: {_shown(result[low:high])}"
    else:
        piece = result[node.start_byte : node.end_byte]
        what = f"it binds with what stands beside it: {_shown(piece)}"
    return Fault("changes_structure", what)


def _shown(text: bytes) -> str:
    """A piece of code on one line, in backquotes; cut where it is long."""
    line = " ".join(text.decode("utf-8", "replace").split())
    return f"`{line if len(line) <= _SHOWN else line[: _SHOWN - 1] + '…'}`"


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


def _merged(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Sorted, and as one where they touch."""
    merged: list[tuple[int, int]] = []
    for low, high in sorted(spans):
        if merged and low <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], high))
        else:
            merged.append((low, high))
    return merged


def _escapes(root: Node, region: Region, moved: _Moved, result: bytes) -> bool:
    """Does the new text stand beside the node that held the old one?"""
    low, high = moved.start(region.low), moved.end(region.high)
    start, end = moved.start(region.outer_low), moved.end(region.outer_high)
    if low == high:
        return False
    if region.outer_low < region.low:
        low = start  # with what stands before it in that node; else with what stands behind it
    else:
        high = end
    if _is_held(_smallest(root, low, high), start, end, region.kind):
        return False
    low, high = _without_ends(root, low, high, result)
    return not _is_held(_smallest(root, low, high), start, end, region.kind)


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
        head, tail = _smallest(root, first, first + 1), _smallest(root, last - 1, last)
        if head.is_extra:
            low = min(head.end_byte, last)
        elif tail.is_extra:
            high = max(tail.start_byte, first)
        else:
            return first, last
    return low, high
