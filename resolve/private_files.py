"""Looks at the files of a state before they are used: each is a regular file, or not there.

A pipe would be waited for, a link would lead elsewhere. Both come from outside: a state
directory that others may write to, a backup that was put back, a mistake.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from resolve.errors import StoreError

_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_KINDS = {
    stat.S_IFDIR: "a directory",
    stat.S_IFLNK: "a link",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def refuse_odd(path: Path) -> None:
    """Raises `StoreError` unless `path` is a regular file, or nothing is there."""
    try:
        kind = stat.S_IFMT(os.lstat(path).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return
    if kind != stat.S_IFREG:
        raise damaged(path, f"is {_KINDS.get(kind, 'no file')}, and should be a file of ours")


def read_small(path: Path, limit: int) -> bytes | None:
    """Returns the content of a small file, None if there is none; never waits.

    Raises `StoreError` for what is no regular file or holds more than `limit` bytes.
    """
    refuse_odd(path)
    try:
        descriptor = os.open(path, _READ)
    except FileNotFoundError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        content = file.read(limit + 1)
    if len(content) > limit:
        raise damaged(path, f"holds more than {limit} bytes")
    return content


def damaged(path: Path, what: str) -> StoreError:
    """Returns the refusal of a file that is not as this program writes it."""
    return StoreError(
        f"{path} {what}.",
        code="store_damaged",
        hint="Nothing in it was changed. Move it away, and recover again.",
    )
