"""What a long-lived host keeps between two runs: workers, bytes of files, outcomes.

A run gives the same answer with it as without. What is kept of a file is used again only
while nobody can have changed it: the kernel, which tells of every change to a watched tree
(see `freshness`), has told of none; or, where it cannot be asked, the file's status is what
it was before it was read, long enough after its last change for the clock to tell a later
one. Nothing that is applied relies on it: an apply runs the request again without.
"""

import os
import time
from collections.abc import Collection, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

from astedit.discover.listing import Paths
from astedit.engine.files.file import Engine
from astedit.engine.files.outcome import FileData
from astedit.engine.fingerprint import asked_by
from astedit.engine.freshness import Freshness, identity_of
from astedit.workers.plain import restored
from astedit.workers.pool import Pool
from astedit.workspace.root import Workspace

BUDGET = 256 << 20  # bytes of files that are kept
_REQUESTS = 4  # whose outcomes are kept
_PIECES = 500  # edits and matches of one file's outcome that is kept
SETTLED = 2.0  # seconds; file systems count in steps of up to 2 s (FAT), most of 4 ms
_AGAIN = 500  # files that were only opened, which are read again in one run


@dataclass(slots=True)
class _Kept:
    """A file's bytes, and what its status was before they were read.

    `heard`: the kernel tells before anybody can change it.
    """

    raw: bytes
    status: os.stat_result
    identity: tuple[int, ...]
    heard: bool
    settled: bool
    outcomes: dict[str, tuple[Any, ...]] = field(default_factory=dict)  # by request


class Resident(AbstractContextManager["Resident"]):
    """Workers and files that outlive a run; a context manager.

    Use it for one root, from one thread at a time. When the root is another directory by
    now (deleted and made again) everything is forgotten.
    """

    def __init__(
        self, budget: int = BUDGET, settled: float = SETTLED, *, watch: bool = True
    ) -> None:
        """Without `watch` the kernel is not asked, and every file's status is."""
        self._budget = budget
        self._settled = int(settled * 1e9)
        self._size = 0
        self._files: dict[str, _Kept] = {}
        self._pool: Pool | None = None
        self._root = -1
        self._of: tuple[int, int, int] | None = None
        self._valid: set[str] = set()
        self._unheard: set[str] = set()
        self._requests: list[str] = []
        self._listings: dict[str, Paths] = {}
        self._replays: dict[str, tuple[object, int]] = {}
        self._freshness = Freshness(asked=watch)
        self._looked = False
        self.checked = ""  # how the last run found out what had changed, see `Stats`
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

    def begin(self, workspace: Workspace, *, whole: bool) -> None:
        """Asks what changed, before the tree is listed; a run of its `whole` watches it."""
        self._looked = whole
        self._hear()
        if whole:
            self._freshness.watch(self._root, workspace.root)
            self._look(workspace, list(self._unheard))
        self.checked = self._freshness.checked

    def end(self, workspace: Workspace) -> None:
        """Ends a run: what its workers have opened is no news for the next one."""
        opened = self._hear()
        if opened and self._looked:
            self._look(workspace, opened)
            self._hear()

    def _hear(self) -> Collection[str]:
        """Forgets what the kernel says has changed; returns what somebody has opened."""
        changes = self._freshness.changes()
        if changes is None or changes.names:
            self._listings.clear()
            self._replays.clear()
        if changes is None:
            self._unheard |= self._files.keys()
            for kept in self._files.values():
                kept.heard = False
            return ()
        places = tuple(f"{directory}/" for directory in changes.directories)
        moved = [path for path in self._files if path.startswith(places)] if places else []
        for path in (*(changes.written & self._files.keys()), *moved):
            self._forget(path)
            self._replays.clear()
        opened = changes.opened & self._files.keys()
        for path in opened:
            self._files[path].heard = False
        self._unheard |= opened
        return opened

    def _look(self, workspace: Workspace, unheard: Iterable[str]) -> None:
        """Finds out which of the files that nobody watches are as they were.

        Some of them are watched again then: read once more, while nobody may write.
        """
        again = _AGAIN
        for path in unheard:
            if (kept := self._files.get(path)) is None:
                self._unheard.discard(path)
            elif not kept.settled or not _same(kept, workspace, path):
                self._forget(path)
                self._replays.clear()
            else:
                self._valid.add(path)
                if again and self._freshness.hears(path):
                    again -= 1
                    self._watch_again(kept, workspace, path)

    def _watch_again(self, kept: _Kept, workspace: Workspace, path: str) -> None:
        try:
            raw, status, unwritten = workspace.read_unwritten(path, len(kept.raw))
        except OSError:
            return
        self._freshness.own(path)
        if unwritten and identity_of(status) == kept.identity and raw == kept.raw:
            kept.heard = self._freshness.hears(path) and status.st_nlink == 1
        if kept.heard:
            self._unheard.discard(path)

    # -- listings and whole answers -------------------------------------------------------------

    def listing(self, asked: str) -> Paths | None:
        """What an earlier run has listed, if nothing can have changed since."""
        return self._listings.get(asked) if self._freshness.listens else None

    def learn_listing(self, asked: str, paths: Paths) -> None:
        """Keeps what a run has listed."""
        if self._freshness.listens:
            self._listings[asked] = paths

    def replay(self, asked: str) -> object:
        """The whole outcome of an earlier run, if no file can have changed since; else None."""
        if not (self._freshness.listens and self._looked and asked in self._replays):
            return None
        answer, files = self._replays[asked]
        self.reused += files
        self.known += files
        return answer

    def learn_replay(self, asked: str, replay: object, paths: Iterable[str]) -> None:
        """Keeps the whole outcome of a run over these files, if each of them is kept."""
        self._replays.pop(asked, None)
        files = list(paths)
        if self._freshness.listens and all(path in self._files for path in files):
            self._replays[asked] = (replay, len(files))
        for old in list(self._replays)[:-_REQUESTS]:
            del self._replays[old]

    def ask(self, engine: Engine) -> str:
        """Begins a run; returns the name by which outcomes of this very request are kept."""
        request = asked_by(engine.request, engine.mode, engine.want_hunks)
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
        if kept.heard or path in self._valid or _same(kept, workspace, path):
            self.reused += 1
            return kept
        return self._read(workspace, path, limit)

    def _read(self, workspace: Workspace, path: str, limit: int) -> _Kept | None:
        self._forget(path)
        now = time.time_ns()
        hears = self._freshness.hears(path)
        try:
            raw, status, unwritten = workspace.read_unwritten(path, limit)
        except OSError:
            return None
        if hears:
            self._freshness.own(path)
        if len(raw) > limit:
            return None
        settled = now - max(status.st_ctime_ns, status.st_mtime_ns) > self._settled
        heard = hears and unwritten is True and status.st_nlink == 1
        kept = _Kept(raw, status, identity_of(status), heard, settled)
        lasting = heard or (settled and unwritten is not False)
        if lasting and self._size + len(raw) <= self._budget:
            self._files[path] = kept
            self._size += len(raw)
            if not heard:
                self._unheard.add(path)
        return kept

    def _forget(self, path: str) -> None:
        kept = self._files.pop(path, None)
        self._unheard.discard(path)
        if kept is not None:
            self._size -= len(kept.raw)

    def close(self) -> None:
        """Ends the workers and forgets the files; it can be used again."""
        if self._pool is not None:
            self._pool.close()
            os.close(self._root)
        self._pool, self._of, self._root, self._size = None, None, -1, 0
        self._freshness.close()
        for known in (self._files, self._valid, self._unheard, self._requests):
            known.clear()
        self._listings.clear()
        self._replays.clear()

    def __exit__(self, *error: object) -> None:
        self.close()


def _same(kept: _Kept, workspace: Workspace, path: str) -> bool:
    """Whether the file is as it was; False where it cannot be asked."""
    try:
        return kept.settled and identity_of(workspace.status(path)) == kept.identity
    except OSError:
        return False
