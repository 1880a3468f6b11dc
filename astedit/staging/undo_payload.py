"""What an action of kind `undo` stores: the files to restore, and to what.

The payload is strict JSON and holds no code. The contents themselves are in the state file.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any

from astedit.errors import PreconditionError
from astedit.model.origin import PlanOrigin
from astedit.staging.stored import TouchedFile, TouchedFiles

HANDLER = "undo"  # who applies it
VERSION = 1


@dataclass(frozen=True, slots=True)
class Restore:
    """One file: the hash expected now, the hash and the mode to restore; None is no file.

    `metadata` is what else a file had that was deleted, as `FileMetadata.to_json` has it;
    `directories` were made for one that was created, and go with it if nothing else is there.
    """

    path: str
    expected: str | None
    restore: str | None
    mode: int
    metadata: Mapping[str, Any] | None = None
    directories: Sequence[str] = ()

    def row(self) -> dict[str, Any]:
        """What is stored of it; an earlier version knew neither metadata nor directories."""
        later = ("metadata", "directories")
        return {key: value for key, value in asdict(self).items() if key not in later or value}


@dataclass(frozen=True, slots=True)
class UndoPayload:
    """What an action of kind `undo` stores; `origin` is where it was staged."""

    root: str
    undoes: str
    files: Sequence[Restore]
    origin: PlanOrigin | None = None

    @property
    def fingerprint(self) -> str:
        """SHA-256 over the list and the id undone."""
        rows = [list(file.row().values()) for file in self.files]
        body = {"v": VERSION, "undoes": self.undoes, "files": rows}
        text = json.dumps(body, sort_keys=True, separators=(",", ":"))
        return sha256(text.encode("ascii")).hexdigest()

    def packed(self) -> dict[str, Any]:
        """The payload; its files are one ASCII text, since names may be any bytes."""
        rows = json.dumps([file.row() for file in self.files])
        head = {"v": VERSION, "root": self.root, "undoes": self.undoes}
        return head | {"fingerprint": self.fingerprint, "files": rows, "origin": self.origin}

    @classmethod
    def unpacked(cls, payload: Any) -> "UndoPayload":
        """Reads it back; `PreconditionError` if it is not what was staged."""
        try:
            files = [Restore(**row) for row in json.loads(payload["files"])]
            origin = PlanOrigin.restored(payload.get("origin"))
            undoing = cls(payload["root"], payload["undoes"], files, origin)
            genuine = payload["v"] == VERSION and payload["fingerprint"] == undoing.fingerprint
        except (KeyError, TypeError, ValueError) as error:
            raise _damaged() from error
        if not genuine:
            raise _damaged()
        return undoing


def touched(payload: Any) -> TouchedFiles:
    """What a stored undo would write: whole files; nothing of a damaged one."""
    try:
        files = UndoPayload.unpacked(payload).files
    except PreconditionError:
        return {}  # whoever shows or applies it says what is wrong with it
    return {file.path: TouchedFile(file.expected, None) for file in files}


def _damaged() -> PreconditionError:
    return PreconditionError(
        "The stored undo is not the one that was staged: its row was changed.",
        code="tampered",
        hint="Discard it and stage the undo again.",
    )
