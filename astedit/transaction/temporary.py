"""New content beside a file: whole, synced, and with all that the file has.

`file_step.py` puts it in the file's place. Until that, whatever fails, the file is as it was.
"""

import contextlib
import errno
import os
import stat
from collections.abc import Iterator

from astedit.transaction.disk import (
    DISK,
    Disk,
    digest_of,
    exists,
    failed,
    opened,
    remove,
    split,
    stale,
    unfit,
    written,
)
from astedit.transaction.file_metadata import Attributes, attributes_of, keep_metadata
from astedit.workspace.confined_open import FILE


def prepare(
    root: int,
    path: str,
    new: bytes,
    *,
    expected_sha256: str,
    mode: int | None = None,
    temporary: str,
    disk: Disk = DISK,
) -> int:
    """Writes `new` beside the file, with its mode, owner and attributes, and syncs it.

    `root` is the workspace's descriptor, `expected_sha256` (hex) the content that the file
    must have, `mode` the new permissions (None: those it has), `temporary` the sibling's
    name, a short one: names may have 255 bytes already.

    Returns the mode the file has. Nothing but the sibling has changed then, nothing at all
    when it raises: `StaleError` for a file that is gone or holds something else,
    `PreconditionError` for a link, a hard link, what is no regular file, and what cannot
    be written or kept as it is, `TransactionError` for a disk that is full or broken.
    """
    directory, name = split(path)
    with opened(root, directory, path) as parent:
        original, attributes = _checked(parent, name, path, expected_sha256)
        wanted = original.st_mode if mode is None else mode
        with _beside(parent, temporary, path, new, disk) as file:
            keep_metadata(file, original, stat.S_IMODE(wanted), attributes, disk)
    return stat.S_IMODE(original.st_mode)


def prepare_new(
    root: int, path: str, new: bytes, *, mode: int, temporary: str, disk: Disk = DISK
) -> None:
    """Writes the content of a file that does not exist yet beside its place, and syncs it.

    Raises `StaleError` where something stands in that place by now, and else as `prepare`.
    """
    directory, name = split(path)
    with opened(root, directory, path) as parent:
        if exists(parent, name):
            raise stale(path, "has appeared")
        with _beside(parent, temporary, path, new, disk) as file:
            disk.chmod(file, stat.S_IMODE(mode))


def check(root: int, path: str, *, expected_sha256: str) -> int:
    """The mode of a file that may be deleted; raises as `prepare` does."""
    directory, name = split(path)
    with opened(root, directory, path) as parent:
        status, _ = _checked(parent, name, path, expected_sha256)
    return stat.S_IMODE(status.st_mode)


@contextlib.contextmanager
def _beside(parent: int, name: str, path: str, content: bytes, disk: Disk) -> Iterator[int]:
    """The sibling with its content, still open; it is synced after, or gone if anything fails."""
    try:
        file = disk.create(parent, name, 0o600)
        try:
            written(file, content, disk)
            yield file
            disk.sync(file)
        finally:
            os.close(file)
    except BaseException as error:  # Ctrl-C too leaves nothing behind
        remove(parent, name, disk)
        if isinstance(error, OSError):
            raise failed(path, error, len(content)) from error
        raise


def _checked(
    parent: int, name: str, path: str, expected_sha256: str
) -> tuple[os.stat_result, Attributes]:
    """The status and the extended attributes of the file, if it is the one expected."""
    try:
        file = os.open(name, FILE, dir_fd=parent)
    except FileNotFoundError as error:
        raise stale(path, "is gone") from error
    except OSError as error:
        raise unfit(path, "is a link" if error.errno == errno.ELOOP else str(error)) from error
    try:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode):
            raise unfit(path, "is not a regular file")
        if status.st_nlink > 1:
            raise unfit(path, f"has {status.st_nlink} names (hard links)", code="hard_link")
        if not os.access(name, os.W_OK, dir_fd=parent):
            raise unfit(path, "is read-only", code="read_only")
        if digest_of(file) != expected_sha256:
            raise stale(path)
        return status, attributes_of(file)
    finally:
        os.close(file)
