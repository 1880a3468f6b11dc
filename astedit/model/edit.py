"""One edit and what it is part of: the `FilePlan` of its file, the `Shape` of alike edits.

As in `plan`, `start` and `end` are byte offsets into the file, 0-based and half-open;
`line` and `column` are 1-based and count characters.
"""

import hashlib
from dataclasses import dataclass, field

from astedit.json_model import Model


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
class Edit(Model):
    """Bytes `start` to `end` of one file become `after`: no more than what changes.

    `id` is stable for the same change of the same text. `matches` counts the matches
    composed into it; `match` is the outermost of them, None for an edit of no match and in
    plans of earlier versions, whose edits are whole matches. Not part of the JSON form are
    `new`, the exact bytes, and `lead`, how many characters of the match come before.
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
    """What one file would become. Hashes are SHA-256 in hex, None where there is no file."""

    path: str
    operation: str
    before_hash: str | None
    after_hash: str | None
    mode: int
    replacements: int
    edits: list[Edit]
    link: str | None = None
    hunks: bytes = field(default=b"", repr=False)


@dataclass(slots=True, eq=False, repr=False)
class Example(Model):
    """One edit of a shape; long texts are cut."""

    path: str
    line: int
    before: str
    after: str


@dataclass(slots=True, eq=False, repr=False)
class Shape(Model):
    """Edits that are alike: `print(…) -> log.info(…)`, how many, in how many files."""

    label: str
    count: int
    files: int
    op: int | None
    rule_id: str | None
    example: Example
