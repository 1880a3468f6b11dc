"""Writes a plan wholly or not at all, whatever kills the process: siblings, intent, swap.

1. Every new content is written beside its file and synced, and so are the directories;
   the journal knows the names of these siblings before the first is made.
2. The journal commits the intent and the contents from before: the commit point.
3. `recover` puts every file in its place. It is the same code that ends an interrupted
   transaction, and it can itself be interrupted and run again.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from astedit.errors import RequestError, StaleError, TransactionError
from astedit.transaction import temporary
from astedit.transaction.disk import is_directory, make_directory, split, sync_directory
from astedit.transaction.file_metadata import FileMetadata
from astedit.transaction.intent import Journal, Step, committed, preparing, sibling_name, token_of
from astedit.transaction.recovery import (
    REMOUNTED,
    Ended,
    Ending,
    changed,
    directories_of,
    end_unready,
    listed,
    mounted,
)
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
    noted: Mapping[str, Any] = MappingProxyType({}),
) -> Ended:
    """Writes the changes of these paths, in their order, below the directory `root` (a
    descriptor), or none.

    Returns once they survive a power cut; where a disk does not confirm that at the very
    end, `unsure` is set. Raises `StaleError` when a file was changed by others, at any
    moment, and other errors as `temporary.prepare` does; all files are as before then, or as
    those others wrote them. Only after `TransactionError(code="needs_attention")` some may
    hold new content: the intent stays, and `recover` goes on where this stopped.
    `directories` are made first, outer ones before inner ones, and removed with the rest.
    `action` is an id, letters and digits, that the names of siblings carry, `noted` what the
    intent says besides.
    """
    return _Commit(paths, root, journal, directories, action, noted).run(changes)


class _Commit:
    """What `write` works with."""

    def __init__(
        self, paths: Sequence[str], root: int, journal: Journal, directories: Sequence[str],
        action: str, noted: Mapping[str, Any],
    ) -> None:  # fmt: skip
        self._paths, self._root, self._journal = paths, root, journal
        self._noted = noted
        self._token = token_of(action, os.urandom(4))
        self._new = [path for path in directories if not is_directory(root, path)]
        self._folders = directories_of(paths)
        self._mounts = mounted(root, self._folders)
        self._lost: list[str] = []

    def run(self, changes: Iterable[FileChange]) -> Ended:
        intent = preparing(self._paths, self._token, self._new, self._mounts)
        self._journal.commit_intent({**self._noted, **intent}, {})
        try:
            for directory in self._new:
                make_directory(self._root, directory)
            steps = self._commit(changes)
        except BaseException:  # Ctrl-C too leaves nothing behind
            waiting = [(place, self._token) for place in self._folders]
            end_unready(waiting, self._new, self._root)
            if not self._covered():  # what is covered has still to be removed
                self._journal.withdraw_intent()
            raise
        ended = self._ended(steps)
        ended.lost += self._lost
        ended.made = self._new
        return ended

    def _covered(self) -> list[str]:
        return changed(self._root, self._mounts, self._folders)

    def _commit(self, changes: Iterable[FileChange]) -> list[Step]:
        """Writes and syncs every sibling, then commits the intent."""
        steps: list[Step] = []
        images: dict[str, bytes] = {}
        for change in changes:
            steps.append(self._prepared(change))
            if change.before is not None and change.before_hash is not None:
                images[change.before_hash] = change.before
        for directory in self._folders:
            sync_directory(self._root, directory)
        if covered := self._covered():
            text = f"Nothing was written: {REMOUNTED}.{listed(covered)}"
            raise StaleError(text, hint="Preview the change again.")
        intent = committed(steps, self._new, self._mounts)
        self._journal.commit_intent({**self._noted, **intent}, images)
        return steps

    def _prepared(self, change: FileChange) -> Step:
        """Readies one file: writes the sibling of what is changed or created."""
        path, before, after = change.path, change.before_hash, change.after_hash
        name = sibling_name(self._token, split(path)[1], before, after)
        if change.after is None:
            if before is None:
                raise RequestError(f"{one_line(path)} exists neither before nor after.")
            had = temporary.check(self._root, path, expected_sha256=before)
            return Step(path, name, before, after, had.mode, None, had)
        if before is not None:
            had, inode = temporary.prepare(
                self._root, path, change.after,
                expected_sha256=before, mode=change.mode, temporary=name,
            )  # fmt: skip
            return Step(path, name, before, after, had.mode, inode, had)
        metadata = change.metadata or (_NEW if change.mode is None else FileMetadata(change.mode))
        missed: list[str] | None = [] if change.comes_back else None
        inode = temporary.prepare_new(
            self._root, path, change.after,
            wanted=metadata, temporary=name, lost=missed,
        )  # fmt: skip
        self._lost += [f"{one_line(path)}: {what}" for what in missed or ()]
        return Step(path, name, before, after, metadata.mode, inode)

    def _ended(self, steps: Sequence[Step]) -> Ended:
        """Puts all files in place; raises where that could not be, or is not known."""
        try:
            image = self._journal.image
            ended = Ending(steps, self._new, self._root, image, fresh=True).run()
        except OSError as error:
            text = f"It could not be finished: {error.strerror}. Some files may hold new content."
            raise _needs_attention(text) from error
        if ended.outcome == "blocked":
            raise _needs_attention(ended.text())
        if covered := self._covered():
            raise _needs_attention(
                f"It is not known how all files are: {REMOUNTED}.{listed(covered)}",
                "Take that back, and run astedit recover.",
            )
        if ended.outcome == "rolled_back":
            self._journal.withdraw_intent()
            raise StaleError(
                f"Nothing was written: files changed at that very moment.{listed(ended.trouble)}",
                hint="Preview the change again.",
            )
        return ended


def _needs_attention(text: str, hint: str = "Run astedit recover.") -> TransactionError:
    return TransactionError(text, code="needs_attention", hint=hint)
