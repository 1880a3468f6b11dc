"""What an interrupted transaction left beside its files, read from the tree alone.

For the day on which the state that knew of it is lost: the names of siblings hold the
action, the file and both hashes, so that every file can still be put wholly old or new.
What a repository holds is nobody's word: a caller ends only actions that it knows of.
"""

import os
import stat
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from astedit.transaction.disk import digest, remove
from astedit.transaction.intent import SiblingName, Step, read_name
from astedit.transaction.recovery import Ended, Ending
from astedit.workspace.confined_open import FILE, closed_after, open_directory
from resolve.visible import one_line


@dataclass(frozen=True, slots=True)
class Leftover:
    """One sibling, where it lies: `sibling` is what its name says, `content` the hash of what
    it holds."""

    directory: str
    name: str
    sibling: SiblingName
    content: str | None

    @property
    def path(self) -> str:
        """Where it lies."""
        return os.path.join(self.directory, self.name)

    @property
    def is_of_a_mode(self) -> bool:
        """Whether a mode alone was to change: the content in the place is right, of any inode."""
        return self.sibling.before == self.sibling.after

    def describe(self) -> str:
        """`src/.astedit-…: the new content of src/b.py`."""
        return f"{one_line(self.path)}: {self._what()}"

    def _what(self) -> str:
        if self.sibling.file is None:
            return "of a file whose name is too long to be told"
        file = one_line(os.path.join(self.directory, self.sibling.file))
        kinds = {
            self.sibling.before: "the old content of",
            self.sibling.after: "the new content of",
        }
        return f"{kinds.get(self.content, 'nothing whole of')} {file}"

    def step(self) -> Step | None:
        """What it was a step of; None if that cannot be known."""
        sibling = self.sibling
        if sibling.file is None or self.is_of_a_mode:
            return None
        path = os.path.join(self.directory, sibling.file)
        return Step(path, sibling.temporary, sibling.before, sibling.after, 0o644)


def find_leftovers(root: int) -> list[Leftover]:
    """Every sibling below the directory `root` (a descriptor), by path; git's own is left out."""
    leftovers: list[Leftover] = []
    waiting = [""]
    while waiting:
        directory = waiting.pop()
        # One that is gone, or not ours to look at, has nothing.
        with suppress(OSError), closed_after(open_directory(root, directory)) as here:
            waiting += _below(here, directory)
            leftovers += _siblings(here, directory)
    return sorted(leftovers, key=lambda leftover: leftover.path)


def end_leftovers(root: int, leftovers: Sequence[Leftover], actions: Collection[str]) -> Ended:
    """Puts every file that these actions left something of wholly old or new.

    The same code as for a recovery, with steps that are read from names; without any stored
    content, so that what lies there has to do.
    """
    mine = [leftover for leftover in leftovers if leftover.sibling.action in actions]
    mine = [leftover for leftover in mine if not _is_removed(root, leftover)]
    read = [step for leftover in mine if (step := leftover.step()) is not None]
    steps = list({(step.path, step.temporary): step for step in read}.values())
    ended = Ending(steps, (), root, lambda _: None, fresh=False).run()
    unknown = [leftover.describe() for leftover in mine if leftover.step() is None]
    ended.trouble += [f"{line}; it was kept" for line in unknown]
    return ended


def _is_removed(root: int, leftover: Leftover) -> bool:
    """Removes what a change of a mode left, if the file itself holds all of that text."""
    if not leftover.is_of_a_mode or leftover.sibling.file is None:
        return False
    with suppress(OSError), closed_after(open_directory(root, leftover.directory)) as here:
        whole, part = _bytes(here, leftover.sibling.file), _bytes(here, leftover.name)
        if whole is not None and part is not None and whole.startswith(part):
            remove(here, leftover.name)
            return True
    return False


def _bytes(here: int, name: str) -> bytes | None:
    """The content of a regular file with one name; None of anything else."""
    with open(os.open(name, FILE, dir_fd=here), "rb") as file:
        status = os.fstat(file.fileno())
        return file.read() if stat.S_ISREG(status.st_mode) and status.st_nlink == 1 else None


def _below(here: int, directory: str) -> list[str]:
    with os.scandir(here) as entries:
        names = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    return [os.path.join(directory, name) for name in names if name != ".git"]


def _siblings(here: int, directory: str) -> Iterator[Leftover]:
    names = os.listdir(here)
    for name in names:
        if (sibling := read_name(name, names)) is not None:
            yield Leftover(directory, name, sibling, _content(here, name))


def _content(here: int, name: str) -> str | None:
    try:
        return digest(here, name)
    except OSError:
        return None
