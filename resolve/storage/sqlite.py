"""The durable store: one state file that any number of processes share."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from resolve.locks import Hold, hold_file, is_held
from resolve.storage.marker import announce, interrupted
from resolve.store import PendingActionStore


class SqliteStore(PendingActionStore, AbstractContextManager["SqliteStore"]):
    """A store in a state file.

    Everything that `commit` returned from survives a kill and a power cut. Whoever opens a
    store closes it, by hand or with `with`; a session does not.
    """

    durable = True

    def __init__(self, path: str | os.PathLike[str]) -> None:
        super().__init__(Path(path))

    def __exit__(self, *_: object) -> None:
        self.close()

    def hold(self, session: str) -> Hold:
        with self.file.translated():
            return hold_file(self._lock_file(session), session)

    def alive(self, session: str) -> bool:
        with self.file.translated():
            return is_held(self._lock_file(session))

    def _lock_file(self, session: str) -> Path:
        return self.path.parent / "sessions" / f"{session}.lock"

    def _announced(self) -> list[str]:
        return interrupted(self.path)

    def _announce(self, action_ids: Sequence[str]) -> None:
        with self.file.translated():
            announce(self.path, action_ids)
