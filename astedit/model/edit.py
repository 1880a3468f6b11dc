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
class Edit(Model):
    """Bytes `start` to `end` of one file become `after`.

    `id` is stable for the same change of the same text. `matches` counts the matches
    composed into it. The exact bytes are `new`, which is not part of the JSON form.
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
    new: bytes = field(default=b"", repr=False)


def edit_id(
    path: str, op: int | str | None, start: int, end: int, before: bytes, after: bytes
) -> str:
    """12 hex digits of SHA-256 over path, op, start, end, before and after."""
    digest = hashlib.sha256()
    for part in (path, str(op), str(start), str(end)):
        digest.update(part.encode("utf-8", "surrogateescape") + b"\0")
    digest.update(len(before).to_bytes(8, "big") + before + after)
    return digest.hexdigest()[:12]


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
