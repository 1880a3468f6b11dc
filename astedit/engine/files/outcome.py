"""What one file comes to, before all files become a plan, and what becomes of its matches.

A file's outcome is found out in a worker or in the calling process alike. It is plain
data, and `workers.plain` carries it from one to the other.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from astedit.engine.files.places import OpPlaces
from astedit.text.source import Change, Lines, compose, is_idle, splice
from astedit.workers.plain import plain

if TYPE_CHECKING:
    from astedit.rewrite.make.overlap import Site

DEFER = "defer"  # stands for the outcome of a file that only a worker may parse
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


class MadeEdit(NamedTuple):
    """What becomes of a match, the op that did it, and how many matches went into it.

    `change` is all of the match; `pieces` are what changes of that. The op is None for a
    change of imports that several ops ask for.
    """

    change: Change
    op: int | None
    matches: int
    pieces: tuple[Change, ...]

    @property
    def least(self) -> Change:
        """From the first to the last byte that changes."""
        low, high = self.pieces[0][0], self.pieces[-1][1]
        start, end, new = self.change
        return low, high, new[low - start : len(new) - (end - high)]


def every(site: "Site") -> Iterator["Site"]:
    """The place of an edit, and those of all matches within it."""
    yield site
    for inner in site.inner:
        yield from every(inner)


def whole_changes(made: Sequence[MadeEdit]) -> list[Change]:
    """The change of each edit."""
    return [edit.change for edit in made]


def pieces_of(made: Sequence[MadeEdit]) -> list[Change]:
    """What changes, of all edits."""
    return [piece for edit in made for piece in edit.pieces]


def owners_of(made: Sequence[MadeEdit]) -> list[int]:
    """By the number of a piece, of which edit it is."""
    return [number for number, edit in enumerate(made) for _ in edit.pieces]


def joined(
    text: bytes, first: Sequence[MadeEdit], second: Sequence[MadeEdit], *, imports: bool = False
) -> list[MadeEdit]:
    """Two turns as one: what they do to the text before both.

    Of `imports`, what comes before or behind an edit stays an edit of its own: else it would
    be lost with that edit, though another one needs it.
    """
    if not first:
        return [*second]
    adding = {number for number, edit in enumerate(second) if edit.change[0] == edit.change[1]}
    apart = adding if imports else set()
    groups = compose(text, whole_changes(first), whole_changes(second), apart)
    owner = {(0, one): number for number, (_, ones, _) in enumerate(groups) for one in ones}
    owner |= {(1, two): number for number, (_, _, twos) in enumerate(groups) for two in twos}
    pieces: list[list[Change]] = [[] for _ in groups]
    for piece, edit in _pieces(text, first, second, apart):
        pieces[owner[edit]].append(piece)
    made = []
    for (change, ones, twos), own in zip(groups, pieces, strict=True):
        parts = [first[i] for i in ones] + [second[j] for j in twos]
        op = min((edit.op for edit in parts if edit.op is not None), default=None)
        made.append(MadeEdit(change, op, sum(edit.matches for edit in parts), tuple(own)))
    return made


def _pieces(
    text: bytes, first: Sequence[MadeEdit], second: Sequence[MadeEdit], apart: Set[int]
) -> list[tuple[Change, tuple[int, int]]]:
    """What changes, each with the turn and the number of an edit that it is of."""
    firsts, seconds = owners_of(first), owners_of(second)
    lines = {number for number, edit in enumerate(seconds) if edit in apart}
    return [
        (change, (0, firsts[ones[0]]) if ones else (1, seconds[twos[0]]))
        for change, ones, twos in compose(text, pieces_of(first), pieces_of(second), lines)
        if not is_idle(change, text)
    ]
