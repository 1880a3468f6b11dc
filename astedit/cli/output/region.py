"""Where a finding and its replacement lie, in lines and columns that count from 1."""

from dataclasses import dataclass
from typing import Any

FindingJson = dict[str, Any]  # one object of ast-grep's JSON


@dataclass(frozen=True, slots=True)
class LineRange:
    """From a line and column to another, the last column excluded; columns are characters."""

    line: int
    column: int
    end_line: int
    end_column: int


def region(span: dict[str, Any]) -> LineRange:
    """The region of a `range`, whose lines and columns count from 0."""
    start, end = span["start"], span["end"]
    return LineRange(start["line"] + 1, start["column"] + 1, end["line"] + 1, end["column"] + 1)


@dataclass(frozen=True, slots=True)
class Replacement:
    """What a finding's fix puts in place of bytes `start` to `end` of the file.

    `region` and `whole` (its lines as they will be, without the last line's end) are None
    where the bytes lie beyond the lines that the finding shows.
    """

    start: int
    end: int
    text: str
    region: LineRange | None
    whole: str | None


def replacement(finding: FindingJson) -> Replacement | None:
    """The fix of a finding; None if it has none, is blocked, or is not Unicode."""
    text = finding.get("replacement")
    if text is None or finding.get("blocked") or not _is_unicode(text):
        return None
    offsets = finding["replacementOffsets"]
    start, end = offsets["start"], offsets["end"]
    lines, base = _lines(finding)
    low, high = start - base, end - base
    if not 0 <= low <= high <= len(lines):
        return Replacement(start, end, text, None, None)
    first = finding["range"]["start"]["line"] + 1
    line, column = _position(lines, low, first)
    end_line, end_column = _position(lines, high, first)
    top = lines.rfind(b"\n", 0, low) + 1
    bottom = lines.find(b"\n", high)
    tail = lines[high : bottom if bottom >= 0 else None]
    whole = lines[top:low].decode() + text + tail.decode().removesuffix("\r")
    return Replacement(start, end, text, LineRange(line, column, end_line, end_column), whole)


def _lines(finding: FindingJson) -> tuple[bytes, int]:
    """The lines of a finding as bytes, and where they begin in the file.

    Nothing where the finding's offsets are not those of UTF-8.
    """
    shown = finding["lines"]
    if not _is_unicode(shown):
        return b"", 0
    lines = shown.encode()
    before = len(shown[: finding["charCount"]["leading"]].encode())
    offsets = finding["range"]["byteOffset"]
    matched = lines[before : before + offsets["end"] - offsets["start"]]
    if matched != finding["text"].encode("utf-8", "surrogatepass"):
        return b"", 0
    return lines, offsets["start"] - before


def _position(lines: bytes, at: int, first: int) -> tuple[int, int]:
    top = lines.rfind(b"\n", 0, at) + 1
    return first + lines.count(b"\n", 0, at), len(lines[top:at].decode()) + 1


def _is_unicode(text: str) -> bool:
    return not any("\ud800" <= char <= "\udfff" for char in text)
