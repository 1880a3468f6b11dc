"""What a journal keeps of a transaction: the intent, written and read back."""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from os import fsdecode, fsencode
from typing import Any, Protocol
from urllib.parse import quote, unquote_to_bytes

from astedit.errors import RequestError
from astedit.transaction.file_metadata import FileMetadata

VERSION = 1
_TOKEN = re.compile(r"\.astedit-[0-9a-z]*-[0-9a-f]{8}")


class Journal(Protocol):
    """What keeps the intent; it survives a kill and a power cut."""

    def commit_intent(self, intent: Mapping[str, Any], images: Mapping[str, bytes]) -> None:
        """Stores both in one transaction; a second intent takes the place of the first."""

    def withdraw_intent(self) -> None:
        """Forgets the intent: every file is as before. The images stay."""

    def image(self, sha256: str) -> bytes | None:
        """A stored content, by its hash."""


@dataclass(frozen=True, slots=True)
class Step:
    """One file: hashes (hex) before and after, the sibling's name, the mode it had.

    A hash is None where there is no file: before it is created, after it is deleted.
    `inode` is that of the sibling that we have written, `metadata` what the file had
    besides its content; what is read from a sibling's name has neither.
    """

    path: str
    temporary: str
    before: str | None
    after: str | None
    mode: int
    inode: int | None = None
    metadata: FileMetadata | None = None

    def to_json(self) -> dict[str, Any]:
        """What the intent stores of it."""
        row: dict[str, Any] = {"temporary": self.temporary, "mode": self.mode}
        row |= {"before": self.before, "after": self.after, "inode": self.inode}
        had = None if self.metadata is None else self.metadata.to_json()
        return row | {"metadata": had} | naming(self.path)

    @property
    def operation(self) -> str:
        """`modify`, `create` or `delete`."""
        if self.before is None:
            return "create"
        return "delete" if self.after is None else "modify"

    @property
    def had(self) -> FileMetadata:
        """What the file had besides its content, as far as it was noted."""
        return FileMetadata(self.mode) if self.metadata is None else self.metadata

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> "Step":
        """Reads it back; unknown keys are of a later version and an error (TypeError)."""
        fields = {key: value for key, value in row.items() if key != "bytes"}
        if fields["metadata"] is not None:
            fields["metadata"] = FileMetadata.of(fields["metadata"])
        step = cls(**fields | {"path": named(row)})
        _refuse_damaged(step)
        return step


@dataclass(frozen=True, slots=True)
class Intent:
    """An intent, read: `steps` once all siblings are written.

    `unready` before that: the directories of the files and, for each, what the names of its
    siblings begin with. `directories` were made for the files, outer ones first. `mounts`
    are those of the files that lay on another mount.
    """

    steps: Sequence[Step]
    unready: Sequence[tuple[str, str]]
    directories: Sequence[str]
    mounts: frozenset[str]

    @classmethod
    def of(cls, stored: Any) -> "Intent":
        """Reads it back; `RequestError` if it is damaged, or of another version."""
        if not isinstance(stored, dict):
            raise _damaged()
        if stored.get("v") != VERSION:
            raise RequestError(f"The intent is of version {stored.get('v')}, not {VERSION}.")
        try:
            folders = [named(row) for row in stored["directories"]]
            mounts = frozenset(map(named, stored["mounts"]))
            if "preparing" in stored:
                if not _TOKEN.fullmatch(token := stored["token"]):
                    raise ValueError(token)  # it could begin a name of others
                paths = map(named, stored["preparing"])
                return cls((), [(os.path.dirname(path), token) for path in paths], folders, mounts)
            return cls([Step.of(row) for row in stored["files"]], (), folders, mounts)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise _damaged() from error


def preparing(
    paths: Sequence[str], token: str, new: Sequence[str], mounts: Iterable[str] = ()
) -> dict[str, Any]:
    """The intent before the first sibling is written: what to clear away after a kill.

    `token` begins the names of all siblings; `new` are the directories that are made, `mounts`
    those of the files that lie on another mount.
    """
    waiting = [naming(path) for path in paths]
    return _head(new, mounts) | {"preparing": waiting, "token": token}


def committed(
    steps: Sequence[Step], new: Sequence[str], mounts: Iterable[str] = ()
) -> dict[str, Any]:
    """The intent of the commit point."""
    return _head(new, mounts) | {"files": [step.to_json() for step in steps]}


def naming(path: str) -> dict[str, str]:
    """A path for JSON: as text, and its `bytes` (latin-1) where it is not UTF-8."""
    raw = os.fsencode(path)
    text = raw.decode("utf-8", "replace")
    return {"path": path} if text == path else {"path": text, "bytes": raw.decode("latin-1")}


def named(row: Mapping[str, Any]) -> str:
    """The path that `naming` wrote."""
    exact = row.get("bytes")
    return str(row["path"]) if exact is None else os.fsdecode(exact.encode("latin-1"))


def _head(new: Sequence[str], mounts: Iterable[str]) -> dict[str, Any]:
    head = {"v": VERSION, "directories": [naming(path) for path in new]}
    return head | {"mounts": [naming(path) for path in sorted(mounts)]}


def _refuse_damaged(step: Step) -> None:
    """Raises ValueError for what no step of ours has: other types, a name that leads elsewhere."""
    hashes = all(isinstance(digest, str | None) for digest in (step.before, step.after))
    numbers = isinstance(step.mode, int) and isinstance(step.inode, int | None)
    name = step.temporary
    if not (hashes and numbers and isinstance(name, str)) or "/" in name or name in ("", ".", ".."):
        raise ValueError(step)


def _damaged() -> RequestError:
    return RequestError(
        "What is stored of the intent cannot be read.",
        code="damaged",
        hint="A person ends it by what lies beside the files: astedit recover --from-leftovers",
    )


PREFIX = ".astedit-"
LONGEST = 255  # bytes of a file name
_NONE = "none"  # in place of a hash where there is no file
_NAME = re.compile(
    re.escape(PREFIX)
    + r"([0-9a-z]*)-([0-9a-f]{8})-(.+)-([0-9a-f]{64}|none)-([0-9a-f]{64}|none)([bkw]?)"
)


@dataclass(frozen=True, slots=True)
class SiblingName:
    """A name, read: `temporary` is the sibling's, without the letter that `file_step.py` adds.

    `file` is None where the file's own name was too long for it and is not among `beside`.
    """

    action: str
    temporary: str
    file: str | None
    before: str | None
    after: str | None


def sibling_name(token: str, file: str, before: str | None, after: str | None) -> str:
    """The name of the sibling of `file`, with the hashes (hex) of its contents.

    `token` begins the names of all siblings of one transaction, and of no other.
    """
    hashes = f"{before or _NONE}-{after or _NONE}"
    room = LONGEST - len(token) - len(hashes) - 3  # two dashes, and a letter behind it
    escaped = quote(fsencode(file), safe="")
    return f"{token}-{escaped if len(escaped) <= room else _marked(file)}-{hashes}"


def token_of(action: str, chance: bytes) -> str:
    """What the names of all siblings of one transaction begin with."""
    return f"{PREFIX}{action}-{chance.hex()}"


def read_name(name: str, beside: Iterable[str] = ()) -> SiblingName | None:
    """What a sibling's name says; None for any other name."""
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    action, _, file, before, after, letter = match.groups()
    temporary = name.removesuffix(letter)
    hashes = (_hash(before), _hash(after))
    return SiblingName(action, temporary, _file(file, beside), *hashes)


def _marked(file: str) -> str:
    """Stands for a name that is too long; `=` is in no escaped name."""
    return "=" + sha256(fsencode(file)).hexdigest()[:16]


def _file(escaped: str, beside: Iterable[str]) -> str | None:
    if escaped.startswith("="):
        return next((name for name in beside if _marked(name) == escaped), None)
    return fsdecode(unquote_to_bytes(escaped))


def _hash(text: str) -> str | None:
    return None if text == _NONE else text
