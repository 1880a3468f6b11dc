"""One edit and what it is part of: the `FilePlan` of its file, the `Shape` of alike edits.

What every run tells is here too, so that a search imports no `plan`: the files that it skipped,
its languages and what it did. As in `plan`, `start` and `end` are byte offsets into the file,
0-based and half-open; `line` and `column` are 1-based and count characters.
"""

import hashlib
from dataclasses import dataclass, field
from typing import Literal

from astedit.json_model import Model

PERSON = "person"  # the origin of an edit that a person wrote
SkipReason = Literal[
    "binary",
    "not_utf8",
    "too_large",
    "generated",
    "vendored",
    "symlink",
    "outside_root",
    "unreadable",
    "too_deep",
    "timeout",
    "crashed",
    "out_of_memory",
    "parse_error",
]
INCOMPLETE_REASONS = frozenset({"timeout", "crashed", "out_of_memory"})
FileOperation = Literal["modify", "create", "delete", "move"]


@dataclass(slots=True, eq=False, repr=False)
class Span(Model):
    """A place in one file: bytes `start` to `end`, and where `start` is for a person."""

    start: int
    end: int
    line: int
    column: int


@dataclass(slots=True, eq=False, repr=False)
class EditedMatch(Model):
    """The code that was found, of which an edit changes a part: where it is, and its text."""

    start: int
    end: int
    line: int
    column: int
    text: str


@dataclass(slots=True, eq=False, repr=False)
class ChainStep(Model):
    """One step of a cascade at one place: which rule made what of what."""

    rule: str
    before: str
    after: str


@dataclass(slots=True, eq=False, repr=False)
class Edit(Model):
    """Bytes `start` to `end` of one file become `after`: no more than what changes.

    `id` is stable for the same change of the same text. `matches` counts the matches
    composed into it; `match` is the outermost of them, None for an edit of no match and in
    plans of earlier versions, whose edits are whole matches. In a cascade `because` holds the
    ids of the other edits that caused it, in plan order, and `chain` its steps. Not part of the
    JSON form are `new`, the exact bytes, and `lead`, how many characters of the match come before.
    `origin` is `person` where a person wrote it in a review.
    """

    id: str
    op: int | None
    rule_id: str | None
    start: int
    end: int
    line: int
    column: int
    before: str
    after: str
    matches: int = 1
    match: EditedMatch | None = None
    new: bytes = field(default=b"", repr=False)
    lead: int = field(default=0, repr=False)
    because: list[str] = field(default_factory=list)
    chain: list[ChainStep] = field(default_factory=list)
    origin: str | None = None

    @property
    def whole_before(self) -> str:
        """The match as it is."""
        return self.before if self.match is None else self.match.text

    @property
    def whole_after(self) -> str:
        """The match as it becomes."""
        if self.match is None:
            return self.after
        text = self.match.text
        return text[: self.lead] + self.after + text[self.lead + len(self.before) :]

    @property
    def shown_line(self) -> int:
        """The line that people know the edit by: that of its match."""
        return self.line if self.match is None else self.match.line


def edit_id(
    path: str, op: int | str | None, start: int, end: int, before: bytes, after: bytes
) -> str:
    """12 hex digits of SHA-256 over path, op, start, end, before and after."""
    where = f"{path}\0{op}\0{start}\0{end}\0".encode("utf-8", "surrogateescape")
    texts = len(before).to_bytes(8, "big") + before + after
    return hashlib.sha256(where + texts).hexdigest()[:12]


@dataclass(slots=True, eq=False, repr=False)
class FilePlan(Model):
    """What one file would become. Hashes are SHA-256 in hex, None where there is no file.

    A file that is created, deleted or moved has an edit that stands for that: all of its
    content comes, or goes, or nothing of it changes. The edits of a file that is moved are
    those of its content in `source`, where it lies before. `mode` is the one it has, or that
    of a file that is created; `new_mode` is there where it changes.
    """

    path: str
    operation: FileOperation
    before_hash: str | None
    after_hash: str | None
    mode: int
    replacements: int
    edits: list[Edit]
    link: str | None = None
    hunks: bytes = field(default=b"", repr=False)
    source: str | None = None
    new_mode: int | None = None

    @property
    def paths(self) -> list[str]:
        """Every path that is written: of a file that is moved both."""
        return [self.path] if self.source is None else [self.source, self.path]

    @property
    def read_from(self) -> str:
        """Where its content is before."""
        return self.source or self.path

    @property
    def title(self) -> str:
        """Its path, and whether it is more than edited: `x.py (new)`, `x.py => y.py`."""
        match self.operation:
            case "create":
                return f"{self.path} (new)"
            case "delete":
                return f"{self.path} (gone)"
            case "move":
                return f"{self.source} => {self.path}"
            case _:
                return self.path

    @property
    def changes(self) -> list[tuple[int, int, bytes]]:
        """The edits as ranges of bytes and what takes their place."""
        return [(edit.start, edit.end, edit.new) for edit in self.edits]


@dataclass(slots=True, eq=False, repr=False)
class ListedPlace(Model):
    """A use that a plan leaves although it may be meant, and its line of code."""

    path: str
    line: int
    column: int
    text: str


@dataclass(slots=True, eq=False, repr=False)
class Example(Model):
    """One edit of a shape; long texts are cut."""

    path: str
    line: int
    before: str
    after: str


@dataclass(slots=True, eq=False, repr=False)
class Shape(Model):
    """Edits that are alike: `print(…) → log.info(…)`, how many, in how many files."""

    label: str
    count: int
    files: int
    op: int | None
    rule_id: str | None
    example: Example


@dataclass(slots=True, eq=False, repr=False)
class NearReason(Model):
    """Places of one kind that do not match, and the first of them.

    `kind` is the kind of node that the name stands in there. `why` says what differs, and
    `spelling` what would match it; both are None where nobody looked.
    """

    kind: str
    count: int
    path: str
    line: int | None = None
    text: str | None = None
    why: str | None = None
    spelling: str | None = None


@dataclass(slots=True, eq=False, repr=False)
class Near(Model):
    """One op's places: where the rarest `name` of its `pattern` stands in code.

    Counted in the files that hold all texts of the pattern. Of the rest the commonest
    `reasons` come first.
    """

    op: int
    pattern: str
    name: str
    places: int
    matched: int
    reasons: list[NearReason] = field(default_factory=list)

    @property
    def is_partial(self) -> bool:
        """Whether most places do not match, which is worth a reason."""
        return not self.matched or self.places > 2 * self.matched


@dataclass(slots=True, eq=False, repr=False)
class Skip(Model):
    """A file that was not looked at, or not edited, and why."""

    path: str
    reason: SkipReason
    detail: str | None = None


@dataclass(slots=True, eq=False, repr=False)
class LanguageUse(Model):
    """One language of a run: compiled, or dropped and why."""

    name: str
    grammar: str
    version: str
    dropped: str | None = None


@dataclass(slots=True, eq=False, repr=False)
class Stats(Model):
    """What a run did; `seconds` by stage, `matched` by op with fixpoint. In no fingerprint.

    `checked` says how a server found out what had changed: "inotify", or "stat" and why.
    """

    discovered: int = 0
    read: int = 0
    parsed: int = 0
    bytes_read: int = 0
    seconds: dict[str, float] = field(default_factory=dict)
    matched: dict[int | str, int] = field(default_factory=dict)
    checked: str | None = None
