"""The structure of what edits put into a text: captures are whole, templates are what they say.

Where it is not, a fault shows both readings: what the code is read as, and, with brackets,
what was meant.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from tree_sitter import Node, Tree

from astedit.language import Grammar
from astedit.language.barred import Barred
from astedit.language.brackets import Brackets
from astedit.language.facts import Facts
from astedit.language.traits import Traits
from astedit.rewrite.prove.fault import Fault, Misreading, Put, shown
from astedit.rewrite.prove.torn_captures import WHOLE, misowned, torn
from astedit.text.indent import Mark, Text, unedited
from astedit.text.splice import ByteRange, Change, united

_FAR = 1 << 62  # behind all bytes
_DEEPEST = 700  # levels of new text: asking what stands around each takes their cube
_LONGEST = 1000  # characters of a misreading


def misread(
    root: Node,
    places: Sequence[int],
    puts: Sequence[Put],
    result: bytes,
    grammar: Grammar,
    traits: Traits,
) -> Fault | None:
    """The fault of a result in which captures, or edits, are not what they were meant to be."""
    blamed: dict[int, Fault] = {}
    brackets, barred = traits.brackets, traits.barred
    shift = 0
    for place, put in zip(places, puts, strict=True):
        start = put.start + shift
        numbers = tuple(torn(root, start, put, grammar, brackets))
        missed = brackets and next(filter(brackets.are_missed, put.nodes), None)
        if missed is not None:
            blamed[place] = _of_missed(missed)
        elif numbers:
            blamed[place] = _of_torn(root, start, put.text, numbers, result)
        elif put.tree is not None and put.tree.differs(root, start, put.text):
            blamed[place] = _of_template(put)
        elif (
            barred is not None
            and (fault := _of_barred(root, start, put, barred, brackets)) is not None
        ):
            blamed[place] = fault
        shift += len(put.text.data) - (put.end - put.start)
    if not blamed:
        return None
    first = next(iter(blamed.values()))
    return Fault(first.reason, first.detail, first.torn, blamed, first.misreading)


def _of_barred(
    root: Node, start: int, put: Put, barred: Barred, brackets: Brackets | None
) -> Fault | None:
    """The fault of an edit with something that may not stand where it does."""
    fault = _barred(root, start, put, barred, brackets)
    if fault is not None:
        return fault
    moved = misowned(root, start, put, barred) if put.bound else None
    return None if moved is None else _of_function(*moved)


def _barred(
    root: Node, start: int, put: Put, barred: Barred, brackets: Brackets | None
) -> Fault | None:
    """The fault of a node of new text, or a capture in it, that may not stand where it does."""
    if not put.is_node or not put.text.data or not barred.asks:
        return None
    kept = [(start + low, start + high) for low, high in unedited(put.text.marks)]
    end = start + len(put.text.data)
    stack = [(smallest(root, start, end), 0)]
    while stack:
        node, level = stack.pop()
        if level > _DEEPEST:
            return Fault("breaks_syntax", f"it is nested deeper than {_DEEPEST} levels")
        if node.end_byte <= start or end <= node.start_byte:
            continue
        if barred.is_barred(node) or (brackets is not None and brackets.are_lacking(node)):
            return _of_place(node)
        if not _is_in(kept, node.start_byte, node.end_byte):  # else it is as it was within
            stack.extend((child, level + 1) for child in node.children)
        elif node.child_count == 1:
            stack.append((node.children[0], level + 1))
    return None


def _is_in(spans: Sequence[ByteRange], low: int, high: int) -> bool:
    at = bisect_right(spans, (low, _FAR)) - 1
    return at >= 0 and high <= spans[at][1]


def _of_place(node: Node) -> Fault:
    what = node.type.replace("_", " ")
    around = node.parent.type.replace("_", " ") if node.parent is not None else "file"
    return Fault(
        "breaks_syntax", f"a {what} may not stand in this {around}: {shown(node.text or b'')}"
    )


def _of_missed(node: Node) -> Fault:
    text, outer = node.text or b"", node.parent
    while outer is not None and outer.parent is not None and outer.text == text:
        outer = outer.parent
    where = shown((outer and outer.text) or b"")
    return Fault("changes_structure", f"{shown(text)} is no operand of its own in {where}")


def _of_function(name: str, node: Node) -> Fault:
    what = node.type.partition("_")[0]
    detail = f"the {what} in ${name} would belong to another function: {shown(node.text or b'')}"
    return Fault("changes_structure", detail)


def _of_torn(root: Node, start: int, text: Text, numbers: tuple[int, ...], result: bytes) -> Fault:
    """Shows the first torn piece in what it is read as a part of."""
    number = numbers[0]
    low, high = (0, len(text.data)) if number == WHOLE else text.marks[number][:2]
    name = "" if number == WHOLE else text.marks[number].name
    what = f"${name}" if name else shown(text.data[low:high])
    misreading = _misreading(root, start + low, start + high, result, name)
    clause = "" if number == WHOLE else _clause(text.marks[number])
    return _changed(f"{what}{clause} does not stay whole", misreading, numbers)


def _clause(mark: Mark) -> str:
    """What else than a body a capture at the end of a statement holds."""
    kinds = (node.type for node in mark.nodes if mark.many and node.type.endswith("_clause"))
    return next((f", with the {kind.replace('_', ' ')} in it," for kind in kinds), "")


def _of_template(put: Put) -> Fault:
    """The captures are whole, and yet the template says something else."""
    assert put.tree is not None
    misreading = Misreading(None, _cut(put.text.data), _cut(put.tree.text))
    return _changed("it is another kind of code than the template", misreading, ())


def _changed(what: str, misreading: Misreading, numbers: tuple[int, ...]) -> Fault:
    read, meant = (shown(text.encode()) for text in (misreading.read, misreading.meant))
    detail = f"{what}: reads as {read}, meant is {meant}"
    return Fault("changes_structure", detail, numbers, misreading=misreading)


def _misreading(root: Node, low: int, high: int, result: bytes, name: str) -> Misreading:
    """What a piece of a result is read in, and the same with brackets around the piece."""
    node = _around(root, low, high)
    start, end = (node.start_byte, node.end_byte) if node else _lines(result, low, high)
    inner = result[low:high].strip()
    low += len(result[low:high]) - len(result[low:high].lstrip())
    high = low + len(inner)
    meant = b"%b(%b)%b" % (result[start:low], inner, result[high:end])
    return Misreading(name or None, _cut(result[start:end]), _cut(meant))


def _cut(text: bytes) -> str:
    read = text.decode("utf-8", "replace")
    return read if len(read) <= _LONGEST else read[: _LONGEST - 1] + "…"


def _lines(result: bytes, low: int, high: int) -> tuple[int, int]:
    end = result.find(b"\n", high)
    return result.rfind(b"\n", 0, low) + 1, len(result) if end < 0 else end


def _around(root: Node, low: int, high: int) -> Node | None:
    """The smallest node that holds a piece of text and something beside it; not all the file."""
    node: Node | None = smallest(root, low, high)
    while node is not None and low <= node.start_byte and node.end_byte <= high:
        node = node.parent
    return None if node is None or node.parent is None else node


def smallest(root: Node, start: int, end: int) -> Node:
    """The smallest node that contains bytes `start` to `end`; the root, at the edges."""
    node = root.descendant_for_byte_range(start, max(start, end - 1) if end > start else end)
    while node is not None and not (node.start_byte <= start and end <= node.end_byte):
        node = node.parent
    return node or root


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
    misreading = _misreading(root, low, high, result, "")
    return _changed("it binds with what stands beside it", misreading, ())


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
