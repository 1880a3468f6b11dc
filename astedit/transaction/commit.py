"""Writes a plan wholly or not at all, whatever kills the process: siblings, intent, swap.

1. Every new content is written beside its file and synced, and so are the directories;
   the journal knows the names of these siblings before the first is made.
2. The journal commits the intent and the contents from before: the commit point.
3. `recover` puts every file in its place. It is the same code that ends an interrupted
   transaction, and it can itself be interrupted and run again.
"""

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from astedit.errors import (
    AstEditError,
    PreconditionError,
    RequestError,
    StaleError,
    TransactionError,
)
from astedit.text.count_phrases import first_lines, number
from astedit.transaction import temporary
from astedit.transaction.disk import (
    DISK,
    Disk,
    make_directory,
    opened,
    remove,
    remove_directory,
    split,
    sync_directory,
)
from astedit.transaction.file_step import (
    Standing,
    Step,
    Taken,
    clean,
    named,
    naming,
    put,
    standing,
    take_back,
)
from resolve.visible import one_line

NAMED = 20  # files that a message names
VERSION = 1
Directories = Sequence[Mapping[str, str]]  # as `naming` writes them, outer ones first
CommitOutcome = Literal["applied", "untouched", "rolled_back", "blocked"]


class Journal(Protocol):
    """What keeps the intent; it survives a kill and a power cut."""

    def commit_intent(self, intent: Mapping[str, Any], images: Mapping[str, bytes]) -> None:
        """Stores both in one transaction; a second intent takes the place of the first."""

    def withdraw_intent(self) -> None:
        """Forgets the intent: every file is as before. The images stay."""

    def image(self, sha256: str) -> bytes | None:
        """A stored content, by its hash."""


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file's new content. `before` and `after` are its contents, with their hashes;
    both None before it is created, or after it is deleted. `mode` is given where it
    changes too; of a created file it is 0644 unless given."""

    path: str
    before: bytes | None
    before_hash: str | None
    after: bytes | None
    after_hash: str | None
    mode: int | None = None


@dataclass(slots=True)
class Ended:
    """How a transaction ended. `trouble` has a line for each file that was in the way;
    `unsure` names directories whose entries the disk did not confirm."""

    outcome: CommitOutcome
    steps: Sequence[Step] = ()
    trouble: list[str] = field(default_factory=list)
    unsure: list[str] = field(default_factory=list)

    def files(self) -> list[dict[str, Any]]:
        """What was written: path, the hashes before and after, the mode before."""
        return [
            {"path": s.path, "before": s.before, "after": s.after, "mode": s.mode}
            for s in self.steps
        ]

    def text(self) -> str:
        """What people should know."""
        many = number(len(self.steps), "file")
        match self.outcome:
            case "applied":
                text = f"The apply is finished: {many} written."
            case "untouched":
                text = "The apply was interrupted before any file was replaced; all are as before."
            case "rolled_back":
                text = "Files changed meanwhile: they are kept, all others are as before."
            case "blocked":
                text = "Some files could not be put back; what is stored of them is kept."
        if self.unsure:
            text += f" {doubt(self.unsure)}"
        return text + listed(self.trouble)


def write(
    paths: Sequence[str],
    changes: Iterable[FileChange],
    root: int,
    journal: Journal,
    *,
    directories: Sequence[str] = (),
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
    """
    token = f".astedit-{os.urandom(8).hex()}"
    # In decimal: no sibling's name is another's with one of the letters of `file_step.py`.
    names = {path: f"{token}{number}" for number, path in enumerate(paths)}
    waiting = [naming(path) | {"temporary": name} for path, name in names.items()]
    new = [naming(path) for path in directories if not _is_there(root, path)]
    journal.commit_intent({"v": VERSION, "preparing": waiting, "directories": new}, {})
    try:
        for row in new:
            make_directory(root, named(row), disk=disk)
        steps = _committed(names, changes, new, root, journal, disk)
    except BaseException:  # Ctrl-C too leaves nothing behind
        _unprepared(waiting, new, root, disk)
        journal.withdraw_intent()
        raise
    try:
        ended = _ended(steps, new, root, journal.image, disk, fresh=True)
    except OSError as error:
        raise TransactionError(
            f"It could not be finished: {error.strerror}. Some files may hold new content.",
            code="needs_attention",
            hint="Run astedit recover.",
        ) from error
    if ended.outcome == "blocked":
        raise TransactionError(ended.text(), code="needs_attention", hint="Run astedit recover.")
    if ended.outcome == "rolled_back":
        journal.withdraw_intent()
        raise StaleError(
            f"Nothing was written: files changed at that very moment.{listed(ended.trouble)}",
            hint="Preview the change again.",
        )
    return ended


def recover(intent: Any, root: int, journal: Journal, *, disk: Disk = DISK) -> Ended:
    """Ends a transaction that was interrupted; what hashes on disk say decides how.

    All as before or all as after: nothing is done but cleaning up. A mix: finished from
    the siblings, or taken back where a file holds neither or a sibling is missing.
    """
    if not isinstance(intent, dict):
        raise RequestError("What is stored of the intent cannot be read.", code="damaged")
    if intent.get("v") != VERSION:
        raise RequestError(f"The intent is of version {intent.get('v')}, not {VERSION}.")
    if "preparing" in intent:
        return _unprepared(intent["preparing"], intent.get("directories", ()), root, disk)
    steps = [Step.of(row) for row in intent["files"]]
    made = intent.get("directories", ())
    return _ended(steps, made, root, journal.image, disk, fresh=False)


def _committed(
    names: Mapping[str, str],
    changes: Iterable[FileChange],
    new: Directories,
    root: int,
    journal: Journal,
    disk: Disk,
) -> list[Step]:
    """Writes and syncs every sibling, then commits the intent."""
    steps: list[Step] = []
    images: dict[str, bytes] = {}
    for change in changes:
        steps.append(_prepared(change, names[change.path], root, disk))
        if change.before is not None and change.before_hash is not None:
            images[change.before_hash] = change.before
    for directory in _directories(names):
        sync_directory(root, directory, disk=disk)
    rows = [step.to_json() for step in steps]
    intent = {"v": VERSION, "files": rows, "directories": list(new)}
    journal.commit_intent(intent, images)
    return steps


def _prepared(change: FileChange, name: str, root: int, disk: Disk) -> Step:
    if change.before_hash is None or change.after is None:
        mode = _prepared_alone(change, name, root, disk)
        return Step(change.path, name, change.before_hash, change.after_hash, mode)
    mode = temporary.prepare(
        root,
        change.path,
        change.after,
        expected_sha256=change.before_hash,
        mode=change.mode,
        temporary=name,
        disk=disk,
    )
    return Step(change.path, name, change.before_hash, change.after_hash, mode)


def _prepared_alone(change: FileChange, name: str, root: int, disk: Disk) -> int:
    """Readies a file that is created or deleted; returns its mode."""
    if change.after is not None:
        mode = 0o644 if change.mode is None else change.mode
        temporary.prepare_new(root, change.path, change.after, mode=mode, temporary=name, disk=disk)
        return mode
    if change.before_hash is None:
        raise RequestError(f"{one_line(change.path)} exists neither before nor after.")
    return temporary.check(root, change.path, expected_sha256=change.before_hash)


def _is_there(root: int, directory: str) -> bool:
    """Whether there is such a directory; what else has the name is refused later."""
    try:
        with opened(root, directory, directory):
            return True
    except StaleError:
        return False


def _unprepared(
    waiting: Sequence[Mapping[str, str]], new: Directories, root: int, disk: Disk
) -> Ended:
    """Removes the siblings of a transaction that had not come to its commit point."""
    for row in waiting:
        directory, _ = split(named(row))
        with (
            _where_it_is(),
            opened(root, directory, row["path"]) as parent,
        ):
            remove(parent, row["temporary"], disk)
    return _synced(Ended("untouched"), map(named, waiting), new, root, disk)


def _ended(
    steps: Sequence[Step],
    new: Directories,
    root: int,
    image: Callable[[str], bytes | None],
    disk: Disk,
    *,
    fresh: bool,
) -> Ended:
    """Ends a commit or a recovery: goes forward if that can succeed, else back."""
    states = [_standing(root, step, disk) for step in steps]
    trouble = [
        f"{one_line(step.path)}: changed by others"
        for step, (where, _) in zip(steps, states, strict=True)
        if where in ("foreign", "displaced")
    ]
    rest = [step for step, (where, _) in zip(steps, states, strict=True) if where == "old"]
    if not fresh and not trouble and len(rest) == len(steps):
        return _cleaned(Ended("untouched", steps), new, root, disk)
    ready = all(there for where, there in states if where == "old")
    if not trouble and ready:
        trouble = _forward(rest, root, disk)
        if not trouble:
            return _cleaned(Ended("applied", steps), (), root, disk)
    elif not trouble:
        trouble = ["New content that was waiting beside a file is missing or damaged."]
    return _back(steps, new, root, image, disk, trouble)


def _forward(steps: Sequence[Step], root: int, disk: Disk) -> list[str]:
    """Puts new contents in place up to the first that cannot be, and says why that is."""
    for step in steps:
        try:
            put(root, step, disk)
        except Taken:
            return [f"{one_line(step.path)}: changed by others"]
        except PreconditionError as error:
            if _unknown(error):
                return [error.message]
            return [f"{one_line(step.path)}: changed by others"]
        except OSError as error:
            return [f"{one_line(step.path)}: {error.strerror}"]
    return []


def _back(
    steps: Sequence[Step],
    new: Directories,
    root: int,
    image: Callable[[str], bytes | None],
    disk: Disk,
    trouble: list[str],
) -> Ended:
    """Takes every file back that is ours; one that cannot be never stops the others."""
    failed: list[str] = []
    for step in steps:
        try:
            take_back(root, step, image, disk)
        except Taken:
            continue  # someone else's by now
        except (OSError, LookupError, AstEditError) as error:
            if not isinstance(error, PreconditionError) or _unknown(error):
                failed.append(f"{one_line(step.path)}: {error}")
    if failed:
        return Ended("blocked", steps, failed)
    ended = _cleaned(Ended("rolled_back", steps, trouble), new, root, disk)
    if ended.unsure:  # a power cut could bring new content back: the intent must stay
        return Ended("blocked", steps, [*trouble, doubt(ended.unsure)])
    return ended


def _cleaned(ended: Ended, new: Directories, root: int, disk: Disk) -> Ended:
    """Removes what is left beside the files, and `new` directories, then makes all of it last."""
    for step in ended.steps:
        with _where_it_is():
            ended.trouble += [
                f"{one_line(name)}: kept, it is not ours" for name in clean(root, step, disk)
            ]
    return _synced(ended, (step.path for step in ended.steps), new, root, disk)


def _synced(ended: Ended, paths: Iterable[str], new: Directories, root: int, disk: Disk) -> Ended:
    """Makes what became of these files last, or says where the disk does not confirm it."""
    gone = [named(row) for row in new]
    for directory in reversed(gone):
        remove_directory(root, directory, disk=disk)
    for directory in _directories([*paths, *gone]):
        try:
            sync_directory(root, directory, disk=disk)
        except TransactionError:
            ended.unsure.append(directory or ".")
        except PreconditionError as error:
            if _unknown(error):
                raise
    return ended


def _standing(root: int, step: Step, disk: Disk) -> tuple[Standing, bool]:
    try:
        return standing(root, step, disk)
    except PreconditionError as error:
        if _unknown(error):
            raise
        return "foreign", False  # its directory is gone, or a link now


@contextlib.contextmanager
def _where_it_is() -> Iterator[None]:
    """Leaves out what lies in a directory that is gone, or a link by now."""
    try:
        yield
    except PreconditionError as error:
        if _unknown(error):
            raise


def _unknown(error: PreconditionError) -> bool:
    """Whether a file may be there as ever, and only could not be looked at."""
    return error.code == "read_only"


def _directories(paths: Iterable[str]) -> list[str]:
    return sorted({os.path.dirname(path) for path in paths})


def doubt(directories: Sequence[str]) -> str:
    """Says that the disk did not confirm what is in these directories."""
    return (
        f"The disk does not confirm it in {', '.join(map(one_line, directories[:NAMED]))}: "
        "a power failure could undo a part."
    )


def listed(lines: Sequence[str]) -> str:
    """The lines as a message ends with them, each on its own."""
    return "".join(f"\n  {line}" for line in first_lines(lines, NAMED))
