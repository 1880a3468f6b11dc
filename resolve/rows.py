"""How changes are written as SQL, and how rows are read back."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

from resolve.actions import MOVES, Condition, PendingAction, now
from resolve.payload import lenient_json, pack, strict_json, unpack
from resolve.records import (
    Annotate,
    Annotation,
    AuditRow,
    Compact,
    DropIntent,
    Move,
    Push,
    Record,
    Remove,
    SaveIntent,
    StoreChange,
    odd_field,
)

IMAGE_AGE = 30 * 24 * 3600 * 1000  # milliseconds
IMAGE_BYTES = 1 << 30  # compressed, of one state file

Row = TypeVar("Row", PendingAction, AuditRow, Record)
RunStatement = Callable[[str, Sequence[Any] | Mapping[str, Any]], int]

ACTION = """SELECT id, session, state, condition, sentence, handler, label, source, created,
    resolved, who, reason, details FROM actions"""
AUDIT = """SELECT action_id, kind, label, who, reason, outcome, code, text, files, session,
    call_id, time, seq FROM audit"""
ANNOTATIONS = """SELECT key, body, revision FROM annotations
    WHERE action_id=? AND revision>? ORDER BY revision, key"""


def write(run: RunStatement, change: StoreChange) -> bool:
    """Makes one change inside a transaction; False when it may not be made any more.

    A `Move` found another state; an `Annotate` a later text, or an action that is decided.
    """
    match change:
        case Push():
            _push(run, change)
        case Move():
            return _move(run, change)
        case Remove(action_id):
            _remove(run, action_id)
        case Annotate():
            return _annotate(run, change)
        case SaveIntent():
            _save_intent(run, change)
        case DropIntent(action_id):
            run("DELETE FROM intents WHERE action_id=?", (action_id,))
        case AuditRow():
            _append_audit(run, change)
        case Record():
            _append(run, change, None)
        case Compact(snapshot, up_to):
            run("DELETE FROM records WHERE session=? AND seq<=?", (snapshot.session, up_to))
            _append(run, snapshot, up_to)
    return True


def _push(run: RunStatement, change: Push) -> None:
    action = change.action
    place = "(SELECT coalesce(max(position), 0) + 1 FROM actions)"
    if change.replaces is not None:
        place = "(SELECT position FROM actions WHERE id=:replaces)"
    run(
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
            "created": ms(action.created_at),
            "details": _details(action.details),
            "payload": None if change.payload is None else pack(change.payload),
        },
    )


def _details(details: Any) -> str | bytes | None:
    return None if details is None else pack(strict_json(details, "details"))


def _move(run: RunStatement, change: Move) -> bool:
    assert (change.source, change.target) in MOVES
    pending = change.target == "pending"
    condition, claim = change.condition, change.claim
    details = _details(change.details)
    moved = run(
        """UPDATE actions SET state=?, condition=?, sentence=?, resolved=?, who=?, reason=?,
           claim_session=?, claim_call=?, claim_locked=?, label=coalesce(?, label),
           details=coalesce(?, details) WHERE id=? AND state=?""",
        (
            change.target,
            None if condition is None else str(condition),
            None if condition is None else condition.sentence,
            None if pending else ms(now()),
            None if pending else change.who,
            None if pending else change.reason,
            None if claim is None else claim.session,
            None if claim is None else claim.call_id,
            None if claim is None else claim.locked,
            change.label,
            details,
            change.action_id,
            change.source,
        ),
    )
    return moved == 1


def _remove(run: RunStatement, action_id: str) -> None:
    if run("DELETE FROM actions WHERE id=? AND state='pending'", (action_id,)):
        run("DELETE FROM annotations WHERE action_id=?", (action_id,))
        run("DELETE FROM annotated WHERE action_id=?", (action_id,))


def _annotate(run: RunStatement, change: Annotate) -> bool:
    pending = run(
        """INSERT INTO annotated SELECT id, 1 FROM actions WHERE id=? AND state='pending'
           ON CONFLICT DO UPDATE SET revision=revision+1""",
        (change.action_id,),
    )
    return pending == 1 and all(
        run(
            """INSERT INTO annotations SELECT action_id, ?, revision, ? FROM annotated
               WHERE action_id=? ON CONFLICT DO UPDATE SET
               body=excluded.body, revision=excluded.revision WHERE revision<=?""",
            (key, pack(strict_json(body, "annotation")), change.action_id, change.seen),
        )
        for key, body in change.bodies.items()
    )


def _save_intent(run: RunStatement, change: SaveIntent) -> None:
    moment = ms(now())
    intent = (change.action_id, moment, pack(change.intent))
    run("INSERT OR REPLACE INTO intents VALUES (?, ?, ?)", intent)
    for sha256, image in change.images.items():
        run(
            "INSERT INTO images VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET created=?",
            (sha256, moment, zlib.compress(image, 1), moment),
        )
        run("INSERT OR IGNORE INTO image_uses VALUES (?, ?)", (change.action_id, sha256))
    _forget_images(run, moment)


def _forget_images(run: RunStatement, moment: int) -> None:
    """Keeps images for 30 days and 1 GiB, the newest first, and those of open intents."""
    needed = "SELECT sha256 FROM image_uses WHERE action_id IN (SELECT action_id FROM intents)"
    sized = """SELECT sha256, sum(length(image)) OVER (ORDER BY created DESC, sha256) AS total
               FROM images"""
    run(
        f"""DELETE FROM images WHERE sha256 NOT IN ({needed}) AND (created < ? OR sha256 IN
            (SELECT sha256 FROM ({sized}) WHERE total > ?))""",
        (moment - IMAGE_AGE, IMAGE_BYTES),
    )


def _append_audit(run: RunStatement, row: AuditRow) -> None:
    files = pack(lenient_json([dict(file) for file in row.files]))
    values = (row.action_id, row.kind, row.label, row.who, row.reason, row.outcome, row.code)
    run(
        """INSERT INTO audit (action_id, kind, label, who, reason, outcome, code, text, session,
           call_id, files, time) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        (*values, row.text, row.session, row.call_id, files, ms(row.time)),
    )


def _append(run: RunStatement, record: Record, seq: int | None) -> None:
    body = pack(lenient_json(record.body))
    run(
        "INSERT INTO records (seq, session, kind, call_id, body) VALUES (?, ?, ?, ?, ?)",
        (seq, record.session, record.kind, record.call_id, body),
    )


def action(row: tuple[Any, ...]) -> PendingAction:
    """Returns the action of an `ACTION` row; ValueError for one that nobody of ours wrote."""
    if not all(isinstance(text, str | None) for text in row[3:5]):
        raise ValueError(row)
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
    return _readable(action)


def audit_row(row: tuple[Any, ...]) -> AuditRow:
    """Returns the audit row of an `AUDIT` row."""
    values: list[Any] = list(row)
    values[8], values[11] = [dict(file) for file in unpack(row[8])], _time(row[11])
    return _readable(AuditRow(*values))


def annotation(row: tuple[Any, ...]) -> Annotation:
    """Returns the annotation of an `ANNOTATIONS` row."""
    key, body, revision = row
    return Annotation(key, dict(unpack(body)), revision)


def record(row: tuple[Any, ...]) -> Record:
    """Returns the record of (session, kind, call id, body, seq)."""
    session, kind, call_id, body, seq = row
    return _readable(Record(session, kind, call_id, dict(unpack(body)), seq))


def ms(moment: datetime) -> int:
    """Returns a time as it is stored: milliseconds since 1970."""
    return round(moment.timestamp() * 1000)


def _readable(row: Row) -> Row:
    """The row, as long as a reader of ours can go by it."""
    odd = odd_field(row)
    if odd is not None:
        raise ValueError(odd)
    return row


def _time(stored: int) -> datetime:
    return datetime.fromtimestamp(stored / 1000, UTC)
