"""The formats that findings are printed in: one row and one file each.

A file is called like its row and has a class `Format`. It is imported when its format is
asked for.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from astedit.cli.output import streams
from astedit.cli.output.matches import JSON_FORMS, ShownPaths
from astedit.text import number

if TYPE_CHECKING:
    from astedit.engine.run.search import Hits
    from astedit.rule import Document
    from astedit.testing.baseline import Key

SEVERITIES = ("error", "warning", "info", "hint")
FORMATS = ("text", "json", "sarif", "github", "github-review")

Mode = Literal["brief", "scan"]
Shown = Mapping[str, Sequence[range]]  # by file, the lines that a review may speak of


class About(NamedTuple):
    """What a format may ask about the run: its rules, and the lines that a review shows.

    `lines` finds out which; None stands for all lines of all files. `absent` are entries of a
    baseline that nothing is found for any more.
    """

    rules: "Sequence[Document]" = ()
    lines: Callable[[], Shown | None] = lambda: None
    absent: "Sequence[Key]" = ()


class Format:
    """Prints findings: keeps a part for each file as soon as its findings are known.

    `mode` says how much the search tells of each: all that ast-grep's JSON has, or only
    what the text of the terminal needs. `names` are as PATHS were typed, for the formats that
    have them so. `counts` are the findings of each severity so far.
    """

    mode: Mode = "scan"

    def __init__(self, names: ShownPaths, style: str) -> None:
        self.names = names
        self.style = style
        self.counts = Counter[str]()

    def of(self, hits: "Hits", path: str, findings: "Sequence[FindingJson]") -> Any:
        """What is kept of one file's findings."""
        return findings

    def show(self, hits: "Hits", about: About) -> None:
        """Writes what was kept of all files to stdout."""
        raise NotImplementedError

    def counted(self, hits: "Hits", path: str, findings: "Sequence[FindingJson]") -> Any:
        """What is kept of one file's findings, which are counted."""
        self.counts.update([finding["severity"] for finding in findings])
        return self.of(hits, path, findings)

    def report(self, hits: "Hits", about: About) -> int:
        """Writes what was kept, says what else there is to say, and returns the exit code."""
        from astedit.cli.output.report import search_notes

        self.show(hits, about)
        streams.flush()
        streams.notes((*self.summary(hits), *search_notes(hits)))
        return self.exit_code()

    def exit_code(self) -> int:
        """1 if a rule of severity error found something."""
        return 1 if self.counts["error"] else 0

    def summary(self, hits: "Hits") -> Iterator[str]:
        """How many findings of which severity."""
        counts = self.counts
        searched = number(hits.files_searched, "file")
        if not counts:
            yield f"No findings ({searched} searched)."
            return
        total = number(counts.total(), "finding")
        kinds = ", ".join(number(counts[one], one) for one in SEVERITIES if counts[one])
        yield f"{total} in {number(len(hits.files), 'file')} ({kinds}; {searched} searched)."
        if hits.limit_reached:
            yield "There is more: --limit was reached."


class Whole(Format):
    """A format that makes one document of all findings, which names files below the root."""

    @staticmethod
    def findings(hits: "Hits") -> "list[FindingJson]":
        """Those of all files, each with the name of its file."""
        return [one | {"file": path} for path, (found,) in hits.files for one in found]


def parts(hits: "Hits") -> list[Any]:
    """What `of` made of each file."""
    return [part for _, (part,) in hits.files]


def format_of(style: str, typed: Sequence[tuple[str, str]]) -> Format:
    """The format of a row, or a form of JSON; `typed` pairs each PATH as typed with its place."""
    row = "json" if style in JSON_FORMS else style
    if row not in FORMATS:
        raise KeyError(style)
    module = import_module(f"astedit.cli.output.{row.replace('-', '_')}")
    found: Format = module.Format(ShownPaths(typed), style)
    return found


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
