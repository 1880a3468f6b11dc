"""Edits as bytes: a range and what takes its place; splicing, composing, locating."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence, Set
from itertools import accumulate

# One change: bytes start to end (half-open) become the new bytes.
Change = tuple[int, int, bytes]
# Where something is: bytes start to end (half-open).
ByteRange = tuple[int, int]

_FEW_PLACES = 16  # counting newlines up to each beats listing all line starts


def splice(source: bytes, changes: Sequence[Change]) -> bytes:
    """The source with every change made; linear in bytes and changes.

    The changes are sorted and do not overlap; every byte outside them is kept.
    """
    parts: list[bytes] = []
    last = 0
    for start, end, new in changes:
        if start < last:
            raise ValueError(f"changes overlap at byte {start}")
        parts.append(source[last:start])
        parts.append(new)
        last = end
    parts.append(source[last:])
    return b"".join(parts)


def united(spans: Iterable[ByteRange]) -> list[ByteRange]:
    """The same bytes as spans that are sorted and apart: those that overlap or touch are one."""
    apart: list[ByteRange] = []
    for low, high in sorted(spans):
        if apart and low <= apart[-1][1]:
            apart[-1] = (apart[-1][0], max(high, apart[-1][1]))
        else:
            apart.append((low, high))
    return apart


def is_idle(change: Change, source: bytes) -> bool:
    """Whether a change leaves the source as it is."""
    start, end, new = change
    return source[start:end] == new


def compose(
    source: bytes, first: Sequence[Change], second: Sequence[Change], apart: Set[int] = frozenset()
) -> list[tuple[Change, list[int], list[int]]]:
    """The changes of `source` that equal `first` and then `second`.

    `second` is in the coordinates of the text that `first` makes. Every result names the
    indexes of the first and of the second changes that went into it. What touches becomes
    one change, but for those of the second that stay `apart`.
    """
    middle = splice(source, first)
    spans: list[tuple[int, int, int, int]] = []  # old start, old end, middle start, middle end
    shift = 0
    for start, end, new in first:
        spans.append((start, end, start + shift, start + shift + len(new)))
        shift += len(new) - (end - start)
    shift = 0  # old minus new, behind the first changes met so far
    composed = []
    for ones, twos in _groups(spans, second, apart):
        low = min([spans[i][2] for i in ones] + [second[j][0] for j in twos])
        high = max([spans[i][3] for i in ones] + [second[j][1] for j in twos])
        local = [(second[j][0] - low, second[j][1] - low, second[j][2]) for j in twos]
        start = low + shift
        if ones:
            shift = spans[ones[-1]][1] - spans[ones[-1]][3]
        composed.append(((start, high + shift, splice(middle[low:high], local)), ones, twos))
    return composed


def _groups(
    spans: list[tuple[int, int, int, int]], second: Sequence[Change], apart: Set[int]
) -> list[tuple[list[int], list[int]]]:
    """Which first and second changes meet, in the coordinates between them."""
    marks = [(s[2], s[3], 0, i) for i, s in enumerate(spans)]
    marks += [(c[0], c[1], 1, j) for j, c in enumerate(second)]
    marks.sort()
    groups: list[tuple[list[int], list[int]]] = []
    high, alone = -1, False
    for start, end, which, index in marks:
        own = which == 1 and index in apart
        if not groups or start > high or (start == high and (own or alone)):
            groups.append(([], []))
            high, alone = end, own
        groups[-1][which].append(index)
        high = max(high, end)
    return groups


class Lines:
    """Places in one text. Line starts are listed only when many places are asked for."""

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._asked = 0
        self._starts: list[int] | None = None

    def row(self, offset: int) -> int:
        """0-based row of a byte offset."""
        if self._starts is None:
            self._asked += 1
            if self._asked <= _FEW_PLACES:
                return self._source.count(b"\n", 0, offset)
            sizes = accumulate(map(len, self._source.split(b"\n")))
            self._starts = [0, *(size + row for row, size in enumerate(sizes, 1))][:-1]
        return bisect_right(self._starts, offset) - 1

    def start(self, offset: int) -> int:
        """Where the line of a byte offset begins."""
        return self._source.rfind(b"\n", 0, offset) + 1

    def point(self, offset: int) -> tuple[int, int]:
        """tree-sitter's point: 0-based row, column in bytes."""
        return self.row(offset), offset - self.start(offset)

    def place(self, offset: int) -> tuple[int, int]:
        """For people: 1-based line, 1-based column in characters."""
        head = self._source[self.start(offset) : offset]
        return self.row(offset) + 1, len(head.decode("utf-8", "replace")) + 1


def smallest(before: bytes, change: Change) -> Change:
    """The change without what stays at both of its ends, in whole characters."""
    start, end, new = change
    old = before[start:end]
    most = min(len(old), len(new))
    head = next((n for n in range(most) if old[n] != new[n]), most)
    while head and _inside_character(old, head):
        head -= 1
    most -= head
    tail = next((n for n in range(most) if old[-1 - n] != new[-1 - n]), most)
    while tail and _inside_character(old, len(old) - tail):
        tail -= 1
    return start + head, end - tail, new[head : len(new) - tail]


def _inside_character(text: bytes, at: int) -> bool:
    return at < len(text) and text[at] & 0xC0 == 0x80
