"""Directories of this process alone, beside the state; each is gone with it, or soon after."""

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator


@contextlib.contextmanager
def locked_directory(above: str) -> Iterator[str]:
    """A new directory below `above`; what killed processes have left there is removed."""
    os.makedirs(above, 0o700, exist_ok=True)
    place, lock = _made(above)
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)
        os.close(lock)


def _made(above: str) -> tuple[str, int]:
    """A new directory and its lock; nobody takes it for abandoned before it is locked."""
    door = os.open(above, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(door, fcntl.LOCK_EX)
        for name in os.listdir(above):
            _remove_abandoned(os.path.join(above, name))
        place = tempfile.mkdtemp(dir=above)
        lock = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        fcntl.flock(lock, fcntl.LOCK_EX)
        return place, lock
    finally:
        os.close(door)


def _remove_abandoned(place: str) -> None:
    with contextlib.suppress(OSError):
        lock = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(place, ignore_errors=True)
        finally:
            os.close(lock)
