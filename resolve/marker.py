"""The file `intent` beside the state file: one `stat` tells that an apply is open."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path


def interrupted(state_file: str | os.PathLike[str]) -> list[str]:
    """Returns the ids of applies that have written and not ended, without opening SQLite.

    If the apply lock is free, they were interrupted and the tree may be a mix; if it is
    held, one of them is running.
    """
    try:
        return _beside(state_file).read_text().split()
    except FileNotFoundError:
        return []


def announce(state_file: Path, action_ids: Iterable[str]) -> None:
    """Makes the marker name these actions, durably; with none it is removed.

    The removal is not synced: a marker that a power cut brings back is removed again by
    the next recovery, while one that was lost would hide an interrupted apply.
    """
    path = _beside(state_file)
    text = "".join(f"{action_id}\n" for action_id in action_ids)
    if not text:
        path.unlink(missing_ok=True)
        return
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    try:
        os.write(descriptor, text.encode())
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    _sync_directory(path.parent)


def _beside(state_file: str | os.PathLike[str]) -> Path:
    return Path(state_file).with_name("intent")


def _sync_directory(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
