"""Non-interference: a rewrite changes the tree where it was made and nowhere else.

The old tree is told of the edits and the result is parsed incrementally; the C library
then says which ranges differ in structure. What it cannot see is new text that leaves its
parent (`if (a) f()` to `if (a) f(); g()`, `f()!` to `a + f()!`), so the node around every
edit is looked up as well. (rule F12)
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from tree_sitter import Node, Tree

from astedit.language import Grammar
from astedit.language.brackets import Brackets
from astedit.language.compiler import Compiler
from astedit.language.facts import Facts
from astedit.rewrite.compiled import Compilation
from astedit.rewrite.edit_structure import bound, misread, smallest
from astedit.rewrite.fault import Fault
from astedit.rewrite.flaws import count_flaws, flawed
from astedit.rewrite.put import Put
from astedit.rewrite.renames import only_names
from astedit.text.indent import Text
from astedit.text.splice import Change, Lines, splice

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
    begins = block.type in facts.blocks and block.start_byte == start
    return begins and (not new or new.startswith(facts.comments))


class Verification:
    """Looks at what edits make of one text: all of them, then some where something is wrong.

    `puts` are sorted and do not overlap; one may be exchanged for another text in the same
    place. The tree stays as it is.
    """

    def __init__(
        self,
        grammar: Grammar,
        facts: Facts,
        tree: Tree,
        source: bytes,
        lines: Lines,
        puts: list[Put],
        compiler: Compiler | None = None,
        brackets: Brackets | None = None,
    ) -> None:
        self._brackets = brackets
        self.compilation = Compilation(source, compiler, facts) if compiler else None
        self._grammar = grammar
        self._facts = facts
        self._tree = tree
        self._source = source
        self._lines = lines
        self.puts = puts

    @cached_property
    def _flaws(self) -> int:
        return count_flaws(self._tree.root_node)

    @cached_property
    def _regions(self) -> list[ChangedRange]:
        changes = [put.change for put in self.puts]
        return regions(self._tree.root_node, self._source, changes, self._facts)

    def fault(self, places: Sequence[int]) -> Fault | None:
        """What is wrong when the edits at these places are made; None if nothing."""
        puts = [self.puts[place] for place in places]
        changes = [put.change for put in puts]
        pieces = [piece for put in puts for piece in put.pieces or (put.change,)]
        if only_names(self._grammar, self._facts, self._tree.root_node, self._source, pieces):
            return None
        allowed = [self._regions[place] for place in places]
        before = self._tree.copy()
        begun = {change[0] for change in changes if change[0] < change[1]}
        for start, end, new in reversed(_joined(pieces)):
            if start == end and start in begun:
                end += 1  # else what begins here would be told to begin behind the new text
                new += self._source[start:end]
            _tell(before, self._lines, start, end, new)
        result = splice(self._source, pieces)
        after = self._grammar.parser().parse(result, before)
        if count_flaws(after.root_node) > self._flaws:
            return flawed(after.root_node, changes[0][0], result)
        return (
            misread(after.root_node, places, puts, result, self._grammar, self._brackets)
            or _strayed(before, after, allowed, _Moved(changes), result, self._facts)
            or self._refused(after.root_node, places, puts, result)
        )

    def _refused(
        self, root: Node, places: Sequence[int], puts: Sequence[Put], result: bytes
    ) -> Fault | None:
        if self.compilation is None:
            return None
        texts: dict[int, tuple[int, Text]] = {}
        shift = 0
        for place, put in zip(places, puts, strict=True):
            texts[place] = put.start + shift, put.text
            shift += len(put.text.data) - (put.end - put.start)
        return self.compilation.fault(root, result, texts)


def _strayed(
    before: Tree,
    after: Tree,
    allowed: Sequence[ChangedRange],
    moved: "_Moved",
    result: bytes,
    facts: Facts,
) -> Fault | None:
    """The fault of a result that differs in structure where it was not edited."""
    spans = [(moved.start(each.low), moved.end(each.high)) for each in allowed]
    merged = _merged((low, _behind(result, high, facts)) for low, high in spans)
    starts = [low for low, _ in merged]
    for changed in before.changed_ranges(after):
        at = bisect_right(starts, changed.start_byte) - 1
        if at < 0 or changed.end_byte > merged[at][1]:
            before_it = [one for one in allowed if moved.start(one.low) <= changed.start_byte]
            return _bound(after.root_node, (before_it or allowed[:1])[-1], moved, result)
    root = after.root_node
    for each, span in zip(allowed, spans, strict=True):
        if each.kind is not None and _escapes(root, each, span, moved, result):
            return _bound(after.root_node, each, moved, result)
    return None


def verify(
    grammar: Grammar,
    facts: Facts,
    tree: Tree,
    source: bytes,
    lines: Lines,
    changes: Sequence[Change],
    compiler: Compiler | None = None,
) -> Fault | None:
    """None if the result parses no worse, changed only where it was edited, and compiles."""
    puts = [Put(start, end, Text(new)) for start, end, new in changes]
    verification = Verification(grammar, facts, tree, source, lines, puts, compiler)
    return verification.fault(range(len(puts)))


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


def _bound(root: Node, region: ChangedRange, moved: "_Moved", result: bytes) -> Fault:
    """Shows the smallest piece of the result that holds new text and something beside it."""
    return bound(root, moved.start(region.low), moved.end(region.high), result)


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
