"""The durable store: one SQLite file that any number of processes share."""

from __future__ import annotations

import os
import zlib
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from resolve import rows
from resolve.actions import Condition, PendingAction, State, new_id
from resolve.errors import StoreError
from resolve.locks import Hold, hold_file, is_held
from resolve.marker import announce, interrupted
from resolve.payload import unpack
from resolve.records import (
    Annotate,
    Annotation,
    AuditRow,
    Claim,
    DropIntent,
    Move,
    Push,
    Record,
    SaveIntent,
    StoreChange,
)
from resolve.schema import VERSION
from resolve.statefile import StateFile
from resolve.store import PendingActionStore, not_made

_NEWEST = " ORDER BY position DESC, id DESC"
_HELD = Condition("held", "Only the process that made it can resolve it, and that is running.")


def _intact(stored: str | bytes) -> Any:
    """Returns the stored value; None if what is stored is damaged."""
    try:
        return unpack(stored)
    except ValueError:
        return None


class SqliteStore(PendingActionStore):
    """Keeps actions, audit, intents, images and exchange records in one state file.

    Everything that `commit` returned from survives a kill and a power cut. A volatile
    action is a row too; its callbacks stay in this object, and elsewhere it shows as `held`.
    Whoever opens a store closes it, by hand or with `with`; a session does not.
    """

    durable = True

    def __init__(self, path: str | os.PathLike[str]) -> None:
        super().__init__()
        self.file = StateFile(path)
        self.path = self.file.path
        self.writable = self.file.version <= VERSION
        self._volatile: dict[str, PendingAction] = {}
        self._own: Hold | None = None
        self._own_session = ""

    def refuse_newer(self) -> None:
        if not self.writable:
            raise self.file.newer()

    def lost(self) -> list[str]:
        """Returns the interrupted applies of which this file knows nothing.

        It is not the one that they were written to then, or was emptied since.
        """
        known = set(self._open_intents())
        ids = [one for one in interrupted(self.path) if one not in known]
        return [action_id for action_id in ids if self.get(action_id) is None]

    def refuse_lost(self) -> None:
        if not interrupted(self.path):
            return
        self.file.check()
        if ids := self.lost():
            raise StoreError(
                f"{self.path} knows nothing of an apply that was interrupted ({', '.join(ids)}): "
                "it was emptied, deleted or replaced. What it kept is lost: what was staged, what "
                "files held before, and the log.",
                code="store_lost",
                hint="Put the state file back and recover again.",
            )

    def forget_lost(self, action_id: str, row: AuditRow) -> None:
        left = [*self._open_intents(), *(one for one in self.lost() if one != action_id)]
        with self.file.transaction():
            rows.write(self.file.run, row)
        self._announce(left)

    def close(self) -> None:
        """Closes the state file; what is stored stays. A second call does nothing."""
        if self._own is not None:
            self._own.close()
        self.file.close()

    def __enter__(self) -> SqliteStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def meta(self, key: str) -> str | None:
        """Returns what a surface noted about this state file."""
        stored = self.file.read("SELECT value FROM meta WHERE key=?", (key,))
        return str(stored[0][0]) if stored else None

    def set_meta(self, key: str, value: str) -> None:
        """Notes something about this state file; writes only if it differs."""
        if self.meta(key) != value:
            with self.file.transaction():
                self.file.run("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    # -- writing ---------------------------------------------------------------------------

    def write(self, changes: Sequence[StoreChange]) -> None:
        opening = [change.action_id for change in changes if isinstance(change, SaveIntent)]
        touching = opening or any(isinstance(change, DropIntent) for change in changes)
        lost = self.lost() if touching else []
        if opening:  # an intent that takes the place of its action's first is announced
            wanted = list(dict.fromkeys([*lost, *self._open_intents(), *opening]))
            if interrupted(self.path) != wanted:
                self._announce(wanted)
        try:
            with self.file.transaction():
                for change in changes:
                    self._make(change)
            if opening:  # before any file is touched: what ends it outlives a lost -wal
                self.file.settle()
        finally:
            if touching:
                self._settle(lost)
        for change in changes:
            if isinstance(change, Push) and not change.action.durable:
                self._volatile[change.action.id] = change.action

    @property
    def unsettled(self) -> bool:
        return super().unsettled or bool(interrupted(self.path))

    def settle(self) -> None:
        self._settle(self.lost())

    def _settle(self, lost: Sequence[str]) -> None:
        opened = [*lost, *self._open_intents()]
        if not opened or interrupted(self.path) != opened:  # an empty marker goes, too
            self._announce(opened)

    def _announce(self, action_ids: Sequence[str]) -> None:
        with self.file.translated():
            announce(self.path, action_ids)

    def _open_intents(self) -> list[str]:
        return [row[0] for row in self.file.read("SELECT action_id FROM intents ORDER BY created")]

    def _make(self, change: StoreChange) -> None:
        if isinstance(change, Push) and not change.action.session:
            change.action.session = self._own_session_held()
        if not rows.write(self.file.run, change):
            assert isinstance(change, Move | Annotate)
            raise not_made(change, self.get(change.action_id))

    def _own_session_held(self) -> str:
        """Returns the session of actions pushed without one; this object holds its lock."""
        if self._own is None:
            self._own_session = f"store-{new_id()}"
            self._own = self.hold(self._own_session)
        return self._own_session

    # -- reading ---------------------------------------------------------------------------

    def get(self, action_id: str) -> PendingAction | None:
        stored = self._actions(f"{rows.ACTION} WHERE id=?", (action_id,))
        if not stored and self.file.read("SELECT 1 FROM actions WHERE id=?", (action_id,)):
            raise StoreError(
                f"{self.path}: what is stored of {action_id} cannot be read.",
                code="store_damaged",
                hint="All other actions can be resolved.",
            )
        return stored[0] if stored else None

    def select(
        self, states: Sequence[State], session: str | None = None, limit: int | None = None
    ) -> list[PendingAction]:
        marks = ", ".join("?" * len(states))
        where = f" WHERE state IN ({marks}) AND (? IS NULL OR session=?)"
        sql, values = f"{rows.ACTION}{where}{_NEWEST}", (*states, session, session)
        if limit is None:
            return self._actions(sql, values)
        newest = self._actions(f"{sql} LIMIT ?", (*values, limit))
        return newest if len(newest) == limit else self._actions(sql, values)[:limit]

    def tally(self, session: str | None = None) -> int:
        where = "state='pending' AND (? IS NULL OR session=?)"
        stored = self.file.read(f"SELECT count(*) FROM actions WHERE {where}", (session, session))
        return int(stored[0][0])

    def alike(self, end: str) -> list[PendingAction]:
        where = f"{rows.ACTION} WHERE substr(id, -?) = ? OR substr(id, 1, ?) = ?{_NEWEST}"
        return self._actions(where, (len(end), end) * 2)

    def payload(self, action_id: str) -> Any:
        stored = self.file.read("SELECT payload FROM actions WHERE id=?", (action_id,))
        if not stored or stored[0][0] is None:
            return None
        try:
            return unpack(stored[0][0])
        except ValueError as error:
            message = f"{self.path}: what is stored of {action_id} is damaged."
            hint = "Discard it; what it would do cannot be read any more."
            raise StoreError(message, code="store_damaged", hint=hint) from error

    def annotations(self, action_id: str, after: int = 0) -> list[Annotation]:
        return self.file.rows(rows.annotation, rows.ANNOTATIONS, (action_id, after))

    def claims(self) -> list[Claim]:
        stored = self.file.read(
            """SELECT id, claim_session, claim_locked, claim_call FROM actions
               WHERE state='applying' ORDER BY position"""
        )
        return [Claim(row[0], row[1], bool(row[2]), row[3]) for row in stored]

    def held(self) -> list[PendingAction]:
        stored = self._actions(f"{rows.ACTION} WHERE state='pending' AND handler IS NULL")
        return [action for action in stored if action.id not in self._volatile]

    def intents(self) -> list[tuple[str, Any]]:
        stored = self.file.read("SELECT action_id, intent FROM intents ORDER BY created")
        return [(action_id, _intact(intent)) for action_id, intent in stored]

    def image(self, sha256: str) -> bytes | None:
        stored = self.file.read("SELECT image FROM images WHERE sha256=?", (sha256,))
        try:
            return zlib.decompress(stored[0][0]) if stored else None
        except (TypeError, zlib.error):
            return None  # damaged: as good as not stored

    def image_names(self) -> set[str]:
        return {str(row[0]) for row in self.file.read("SELECT sha256 FROM images")}

    def audit_rows(
        self,
        equal: Mapping[str, str],
        since: datetime | None,
        until: datetime | None,
        limit: int | None,
    ) -> list[AuditRow]:
        tests: dict[str, str | int] = {f"{name} = ?": value for name, value in equal.items()}
        if since is not None:
            tests["time >= ?"] = rows.ms(since)
        if until is not None:
            tests["time <= ?"] = rows.ms(until)
        where = " AND ".join(tests) or "1"
        sql = f"{rows.AUDIT} WHERE {where} ORDER BY seq DESC LIMIT ?"
        values = (*tests.values(), -1 if limit is None else limit)
        return self.file.rows(rows.audit_row, sql, values)

    def resolved_calls(self, session: str) -> set[str]:
        sql = "SELECT DISTINCT call_id FROM audit WHERE session=? AND call_id IS NOT NULL"
        return {str(row[0]) for row in self.file.read(sql, (session,))}

    def log(self, session: str, after: int = 0) -> list[Record]:
        columns = "SELECT session, kind, call_id, body, seq FROM records"
        where = "WHERE session=? AND seq>? ORDER BY seq"
        return self.file.rows(rows.record, f"{columns} {where}", (session, after))

    def hold(self, session: str) -> Hold:
        with self.file.translated():
            return hold_file(self._lock_file(session), session)

    def alive(self, session: str) -> bool:
        with self.file.translated():
            return is_held(self._lock_file(session))

    def _lock_file(self, session: str) -> Path:
        return self.path.parent / "sessions" / f"{session}.lock"

    def _actions(self, sql: str, parameters: Sequence[Any] = ()) -> list[PendingAction]:
        return self.file.rows(self._action, sql, parameters)

    def _action(self, row: tuple[Any, ...]) -> PendingAction:
        action = rows.action(row)
        live = self._volatile.get(action.id)
        if live is not None:
            action.apply, action.reject = live.apply, live.reject
            action.on_apply_error = live.on_apply_error
        elif action.handler is None and action.state == "pending":
            action.condition = _HELD
        return action
