"""What a long-lived host keeps between two runs: workers, bytes of files, outcomes.

A run gives the same answer with it as without: what is kept of a file is used again only
while its status is exactly what it was before the file was read, and if it was read long
enough after its last change for the clock to tell a later one. Nothing that is applied
relies on it: an apply runs the request again without.
"""

import os
import time
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from astedit.engine.file import Engine
from astedit.engine.outcome import FileData
from astedit.workers.plain import plain, restored
from astedit.workers.pool import Pool
from astedit.workspace.root import Workspace

BUDGET = 256 << 20  # bytes of files that are kept
_REQUESTS = 4  # whose outcomes are kept
_PIECES = 500  # edits and matches of one file's outcome that is kept
SETTLED = 2.0  # seconds; file systems count in steps of up to 2 s (FAT), most of 4 ms


@dataclass(slots=True)
class _Kept:
    """A file's bytes, and what its status was before they were read."""

    raw: bytes
    status: os.stat_result
    identity: tuple[int, ...]
    outcomes: dict[str, tuple[Any, ...]] = field(default_factory=dict)  # by request


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
        self._valid: set[str] = set()
        self._requests: list[str] = []
        self.reused = 0  # files that were not read again
        self.known = 0  # files that were not even looked into again

    def pool(self, workspace: Workspace, workers: int) -> Pool:
        """The workers of this root, started by an earlier run or to be started by this one."""
        status = os.fstat(workspace.fd)
        of = (status.st_dev, status.st_ino, workers)
        if self._pool is None or of != self._of:
            self.close()
            self._root = os.dup(workspace.fd)
            self._pool, self._of = Pool(workers, fds=(self._root,)), of
        self._valid.clear()
        return self._pool

    def look(self, workspace: Workspace) -> None:
        """Finds out which files are as they were, while git still lists them."""
        self._valid = {path for path, kept in self._files.items() if _same(kept, workspace, path)}

    def ask(self, engine: Engine) -> str:
        """Begins a run; returns the name by which outcomes of this very request are kept."""
        request = repr((plain(engine.request), engine.mode, engine.want_hunks))
        if request in self._requests:
            self._requests.remove(request)
        self._requests.append(request)
        for old in self._requests[:-_REQUESTS]:
            for kept in self._files.values():
                kept.outcomes.pop(old, None)
        del self._requests[:-_REQUESTS]
        return request

    def outcome(
        self, request: str, engine: Engine, workspace: Workspace, path: str, language: str
    ) -> FileData | None:
        """What is known of a file without parsing it; None: look at it."""
        kept = self._current(workspace, path, engine.request.max_file_size)
        if kept is None:
            return None
        if (known := kept.outcomes.get(request)) is not None:
            self.known += 1
            return restored(FileData, known)
        data = engine.passed_over(path, kept.raw, kept.status, language)
        if data is not None:
            kept.outcomes[request] = data.plain()
        return data

    def learn(self, request: str, path: str, data: FileData) -> None:
        """Keeps what this run found out about a file that `outcome` did not know.

        The worker read it later than we did. If it changed between, its status will not be
        the one that we know, and all that is kept of it is forgotten.
        """
        kept = self._files.get(path)
        small = len(data.edits) + len(data.matches) + len(data.blocked) <= _PIECES
        if kept is not None and data.skip is None and small:
            kept.outcomes[request] = data.plain()

    def _current(self, workspace: Workspace, path: str, limit: int) -> _Kept | None:
        """What the file holds now; None where a worker should say what is wrong with it."""
        kept = self._files.get(path)
        if kept is None or len(kept.raw) > limit:
            return self._read(workspace, path, limit)
        if path in self._valid or _same(kept, workspace, path):
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
        kept = _Kept(raw, status, _identity(status))
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
        self._valid.clear()
        self._requests.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.close()


def _same(kept: _Kept, workspace: Workspace, path: str) -> bool:
    """Whether the file is as it was; False where it cannot be asked."""
    try:
        return _identity(workspace.status(path)) == kept.identity
    except OSError:
        return False


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
