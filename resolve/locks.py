"""The session lock and the apply lock: `flock`, so a dead holder never blocks anyone."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from contextvars import ContextVar
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from resolve.errors import SessionBusy, ToolError

if TYPE_CHECKING:
    from resolve.abort import AbortSignal

WAIT = 30.0  # seconds that an apply waits for another one
_POLL = 0.01
PROBE = 0.25  # seconds; longer than any `is_held` keeps a lock


class Hold:
    """A lock that is held until `close` (or until nobody refers to it any more)."""

    def __init__(self, descriptor: int | None = None) -> None:
        self._descriptor = descriptor
        self.open = True

    def close(self) -> None:
        """Lets go; a second call does nothing."""
        descriptor, self._descriptor, self.open = self._descriptor, None, False
        if descriptor is not None:
            os.close(descriptor)

    def __del__(self) -> None:
        self.close()


_held: ContextVar[Mapping[tuple[int, int], Hold]] = ContextVar(
    "resolve_apply_locks", default=MappingProxyType({})
)


class ApplyLock:
    """Held from claim to close of one apply, discard or recovery in a workspace.

    It locks the descriptor of the directory itself, so no lock file appears in the tree.
    Reentrant along the call chain (tasks and `to_thread` included), exclusive between
    unrelated tasks, threads and processes. Without a directory it locks nothing.
    """

    def __init__(self, directory: str | os.PathLike[str] | None, wait: float = WAIT) -> None:
        self.directory = None if directory is None else Path(directory)
        self.wait = wait

    def try_hold(self) -> Hold | None:
        """Returns the lock, or None while somebody else has it."""
        if self.directory is None:
            return Hold()
        descriptor = self._open()
        status = os.fstat(descriptor)
        key = (status.st_dev, status.st_ino)
        if (outer := _held.get().get(key)) is not None and outer.open:
            os.close(descriptor)
            return Hold()
        if not _try_flock(descriptor):
            os.close(descriptor)
            return None
        hold = Hold(descriptor)
        _held.set({**_held.get(), key: hold})
        return hold

    def hold(self, signal: AbortSignal | None = None) -> Hold:
        """Returns the lock, waiting for it; `ToolError` code `busy`, `AbortError` on an abort."""
        end = time.monotonic() + self.wait
        while (hold := self.try_hold()) is None:
            if time.monotonic() >= end:
                raise ToolError(
                    f"Another apply is running in this workspace ({self.holder()}).",
                    code="busy",
                    hint="Nothing was done; try again when it has ended.",
                )
            if signal is not None:
                signal.throw_if_aborted()
            time.sleep(_POLL)
        return hold

    def holder(self) -> str:
        """Names the process that has the lock, as well as the system tells."""
        if self.directory is None:
            return "nobody"
        return _holder(os.stat(self.directory).st_ino)

    def _open(self) -> int:
        assert self.directory is not None
        try:
            return os.open(self.directory, os.O_RDONLY | os.O_DIRECTORY)
        except OSError as error:
            raise ToolError(
                f"{self.directory} cannot be locked: {error.strerror}.",
                code="lock",
                hint="Give a directory that exists and can be read.",
            ) from error


def hold_file(path: Path, session: str, wait: float = PROBE) -> Hold:
    """Takes the session lock at `path`; raises `SessionBusy` naming who holds it for so long."""
    path.parent.mkdir(mode=0o700, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    end = time.monotonic() + wait
    while not _try_flock(descriptor):
        if time.monotonic() >= end:
            holder = _holder(os.fstat(descriptor).st_ino)
            os.close(descriptor)
            raise SessionBusy(
                f"Session {session} is running in {holder}.",
                code="session_busy",
                hint="Use another session id, or end that process. Reading it still works.",
            )
        time.sleep(_POLL)
    return Hold(descriptor)


def is_held(path: Path) -> bool:
    """True while some process holds the session lock at `path`."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
    except FileNotFoundError:
        return False
    try:
        return not _try_flock(descriptor)
    finally:
        os.close(descriptor)


def _try_flock(descriptor: int) -> bool:
    import fcntl  # not on Windows, where only what reads is meant to work

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _holder(inode: int) -> str:
    """Reads /proc/locks, since `flock` itself does not say who holds."""
    try:
        for line in Path("/proc/locks").read_text().splitlines():
            fields = line.split()
            if fields[1] == "FLOCK" and fields[5].endswith(f":{inode}"):
                name = Path(f"/proc/{fields[4]}/comm").read_text().strip()
                return f"process {fields[4]}, {name}"
    except (OSError, IndexError):
        return "another process"
    return "another process"
