"""What a row and its payload may hold, how changes are written as SQL, how rows are read back."""

from __future__ import annotations

import json
import math
import reprlib
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from types import NoneType
from typing import Any, Generic, NamedTuple, TypeVar, get_args, get_type_hints

from resolve.actions import MOVES, Condition, PendingAction, State, now
from resolve.errors import ToolError
from resolve.records import (
    Annotate,
    Annotation,
    AuditRow,
    Compact,
    DropIntent,
    Move,
    Origin,
    Push,
    Record,
    RecordKind,
    Remove,
    SaveIntent,
    StoreChange,
)

Row = TypeVar("Row")
RunStatement = Callable[[str, Sequence[Any] | Mapping[str, Any]], int]

IMAGE_AGE = 30 * 24 * 3600 * 1000  # milliseconds
IMAGE_BYTES = 1 << 30  # compressed, of one state file
MAX_DEPTH = 100
MAX_BYTES = 64 * 1024 * 1024
PACK_ABOVE = 4096


def strict_json(value: object, name: str = "payload") -> str:
    """Returns canonical JSON text of plain data, or raises `ToolError(code="invalid")`.

    Only dict with str keys, list, tuple, str, int, finite float, bool and None; no lone
    surrogates; at most 100 levels and 64 MiB. Reading it back gives an equal value
    (tuples come back as lists), so what is stored is what was meant.
    """
    _check(value, name)
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    try:
        size = len(text.encode())
    except UnicodeEncodeError as error:
        raise _invalid(name, "a lone surrogate, which is not text") from error
    if size > MAX_BYTES:
        raise ToolError(
            f"The {name} is {size} bytes; at most {MAX_BYTES} can be stored.",
            code="too_large",
            hint="Split the work into several actions.",
        )
    return text


def _check(value: object, name: str) -> None:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [child for node in level for child in _children(node, name)]
        if not level:
            return
    raise _invalid(name, f"more than {MAX_DEPTH} levels")


def _children(node: object, name: str) -> list[Any]:
    if node is None or isinstance(node, str | int):
        return []
    if isinstance(node, float):
        if not math.isfinite(node):
            raise _invalid(name, f"{node}, which JSON does not have")
        return []
    if isinstance(node, Mapping):
        for key in node:
            if not isinstance(key, str):
                raise _invalid(name, f"the key {key!r}, which is not a string")
        return list(node.values())
    if isinstance(node, list | tuple):
        return list(node)
    raise _invalid(name, f"a {type(node).__name__}, which is not JSON")


def _invalid(name: str, what: str) -> ToolError:
    return ToolError(
        f"The {name} holds {what}.",
        code="invalid",
        hint="Use only objects with string keys, arrays, strings, finite numbers, booleans, null.",
    )


def plain(value: object) -> Any:
    """Returns JSON data that stands for any value, and never raises.

    For what a callback returned: its work is done, and a result that is no strict JSON
    must not keep it from being recorded.
    """
    try:
        return json.loads(json.dumps(value, default=str, skipkeys=True))
    except (TypeError, ValueError):
        return repr(value)
    except RecursionError:  # so deep that `repr` would fail too
        return reprlib.repr(value)


def lenient_json(value: object) -> str:
    """Returns JSON text of `plain(value)`; file names that are not UTF-8 survive in it."""
    return json.dumps(plain(value), separators=(",", ":"))


def pack(text: str) -> str | bytes:
    """Returns the text itself, or its zlib form when that is worth it (over 4 KiB)."""
    return text if len(text) <= PACK_ABOVE else zlib.compress(text.encode(), 1)


def unpack(stored: str | bytes) -> Any:
    """Returns the value of a stored text; ValueError for anything that `pack` has not made."""
    try:
        return json.loads(stored if isinstance(stored, str) else zlib.decompress(stored).decode())
    except (RecursionError, TypeError, zlib.error) as error:
        raise ValueError(str(error)) from error


class FieldKind(NamedTuple):
    """What a field may hold (types, or the very values), how it is stored, how it is read."""

    allowed: tuple[Any, ...]
    write: Callable[[Any], Any] = lambda value: value
    read: Callable[[Any], Any] = lambda stored: stored

    def fits(self, value: object) -> bool:
        """Whether the field may hold this."""
        if isinstance(self.allowed[0], type):
            return isinstance(value, self.allowed)
        return value in self.allowed


def ms(moment: datetime) -> int:
    """Returns a time as it is stored: milliseconds since 1970."""
    return round(moment.timestamp() * 1000)


def _time(stored: int) -> datetime:
    return datetime.fromtimestamp(stored / 1000, UTC)


def _or_none(convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else convert(value)


def _details(value: Any) -> str | bytes | None:
    return None if value is None else pack(strict_json(value, "details"))


_TEXT, _OPTIONAL = FieldKind((str,)), FieldKind((str, NoneType))
# By the type that a field declares; one of another type (a callback) is not stored. The one
# table of what a row may hold: who writes goes by it, and who reads.
_KINDS: dict[object, FieldKind] = {
    str: _TEXT,
    str | None: _OPTIONAL,
    int: FieldKind((int,), lambda number: number or None),  # for 0 SQLite counts on
    datetime: FieldKind((datetime,), ms, _time),
    datetime | None: FieldKind((datetime, NoneType), _or_none(ms), _or_none(_time)),
    Any: FieldKind((object,), _details, _or_none(unpack)),
    dict[str, Any]: FieldKind(
        (dict,), lambda body: pack(lenient_json(body)), lambda v: dict(unpack(v))
    ),
    Sequence[Mapping[str, Any]]: FieldKind(
        (object,),
        lambda files: pack(lenient_json([dict(file) for file in files])),
        lambda stored: [dict(file) for file in unpack(stored)],
    ),
    **{values: FieldKind(get_args(values)) for values in (State, RecordKind, Origin)},
}
_COLUMNS = {
    "source_tool_name": "source",
    "created_at": "created",
    "resolved_at": "resolved",
    "resolved_by": "who",
}


class Table(Generic[Row]):
    """A table with a column for each field of a dataclass; `first` is what names a row."""

    def __init__(self, name: str, row: type[Row], first: str) -> None:
        hints = {first: str} | get_type_hints(row)
        self.name, self.row = name, row
        self.kinds = {key: _KINDS[hint] for key, hint in hints.items() if hint in _KINDS}
        self.columns = ", ".join(_COLUMNS.get(key, key) for key in self.kinds)
        self.marks = ", ".join(f":{key}" for key in self.kinds)

    def insert(
        self, run: RunStatement, row: Row, more: str = "", marks: str = "", **values: Any
    ) -> None:
        """Adds a row; `more` are columns that it has no field for, `marks` what goes there."""
        stored = {key: kind.write(getattr(row, key)) for key, kind in self.kinds.items()}
        sql = f"INSERT INTO {self.name} ({self.columns}{more}) VALUES ({self.marks}{marks})"
        run(sql, stored | values)

    def read(self, stored: tuple[Any, ...]) -> Row:
        """Returns the row; raises, as readers of its fields do, for one that is none of ours."""
        kinds = self.kinds.items()
        row = self.row(**{key: kind.read(v) for (key, kind), v in zip(kinds, stored, strict=True)})
        if odd := odd_field(row):
            raise ValueError(odd)
        return row


ACTIONS = Table("actions", PendingAction, "id")
AUDIT = Table("audit", AuditRow, "action_id")
RECORDS = Table("records", Record, "session")
ACTION = f"SELECT {ACTIONS.columns}, condition, sentence FROM actions"
_ANY, _LIST = FieldKind((object,)), FieldKind((list,))
_BODIES: Mapping[str, Mapping[str, FieldKind]] = {
    "call": {
        "tool": _TEXT,
        "step": FieldKind((int, NoneType)),
        "preview": FieldKind((bool,)),
        "arguments": _ANY,
    },
    "result": {"isError": FieldKind((bool,)), "content": _ANY, "details": _ANY},
    "message": {"origin": _KINDS[Origin], "content": _ANY},
    "snapshot": {"blocks": _LIST, "deferred": _LIST, "step": FieldKind((int,))},
}
_FIELDS: Mapping[type, Mapping[str, FieldKind]] = {
    **{table.row: table.kinds for table in (ACTIONS, AUDIT, RECORDS)},
    Move: {"action_id": _TEXT, **dict.fromkeys(("who", "reason", "label"), _OPTIONAL)},
}


def odd_field(row: object) -> str | None:
    """The first field of a row that holds what no reader takes, as `label is 5`; None if none."""
    odd = _odd(_FIELDS.get(type(row), {}), partial(getattr, row))
    return odd or (_odd(_BODIES[row.kind], row.body.get) if isinstance(row, Record) else None)


def _odd(fields: Mapping[str, FieldKind], read: Callable[[str, Any], Any]) -> str | None:
    for name, kind in fields.items():
        value = read(name, None)
        if not kind.fits(value):
            return f"{name} is {reprlib.repr(value)}"
    return None


def refuse_odd_fields(change: StoreChange) -> None:
    """Raises `ToolError` (`invalid`) for a change that nobody could read back."""
    row: object = change.snapshot if isinstance(change, Compact) else change
    row = row.action if isinstance(row, Push) else row
    if isinstance(row, PendingAction | Move):
        strict_json(row.details, "details")
    odd = odd_field(row)
    if odd is not None:
        hint = "Texts are strings; a `step` is an integer."
        raise ToolError(f"It cannot be recorded: `{odd}`.", code="invalid", hint=hint)


def write(run: RunStatement, change: StoreChange) -> bool:
    """Makes one change inside a transaction; False when it may not be made any more.

    A `Move` found another state; an `Annotate` a later text, or an action that is decided.
    """
    match change:
        case Push(action, payload, replaces):
            place = "(SELECT coalesce(max(position), 0) + 1 FROM actions)"
            if replaces is not None:
                place = "(SELECT position FROM actions WHERE id=:replaces)"
            extra = {"replaces": replaces, "payload": None if payload is None else pack(payload)}
            ACTIONS.insert(run, action, ", position, payload", f", {place}, :payload", **extra)
        case Move():
            return _move(run, change)
        case Remove(action_id):
            if run("DELETE FROM actions WHERE id=? AND state='pending'", (action_id,)):
                run("DELETE FROM annotations WHERE action_id=?", (action_id,))
                run("DELETE FROM annotated WHERE action_id=?", (action_id,))
        case Annotate():
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
        case SaveIntent():
            _save_intent(run, change)
        case DropIntent(action_id):
            run("DELETE FROM intents WHERE action_id=?", (action_id,))
        case AuditRow():
            AUDIT.insert(run, change)
        case Record():
            RECORDS.insert(run, change)
        case Compact(snapshot, up_to):
            run("DELETE FROM records WHERE session=? AND seq<=?", (snapshot.session, up_to))
            RECORDS.insert(run, replace(snapshot, seq=up_to))
    return True


def _move(run: RunStatement, change: Move) -> bool:
    assert (change.source, change.target) in MOVES
    condition, claim = change.condition, change.claim
    closing = (ms(now()), change.who, change.reason)
    moved = run(
        """UPDATE actions SET state=?, condition=?, sentence=?, resolved=?, who=?, reason=?,
           claim_session=?, claim_call=?, claim_locked=?, label=coalesce(?, label),
           details=coalesce(?, details) WHERE id=? AND state=?""",
        (
            change.target,
            *((None, None) if condition is None else (str(condition), condition.sentence)),
            *((None, None, None) if change.target == "pending" else closing),
            *(
                (None, None, None)
                if claim is None
                else (claim.session, claim.call_id, claim.locked)
            ),
            change.label,
            _details(change.details),
            change.action_id,
            change.source,
        ),
    )
    return moved == 1


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
    """Keeps images for 30 days and 1 GiB, the newest first, and those of open intents.

    All are kept as long as an undo that may need any of them is pending.
    """
    needed = "SELECT sha256 FROM image_uses WHERE action_id IN (SELECT action_id FROM intents)"
    sized = """SELECT sha256, sum(length(image)) OVER (ORDER BY created DESC, sha256) AS total
               FROM images"""
    run(
        f"""DELETE FROM images WHERE NOT EXISTS (SELECT 1 FROM actions WHERE handler = 'undo'
            AND state IN ('pending', 'applying')) AND sha256 NOT IN ({needed}) AND (created < ?
            OR sha256 IN (SELECT sha256 FROM ({sized}) WHERE total > ?))""",
        (moment - IMAGE_AGE, IMAGE_BYTES),
    )


def read_action(stored: tuple[Any, ...]) -> PendingAction:
    """Returns the action of a row of `ACTION`; raises as `Table.read` does."""
    *fields, condition, sentence = stored
    if not (_OPTIONAL.fits(condition) and _OPTIONAL.fits(sentence)):
        raise TypeError(condition, sentence)
    action = ACTIONS.read(tuple(fields))
    action.condition = None if condition is None else Condition(condition, sentence)
    return action


def read_annotation(stored: tuple[Any, ...]) -> Annotation:
    """Returns the annotation of a row of (key, body, revision)."""
    key, body, revision = stored
    return Annotation(key, dict(unpack(body)), revision)
