"""What one file comes to, before all files become a plan.

A file's outcome is found out in a worker or in the calling process alike. It is plain
data, and `workers.plain` carries it from one to the other.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from astedit.engine.files.places import OpPlaces
from astedit.text.splice import Change, Lines, splice
from astedit.workers.plain import plain

GAVE_UP = "the pattern has too many ways to match"


class SpanData(NamedTuple):
    """Bytes `start` to `end` of the raw file, and where `start` is for a person."""

    start: int
    end: int
    line: int
    column: int


class LostData(NamedTuple):
    """Text that a rewrite removes, or would have removed."""

    span: SpanData
    text: bytes


class EditData(NamedTuple):
    """Bytes of the raw file and what they become.

    `op` is None for an edit that no op has made. `codec` is Python's name of the file's
    encoding. `match` is where the match is that the edit is a part of, if there is one, and
    `text` its bytes. `dropped` are the comments that go.
    """

    op: int | None
    start: int
    end: int
    line: int
    column: int
    before: bytes
    new: bytes
    matches: int
    codec: str
    match: SpanData | None = None
    text: bytes = b""
    dropped: tuple[LostData, ...] = ()

    @property
    def change(self) -> Change:
        """The edit as bytes alone."""
        return self.start, self.end, self.new

    @property
    def span(self) -> SpanData:
        """Where the edit is."""
        return SpanData(self.start, self.end, self.line, self.column)


class BlockedData(NamedTuple):
    """A match that is left out of the plan, and why.

    `text` is the code that stays as it is; `detail` says what exactly is wrong, and
    `misreading` as what the result would be read, as the fields of `Readings`.
    """

    span: SpanData
    op: int | None
    reason: str
    lost: tuple[LostData, ...] = ()
    matches: int = 1
    text: bytes = b""
    detail: str | None = None
    misreading: tuple[str | None, str, str] | None = None


class DisplacedData(NamedTuple):
    """A match that gives way to one of the op `by`."""

    span: SpanData
    op: int | None
    by: int | None
    reason: str


@dataclass(slots=True)
class FileData:
    """Everything that is found out about one file.

    `near` says that all that a pattern names occurs and nothing matched. `skip` is a
    reason and a detail. `before` and `after` are SHA-256 in hex. `unread` says that the
    language's compiler, which was asked about a result, refuses the file as it was.
    `disproved` says that an edit was wrong though a proof was kept that said it was right.
    `spreading` are edits that move a spread argument past another one. `missing` are
    imports that the edits make necessary and that nobody asked for. `matched` counts the
    matches of each op where there are several turns.
    """

    read: int = 0
    searched: bool = False
    near: bool = False
    parsed: bool = False
    skip: tuple[str, str | None] | None = None
    before: str = ""
    after: str = ""
    mode: int = 0
    edits: tuple[EditData, ...] = ()
    blocked: tuple[BlockedData, ...] = ()
    displaced: tuple[DisplacedData, ...] = ()
    error_at: tuple[int, int] | None = None
    hunks: bytes = b""
    matches: tuple[Any, ...] = ()
    unread: bool = False
    disproved: bool = False
    spreading: tuple[SpanData, ...] = ()
    places: tuple[OpPlaces, ...] = ()
    missing: tuple[str, ...] = ()
    matched: tuple[tuple[int, int], ...] = ()

    def finish(self, path: str, raw: bytes, edits: Iterable[EditData], want_hunks: bool) -> None:
        """Fills in what these edits make of the file, whoever has made them."""
        self.edits = tuple(sorted(edits, key=lambda edit: (edit.start, edit.end)))
        changes = [edit.change for edit in self.edits]
        self.before = hashlib.sha256(raw).hexdigest()
        self.after = hashlib.sha256(splice(raw, changes)).hexdigest()
        if want_hunks:
            from astedit.text.diff import hunks  # a search draws no diff

            self.hunks = hunks(path, raw, changes)

    def plain(self) -> tuple[Any, ...]:
        """As plain data; short for a file in which nothing can match, as in most files."""
        if not self.parsed and self.skip is None:
            return self.read, self.searched, self.near
        return plain(self)


def span_data(start: int, end: int, lines: Lines) -> SpanData:
    """A span of bytes, with its place for a person."""
    return SpanData(start, end, *lines.place(start))
