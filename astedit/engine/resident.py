"""What a long-lived host keeps between two runs: workers, and the bytes of files.

A run gives the same answer with it as without: bytes are used again only for a file whose
status is exactly what it was when they were read, and read long enough after its last
change for the clock to have told a later one. Nothing that is applied relies on it: an
apply runs the request again without.
"""

import os
import time
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from astedit.engine.edits import FileData
from astedit.engine.file import Engine
from astedit.engine.pool import Pool
from astedit.workspace import Workspace

BUDGET = 256 << 20  # bytes of files that are kept
SETTLED = 2.0  # seconds; file systems count in steps of up to 2 s (FAT), most of 4 ms


@dataclass(slots=True)
class _Kept:
    """A file's bytes, and its status before they were read."""

    raw: bytes
    status: os.stat_result
    settled: bool  # had not changed for a while when it was read


class Resident:
    """Workers and files that outlive a run; a context manager.

    Use it for one root, from one thread at a time. When the root is another directory by
    now (deleted and made again) everything is forgotten.
    """

    def __init__(self, budget: int = BUDGET, settled: float = SETTLED) -> None:
        self._budget = budget
        self._settled = int(settled * 1e9)
        self._size = 0
        self._files: dict[str, _Kept] = {}
        self._pool: Pool | None = None
        self._root = -1
        self._of: tuple[int, int, int] | None = None
        self.reused = 0  # files that were not read again

    def pool(self, workspace: Workspace, workers: int) -> Pool:
        """The workers of this root, started by an earlier run or to be started by this one."""
        status = os.fstat(workspace.fd)
        of = (status.st_dev, status.st_ino, workers)
        if self._pool is None or of != self._of:
            self.close()
            self._root = os.dup(workspace.fd)
            self._pool, self._of = Pool(workers, fds=(self._root,)), of
        return self._pool

    def passed_over(
        self, engine: Engine, workspace: Workspace, path: str, language: str
    ) -> FileData | None:
        """The outcome for a file that cannot match, told by its bytes; None: look at it."""
        kept = self._current(workspace, path, engine.request.max_file_size)
        return None if kept is None else engine.passed_over(kept.raw, kept.status, language)

    def _current(self, workspace: Workspace, path: str, limit: int) -> _Kept | None:
        """What the file holds now; None where a worker should say what is wrong with it."""
        kept = self._files.get(path)
        if kept is not None and kept.settled and len(kept.raw) <= limit:
            try:
                status = workspace.status(path)
            except OSError:
                return None
            if _identity(status) == _identity(kept.status):
                self.reused += 1
                return kept
        return self._read(workspace, path, limit)

    def _read(self, workspace: Workspace, path: str, limit: int) -> _Kept | None:
        self._forget(path)
        now = time.time_ns()
        try:
            raw, status = workspace.read(path, limit)
        except OSError:
            return None
        if len(raw) > limit:
            return None
        settled = now - max(status.st_ctime_ns, status.st_mtime_ns) > self._settled
        kept = _Kept(raw, status, settled)
        if settled and self._size + len(raw) <= self._budget:
            self._files[path] = kept
            self._size += len(raw)
        return kept

    def _forget(self, path: str) -> None:
        kept = self._files.pop(path, None)
        if kept is not None:
            self._size -= len(kept.raw)

    def close(self) -> None:
        """Ends the workers and forgets the files; it can be used again."""
        if self._pool is not None:
            self._pool.close()
            os.close(self._root)
        self._pool, self._of, self._root, self._size = None, None, -1, 0
        self._files.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.close()


def _identity(status: os.stat_result) -> tuple[int, ...]:
    """What is another when a file is: nobody can set a change time back."""
    return (
        status.st_dev,
        status.st_ino,
        status.st_mode,
        status.st_size,
        status.st_mtime_ns,
        status.st_ctime_ns,
    )
