"""The durable store: one SQLite file that any number of processes share."""

from __future__ import annotations

import os
import zlib
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from resolve.actions import MOVES, Condition, PendingAction, State, new_id, now
from resolve.locks import Hold, hold_file, is_held
from resolve.marker import announce
from resolve.payload import pack, strict_json, unpack
from resolve.records import (
    AuditRow,
    Change,
    Claim,
    Compact,
    DropIntent,
    Move,
    Push,
    Record,
    RecordKind,
    Remove,
    SaveIntent,
)
from resolve.statefile import StateFile
from resolve.store import PendingActionStore, refusal

_ACTION = """SELECT id, session, state, condition, sentence, handler, label, source, created,
    resolved, who, reason, details FROM actions"""
_NEWEST = " ORDER BY position DESC, id DESC"
_HELD = Condition("held", "Only the process that made it can resolve it, and that is running.")


class SqliteStore(PendingActionStore):
    """Keeps actions, audit, intents, images and exchange records in one state file.

    Everything that `commit` returned from survives a kill and a power cut. A volatile
    action is a row too; its callbacks stay in this object, and elsewhere it shows as `held`.
    """

    durable = True

    def __init__(self, path: str | os.PathLike[str]) -> None:
        super().__init__()
        self.file = StateFile(path)
        self.path = self.file.path
        self._volatile: dict[str, PendingAction] = {}
        self._own: Hold | None = None
        self._own_session = ""

    def close(self) -> None:
        """Closes the state file."""
        self.file.close()

    def meta(self, key: str) -> str | None:
        """Returns what a surface noted about this state file."""
        rows = self.file.read("SELECT value FROM meta WHERE key=?", (key,))
        return str(rows[0][0]) if rows else None

    def set_meta(self, key: str, value: str) -> None:
        """Notes something about this state file; writes only if it differs."""
        if self.meta(key) != value:
            with self.file.transaction():
                self.file.run("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    # -- writing ---------------------------------------------------------------------------

    def write(self, changes: Sequence[Change]) -> None:
        opening = [change.action_id for change in changes if isinstance(change, SaveIntent)]
        if opening:
            self._announce([*self._open_intents(), *opening])
        try:
            with self.file.transaction():
                for change in changes:
                    self._make(change)
        finally:
            if opening or any(isinstance(change, DropIntent) for change in changes):
                self.settle()
        for change in changes:
            if isinstance(change, Push) and not change.action.durable:
                self._volatile[change.action.id] = change.action

    def settle(self) -> None:
        self._announce(self._open_intents())

    def _announce(self, action_ids: Sequence[str]) -> None:
        with self.file.translated():
            announce(self.path, action_ids)

    def _open_intents(self) -> list[str]:
        return [row[0] for row in self.file.read("SELECT action_id FROM intents ORDER BY created")]

    def _make(self, change: Change) -> None:
        run = self.file.run
        match change:
            case Push():
                self._push(change)
            case Move():
                self._move(change)
            case Remove(action_id):
                run("DELETE FROM actions WHERE id=? AND state='pending'", (action_id,))
            case SaveIntent():
                self._save_intent(change)
            case DropIntent(action_id):
                run("DELETE FROM intents WHERE action_id=?", (action_id,))
            case AuditRow():
                self._append_audit(change)
            case Record():
                self._append(change)
            case Compact(snapshot, up_to):
                session = snapshot.session
                run("DELETE FROM records WHERE session=? AND seq<=?", (session, up_to))
                snapshot.seq = up_to
                self._append(snapshot)

    def _push(self, change: Push) -> None:
        action = change.action
        if not action.session:
            action.session = self._own_session_held()
        details = None if action.details is None else strict_json(action.details, "details")
        place = "(SELECT coalesce(max(position), 0) + 1 FROM actions)"
        if change.replaces is not None:
            place = "(SELECT position FROM actions WHERE id=:replaces)"
        self.file.run(
            f"""INSERT INTO actions (id, position, session, state, handler, label, source,
                created, details, payload) VALUES (:id, {place}, :session, :state, :handler,
                :label, :source, :created, :details, :payload)""",
            {
                "id": action.id,
                "replaces": change.replaces,
                "session": action.session,
                "state": action.state,
                "handler": action.handler,
                "label": action.label,
                "source": action.source_tool_name,
                "created": _ms(action.created_at),
                "details": None if details is None else pack(details),
                "payload": None if change.payload is None else pack(change.payload),
            },
        )

    def _move(self, change: Move) -> None:
        assert (change.source, change.target) in MOVES
        pending = change.target == "pending"
        condition, claim = change.condition, change.claim
        moved = self.file.run(
            """UPDATE actions SET state=?, condition=?, sentence=?, resolved=?, who=?, reason=?,
               claim_session=?, claim_call=?, claim_locked=? WHERE id=? AND state=?""",
            (
                change.target,
                None if condition is None else str(condition),
                None if condition is None else condition.sentence,
                None if pending else _ms(now()),
                None if pending else change.who,
                None if pending else change.reason,
                None if claim is None else claim.session,
                None if claim is None else claim.call_id,
                None if claim is None else claim.locked,
                change.action_id,
                change.source,
            ),
        )
        if not moved:
            raise refusal(change.action_id, self.get(change.action_id))

    def _save_intent(self, change: SaveIntent) -> None:
        moment = _ms(now())
        self.file.run(
            "INSERT INTO intents VALUES (?, ?, ?)",
            (change.action_id, moment, pack(change.intent)),
        )
        for sha256, image in change.images.items():
            self.file.run(
                "INSERT INTO images VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET created=?",
                (sha256, moment, zlib.compress(image, 1), moment),
            )
            self.file.run(
                "INSERT OR IGNORE INTO image_uses VALUES (?, ?)", (change.action_id, sha256)
            )

    def _append_audit(self, row: AuditRow) -> None:
        files = strict_json([dict(file) for file in row.files], "files")
        self.file.run(
            """INSERT INTO audit (time, action_id, kind, label, who, reason, outcome, code, text,
               session, call_id, files) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
            (
                _ms(row.time),
                row.action_id,
                row.kind,
                row.label,
                row.who,
                row.reason,
                row.outcome,
                row.code,
                row.text,
                row.session,
                row.call_id,
                pack(files),
            ),
        )

    def _append(self, record: Record) -> None:
        body = pack(strict_json(record.body, "record"))
        self.file.run(
            "INSERT INTO records (seq, session, kind, call_id, body) VALUES (?, ?, ?, ?, ?)",
            (record.seq or None, record.session, record.kind, record.call_id, body),
        )

    def _own_session_held(self) -> str:
        """Returns the session of actions pushed without one: this object's own, held."""
        if self._own is None:
            self._own_session = f"store-{new_id()}"
            self._own = self.hold(self._own_session)
        return self._own_session

    # -- reading ---------------------------------------------------------------------------

    def get(self, action_id: str) -> PendingAction | None:
        rows = self.file.read(f"{_ACTION} WHERE id=?", (action_id,))
        return self._action(rows[0]) if rows else None

    def select(
        self, states: Sequence[State], session: str | None = None, limit: int | None = None
    ) -> list[PendingAction]:
        marks = ", ".join("?" * len(states))
        where = f" WHERE state IN ({marks}) AND (? IS NULL OR session=?)"
        rows = self.file.read(
            f"{_ACTION}{where}{_NEWEST} LIMIT ?",
            (*states, session, session, -1 if limit is None else limit),
        )
        return [self._action(row) for row in rows]

    def tally(self, session: str | None = None) -> int:
        where = "state='pending' AND (? IS NULL OR session=?)"
        rows = self.file.read(f"SELECT count(*) FROM actions WHERE {where}", (session, session))
        return int(rows[0][0])

    def ending(self, suffix: str) -> list[PendingAction]:
        where = f"{_ACTION} WHERE substr(id, -?) = ?{_NEWEST}"
        return [self._action(row) for row in self.file.read(where, (len(suffix), suffix))]

    def payload(self, action_id: str) -> Any:
        rows = self.file.read("SELECT payload FROM actions WHERE id=?", (action_id,))
        return unpack(rows[0][0]) if rows and rows[0][0] is not None else None

    def claims(self) -> list[Claim]:
        rows = self.file.read(
            """SELECT id, claim_session, claim_locked, claim_call FROM actions
               WHERE state='applying' ORDER BY position"""
        )
        return [Claim(row[0], row[1], bool(row[2]), row[3]) for row in rows]

    def held(self) -> list[PendingAction]:
        rows = self.file.read(f"{_ACTION} WHERE state='pending' AND handler IS NULL")
        return [self._action(row) for row in rows if row[0] not in self._volatile]

    def intents(self) -> list[tuple[str, Any]]:
        rows = self.file.read("SELECT action_id, intent FROM intents ORDER BY created")
        return [(action_id, unpack(intent)) for action_id, intent in rows]

    def image(self, sha256: str) -> bytes | None:
        rows = self.file.read("SELECT image FROM images WHERE sha256=?", (sha256,))
        return zlib.decompress(rows[0][0]) if rows else None

    def audit(
        self,
        *,
        action_id: str | None = None,
        kind: str | None = None,
        who: str | None = None,
        outcome: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int | None = None,
    ) -> list[AuditRow]:
        wanted = {
            "action_id = ?": action_id,
            "kind = ?": kind,
            "who = ?": who,
            "outcome = ?": outcome,
            "time >= ?": None if since is None else _ms(since),
            "time <= ?": None if until is None else _ms(until),
        }
        given = {test: value for test, value in wanted.items() if value is not None}
        where = " AND ".join(given) or "1"
        rows = self.file.read(
            f"""SELECT action_id, kind, label, who, reason, outcome, code, text, files, session,
                call_id, time, seq FROM audit WHERE {where} ORDER BY seq DESC LIMIT ?""",
            (*given.values(), -1 if limit is None else limit),
        )
        return [_audit_row(row) for row in rows]

    def log(self, session: str) -> list[Record]:
        rows = self.file.read(
            "SELECT kind, call_id, body, seq FROM records WHERE session=? ORDER BY seq", (session,)
        )
        return [
            Record(session, cast(RecordKind, kind), call_id, unpack(body), seq)
            for kind, call_id, body, seq in rows
        ]

    def hold(self, session: str) -> Hold:
        return hold_file(self._lock_file(session), session)

    def alive(self, session: str) -> bool:
        return is_held(self._lock_file(session))

    def _lock_file(self, session: str) -> Path:
        return self.path.parent / "sessions" / f"{session}.lock"

    def _action(self, row: tuple[Any, ...]) -> PendingAction:
        live = self._volatile.get(row[0])
        action = PendingAction(
            id=row[0],
            session=row[1],
            state=row[2],
            condition=None if row[3] is None else Condition(row[3], row[4]),
            handler=row[5],
            label=row[6],
            source_tool_name=row[7],
            created_at=_time(row[8]),
            resolved_at=None if row[9] is None else _time(row[9]),
            resolved_by=row[10],
            reason=row[11],
            details=None if row[12] is None else unpack(row[12]),
        )
        if live is not None:
            action.apply, action.reject = live.apply, live.reject
            action.on_apply_error = live.on_apply_error
        elif action.handler is None and action.state == "pending":
            action.condition = _HELD
        return action


def _audit_row(row: tuple[Any, ...]) -> AuditRow:
    values: list[Any] = list(row)
    values[8], values[11] = unpack(values[8]), _time(values[11])
    return AuditRow(*values)


def _ms(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)


def _time(ms: int) -> datetime:
    return datetime.fromtimestamp(ms / 1000, UTC)
