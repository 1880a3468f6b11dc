"""One file's bytes, the UTF-8 view of them that is parsed, and changes of them.

Almost every file is UTF-8 and is its own view. A file whose encoding was declared (by
`--encoding` or a Python coding line) is decoded for the parser and for display; its
edits are carried back, so that bytes outside an edit never pass through a codec.
"""

import codecs
import re
from bisect import bisect_right
from collections.abc import Hashable, Iterable, Iterator, Sequence, Set
from functools import cached_property

# One change: bytes start to end (half-open) become the new bytes.
Change = tuple[int, int, bytes]
# Where something is: bytes start to end (half-open).
ByteRange = tuple[int, int]
Spans = list[ByteRange]

BOMS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
UNKNOWN = "unknown"  # bytes taken as they are: they can be searched, not edited
DECLARABLE = {"iso8859-1": "latin-1", "cp1252": "cp1252", "utf-16": "utf-16"}
_BINARY_WINDOW = 8_000  # git's own rule: a NUL this early means binary
_CODING = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
LINE_BREAK = re.compile(rb"\r\n|\n|\r")  # for editors and language servers
_NEWLINE = re.compile(rb"\n")
# How these count in a line: the codec, and the bytes of a unit.
UNITS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}
_FEW_PLACES = 16  # counting newlines up to each beats listing all line starts


class NotDecodable(Exception):
    """The bytes are not text in the encoding that was assumed."""


class NotEncodable(Exception):
    """New text has a character that the file's encoding lacks."""


def is_binary(raw: bytes) -> bool:
    """A NUL byte near the start, in what is not UTF-16."""
    return raw[:2] not in BOMS and b"\0" in raw[:_BINARY_WINDOW]


def declared(raw: bytes) -> str | None:
    """The encoding a Python coding line names, if it is one we edit."""
    end = raw.find(b"\n", raw.find(b"\n") + 1)
    head = raw[:end] if end >= 0 else raw
    for line in head.split(b"\n") if b"coding" in head else ():
        if match := _CODING.match(line):
            return canonical(match[1].decode("ascii"))
    return None


def canonical(name: str) -> str | None:
    """Our name for an encoding that can be edited byte-exactly, or None."""
    try:
        known = codecs.lookup(name).name
    except (LookupError, ValueError):
        return None
    return DECLARABLE.get(known, "utf-8" if known == "utf-8" else None)


def source_of(raw: bytes, language: str, encoding: str | None = None) -> "Source":
    """A file's bytes with the UTF-8 view of them; may raise `NotDecodable`.

    `encoding` is the request's; without it a Python file's coding line decides.
    """
    forced = encoding and canonical(encoding)
    own = declared(raw) if language == "python" else None
    return Source(raw, forced or own, declared=not forced)


def end_of_line(text: bytes) -> bytes:
    """The newline most lines of the file end with."""
    return b"\r\n" if text.count(b"\r\n") * 2 > text.count(b"\n") else b"\n"


class Source:
    """A file as read: `raw`, its `text` in UTF-8, and the way back.

    The encoding is that of bytes which are not UTF-8, and of new text among ASCII; with
    `declared`, by the file itself, of all of them. Raises `NotDecodable` if the bytes are
    neither UTF-8 nor in that encoding.
    """

    is_script = False  # of a page; see `Part`

    def __init__(self, raw: bytes, encoding: str | None = None, *, declared: bool = False) -> None:
        self.raw = raw
        self.text = raw
        self.encoding = "utf-8"
        self._codec = ""
        self._bom = 0
        if encoding == UNKNOWN:
            self.encoding = UNKNOWN
        elif encoding in ("latin-1", "cp1252") and (declared or raw.isascii()):
            self.encoding = encoding
            self._decode()
        elif not self._is_utf8(encoding):
            if encoding in (None, "utf-8"):
                raise NotDecodable
            self.encoding = encoding or "utf-8"
            self._decode()

    @property
    def codec(self) -> str:
        """Python's name for how `raw` is decoded; a byte order mark tells UTF-16's order."""
        return self._codec or "utf-8"

    def _is_utf8(self, encoding: str | None) -> bool:
        try:
            if not self.raw.isascii():
                self.raw.decode("utf-8")
        except UnicodeDecodeError:
            return False
        return encoding != "utf-16" or b"\0" not in self.raw

    def _decode(self) -> None:
        self._codec = self.encoding
        if self.encoding == "utf-16":
            self._codec = "utf-16-be" if self.raw[:2] == codecs.BOM_UTF16_BE else "utf-16-le"
            self._bom = 2 if self.raw[:2] in BOMS else 0
        body = self.raw[self._bom :]
        try:
            decoded = body.decode(self._codec)
            if decoded.encode(self._codec) != body:
                raise NotDecodable
            self.text = decoded.encode("utf-8")
        except UnicodeError as error:
            raise NotDecodable from error

    def back(self, changes: Sequence[Change]) -> list[Change]:
        """Changes of `text`, as changes of `raw`; raises `NotEncodable`."""
        if not self._codec:
            return list(changes)
        carried: list[Change] = []
        at_text, at_raw = 0, self._bom
        for start, end, new in changes:
            at_raw += self._width(at_text, start)
            stop = at_raw + self._width(start, end)
            try:
                carried.append((at_raw, stop, new.decode("utf-8").encode(self._codec)))
            except UnicodeError as error:
                raise NotEncodable(str(error)) from error
            at_text, at_raw = end, stop
        return carried

    def ahead(self, start: int, end: int) -> tuple[int, int]:
        """A range of `raw`, as a range of `text`."""
        if not self._codec:
            return start, end
        parts = (self.raw[self._bom : start], self.raw[max(self._bom, start) : end])
        before, within = (len(part.decode(self._codec).encode("utf-8")) for part in parts)
        return before, before + within

    def _width(self, start: int, end: int) -> int:
        return len(self.text[start:end].decode("utf-8").encode(self._codec))


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


def made_ranges(changes: Iterable[Change]) -> Iterator[ByteRange]:
    """Where the new text of each change stands in the text that they make."""
    shift = 0
    for start, end, new in changes:
        yield start + shift, start + shift + len(new)
        shift += len(new) - (end - start)


def united(spans: Iterable[ByteRange]) -> list[ByteRange]:
    """The same bytes as spans that are sorted and apart: those that overlap or touch are one."""
    apart: list[ByteRange] = []
    for low, high in sorted(spans):
        if apart and low <= apart[-1][1]:
            apart[-1] = (apart[-1][0], max(high, apart[-1][1]))
        else:
            apart.append((low, high))
    return apart


def holds(spans: Spans | None, start: int, end: int) -> bool:
    """Whether bytes `start` to `end` lie in one of the spans."""
    return spans is None or any(low <= start and end <= high for low, high in spans)


def outside(changes: Sequence[Change], spans: Spans | None) -> bool:
    """Whether a change reaches beyond the spans, so that other bytes would differ."""
    return not all(holds(spans, start, end) for start, end, _ in changes)


def moved(spans: Spans | None, changes: Sequence[Change]) -> Spans | None:
    """The spans in the text after these changes, all of which lie in them."""
    if spans is None:
        return None
    grown = [(start, end, len(new) - (end - start)) for start, end, new in changes]
    return [
        (
            low + sum(more for start, end, more in grown if start < low and end <= low),
            high + sum(more for _, end, more in grown if end <= high),
        )
        for low, high in spans
    ]


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
    # old start, old end, middle start, middle end
    spans = [(*old[:2], *made) for old, made in zip(first, made_ranges(first), strict=True)]
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


def line_start(source: bytes, at: int) -> int:
    """Where the line of this byte begins."""
    return source.rfind(b"\n", 0, at) + 1


def lines_begun(source: bytes, low: int, high: int) -> list[int]:
    """Where the lines begin whose line breaks stand between two places."""
    return [found.end() for found in _NEWLINE.finditer(source, low, high)]


def before_break(source: bytes, at: int) -> int:
    """Where the line of this byte ends, its line break left out."""
    found = source.find(b"\n", at)
    return len(source) if found < 0 else found


def line_end(source: bytes, at: int) -> int:
    """Where the line behind the one of this byte begins."""
    return source.find(b"\n", at) + 1 or len(source)


class Lines:
    """Places in one text. Line starts are listed only when many places are asked for."""

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._lookups = 0
        self._starts: list[int] | None = None

    def row(self, offset: int) -> int:
        """0-based row of a byte offset."""
        if self._starts is None:
            self._lookups += 1
            if self._lookups <= _FEW_PLACES:
                return self._source.count(b"\n", 0, offset)
            self._starts = [0, *lines_begun(self._source, 0, len(self._source))]
        return bisect_right(self._starts, offset) - 1

    def point(self, offset: int) -> tuple[int, int]:
        """tree-sitter's point: 0-based row, column in bytes."""
        return self.row(offset), offset - line_start(self._source, offset)

    def place(self, offset: int) -> tuple[int, int]:
        """For people: 1-based line, 1-based column in characters."""
        head = self._source[line_start(self._source, offset) : offset]
        return self.row(offset) + 1, len(head.decode("utf-8", "replace")) + 1


class UnitPlaces:
    """Places in a UTF-8 text as language servers name them: a line, and a unit of an encoding.

    Both count from 0, the lines from the one that begins at the byte `first`.
    """

    def __init__(self, content: bytes, encoding: str, first: int = 0) -> None:
        self._content, self._first = content, first
        self._codec, self._width = UNITS[encoding]

    @cached_property
    def starts(self) -> list[int]:
        """Where each line begins."""
        return [self._first, *(found.end() for found in LINE_BREAK.finditer(self._content))]

    def offset(self, line: int, unit: int) -> int:
        """The byte at a place, or at the nearest that exists; in a character where it begins."""
        if line >= len(self.starts):
            return len(self._content)
        start, *following = self.starts[line : line + 2]
        text = self._content[start : following[0] if following else None].rstrip(b"\r\n")
        if text.isascii():
            return start + min(unit, len(text))
        units = text.decode().encode(self._codec)[: unit * self._width]
        return start + len(units.decode(self._codec, "ignore").encode())

    def position(self, offset: int) -> tuple[int, int]:
        """The line of a byte, and the unit in it; of one behind the end those of the end."""
        line = max(bisect_right(self.starts, offset) - 1, 0)
        before = self._content[self.starts[line] : max(offset, 0)]
        if before.isascii():
            return line, len(before)
        return line, len(before.decode("utf-8", "replace").encode(self._codec)) // self._width


def alike_ends(old: Sequence[Hashable], new: Sequence[Hashable]) -> tuple[int, int]:
    """How many items are equal at the start, and at the end of the rest."""
    head = alike_start(old, new)
    return head, alike_start(old[head:][::-1], new[head:][::-1])


def alike_start(old: Sequence[Hashable], new: Sequence[Hashable]) -> int:
    """How many items are equal at the start. It compares halves, and so no item by itself."""
    low, high = 0, min(len(old), len(new))
    while low < high:
        middle = (low + high + 1) // 2
        same = old[low:middle] == new[low:middle]
        low, high = (middle, high) if same else (low, middle - 1)
    return low


def grown(source: bytes, change: Change, low: int, high: int) -> Change:
    """The change with what stays around it, from `low` to `high` where it does not reach them."""
    start, end, new = change
    low, high = min(start, low), max(end, high)
    return low, high, source[low:start] + new + source[end:high]


def smallest(before: bytes, change: Change) -> Change:
    """The change without what stays at both of its ends, in whole characters."""
    start, end, new = change
    old = before[start:end]
    head = alike_start(old, new)
    while head and _inside_character(old, head):
        head -= 1
    tail = alike_start(old[head:][::-1], new[head:][::-1])
    while tail and _inside_character(old, len(old) - tail):
        tail -= 1
    return start + head, end - tail, new[head : len(new) - tail]


def _inside_character(text: bytes, at: int) -> bool:
    return at < len(text) and text[at] & 0xC0 == 0x80
