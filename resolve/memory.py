"""The store in memory: it lives as long as its process, and so do its actions."""

from __future__ import annotations

import json
import threading
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from weakref import WeakValueDictionary

from resolve.actions import MOVES, PendingAction, State, now
from resolve.errors import SessionBusy
from resolve.locks import Hold
from resolve.payload import plain
from resolve.records import (
    Annotate,
    Annotation,
    AuditRow,
    Claim,
    Compact,
    DropIntent,
    Move,
    Push,
    Record,
    Remove,
    SaveIntent,
    StoreChange,
)
from resolve.store import PendingActionStore, not_made


class MemoryStore(PendingActionStore):
    """Keeps everything in this object; the actions it hands out are the live ones."""

    durable = False

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.RLock()
        self._order: list[str] = []  # ids, oldest first
        self._actions: dict[str, PendingAction] = {}
        self._payloads: dict[str, str | None] = {}
        self._annotations: dict[str, dict[str, Annotation]] = {}
        self._claims: dict[str, Claim] = {}
        self._intents: dict[str, str] = {}
        self._images: dict[str, bytes] = {}
        self._audit: list[AuditRow] = []
        self._log: list[Record] = []
        self._seq = 0
        self._holds: WeakValueDictionary[str, Hold] = WeakValueDictionary()

    def write(self, changes: Sequence[StoreChange]) -> None:
        with self._lock:
            self._check(changes)
            for change in changes:
                self._make(change)

    def _check(self, changes: Sequence[StoreChange]) -> None:
        """Refuses, before anything is changed, what the durable store would refuse."""
        for change in changes:
            if isinstance(change, Move):
                action = self._actions.get(change.action_id)
                if action is None or action.state != change.source:
                    raise not_made(change, action)
                assert (change.source, change.target) in MOVES
            elif isinstance(change, Annotate):
                self._check_annotate(change, changes)

    def _check_annotate(self, change: Annotate, changes: Sequence[StoreChange]) -> None:
        pushed = [push.action for push in changes if isinstance(push, Push)]
        action = self._actions.get(change.action_id)
        action = action or next((each for each in pushed if each.id == change.action_id), None)
        kept = self._annotations.get(change.action_id, {})
        later = any(kept[key].revision > change.seen for key in change.bodies if key in kept)
        if action is None or action.state != "pending" or later:
            raise not_made(change, action)

    def _make(self, change: StoreChange) -> None:
        match change:
            case Push():
                self._push(change)
            case Move():
                self._move(change)
            case Remove(action_id):
                self._remove(action_id)
            case Annotate():
                self._annotate(change)
            case SaveIntent(action_id, intent, images):
                self._intents[action_id] = intent
                self._images.update(images)
            case DropIntent(action_id):
                self._intents.pop(action_id, None)
            case AuditRow():
                change.seq = len(self._audit) + 1
                self._audit.append(change)
            case Record():
                self._seq += 1
                body = plain(change.body)
                self._log.append(replace(change, seq=self._seq, body=body))
            case Compact(snapshot, up_to):
                self._compact(snapshot, up_to)

    def _push(self, change: Push) -> None:
        action = change.action
        place = len(self._order)
        if change.replaces is not None:
            place = self._order.index(change.replaces) + 1
        self._order.insert(place, action.id)
        self._actions[action.id] = action
        self._payloads[action.id] = change.payload

    def _move(self, change: Move) -> None:
        action = self._actions[change.action_id]
        action.state = change.target
        action.condition = change.condition
        action.label = action.label if change.label is None else change.label
        action.details = action.details if change.details is None else change.details
        pending = change.target == "pending"
        action.resolved_by = None if pending else change.who
        action.resolved_at = None if pending else now()
        action.reason = None if pending else change.reason
        self._claims.pop(action.id, None)
        if change.claim is not None:
            self._claims[action.id] = change.claim

    def _remove(self, action_id: str) -> None:
        action = self._actions.get(action_id)
        if action is not None and action.state == "pending":
            del self._actions[action_id]
            self._order.remove(action_id)
            self._annotations.pop(action_id, None)

    def _annotate(self, change: Annotate) -> None:
        kept = self._annotations.setdefault(change.action_id, {})
        revision = max((each.revision for each in kept.values()), default=0) + 1
        for key, body in change.bodies.items():
            kept[key] = Annotation(key, plain(body), revision)

    def _compact(self, snapshot: Record, up_to: int) -> None:
        session = snapshot.session
        kept = [row for row in self._log if row.session != session or row.seq > up_to]
        self._log = sorted([*kept, replace(snapshot, seq=up_to)], key=lambda row: row.seq)

    def get(self, action_id: str) -> PendingAction | None:
        return self._actions.get(action_id)

    def select(
        self, states: Sequence[State], session: str | None = None, limit: int | None = None
    ) -> list[PendingAction]:
        actions: list[PendingAction] = []
        with self._lock:
            for action_id in reversed(self._order):
                action = self._actions[action_id]
                if action.state in states and session in (None, action.session):
                    actions.append(action)
                    if len(actions) == limit:
                        break
        return actions

    def tally(self, session: str | None = None) -> int:
        return len(self.select(("pending",), session))

    def alike(self, end: str) -> list[PendingAction]:
        with self._lock:
            ids = (id for id in reversed(self._order) if id.startswith(end) or id.endswith(end))
            return [self._actions[id] for id in ids]

    def payload(self, action_id: str) -> Any:
        text = self._payloads.get(action_id)
        return None if text is None else json.loads(text)

    def annotations(self, action_id: str, after: int = 0) -> list[Annotation]:
        with self._lock:
            kept = list(self._annotations.get(action_id, {}).values())
        later = [each for each in kept if each.revision > after]
        return sorted(later, key=lambda each: (each.revision, each.key))

    def claims(self) -> list[Claim]:
        return list(self._claims.values())

    def held(self) -> list[PendingAction]:
        return []

    def intents(self) -> list[tuple[str, Any]]:
        return [(action_id, json.loads(text)) for action_id, text in self._intents.items()]

    def image(self, sha256: str) -> bytes | None:
        return self._images.get(sha256)

    def image_names(self) -> set[str]:
        return set(self._images)

    def audit_rows(
        self,
        equal: Mapping[str, str],
        since: datetime | None,
        until: datetime | None,
        limit: int | None,
    ) -> list[AuditRow]:
        rows = [
            row
            for row in reversed(self._audit)
            if all(getattr(row, name) == value for name, value in equal.items())
            and (since is None or row.time >= since)
            and (until is None or row.time <= until)
        ]
        return rows[:limit]

    def log(self, session: str, after: int = 0) -> list[Record]:
        start = bisect_right(self._log, after, key=lambda record: record.seq)
        return [record for record in self._log[start:] if record.session == session]

    def hold(self, session: str) -> Hold:
        with self._lock:
            if self.alive(session):
                raise SessionBusy(f"Session {session} is open already.", code="session_busy")
            hold = self._holds[session] = Hold()
            return hold

    def alive(self, session: str) -> bool:
        hold = self._holds.get(session)
        return hold is not None and hold.open
