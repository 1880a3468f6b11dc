"""Disks that die, fail or lack a call: every write-side system call can be the last one."""

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from astedit.transaction.disk import DISK, Disk

CALLS = (
    *("create", "write", "chown", "chmod", "set_attribute", "remove_attribute", "sync"),
    *("rename", "exchange", "link", "unlink", "mkdir", "rmdir", "set_flags", "set_project"),
)


@contextmanager
def using(disk: Disk) -> Iterator[None]:
    """All that is written meanwhile goes to this disk."""
    before = dict(vars(DISK))
    vars(DISK).update({name: getattr(disk, name) for name in CALLS})
    try:
        yield
    finally:
        vars(DISK).clear()
        vars(DISK).update(before)


class Killed(BaseException):
    """The process is dead; nothing that cleans up may swallow it."""


class Watched(Disk):
    """Calls `_before(name, arguments)` ahead of every system call."""

    def __init__(self) -> None:
        self.made: list[str] = []

    def _before(self, name: str, arguments: tuple[Any, ...]) -> None:
        self.made.append(name)


def _watched(name: str) -> Callable[..., Any]:
    def call(self: Watched, *arguments: Any) -> Any:
        self._before(name, arguments)
        return getattr(Disk, name)(self, *arguments)

    return call


for _name in CALLS:
    setattr(Watched, _name, _watched(_name))


class Dying(Watched):
    """Dies on entry to the `at`-th call (from 1), and does nothing any more after that."""

    def __init__(self, at: int) -> None:
        super().__init__()
        self._at = at

    def _before(self, name: str, arguments: tuple[Any, ...]) -> None:
        super()._before(name, arguments)
        if len(self.made) >= self._at:
            raise Killed(name)


class Failing(Watched):
    """Fails the `at`-th call (from 1) with an error number; the others work."""

    def __init__(self, at: int, number: int) -> None:
        super().__init__()
        self._at, self._number = at, number

    def _before(self, name: str, arguments: tuple[Any, ...]) -> None:
        super()._before(name, arguments)
        if len(self.made) == self._at:
            raise OSError(self._number, os.strerror(self._number))


class Saving(Watched):
    """Lets a person save just before the `at`-th call of a name; dies at call `end`, if given."""

    def __init__(
        self, name: str, save: Callable[[], object], at: int = 1, end: int | None = None
    ) -> None:
        super().__init__()
        self._name, self._save, self._at, self._end = name, save, at, end

    def _before(self, name: str, arguments: tuple[Any, ...]) -> None:
        super()._before(name, arguments)
        if name == self._name and self.made.count(name) == self._at:
            self._save()
        if self._end is not None and len(self.made) >= self._end:
            raise Killed(name)


def without_exchange(disk: Watched) -> Watched:
    """The same disk on a file system that cannot exchange two names."""

    def refuse(*_: object) -> None:
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))

    disk.exchange = refuse  # type: ignore[method-assign]
    return disk


def kind(disk: Watched, exchanging: bool) -> Watched:
    """The disk with an exchange, or as where there is none."""
    return disk if exchanging else without_exchange(disk)
