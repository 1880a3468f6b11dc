"""Writes a plan wholly or not at all, whatever kills the process: siblings, intent, swap.

1. Every new content is written beside its file and synced, and so are the directories;
   the journal knows the names of these siblings before the first is made.
2. The journal commits the intent and the contents from before: the commit point.
3. `recover` puts every file in its place. It is the same code that ends an interrupted
   transaction, and it can itself be interrupted and run again.
"""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from astedit.errors import RequestError, StaleError, TransactionError
from astedit.transaction import intent, temporary
from astedit.transaction.disk import (
    DISK,
    Disk,
    is_directory,
    make_directory,
    split,
    sync_directory,
)
from astedit.transaction.file_metadata import FileMetadata
from astedit.transaction.intent import Journal, Step
from astedit.transaction.mounts import changed, mounted
from astedit.transaction.recovery import (
    REMOUNTED,
    Ended,
    directories_of,
    end,
    end_unready,
    listed,
)
from astedit.transaction.sibling_names import sibling_name, token_of
from resolve.visible import one_line

_NEW = FileMetadata(0o644)


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file's new content. `before` and `after` are its contents, with their hashes;
    both None before it is created, or after it is deleted. `mode` is given where it
    changes too; of a created file it is 0644 unless given. `metadata` is what else a file
    had that comes to another place, or back after it was deleted: then, with `comes_back`, it
    does so without what it cannot get any more."""

    path: str
    before: bytes | None
    before_hash: str | None
    after: bytes | None
    after_hash: str | None
    mode: int | None = None
    metadata: FileMetadata | None = None
    comes_back: bool = False


def write(
    paths: Sequence[str],
    changes: Iterable[FileChange],
    root: int,
    journal: Journal,
    *,
    directories: Sequence[str] = (),
    action: str = "",
    disk: Disk = DISK,
) -> Ended:
    """Writes the changes of these paths, in their order, below the directory `root` (a
    descriptor), or none.

    Returns once they survive a power cut; where a disk does not confirm that at the very
    end, `unsure` is set. Raises `StaleError` when a file was changed by others, at any
    moment, and other errors as `temporary.prepare` does; all files are as before then, or as
    those others wrote them. Only after `TransactionError(code="needs_attention")` some may
    hold new content: the intent stays, and `recover` goes on where this stopped.
    `directories` are made first, outer ones before inner ones, and removed with the rest.
    `action` is an id, letters and digits, that the names of siblings carry.
    """
    token = token_of(action, os.urandom(4))
    new = [path for path in directories if not is_directory(root, path)]
    folders = directories_of(paths)
    mounts = mounted(root, folders)
    preparing = intent.preparing(paths, token, new, mounts)
    journal.commit_intent(preparing, {})
    lost: list[str] = []
    try:
        for directory in new:
            make_directory(root, directory, disk=disk)
        steps = _committed(token, folders, changes, new, mounts, root, journal, disk, lost)
    except BaseException:  # Ctrl-C too leaves nothing behind
        end_unready([(place, token) for place in folders], new, root, disk)
        if not changed(root, mounts, folders):  # what is covered has still to be removed
            journal.withdraw_intent()
        raise
    ended = _ended(steps, new, mounts, root, journal, disk)
    ended.lost += lost
    ended.made = new
    return ended


def _ended(
    steps: Sequence[Step],
    new: Sequence[str],
    mounts: frozenset[str],
    root: int,
    journal: Journal,
    disk: Disk,
) -> Ended:
    """Puts all files in place; raises where that could not be, or is not known."""
    try:
        ended = end(steps, new, root, journal.image, disk, fresh=True)
    except OSError as error:
        raise TransactionError(
            f"It could not be finished: {error.strerror}. Some files may hold new content.",
            code="needs_attention",
            hint="Run astedit recover.",
        ) from error
    if ended.outcome == "blocked":
        raise TransactionError(ended.text(), code="needs_attention", hint="Run astedit recover.")
    if covered := changed(root, mounts, directories_of(step.path for step in steps)):
        raise TransactionError(
            f"It is not known how all files are: {REMOUNTED}.{listed(covered)}",
            code="needs_attention",
            hint="Take that back, and run astedit recover.",
        )
    if ended.outcome == "rolled_back":
        journal.withdraw_intent()
        raise StaleError(
            f"Nothing was written: files changed at that very moment.{listed(ended.trouble)}",
            hint="Preview the change again.",
        )
    return ended


def _committed(
    token: str,
    folders: Sequence[str],
    changes: Iterable[FileChange],
    new: Sequence[str],
    mounts: frozenset[str],
    root: int,
    journal: Journal,
    disk: Disk,
    lost: list[str],
) -> list[Step]:
    """Writes and syncs every sibling, then commits the intent."""
    steps: list[Step] = []
    images: dict[str, bytes] = {}
    for change in changes:
        _, file = split(change.path)
        name = sibling_name(token, file, change.before_hash, change.after_hash)
        steps.append(_prepared(change, name, root, disk, lost))
        if change.before is not None and change.before_hash is not None:
            images[change.before_hash] = change.before
    for directory in folders:
        sync_directory(root, directory, disk=disk)
    if covered := changed(root, mounts, folders):
        raise StaleError(
            f"Nothing was written: {REMOUNTED}.{listed(covered)}", hint="Preview the change again."
        )
    journal.commit_intent(intent.committed(steps, new, mounts), images)
    return steps


def _prepared(change: FileChange, name: str, root: int, disk: Disk, lost: list[str]) -> Step:
    """Readies one file: writes the sibling of what is changed or created."""
    path, before, after = change.path, change.before_hash, change.after_hash
    if change.after is None:
        if before is None:
            raise RequestError(f"{one_line(path)} exists neither before nor after.")
        had = temporary.check(root, path, expected_sha256=before)
        return Step(path, name, before, after, had.mode, None, had)
    if before is not None:
        had, inode = temporary.prepare(
            root,
            path,
            change.after,
            expected_sha256=before,
            mode=change.mode,
            temporary=name,
            disk=disk,
        )
        return Step(path, name, before, after, had.mode, inode, had)
    wanted = change.metadata or (_NEW if change.mode is None else FileMetadata(change.mode))
    missed: list[str] | None = [] if change.comes_back else None
    inode = temporary.prepare_new(
        root, path, change.after, wanted=wanted, temporary=name, disk=disk, lost=missed
    )
    lost += [f"{one_line(path)}: {what}" for what in missed or ()]
    return Step(path, name, before, after, wanted.mode, inode)
