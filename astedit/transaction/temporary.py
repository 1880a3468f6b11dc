"""New content beside a file: whole, synced, and with all that the file has.

`file_step.py` puts it in the file's place. Until that, whatever fails, the file is as it was.
"""

import errno
import os
import stat
from dataclasses import replace
from typing import NamedTuple

from astedit.transaction.disk import (
    DISK,
    PINNED,
    digest_of,
    exists,
    failed,
    flag_names,
    flags_of,
    opened,
    remove,
    split,
    stale,
    unfit,
    write_all,
)
from astedit.transaction.file_metadata import FileMetadata, give, give_empty, metadata_of
from astedit.workspace.confined_open import FILE, closed_after

_NO_FILE = {errno.ELOOP: "is a link", errno.ENXIO: "is not a regular file"}


class Prepared(NamedTuple):
    """What the file has besides its content, and the inode of the sibling that was written."""

    metadata: FileMetadata
    inode: int


def prepare(
    root: int,
    path: str,
    new: bytes,
    *,
    expected_sha256: str,
    mode: int | None = None,
    temporary: str,
) -> Prepared:
    """Writes `new` beside the file, with its mode, owner and attributes, and syncs it.

    `root` is the workspace's descriptor, `expected_sha256` (hex) the content that the file
    must have, `mode` the new permissions (None: those it has), `temporary` the sibling's
    name, a short one: names may have 255 bytes already.

    Nothing but the sibling has changed when it returns, nothing at all when it raises:
    `StaleError` for a file that is gone or holds something else, `PreconditionError` for a
    link, a hard link, what is no regular file, and what cannot be written or kept as it is,
    `TransactionError` for a disk that is full or broken.
    """
    directory, name = split(path)
    with opened(root, directory, path) as parent:
        original = _checked(parent, name, path, expected_sha256)
        metadata = original if mode is None else replace(original, mode=stat.S_IMODE(mode))
        inode = _write_beside(parent, temporary, path, new, metadata)
    return Prepared(original, inode)


def prepare_new(
    root: int,
    path: str,
    new: bytes,
    *,
    wanted: FileMetadata,
    temporary: str,
    lost: list[str] | None = None,
) -> int:
    """Writes the content of a file that does not exist yet beside its place, and syncs it.

    Returns the sibling's inode. What of `wanted` it cannot get is added to `lost`, if that
    is given. Raises `StaleError` where something stands in that place by now, and else as
    `prepare` does.
    """
    directory, name = split(path)
    with opened(root, directory, path) as parent:
        if exists(parent, name):
            raise stale(path, "has appeared")
        _refuse_pinned(parent, path, "its directory")
        return _write_beside(parent, temporary, path, new, wanted, lost)


def check(root: int, path: str, *, expected_sha256: str) -> FileMetadata:
    """What a file that may be deleted has besides its content; raises as `prepare` does."""
    directory, name = split(path)
    with opened(root, directory, path) as parent:
        return _checked(parent, name, path, expected_sha256)


def _write_beside(
    parent: int,
    name: str,
    path: str,
    content: bytes,
    metadata: FileMetadata,
    lost: list[str] | None = None,
) -> int:
    """Writes the sibling and syncs it; it is gone again if anything fails. Returns its inode."""
    try:
        with closed_after(DISK.create(parent, name, 0o600)) as file:
            give_empty(file, metadata, lost)
            write_all(file, content)
            give(file, metadata, lost)
            DISK.sync(file)
            return os.fstat(file).st_ino
    except BaseException as error:  # Ctrl-C too leaves nothing behind
        remove(parent, name)
        if isinstance(error, OSError):
            raise failed(path, error, len(content)) from error
        raise


def _checked(parent: int, name: str, path: str, expected_sha256: str) -> FileMetadata:
    """What the file has besides its content, if it is the one expected and can be replaced."""
    try:
        file = os.open(name, FILE, dir_fd=parent)
    except FileNotFoundError as error:
        raise stale(path, "is gone") from error
    except OSError as error:
        if error.errno in _NO_FILE:
            raise unfit(path, _NO_FILE[error.errno]) from error
        raise failed(path, error, 0) from error
    with closed_after(file):
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode):
            raise unfit(path, "is not a regular file")
        if status.st_nlink > 1:
            raise unfit(path, f"has {status.st_nlink} names (hard links)", code="hard_link")
        _refuse_pinned(file, path, "it")
        _refuse_pinned(parent, path, "its directory")
        if not os.access(name, os.W_OK, dir_fd=parent):
            raise unfit(path, "is read-only", code="read_only")
        if digest_of(file) != expected_sha256:
            raise stale(path)
        return metadata_of(file)


def _refuse_pinned(file: int, path: str, what: str) -> None:
    """Refuses what nobody may replace; in such a directory no sibling could be removed again."""
    if pinned := flags_of(file) & PINNED:
        text = f"cannot be replaced: {what} has the attribute {flag_names(pinned)}"
        raise unfit(path, text, code="read_only")
