"""Directories of this process alone, beside the state; each is gone with it, or soon after."""

import contextlib
import fcntl
import os
import tempfile
from collections.abc import Iterator

from astedit.workspace.confined_open import DIRECTORY, closed_after


@contextlib.contextmanager
def locked_directory(above: str) -> Iterator[str]:
    """A new directory below `above`; what killed processes have left there is removed."""
    private_directory(above)
    with closed_after(os.open(above, DIRECTORY)) as door:
        fcntl.flock(door, fcntl.LOCK_EX)  # nobody takes ours for abandoned before it is locked
        for left in (os.path.join(above, name) for name in os.listdir(above)):
            with contextlib.suppress(OSError), closed_after(os.open(left, DIRECTORY)) as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                remove_tree(left)
        place = tempfile.mkdtemp(dir=above)
        lock = os.open(place, DIRECTORY)
        fcntl.flock(lock, fcntl.LOCK_EX)
    try:
        yield place
    finally:
        remove_tree(place)
        os.close(lock)


def private_directory(place: str) -> None:
    """Makes a directory, and those above it that are missing, for this user only.

    Whatever the umask is: `os.makedirs` gives its mode to the innermost alone.
    """
    if place and not os.path.isdir(place):
        private_directory(os.path.dirname(place))
        with contextlib.suppress(FileExistsError):
            os.mkdir(place, 0o700)


def remove_tree(place: str) -> None:
    """Removes a directory with all that is in it, as far as that can be.

    However deep it is and whatever modes are in it: directories within directories are moved
    to its top first.
    """
    with contextlib.suppress(OSError):
        with closed_after(os.open(place, DIRECTORY)) as top:
            os.fchmod(top, 0o700)
            number, waiting = 0, os.listdir(top)
            while waiting:
                name = waiting.pop()
                if (inner := _emptied(top, name)) is None:
                    continue
                for below in os.listdir(inner):
                    if (deeper := _emptied(inner, below)) is None:
                        continue
                    os.close(deeper)
                    number += 1
                    waiting.append(f".moved-{number}-{os.getpid()}")
                    os.rename(below, waiting[-1], src_dir_fd=inner, dst_dir_fd=top)
                os.close(inner)
                os.rmdir(name, dir_fd=top)
        os.rmdir(place)


def _emptied(top: int, name: str) -> int | None:
    """The open directory of this name; None, and it is gone, where it is anything else."""
    try:
        os.unlink(name, dir_fd=top)
        return None
    except (IsADirectoryError, PermissionError):  # what Linux and macOS say of a directory
        os.chmod(name, 0o700, dir_fd=top)
        return os.open(name, DIRECTORY, dir_fd=top)
