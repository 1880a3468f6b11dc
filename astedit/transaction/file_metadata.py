"""What a file has besides bytes: mode, owner, extended attributes (ACLs too), flags, project.

New content gets all of it before it takes the file's place. What cannot be kept is named:
the file is not replaced then, or, where it was deleted and comes back, it is said.
"""

import contextlib
import errno
import os
import stat
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from astedit.transaction.disk import DISK, flag_names, flags_of, project_of
from astedit.workspace.confined_open import FILE, closed_after

Attributes = Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class FileMetadata:
    """`mode` holds the permissions. None of the rest: as a new file gets it in its directory."""

    mode: int
    owner: tuple[int, int] | None = None
    attributes: Attributes | None = None
    flags: int | None = None
    project: int | None = None

    def to_json(self) -> dict[str, Any]:
        """As a journal stores it; what most files have not is left out."""
        row: dict[str, Any] = {"mode": self.mode, "owner": self.owner and list(self.owner)}
        if self.attributes:
            pairs = self.attributes.items()
            row["attributes"] = {
                os.fsencode(name).decode("latin-1"): b64encode(value).decode()
                for name, value in pairs
            }
        return row | {key: value for key in ("flags", "project") if (value := getattr(self, key))}

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> "FileMetadata":
        """Reads it back; raises KeyError, TypeError or ValueError for anything else."""
        owner = row["owner"]
        pairs = row.get("attributes", {}).items()
        attributes = {
            os.fsdecode(name.encode("latin-1")): b64decode(value) for name, value in pairs
        }
        numbers = (int(row.get(key, 0)) for key in ("flags", "project"))
        mine = None if owner is None else (int(owner[0]), int(owner[1]))
        return cls(int(row["mode"]), mine, attributes, *numbers)


def metadata_at(name: str, directory: int) -> FileMetadata | None:
    """What a regular file with one name has besides its content; None for anything else."""
    try:
        file = os.open(name, FILE, dir_fd=directory)
    except OSError:
        return None
    with closed_after(file):
        status = os.fstat(file)
        plain = stat.S_ISREG(status.st_mode) and status.st_nlink == 1
        return metadata_of(file) if plain else None


def metadata_of(file: int) -> FileMetadata:
    """What an open file has."""
    status = os.fstat(file)
    return FileMetadata(
        stat.S_IMODE(status.st_mode),
        (status.st_uid, status.st_gid),
        _attributes(file),
        flags_of(file),
        project_of(file),
    )


def give_empty(file: int, metadata: FileMetadata, lost: list[str] | None = None) -> None:
    """Gives an empty file what only an empty file can get; raises as `give` does."""
    if metadata.flags is not None and (missing := metadata.flags ^ flags_of(file)):
        with _keeping(f"attribute {flag_names(missing)}", lost):
            DISK.set_flags(file, metadata.flags)
            if flags_of(file) != metadata.flags:
                raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP))
    if metadata.project is not None and metadata.project != project_of(file):
        with _keeping(f"project {metadata.project}", lost):
            DISK.set_project(file, metadata.project)


def give(file: int, metadata: FileMetadata, lost: list[str] | None = None) -> None:
    """Gives a file the rest; after writing, which clears some of it.

    Raises an OSError whose text names what cannot be kept; with `lost` it goes on, and that
    is listed there.
    """
    now = os.fstat(file)
    if metadata.owner is not None and metadata.owner != (now.st_uid, now.st_gid):
        user, group = metadata.owner
        with _keeping(f"owner {user}:{group}", lost):
            DISK.chown(file, user, group)
    if metadata.attributes is not None:
        _give_attributes(file, metadata.attributes, lost)
    with _keeping(f"mode {metadata.mode:o}", lost):
        DISK.chmod(file, metadata.mode)
        if stat.S_IMODE(os.fstat(file).st_mode) != metadata.mode:
            raise OSError(errno.EPERM, os.strerror(errno.EPERM))


def _give_attributes(file: int, attributes: Attributes, lost: list[str] | None) -> None:
    """Removes what the file inherits from its directory, then sets what it should have.

    The system itself labels files (`security.`): such a label is set, and never removed.
    """
    has = _attributes(file)
    for name in sorted(has.keys() - attributes.keys()):
        if not name.startswith("security."):
            with _keeping(f"lack of {name}", lost):
                DISK.remove_attribute(file, name)
    for name, value in attributes.items():
        if has.get(name) != value:
            with _keeping(name, lost):
                DISK.set_attribute(file, name, value)


@contextlib.contextmanager
def _keeping(what: str, lost: list[str] | None) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if lost is None:
            text = f"its {what} cannot be kept ({error.strerror})"
            raise OSError(error.errno, text) from error
        lost.append(f"its {what} ({error.strerror})")


def _attributes(file: int) -> dict[str, bytes]:
    if not hasattr(os, "listxattr"):
        return {}
    try:
        return {name: os.getxattr(file, name) for name in os.listxattr(file)}
    except OSError as error:
        if error.errno != errno.ENOTSUP:
            raise
        return {}
