"""Ends a transaction: puts every file in its place, or takes all of them back.

A commit and the recovery of one that was killed are this same code. What hashes on disk say
decides; the code can itself be interrupted and run again.
"""

import contextlib
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from astedit.errors import AstEditError, PreconditionError, StaleError, TransactionError
from astedit.text import first_lines, number
from astedit.transaction.disk import opened, remove, remove_directory, sync_directory
from astedit.transaction.file_step import (
    FilePlace,
    Image,
    Standing,
    Taken,
    clean,
    put,
    standing,
    take_back,
)
from astedit.transaction.intent import Intent, Journal, Step
from resolve.visible import one_line


def mounted(root: int, directories: Iterable[str]) -> frozenset[str]:
    """Those that lie on another mount; what is not there lies on none."""
    own = _mount_of(root)
    return frozenset(directory for directory in directories if _is_other(root, directory, own))


def changed(root: int, before: frozenset[str], directories: Iterable[str]) -> list[str]:
    """The directories over which something was mounted since, or from which it is gone."""
    return sorted(before ^ mounted(root, directories))


def _is_other(root: int, directory: str, own: tuple[str, int]) -> bool:
    if not directory:
        return False
    try:
        with opened(root, directory, directory) as parent:
            return _mount_of(parent) != own
    except PreconditionError:
        return False


def _mount_of(directory: int) -> tuple[str, int]:
    """What tells one mount from another: Linux has an id, elsewhere it is the device alone."""
    device = os.fstat(directory).st_dev
    try:
        with open(f"/proc/self/fdinfo/{directory}") as lines:
            return next((line for line in lines if line.startswith("mnt_id:")), ""), device
    except OSError:
        return "", device


NAMED = 20  # files that a message names
CommitOutcome = Literal["applied", "untouched", "rolled_back", "blocked"]
OTHERS = "changed by others"
REMOUNTED = "something was mounted or unmounted there in the middle of the apply"
_ANOTHER_TREE = (
    "None of its files is as before or after, and nothing that it wrote lies beside them: this "
    "may be another tree. Put the one that was there back, and run astedit recover."
)


@dataclass(slots=True)
class Ended:
    """How a transaction ended. `trouble` has a line for each file that was in the way, `lost`
    one for what a file could not get again besides its content; `unsure` names directories
    whose entries the disk did not confirm, `made` those that were made for it."""

    outcome: CommitOutcome
    steps: Sequence[Step] = ()
    trouble: list[str] = field(default_factory=list)
    unsure: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    made: Sequence[str] = ()

    def files(self) -> list[dict[str, Any]]:
        """What was written: path, the hashes before and after, the mode before.

        Of a file that was deleted also what else it had, so that it can come back with it, of
        one that was created the directories that were made for it.
        """
        rows: list[dict[str, Any]] = []
        for step in self.steps:
            row = {"path": step.path, "before": step.before, "after": step.after}
            rows.append(row | {"mode": step.mode})
            if step.operation == "delete" and step.metadata is not None:
                rows[-1]["metadata"] = step.metadata.to_json()
            if folders := [folder for folder in self.made if step.path.startswith(f"{folder}/")]:
                rows[-1]["directories"] = folders
        return rows

    def text(self) -> str:
        """What people should know."""
        match self.outcome:
            case "applied":
                text = f"The apply is finished: {self._done()}."
            case "untouched":
                text = "The apply was interrupted before any file was replaced; all are as before."
            case "rolled_back" if any(line.endswith(OTHERS) for line in self.trouble):
                text = "Files changed meanwhile: they are kept, all others are as before."
            case "rolled_back":
                text = "The apply could not be finished and was taken back: all are as before."
            case "blocked":
                text = "Some files could not be put back; what is stored of them is kept."
        if self.unsure:
            text += f" {doubt(self.unsure)}"
        return text + listed(self.trouble) + not_restored(self.lost)

    def _done(self) -> str:
        deleted = sum(step.operation == "delete" for step in self.steps)
        written = f"{number(len(self.steps) - deleted, 'file')} written"
        return f"{written}, {deleted} deleted" if deleted else written


def not_restored(lost: Sequence[str]) -> str:
    """Says what files could not get again, after a message; "" if that is nothing."""
    return f"\nNot restored:{listed(lost)}" if lost else ""


def recover(intent: Any, root: int, journal: Journal) -> Ended:
    """Ends a transaction that was interrupted; what hashes on disk say decides how.

    All as before or all as after: nothing is done but cleaning up. A mix: finished from
    the siblings, or taken back where a file holds neither or a sibling is missing.
    """
    stored = Intent.of(intent)
    folders = [*directories_of(step.path for step in stored.steps), *dict(stored.unready)]
    if covered := changed(root, stored.mounts, folders):
        return Ended(
            "blocked", stored.steps, [f"{one_line(path)}: {REMOUNTED}" for path in covered]
        )
    if stored.unready or not stored.steps:
        return end_unready(stored.unready, stored.directories, root)
    ending = Ending(stored.steps, stored.directories, root, journal.image, fresh=False)
    ended = ending.run()
    ended.made = stored.directories
    return ended


def end_unready(unready: Sequence[tuple[str, str]], new: Sequence[str], root: int) -> Ended:
    """Removes the siblings of a transaction that had not come to its commit point.

    `unready` are the directories of its files, and what the siblings' names begin with.
    """
    for directory, beginning in dict.fromkeys(unready):
        with _where_it_is(), opened(root, directory, directory) as parent:
            for name in os.listdir(parent):
                if name.startswith(beginning):
                    remove(parent, name)
    return _synced(Ended("untouched"), [directory for directory, _ in unready], new, root)


@dataclass(slots=True)
class Ending:
    """Ends a commit (`fresh`) or a recovery: goes forward if that can succeed, else back.

    `new` are the directories that were made for it, outer ones first.
    """

    steps: Sequence[Step]
    new: Sequence[str]
    root: int
    image: Image
    fresh: bool

    def run(self) -> Ended:
        steps = self.steps
        places = [self._place(step) for step in steps]
        if not self.fresh and _elsewhere(places):
            return Ended("blocked", steps, [_ANOTHER_TREE])
        states = [_without_directory(*pair) for pair in zip(steps, places, strict=True)]
        trouble = [
            f"{one_line(step.path)}: "
            f"{'was missing' if state == 'missing' and not self.fresh else OTHERS}"
            for step, state in zip(steps, states, strict=True)
            if state not in ("old", "new")
        ]
        rest = [step for step, state in zip(steps, states, strict=True) if state == "old"]
        if not self.fresh and not trouble and len(rest) == len(steps):
            return self._cleaned(Ended("untouched", steps), self.new)
        ready = all(
            place.ready for place, state in zip(places, states, strict=True) if state == "old"
        )
        if not trouble and ready:
            trouble = self._forward(rest)
            if not trouble:
                return self._cleaned(Ended("applied", steps))
        elif not trouble:
            trouble = ["New content that was waiting beside a file is missing or damaged."]
        return self._back(trouble)

    def _forward(self, steps: Sequence[Step]) -> list[str]:
        """Puts new contents in place up to the first that cannot be, and says why that is."""
        for step in steps:
            try:
                put(self.root, step)
            except Taken as error:
                return [f"{one_line(step.path)}: {error.why}"]
            except PreconditionError as error:
                return [error.message if _unknown(error) else f"{one_line(step.path)}: {OTHERS}"]
            except OSError as error:
                return [f"{one_line(step.path)}: {error.strerror}"]
        return []

    def _back(self, trouble: list[str]) -> Ended:
        """Takes every file back that is ours; one that cannot be never stops the others.

        A created file goes last, and stays where its content could not come back to where it
        was: of a moved file it would be the only copy.
        """
        failed: list[str] = []
        ended = Ended("rolled_back", self.steps, trouble)
        homeless: set[str | None] = set()
        for step in sorted(self.steps, key=lambda step: step.operation == "create"):
            if step.operation == "create" and (failed or step.after in homeless):
                if not failed and self._place(step).standing == "new":
                    trouble.append(f"{one_line(step.path)}: kept, nothing else has its content")
                continue
            lost: list[str] = []
            try:
                take_back(self.root, step, self.image, missing=not self.fresh, lost=lost)
            except Taken:
                continue  # someone else's by now
            except (OSError, LookupError, AstEditError) as error:
                if not isinstance(error, PreconditionError) or _unknown(error):
                    failed.append(f"{one_line(step.path)}: {error}")
                homeless.add(step.before)
            ended.lost += [f"{one_line(step.path)}: {what}" for what in lost]
        if failed:
            return Ended("blocked", self.steps, failed)
        ended = self._cleaned(ended, self.new)
        if ended.unsure:  # a power cut could bring new content back: the intent must stay
            return Ended("blocked", self.steps, [*trouble, doubt(ended.unsure)])
        return ended

    def _cleaned(self, ended: Ended, new: Sequence[str] = ()) -> Ended:
        """Removes what is left beside the files, and `new` directories; makes it all last."""
        for step in self.steps:
            with _where_it_is():
                names = clean(self.root, step)
                ended.trouble += [f"{one_line(name)}: kept, it is not ours" for name in names]
        folders = directories_of(step.path for step in self.steps)
        return _synced(ended, folders, new, self.root)

    def _place(self, step: Step) -> FilePlace:
        try:
            return standing(self.root, step)
        except StaleError:  # its directory is gone
            return FilePlace("foreign" if step.operation == "modify" else "absent", False, False)
        except PreconditionError as error:
            if _unknown(error):
                raise
            return FilePlace("foreign", False, False)  # its directory is a link now


def _elsewhere(places: Sequence[FilePlace]) -> bool:
    """Whether nothing here is of this transaction: the tree may be another one."""
    foreign = any(place.standing == "foreign" for place in places)
    others = ("foreign", "missing", "absent")
    own = any(place.beside or place.standing not in others for place in places)
    return foreign and not own


def _without_directory(step: Step, place: FilePlace) -> Standing:
    """What it means that a file's directory is gone: a deleted one is, a created one is to come.

    An undo removes the directories that its apply had made, once they are empty.
    """
    if place.standing != "absent":
        return place.standing
    return "new" if step.operation == "delete" else "old"


def _synced(ended: Ended, directories: Iterable[str], new: Sequence[str], root: int) -> Ended:
    """Makes what became of these directories last, or says where the disk does not confirm it."""
    for directory in reversed(new):
        remove_directory(root, directory)
    for directory in sorted({*directories, *directories_of(new)}):
        try:
            with _where_it_is():
                sync_directory(root, directory)
        except TransactionError:
            ended.unsure.append(directory or ".")
    return ended


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


def directories_of(paths: Iterable[str]) -> list[str]:
    """The directories of these files, in order."""
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
