"""Matches as people and programs read them: lines, or ast-grep's JSON objects."""

from collections.abc import Iterable, Iterator, Sequence
from sys import getsizeof
from typing import Any

from tree_sitter import Node

from astedit.engine.files.places import Around
from astedit.limits import MAX_MATCH_TEXT
from astedit.pattern.match import Found
from astedit.text.source import ByteRange, Lines, before_break

_AGAIN = 8  # what a text costs less that is there already, but will be written once more
# A match with lines around it, of plain data: row and column where it starts and ends, the
# row of the first line, and the lines that no earlier match brought. Rows count from 0,
# columns are bytes.
LinesData = tuple[int, int, int, int, int, tuple[bytes, ...]]


def lines_around(spans: Iterable[ByteRange], source: bytes, around: Around) -> Iterator[LinesData]:
    """Each match of a text with the lines around it; a line comes once."""
    lines, rows = Lines(source), source.removesuffix(b"\n").split(b"\n")
    shown = -1  # the last row that was given
    for start, end in spans:
        (first, left), (last, right) = lines.point(start), lines.point(end)
        if last > first and not right:  # a line break ends it
            last, right = last - 1, len(rows[last - 1])
        low, high = max(first - around.before, shown + 1, 0), last + around.after + 1
        block = tuple(line.removesuffix(b"\r") for line in rows[low:high])
        shown = max(shown, low + len(block) - 1)
        yield first, left, last, right, low, block


def text_lines(matches: Sequence[Found], source: bytes) -> Iterator[tuple[tuple[int, bytes], ...]]:
    """For each match its lines: 1-based number and text; a line is given only once."""
    shown = -1  # the last row that was given
    for match in matches:
        node = match.node
        first, last = max(node.start_point[0], shown + 1), node.end_point[0]
        if last < first:
            yield ()
            continue
        shown = last
        low = source.rfind(b"\n", 0, node.start_byte) + 1
        for _ in range(first - node.start_point[0]):
            low = source.find(b"\n", low) + 1
        block = source[low : before_break(source, node.end_byte)]
        yield tuple(
            (row, line.removesuffix(b"\r"))
            for row, line in enumerate(block.split(b"\n"), first + 1)
        )


Point = tuple[int, int]  # row and column in bytes, from 0


def ends(node: Node, last: Node | None = None) -> tuple[int, Point, int, Point]:
    """The bytes and the points where a node begins, and where it, or the `last` one, ends."""
    last = last or node
    return node.start_byte, node.start_point, last.end_byte, last.end_point


class JsonNodes:
    """The nodes of one text as ast-grep's JSON objects.

    Lines are 0-based, columns 0-based in characters. tree-sitter knows both, the columns in
    bytes: only where these are not ASCII is the line's head decoded.

    A text that is asked for again is the same object, also in the process that it is sent
    to: all matches of a long line share it. Matches in matches in a small file would still
    have gigabytes of text: once `full`, ask for no more.
    """

    def __init__(self, source: bytes, language: str) -> None:
        self._source = source
        self._language = language
        self._ascii = source.isascii()
        self._texts: dict[ByteRange, str] = {}
        self._left = MAX_MATCH_TEXT

    @property
    def full(self) -> bool:
        """Whether the texts take all the memory that those of one file may."""
        return self._left < 0

    def charge(self, text: str) -> str:
        """Counts a text that goes with a match, and returns it."""
        self._left -= getsizeof(text)
        return text

    def text(self, start: int, end: int) -> str:
        """A part of the source."""
        if (text := self._texts.get((start, end))) is None:
            text = self._texts[start, end] = self.charge(_text(self._source[start:end]))
        else:
            self._left -= getsizeof(text) // _AGAIN
        return text

    def match(self, match: Found) -> dict[str, Any]:
        """One match; `file` is filled in by the caller."""
        node = match.node
        text = self.text(node.start_byte, node.end_byte)
        item = {"text": text, "range": None, "file": "", **self.place(*ends(node))}
        item["language"] = self._language
        related = {"secondary": list(match.related)} if match.related else {}  # as ast-grep has it
        variables = {
            "single": {name: self.capture(node) for name, node in match.single.items()},
            "multi": {
                name: [self.capture(node) for node in nodes]
                for name, nodes in (related | match.multi).items()
            },
            "transformed": {
                name: self.charge(_text(made.data)) for name, made in (match.texts or {}).items()
            },
        }
        return item | {"metaVariables": variables} if any(variables.values()) else item

    def place(self, start: int, first: Point, end: int, last: Point) -> dict[str, Any]:
        """Where a match is, and the lines around it."""
        source, low, high = self._source, start - first[1], before_break(self._source, end)
        return {
            "range": self.range(start, first, end, last),
            "lines": self.text(low, high),
            "charCount": {
                "leading": len(_text(source[low:start])),
                "trailing": len(_text(source[end:high])),
            },
        }

    def capture(self, node: Node, last: Node | None = None) -> dict[str, Any]:
        """The text and the range of one node, or from it to the `last` one."""
        text = self.text(node.start_byte, (last or node).end_byte)
        return {"text": text, "range": self.range(*ends(node, last))}

    def range(self, start: int, first: Point, end: int, last: Point) -> dict[str, Any]:
        """Bytes `start` to `end`, which are at these points."""
        return {
            "byteOffset": {"start": start, "end": end},
            "start": self._point(first, start),
            "end": self._point(last, end),
        }

    def _point(self, point: Point, offset: int) -> dict[str, int]:
        row, column = point
        if not self._ascii:
            column = len(_text(self._source[offset - column : offset]))
        return {"line": row, "column": column}


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")
