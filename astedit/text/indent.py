"""Indentation of rewritten text: lines move with their block, literals never.

A capture keeps its shape relative to the line it starts on; the template's own
indentation is scaled to the unit of the file. Tabs stay tabs, blank lines stay blank,
lines that begin inside a literal (a string, a template, a heredoc) stay as they are.
(rules F7, F8)
"""

import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from tree_sitter import Node

from astedit.text.source import Change, before_break, lines_begun, splice

_LEADING = re.compile(rb"[ \t]*")
_BULLETED = re.compile(rb"[ \t]*(?:[-?] +)*")
_LINE = re.compile(rb"^([ \t]*)\S", re.MULTILINE)
SAMPLE = 65_536  # bytes of a file looked at to find its unit of indentation


class Mark(NamedTuple):
    """Bytes `start` to `end` of a text are what a hole captured as `nodes`.

    `many` says that the hole takes several. With `composed` other edits have been made in
    it; without a name it is such an edit itself, in the place of the node. What a transform
    made of a capture is composed and has no nodes. Where there are `tuples` it is a tuple
    without brackets, and has to be one of these kinds.
    """

    start: int
    end: int
    name: str
    nodes: Sequence[Node]
    many: bool = False
    composed: bool = False
    tuples: frozenset[str] = frozenset()

    @property
    def is_made(self) -> bool:
        """Did a transform make it?"""
        return bool(self.name) and not self.nodes

    def at(self, start: int, end: int) -> "Mark":
        """The same in another place."""
        return self._replace(start=start, end=end)


def unedited(marks: Iterable[Mark]) -> list[tuple[int, int]]:
    """What captures have of the source as it was: without the edits that were made in them."""
    spans: list[tuple[int, int]] = []
    around: list[Mark] = []  # the marks at a place, the innermost last
    at = 0

    def until(place: int) -> None:
        nonlocal at
        if around and around[-1].name and around[-1].nodes and at < place:
            spans.append((at, place))
        at = max(at, place)

    for mark in sorted(marks, key=lambda mark: (mark.start, -mark.end, not mark.name)):
        while around and around[-1].end <= mark.start:
            until(around[-1].end)
            around.pop()
        until(mark.start)
        around.append(mark)
    while around:
        until(around[-1].end)
        around.pop()
    return spans


@dataclass(slots=True)
class Text:
    """Bytes, the offsets of lines in them that begin inside a literal, and captures in them."""

    data: bytes
    frozen: Sequence[int] = ()
    marks: Sequence[Mark] = ()


def join(parts: Sequence[Text]) -> Text:
    """The parts one after another."""
    if len(parts) == 1:
        return parts[0]
    pieces: list[bytes] = []
    frozen: list[int] = []
    marks: list[Mark] = []
    size = 0
    for part in parts:
        pieces.append(part.data)
        if part.frozen:
            frozen.extend(size + at for at in part.frozen)
        marks += [mark.at(size + mark.start, size + mark.end) for mark in part.marks]
        size += len(part.data)
    return Text(b"".join(pieces), frozen, marks)


def strip(text: Text, *, left: bool, right: bool) -> Text:
    """The text without white space at the ends that are asked for."""
    end = len(text.data.rstrip() if right else text.data)
    start = len(text.data) - len(text.data.lstrip()) if left else 0
    return cut(text, start, max(start, end))


def cut(text: Text, start: int, end: int) -> Text:
    """The text from one offset to another."""
    if (start, end) == (0, len(text.data)):
        return text
    frozen = [at - start for at in text.frozen if start < at < end]
    marks = [
        mark.at(*(min(max(at, start), end) - start for at in (mark.start, mark.end)))
        for mark in text.marks
    ]
    return Text(text.data[start:end], frozen, marks)


def leading(source: bytes, offset: int, *, bullets: bool = False) -> bytes:
    """The white space that begins the line of `offset`.

    Of `- a` with `bullets`, that before the `a`: what nests in the item stands below that.
    """
    white = _BULLETED if bullets else _LEADING
    match = white.match(source, source.rfind(b"\n", 0, offset) + 1, offset)
    found = match[0] if match else b""
    return re.sub(rb"[-?]", b" ", found) if bullets else found


def last_indent(text: Text, indent: bytes, *, bullets: bool = False) -> bytes:
    """The white space of its last line that begins outside of literals; `indent`, of its first."""
    end = len(text.data)
    while (at := text.data.rfind(b"\n", 0, end)) >= 0:
        if at + 1 not in text.frozen:
            return leading(text.data, end, bullets=bullets)
        end = at
    return indent


def leading_white(source: bytes, line: int) -> bytes:
    """The white space at the beginning of the line that begins at `line`."""
    found = _LEADING.match(source, line)
    return found[0] if found else b""


def shift(text: Text, old: bytes, new: bytes) -> Text:
    """Every later line that begins with `old` begins with `new` instead.

    Lines indented less move as far, or to the margin. Blank and frozen lines stay.
    """
    if old == new or b"\n" not in text.data:
        return text
    return respaced(text, list(shifts(text, old, new)))


def shifts(text: Text, old: bytes, new: bytes) -> Iterator[Change]:
    """What `shift` changes, line by line."""
    frozen = set(text.frozen)
    for at in lines_begun(text.data, 0, len(text.data)):
        line = text.data[at : before_break(text.data, at)]
        moved = moved_line(line, old, new) if line.strip() and at not in frozen else line
        if moved != line:
            white = len(line) - len(line.lstrip(b" \t"))
            yield at, at + white, moved[: len(moved) - (len(line) - white)]


def moved_places(
    places: Sequence[int], changes: Sequence[Change], side: "Callable[..., int]" = bisect_right
) -> list[int]:
    """Where places of a text are after changes before them, and those that end there."""
    ends = [end for _, end, _ in changes]
    sums = list(accumulate((len(new) - (end - start) for start, end, new in changes), initial=0))
    return [at + sums[side(ends, at)] for at in places]


def respaced(text: Text, changes: Sequence[Change]) -> Text:
    """The text with changes of its white space: what ends at one ends before it."""
    starts = moved_places([mark.start for mark in text.marks], changes)
    ends = moved_places([mark.end for mark in text.marks], changes, bisect_left)
    marks = [mark.at(*at) for mark, *at in zip(text.marks, starts, ends, strict=True)]
    return Text(splice(text.data, changes), moved_places(text.frozen, changes), marks)


def moved_line(line: bytes, old: bytes, new: bytes) -> bytes:
    """A line that begins with `old` begins with `new` instead."""
    if line.startswith(old):
        return new + line[len(old) :]
    rest = line.lstrip(b" \t")
    white = line[: len(line) - len(rest)]
    if not old.startswith(white):  # tabs here, spaces there: no telling how far it is in
        return line
    if new.startswith(old):
        return white + new[len(old) :] + rest
    if old.startswith(new):
        return white[: max(0, len(white) - len(old) + len(new))] + rest
    return line


def unit_of(source: bytes, literals: Container[int] = ()) -> bytes:
    """One level of indentation in this file: a tab, or so many spaces; nothing if it has none.

    `literals` are the offsets of lines that begin inside a literal. Where many lines are an odd
    number of two spaces in, it is two, though what goes on may be four further in, as in Java.
    """
    steps: Counter[int] = Counter()
    tabs = previous = even = odd = 0
    for match in _LINE.finditer(source, 0, SAMPLE):
        white = match[1]
        if match.start() in literals:
            continue
        if white.startswith(b"\t"):
            tabs += 1
            continue
        step = len(white) - previous
        previous = len(white)
        if 2 <= step <= 8:
            steps[step] += 1
        even += previous > 0 and previous % 4 == 0
        odd += previous % 4 == 2
    if tabs > sum(steps.values()):
        return b"\t"
    if steps[2] > 1 and steps[2] * 3 >= steps[4] and odd * 4 >= even:
        del steps[4]
    return b" " * (steps.most_common(1)[0][0] if steps else 0)


def template_unit(widths: Sequence[int]) -> int:
    """Columns of one level in a template, from the widths of its indented lines.

    The least of them is one level, or two of four; the blank before the `*` of a comment's line
    is none. What is further in than that stands below something: it has no levels, and 0.
    """
    inner = [width for width in widths if width > 1]
    least = min(inner, default=4)
    if least in (4, 8):
        return 4
    is_level = least < 4 or (least < max(inner) and all(width % least == 0 for width in inner))
    return least if is_level else 0


def rescale(white: bytes, from_unit: int, to_unit: bytes) -> bytes:
    """Template indentation in the file's unit, if it has one; no whole level stays spaces."""
    if not to_unit or not from_unit:
        return white
    if b"\t" in white:
        levels, rest = white.count(b"\t"), white.count(b" ")
    else:
        levels, rest = divmod(len(white), from_unit)
    return to_unit * levels + b" " * rest


def literal_lines(
    node: Node, source: bytes, kinds: frozenset[str], before: float = math.inf
) -> list[int]:
    """Offsets (in the file) of the lines below `node` that begin inside a literal, or with one
    of several lines.

    Only nodes that begin before the byte `before` are looked at.
    """
    starts: list[int] = []
    stack = [node]
    while stack:
        inner = stack.pop()
        if inner.start_point[0] == inner.end_point[0] or inner.start_byte >= before:
            continue
        if inner.type in kinds:
            starts += lines_begun(source, max(0, inner.start_byte - 1), inner.end_byte)
        else:
            stack.extend(inner.children)
    starts.sort()
    return starts
