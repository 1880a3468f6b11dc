"""A file's bytes within a limit, or why the file is skipped: how every reader begins."""

import os
import stat
from collections.abc import Callable
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from astedit.workspace.root import Workspace, skip_reason

if TYPE_CHECKING:
    from astedit.model.plan import SkipReason

# Reads at most so many bytes, plus one, of a file below the root: `Workspace.read`, or what
# stands in its place.
Read = Callable[[str, int], "tuple[bytes, os.stat_result]"]


_MOST = 1 << 40  # bytes; what was written once can be read again


class FileBytes(NamedTuple):
    """What reading a file came to.

    `skip` is the reason and a detail if the file cannot be used. Where `raw` is None, no
    byte was read; without a `skip` there is no such file (any more). What is too large has
    its first bytes in `raw`.
    """

    raw: bytes | None
    mode: int = 0
    skip: "tuple[SkipReason, str | None] | None" = None


def read_within(read: Read, path: str, limit: int) -> FileBytes:
    """Reads a file of at most `limit` bytes.

    Raises an OSError that says nothing about the file (out of descriptors).
    """
    try:
        raw, status = read(path, limit)
    except OSError as error:
        reason = skip_reason(error)
        return FileBytes(None, skip=reason and (reason, error.strerror))
    mode = stat.S_IMODE(status.st_mode)
    if len(raw) > limit:
        return FileBytes(raw, mode, ("too_large", f"more than {limit} bytes"))
    return FileBytes(raw, mode)


def content_with_hash(workspace: Workspace, path: str, digest: str | None) -> bytes | None:
    """Returns what a file holds if that has this SHA-256; None for anything else, and no file."""
    try:
        content, _ = workspace.read(path, _MOST)
    except OSError:
        return None
    return content if sha256(content).hexdigest() == digest else None
