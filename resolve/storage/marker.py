"""The file `intent` beside the state file: one `stat` tells that an apply is open."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable
from contextlib import suppress
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


_WRITE = os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_LIMIT = 1 << 20  # bytes of a marker that are looked at
_IDS = re.compile(r"(?:[0-9A-Za-z_-]{1,100}\n)*[0-9A-Za-z_-]{0,100}")


def interrupted(state_file: str | os.PathLike[str]) -> list[str]:
    """Returns the ids of applies that have written and not ended, without opening SQLite.

    If the apply lock is free, they were interrupted and the tree may be a mix; if it is
    held, one of them is running. Raises `StoreError` (`store_damaged`) for a marker that is
    none of ours; whether an apply is open cannot be known then.
    """
    path = _beside(state_file)
    text = (read_small(path, _LIMIT) or b"").decode("ascii", "replace")
    if not _IDS.fullmatch(text):
        raise damaged(path, "does not hold the ids of interrupted applies")
    return text.split("\n")[:-1]  # a line without an end was never wholly written


def announce(state_file: Path, action_ids: Iterable[str]) -> None:
    """Makes the marker name these actions, durably; with none it is removed.

    It is written beside and renamed, so that whatever cuts this short leaves one marker whole.

    The removal is not synced: a marker that a power cut brings back is removed again by
    the next recovery, while one that was lost would hide an interrupted apply.
    """
    path = _beside(state_file)
    text = "".join(f"{action_id}\n" for action_id in action_ids)
    if not text:
        path.unlink(missing_ok=True)
        return
    with suppress(FileNotFoundError):
        os.close(os.open(path, _WRITE))  # no link, no pipe
    new = path.with_name("intent.new")
    new.unlink(missing_ok=True)
    descriptor = os.open(new, _WRITE | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(descriptor, text.encode())
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    os.rename(new, path)
    _sync_directory(path.parent)


def _beside(state_file: str | os.PathLike[str]) -> Path:
    return Path(state_file).with_name("intent")


def _sync_directory(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
