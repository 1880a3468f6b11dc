"""The store of pending actions: one SQLite database, in a file for many processes or in memory."""

from __future__ import annotations

import os
import sys
import zlib
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any, TypeGuard
from weakref import WeakValueDictionary

from resolve.actions import Condition, PendingAction, State, new_id
from resolve.errors import SessionBusy, StoreError
from resolve.locks import PROBE, Hold, hold_file, is_held
from resolve.records import (
    Annotate,
    Annotation,
    AuditRow,
    Claim,
    DropIntent,
    Move,
    Push,
    Record,
    Remove,
    SaveIntent,
    StoreChange,
)
from resolve.stack import Stack, half_done, not_made
from resolve.storage import rows
from resolve.storage.marker import announce, interrupted
from resolve.storage.rows import unpack
from resolve.storage.statefile import VERSION, StateFile

Listener = Callable[[PendingAction], None]
_NEWEST = " ORDER BY position DESC, id DESC"
_HELD = Condition("held", "Only the process that made it can resolve it, and that is running.")


class PendingActionStore(Stack, AbstractContextManager["PendingActionStore"]):
    """Actions, audit rows, intents, images and exchange records, in one SQLite database.

    A commit makes all changes or none. What is handed out is a snapshot: ask again for the
    present state. Callbacks of a volatile action stay in this object; elsewhere it is `held`.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.durable = path is not None
        self.file = StateFile(path)
        self.path = self.file.path
        self.writable = self.file.version <= VERSION
        self._listeners: dict[Listener, None] = {}
        self._volatile: dict[str, PendingAction] = {}
        self._holds: WeakValueDictionary[str, Hold] = WeakValueDictionary()  # of one in memory

    @property
    def records(self) -> PendingActionStore:
        return self

    def close(self) -> None:
        """Closes the database; a second call does nothing."""
        if (own := vars(self).get("_own")) is not None:
            own[1].close()
        self.file.close()

    def __exit__(self, *_: object) -> None:
        self.close()

    @cached_property
    def _own(self) -> tuple[str, Hold]:
        """The session of actions that are pushed without one, and its lock."""
        session = f"store-{new_id()}"
        return session, self.hold(session)

    # -- sessions, and what is announced beside the file -----------------------------------------

    def hold(self, session: str, wait: float = PROBE) -> Hold:
        """Takes the session lock; raises `SessionBusy` where another has it for so long."""
        if self.durable:
            with self.file.translated():
                return hold_file(self._lock_file(session), session, wait)
        if self.alive(session):
            raise SessionBusy(f"Session {session} is open already.", code="session_busy")
        hold = self._holds[session] = Hold()
        return hold

    def alive(self, session: str) -> bool:
        """True while some process holds the session lock."""
        if self.durable:
            with self.file.translated():
                return is_held(self._lock_file(session))
        hold = self._holds.get(session)
        return hold is not None and hold.open

    def _lock_file(self, session: str) -> Path:
        return self.path.parent / "sessions" / f"{session}.lock"

    def _announced(self) -> list[str]:
        """The ids of the applies that are announced outside of the database as open."""
        return interrupted(self.path) if self.durable else self._open_intents()

    def _announce(self, action_ids: Sequence[str]) -> None:
        """Announces these and no others."""
        if self.durable:
            with self.file.translated():
                announce(self.path, action_ids)

    # -- writing ---------------------------------------------------------------------------------

    def subscribe(self, listener: Listener) -> Callable[[], object]:
        """Tells `listener` of every push through this object; returns how to stop that."""
        self._listeners[listener] = None
        return lambda: self._listeners.pop(listener, None)

    def commit(self, *changes: StoreChange) -> None:
        """Makes all changes or none, then tells the listeners.

        Raises `ToolError`: `invalid` for what could not be read back, `interrupted` for what
        would forget an action whose intent is open.
        """
        for change in changes:
            rows.refuse_odd_fields(change)
        self._refuse_interrupted(changes)
        if changes:
            self.write(changes)
        for change in changes:
            if isinstance(change, Push):
                for listener in tuple(self._listeners):
                    listener(change.action)

    def _refuse_interrupted(self, changes: Sequence[StoreChange]) -> None:
        leaving = {change.action_id for change in changes if _forgets(change)}
        leaving -= {change.action_id for change in changes if isinstance(change, DropIntent)}
        for action_id, _ in self.intents() if leaving else ():
            if action_id in leaving:
                raise half_done(action_id, "it is half done")

    def write(self, changes: Sequence[StoreChange]) -> None:
        """Makes all changes in one transaction; what it returned from survives a power cut."""
        opening = [change.action_id for change in changes if isinstance(change, SaveIntent)]
        touching = opening or any(isinstance(change, DropIntent) for change in changes)
        lost = self.lost() if touching else []
        if opening:  # an intent that takes the place of its action's first is announced
            announcing = list(dict.fromkeys([*lost, *self._open_intents(), *opening]))
            if self._announced() != announcing:
                self._announce(announcing)
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

    def _make(self, change: StoreChange) -> None:
        if isinstance(change, Push) and not change.action.session:
            change.action.session = self._own[0]
        if not rows.write(self.file.run, change):
            assert isinstance(change, Move | Annotate)
            raise not_made(change, self.get(change.action_id))

    # -- interrupted applies ---------------------------------------------------------------------

    def refuse_newer(self) -> None:
        """Raises `StoreError` where a newer version wrote the file, which is then only read."""
        if not self.writable:
            raise self.file.newer()

    def lost(self) -> list[str]:
        """Returns the ids of the interrupted applies that are announced and not stored.

        The file is not the one that they were written to then, or was emptied since.
        """
        stored = set(self._open_intents())
        ids = [action_id for action_id in self._announced() if action_id not in stored]
        return [action_id for action_id in ids if self.get(action_id) is None]

    def refuse_lost(self) -> None:
        """Raises `StoreError` (`store_lost`) if an interrupted apply is announced of which
        nothing is stored: then nobody may say that there was none."""
        if not self._announced():
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
        """Records how a person ended an apply of which nothing is stored."""
        left = [*self._open_intents(), *(lost for lost in self.lost() if lost != action_id)]
        with self.file.transaction():
            rows.write(self.file.run, row)
        self._announce(left)

    @property
    def unsettled(self) -> bool:
        """True while an apply runs, and after one was interrupted."""
        return bool(self.claims() or self.intents() or self._announced())

    def settle(self) -> None:
        """Makes what a store shows outside of open intents agree with them."""
        self._settle(self.lost())

    def _settle(self, lost: Sequence[str]) -> None:
        opened = [*lost, *self._open_intents()]
        if not opened or self._announced() != opened:  # an empty marker goes, too
            self._announce(opened)

    def _open_intents(self) -> list[str]:
        return [row[0] for row in self.file.read("SELECT action_id FROM intents ORDER BY created")]

    # -- reading ---------------------------------------------------------------------------------

    def meta(self, key: str) -> str | None:
        """Returns what was noted about this store."""
        stored = self.file.read("SELECT value FROM meta WHERE key=?", (key,))
        return str(stored[0][0]) if stored else None

    def set_meta(self, key: str, value: str) -> None:
        """Notes something about this store; writes only if it differs."""
        if self.meta(key) != value:
            with self.file.transaction():
                self.file.run("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def get(self, action_id: str) -> PendingAction | None:
        stored = self._actions("WHERE id=?", (action_id,))
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
        where = f"WHERE state IN ({marks}) AND (? IS NULL OR session=?){_NEWEST}"
        values = (*states, session, session)
        if limit is None:
            return self._actions(where, values)
        newest = self._actions(f"{where} LIMIT ?", (*values, limit))
        return newest if len(newest) == limit else self._actions(where, values)[:limit]

    def tally(self, session: str | None = None) -> int:
        where = "state='pending' AND (? IS NULL OR session=?)"
        stored = self.file.read(f"SELECT count(*) FROM actions WHERE {where}", (session, session))
        return int(stored[0][0])

    def alike(self, end: str) -> list[PendingAction]:
        where = f"WHERE substr(id, -?) = ? OR substr(id, 1, ?) = ?{_NEWEST}"
        return self._actions(where, (len(end), end) * 2)

    def payload(self, action_id: str) -> Any:
        """Returns the payload of a durable action; None if there is none."""
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
        """Returns what is kept beside an action since revision `after`, in that order."""
        sql = """SELECT key, body, revision FROM annotations
            WHERE action_id=? AND revision>? ORDER BY revision, key"""
        return self.file.rows(rows.read_annotation, sql, (action_id, after))

    def claims(self) -> list[Claim]:
        """Returns who claimed the actions that are `applying`, oldest first."""
        stored = self.file.read(
            """SELECT id, claim_session, claim_locked, claim_call FROM actions
               WHERE state='applying' ORDER BY position"""
        )
        return [Claim(row[0], row[1], bool(row[2]), row[3]) for row in stored]

    def held(self) -> list[PendingAction]:
        """Returns the pending volatile actions whose callbacks are not in this object."""
        stored = self._actions("WHERE state='pending' AND handler IS NULL")
        return [action for action in stored if action.id not in self._volatile]

    def intents(self) -> list[tuple[str, Any]]:
        """Returns the open intents as (action id, intent), oldest first; None for a damaged one."""
        stored = self.file.read("SELECT action_id, intent FROM intents ORDER BY created")
        return [(action_id, _intact(intent)) for action_id, intent in stored]

    def image(self, sha256: str) -> bytes | None:
        """Returns a stored image, of any action; None for one that is damaged."""
        stored = self.file.read("SELECT image FROM images WHERE sha256=?", (sha256,))
        try:
            return zlib.decompress(stored[0][0]) if stored else None
        except (TypeError, zlib.error):
            return None

    def image_names(self) -> set[str]:
        """Returns the hashes of all stored images."""
        return {str(row[0]) for row in self.file.read("SELECT sha256 FROM images")}

    def audit(
        self,
        *,
        action_id: str | None = None,
        kind: str | None = None,
        who: str | None = None,
        outcome: str | None = None,
        session: str | None = None,
        call_id: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int | None = None,
    ) -> list[AuditRow]:
        """Returns the audit rows that fit all filters (times included), newest first."""
        tests: dict[str, str | int | None] = {
            "action_id = ?": action_id,
            "kind = ?": kind,
            "who = ?": who,
            "outcome = ?": outcome,
            "session = ?": session,
            "call_id = ?": call_id,
            "time >= ?": None if since is None else rows.ms(since),
            "time <= ?": None if until is None else rows.ms(until),
        }
        tests = {test: value for test, value in tests.items() if value is not None}
        where = " AND ".join(tests) or "1"
        sql = f"SELECT {rows.AUDIT.columns} FROM audit WHERE {where} ORDER BY seq DESC LIMIT ?"
        most = sys.maxsize if limit is None else min(limit, sys.maxsize)
        return self.file.rows(rows.AUDIT.read, sql, (*tests.values(), most))

    def resolved_calls(self, session: str) -> set[str]:
        """Returns the ids of the calls of a session that resolved an action."""
        sql = "SELECT DISTINCT call_id FROM audit WHERE session=? AND call_id IS NOT NULL"
        return {str(row[0]) for row in self.file.read(sql, (session,))}

    def log(self, session: str, after: int = 0) -> list[Record]:
        """Returns the exchange records of a session behind number `after`, in order."""
        where = "WHERE session=? AND seq>? ORDER BY seq"
        sql = f"SELECT {rows.RECORDS.columns} FROM records {where}"
        return self.file.rows(rows.RECORDS.read, sql, (session, after))

    def _actions(self, where: str, parameters: Sequence[Any] = ()) -> list[PendingAction]:
        return self.file.rows(self._action, f"{rows.ACTION} {where}", parameters)

    def _action(self, row: tuple[Any, ...]) -> PendingAction:
        action = rows.read_action(row)
        live = self._volatile.get(action.id)
        if live is not None:
            action.apply, action.reject = live.apply, live.reject
            action.on_apply_error = live.on_apply_error
        elif action.handler is None and action.state == "pending":
            action.condition = _HELD
        return action


class MemoryStore(PendingActionStore):
    """Lives as long as its process, and so do its actions."""


class SqliteStore(PendingActionStore):
    """A store in a state file, which any number of processes share.

    Everything that `commit` returned from survives a kill and a power cut. Whoever opens a
    store closes it, by hand or with `with`; a session does not.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        super().__init__(Path(path))


def _intact(stored: str | bytes) -> Any:
    try:
        return unpack(stored)
    except ValueError:
        return None


def _forgets(change: StoreChange) -> TypeGuard[Move | Remove]:
    return isinstance(change, Remove) or (
        isinstance(change, Move)
        and (change.target in ("discarded", "lost") or change[1:3] == ("pending", "superseded"))
    )
