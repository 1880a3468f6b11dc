"""Which content has which name: gives a name, takes it, exchanges two.

Nothing is ever overwritten, and a kill between any two system calls leaves every content
under one of the names that `file_step.py` describes.
"""

import errno
import os

from astedit.transaction.disk import Disk, digest, remove
from astedit.transaction.intent import Step

_NO_EXCHANGE = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP)


class Taken(Exception):
    """Someone else's content stands in the file's place; it is untouched."""

    why = "changed by others"


def appear(parent: int, beside: str, name: str, step: Step, disk: Disk) -> None:
    """Gives a content the name that nothing has, or raises `Taken`."""
    try:
        disk.link(parent, beside, name)
    except (FileExistsError, FileNotFoundError) as error:
        raise Taken(step.path) from error


def vanish(
    parent: int, name: str, beside: str, expected: str | None, step: Step, disk: Disk
) -> None:
    """Takes a content from its name; raises `Taken`, with it back, if it is another one."""
    if inode_of(parent, beside) == inode_of(parent, name) is not None:
        remove(parent, beside, disk)  # renaming one name of a file to another does nothing
    try:
        disk.rename(parent, name, beside)
    except FileNotFoundError as error:
        raise Taken(step.path) from error
    if digest(parent, beside) != expected:
        appear(parent, beside, name, step, disk)
        remove(parent, beside, disk)
        raise Taken(step.path)


def put_back(parent: int, beside: str, ours: str | None, name: str, step: Step, disk: Disk) -> None:
    """Gives someone's content its place again, unless something newer has come there."""
    swap(parent, beside, name, step, disk)
    if digest(parent, beside) != ours:
        swap(parent, beside, name, step, disk)


def swap(parent: int, beside: str, name: str, step: Step, disk: Disk) -> None:
    """Exchanges two names; both exist afterwards."""
    try:
        disk.exchange(parent, beside, name)
    except OSError as error:
        if error.errno == errno.ENOENT:
            raise Taken(step.path) from error
        if error.errno not in _NO_EXCHANGE:
            raise
        _swap_by_links(parent, beside, name, step, disk)


def _swap_by_links(parent: int, beside: str, name: str, step: Step, disk: Disk) -> None:
    """The same where nothing exchanges: the name is absent for a moment, no byte is lost."""
    kept = step.temporary + "k"
    if inode_of(parent, beside) is None:  # another directory, mounted here: leave it alone
        raise Taken(step.path)
    try:
        disk.rename(parent, name, kept)
        disk.link(parent, beside, name)
    except (FileNotFoundError, FileExistsError) as error:
        settle(parent, name, step, disk)
        raise Taken(step.path) from error
    except OSError:
        settle(parent, name, step, disk)
        raise
    disk.rename(parent, kept, beside)


def settle(parent: int, name: str, step: Step, disk: Disk) -> None:
    """Ends an exchange by links that was interrupted, so that `Tk` is gone."""
    kept, back = step.temporary + "k", step.temporary + "b"
    taken = inode_of(parent, kept)
    if taken is None:
        return
    beside = back if inode_of(parent, back) is not None else step.temporary
    now = inode_of(parent, name)
    if now is None:
        disk.link(parent, kept, name)
        remove(parent, kept, disk)
    elif now == taken:
        remove(parent, kept, disk)
    elif now == inode_of(parent, beside):
        disk.rename(parent, kept, beside)


def inode_of(parent: int, name: str) -> int | None:
    """The inode that has this name, None if nothing has."""
    try:
        return os.stat(name, dir_fd=parent, follow_symlinks=False).st_ino
    except FileNotFoundError:
        return None
