"""One file of a transaction: where it stands, into its place, and back again.

Nothing is ever overwritten: every step leaves both contents on the disk under names that are
known from the intent, so a kill between any two system calls can be read from the names alone.
For the temporary name `T` of a file `P`:

    T    the new content; after the exchange what it displaced; of a deleted file the old one
    Tb   on the way back: the old content; after the exchange what that displaced
    Tk   only without an exchange: what was taken out of the way
    Tw   the old content while it is written again from its image; worth nothing
"""

import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Literal, NamedTuple

from astedit.transaction.disk import (
    DISK,
    digest,
    directories_above,
    is_directory,
    make_directory,
    opened,
    remove,
    split,
)
from astedit.transaction.file_metadata import FileMetadata, metadata_at
from astedit.transaction.intent import Step
from astedit.transaction.temporary import prepare, prepare_new

Standing = Literal["old", "new", "displaced", "foreign", "missing", "absent"]
Image = Callable[[str], bytes | None]
_LETTERS = ("", "b", "k")
_NO_EXCHANGE = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP)


class Taken(Exception):
    """Someone else's content stands in the file's place; it is untouched."""

    why = "changed by others"


class Planted(Taken):
    """What lay under the sibling's name is not what we wrote; it has no place of ours."""

    why = "something else lay under the name of its new content"


class FilePlace(NamedTuple):
    """Where a file stands, if its new content is ready, and if any sibling is there."""

    standing: Standing
    ready: bool
    beside: bool


def standing(root: int, step: Step) -> FilePlace:
    """Where the file stands. Raises OSError when it cannot be read.

    *displaced*: an exchange brought out what nobody expected, and it was not put back yet.
    *foreign*: the file holds neither content. *missing*: one that was changed is not there.
    """
    with _opened(root, step) as file:
        state = file.standing()
        beside = any(file.inode(letter) is not None for letter in _LETTERS)
        return FilePlace(state, step.after is None or file.is_written(""), beside)


def put(root: int, step: Step) -> None:
    """Puts the new content in place; what it displaces must be the old one.

    Raises `Taken` if it was not, and if it was not our sibling that came there, after
    putting that back; OSError if the file is as it was.
    """
    with _opened(root, step) as file:
        file.put()


def take_back(
    root: int, step: Step, image: Image, *, missing: bool = True, lost: list[str] | None = None
) -> None:
    """Gives the file its old content again, or the content of others that we displaced.

    `image` finds the old content by its hash where the file system has it no more. A changed
    file that is gone comes back where `missing` says so, a deleted one always, with its
    directory; what it cannot get again besides its content is added to `lost`. Raises
    LookupError without an image, OSError if it cannot be written.
    """
    if step.operation == "delete" and not is_directory(root, split(step.path)[0]):
        for above in directories_above([step.path]):
            make_directory(root, above)
    with _opened(root, step) as file:
        file.take_back(image, missing, lost)


def clean(root: int, step: Step) -> list[str]:
    """Removes what is ours beside the file; returns the names of what is not."""
    with _opened(root, step) as file:
        return file.clean()


@contextmanager
def _opened(root: int, step: Step) -> Iterator["_File"]:
    directory, name = split(step.path)
    with opened(root, directory, step.path) as parent:
        yield _File(root, parent, name, step)


class _File:
    """The file in its opened directory. A letter names one of its siblings, None itself."""

    def __init__(self, root: int, parent: int, name: str, step: Step) -> None:
        self.root, self.parent, self.name, self.step = root, parent, name, step

    def at(self, letter: str | None) -> str:
        return self.name if letter is None else self.step.temporary + letter

    def digest(self, letter: str | None = None) -> str | None:
        return digest(self.parent, self.at(letter))

    def inode(self, letter: str | None = None) -> int | None:
        """The inode that has this name, None if nothing has."""
        status = self._status(letter)
        return None if status is None else status.st_ino

    def only(self, letter: str) -> str | None:
        """The hash of a sibling that has no other name; "" for what must not come in its place."""
        status = self._status(letter)
        if status is None:
            return None
        return self.digest(letter) if status.st_nlink == 1 else ""

    def _status(self, letter: str | None) -> os.stat_result | None:
        try:
            return os.stat(self.at(letter), dir_fd=self.parent, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def _metadata(self, letter: str | None) -> FileMetadata | None:
        return metadata_at(self.at(letter), self.parent)

    def standing(self) -> Standing:
        """Where the file stands, once an exchange that was cut short is ended."""
        step = self.step
        if step.operation == "modify":
            self.settle()
        now = self.digest()
        if step.operation == "create":
            if now is None:
                return "displaced" if self._is_displaced(self.digest("b")) else "old"
            return "new" if now == step.after else "foreign"
        if step.operation == "delete":
            if now is None:
                return "displaced" if self._is_displaced(self.digest("")) else "new"
            return "old" if now == step.before else "foreign"
        if now is None:
            return "missing"
        if now not in (step.before, step.after):
            return "foreign"
        is_new = self._is_new(now)
        if self._is_displaced(self.only("" if is_new else "b")):
            return "displaced"
        return "new" if is_new else "old"

    def _is_new(self, now: str | None) -> bool:
        """Whether it is as after. Where its mode alone changes its inode tells, else its mode."""
        step = self.step
        if step.before != step.after or step.inode is None:
            return now == step.after
        if step.inode in (self.inode(), self.inode("")):
            return self.inode() == step.inode
        metadata = self._metadata(None)
        return metadata is not None and metadata.mode != step.mode

    def _is_displaced(self, content: str | None) -> bool:
        """Whether a sibling holds what a person saved; a link or a pipe ("") is nobody's text."""
        return content not in (None, "", self.step.before, self.step.after)

    def is_written(self, letter: str | None) -> bool:
        """Whether this name leads to the very file that we wrote, with the new content in it."""
        return self._is_ours(letter) and self.digest(letter) == self.step.after

    def _is_ours(self, letter: str | None) -> bool:
        """Whether this is the file that we wrote; its directory says what device that is on.

        In a tree that somebody has copied back it is another inode with all that we gave it: a
        file of the same owner, mode, attributes and flags.
        """
        step = self.step
        if step.inode is None or self.inode(letter) == step.inode:
            return True
        return step.metadata is not None and self._metadata(letter) == step.metadata

    def _is_planted(self) -> bool:
        """Whether what came to the place is a link, a pipe, a name of another file, or a copy.

        Any other text is a person's, who has saved it there in the meantime.
        """
        status = os.stat(self.name, dir_fd=self.parent, follow_symlinks=False)
        if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
            return True
        return not self._is_ours(None) and self.digest() == self.step.after

    # -- names: given, taken, exchanged ----------------------------------------------------------

    def remove(self, letter: str) -> None:
        remove(self.parent, self.at(letter))

    def appear(self, letter: str) -> None:
        """Gives a content the file's name if nothing has it, or raises `Taken`."""
        try:
            DISK.link(self.parent, self.at(letter), self.name)
        except (FileExistsError, FileNotFoundError) as error:
            raise Taken(self.step.path) from error

    def vanish(self, letter: str, expected: str | None) -> None:
        """Takes the file's name from its content; `Taken`, with it back, if it is another one."""
        if self.inode(letter) == self.inode() is not None:
            self.remove(letter)  # renaming one name of a file to another does nothing
        try:
            DISK.rename(self.parent, self.name, self.at(letter))
        except FileNotFoundError as error:
            raise Taken(self.step.path) from error
        if self.digest(letter) != expected:
            self.appear(letter)
            self.remove(letter)
            raise Taken(self.step.path)

    def put_back(self, letter: str, ours: str | None) -> None:
        """Gives someone's content its place again, unless something newer has come there."""
        self.swap(letter)
        if self.digest(letter) != ours:
            self.swap(letter)

    def swap(self, letter: str) -> None:
        """Exchanges the file with a sibling; both exist afterwards."""
        try:
            DISK.exchange(self.parent, self.at(letter), self.name)
        except OSError as error:
            if error.errno == errno.ENOENT:
                raise Taken(self.step.path) from error
            if error.errno not in _NO_EXCHANGE:
                raise
            self._swap_by_links(letter)

    def _swap_by_links(self, letter: str) -> None:
        """Where nothing exchanges: the name is absent for a moment, no byte is lost."""
        if self.inode(letter) is None:  # another directory, mounted here: leave it alone
            raise Taken(self.step.path)
        try:
            DISK.rename(self.parent, self.name, self.at("k"))
            DISK.link(self.parent, self.at(letter), self.name)
        except OSError as error:
            self.settle()
            if isinstance(error, FileNotFoundError | FileExistsError):
                raise Taken(self.step.path) from error
            raise
        DISK.rename(self.parent, self.at("k"), self.at(letter))

    def settle(self) -> None:
        """Ends an exchange by links that was interrupted, so that `Tk` is gone."""
        taken, now = self.inode("k"), self.inode()
        if taken is None:
            return
        beside = "b" if self.inode("b") is not None else ""
        if now is None:
            DISK.link(self.parent, self.at("k"), self.name)
        if now in (None, taken):
            self.remove("k")
        elif now == self.inode(beside):
            DISK.rename(self.parent, self.at("k"), self.at(beside))

    def put(self) -> None:
        if self.step.operation == "create":
            self.appear("")
            if self.inode() == self.inode("") and not self.is_written(None):
                self.vanish("", self.digest())
                raise Planted(self.step.path)
        elif self.step.operation == "delete":
            self.vanish("", self.step.before)
        else:
            self._exchange()

    def _exchange(self) -> None:
        step = self.step
        self.swap("")
        if self.only("") != step.before:
            self.put_back("", step.after)
            raise Taken(step.path)
        if self.inode() is not None and self._is_planted():
            self.put_back("", self.digest())
            raise Planted(step.path)

    def take_back(self, image: Image, missing: bool, lost: list[str] | None) -> None:
        step = self.step
        if step.operation == "modify":
            self.settle()
        now = self.digest()
        if step.operation == "create":
            if now == step.after:
                self.vanish("b", step.after)
            elif now is None and self._is_displaced(self.digest("b")):
                self.appear("b")
        elif step.operation == "modify" and now is not None:
            self._exchange_back(image)
        elif now is None and (missing or step.operation == "delete"):
            self._bring_back(image, lost)

    def _exchange_back(self, image: Image) -> None:
        step, now = self.step, self.digest()
        if now == step.before and self._is_displaced(self.only("b")):
            self.put_back("b", step.before)
        elif now == step.after and self._is_displaced(self.only("")):
            self.put_back("", step.after)
        elif self._is_new(now):
            if self.inode("") == self.inode():
                self.remove("")  # a disk kept the link, and lost the rename
            self._revive(image)
            self.swap("b")
            if self.only("b") != step.after:
                self.put_back("b", step.before)

    def _bring_back(self, image: Image, lost: list[str] | None) -> None:
        """Gives a file that is gone its place again, from what lies beside it or its image."""
        if self.step.operation == "delete":
            beside = "" if self.digest("") else None
        else:
            contents = ((letter, self.only(letter)) for letter in ("b", ""))
            beside = next((at for at, c in contents if c not in (None, "", self.step.after)), None)
        if beside is None:
            self._write_again(image, "", partial(prepare_new, wanted=self.step.had, lost=lost))
        self.appear(beside or "")

    def _revive(self, image: Image) -> None:
        """Makes the old content stand beside the file, ready to be exchanged with it."""
        step, stored = self.step, image(self.step.before or "") is not None
        if self._is_old("b", stored):
            return
        if self._is_old("", stored):
            DISK.rename(self.parent, self.at(""), self.at("b"))
            return
        write = partial(prepare, expected_sha256=step.after or "", mode=step.mode)
        self._write_again(image, "b", write)

    def _is_old(self, letter: str, stored: bool) -> bool:
        """Whether a sibling may come back as the file from before.

        It has the old content; and all else that the file had, unless nothing better is stored.
        """
        if self.only(letter) != self.step.before:
            return False
        had = self.step.metadata if stored else None
        return had is None or self._metadata(letter) == had

    def _write_again(self, image: Image, letter: str, write: Callable[..., object]) -> None:
        """Makes the file's old content stand beside it again, from its image."""
        content = image(self.step.before or "")
        if content is None:
            raise LookupError("its content from before is not stored any more")
        self.remove("w")
        write(self.root, self.step.path, content, temporary=self.at("w"))
        if self.digest("w") != self.step.before:
            raise LookupError("its content from before is stored damaged")
        DISK.rename(self.parent, self.at("w"), self.at(letter))

    def clean(self) -> list[str]:
        """Removes what is ours beside the file; returns the names of what is not."""
        if self.step.operation == "modify":
            self.settle()
        now = self.digest()
        if self.inode("w") is not None:
            self.remove("w")
        left = []
        for letter, spoiled in self._spoiled().items():
            content = self.digest(letter)
            if content and (
                content in (self.step.before, self.step.after)
                or now in spoiled
                or self.inode(letter) == self.inode()  # two names of one file
            ):
                self.remove(letter)
            elif content is not None:
                left.append(os.path.join(split(self.step.path)[0], self.at(letter)))
        return left

    def _spoiled(self) -> dict[str, tuple[str | None, ...]]:
        """By sibling, for which content of the file it is ours, whatever it holds."""
        if self.step.operation == "modify":
            return {"": (self.step.before,), "b": (self.step.after,), "k": ()}
        return {"": (None,) if self.step.operation == "create" else (), "b": ()}
