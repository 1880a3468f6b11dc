"""The store of pending actions: what every store does and promises."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeGuard

from resolve.actions import ENDED_WITHIN, FINAL, NOTHING_DONE, PendingAction, State, stamp
from resolve.errors import ToolError
from resolve.locks import Hold
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
    StoreChange,
    refuse_odd_fields,
)
from resolve.short_ids import of_short_id, unknown
from resolve.stack import Stack
from resolve.visible import one_line

Listener = Callable[[PendingAction], None]
RECOVER = (
    "Recover it, by Session.recover or the command of its tool, once what is missing is back "
    "or everything is as it was."
)


class PendingActionStore(Stack):
    """A store of actions, audit rows, intents, images and exchange records.

    A third store implements the abstract methods and passes the shared suite in
    `tests/unit/resolve`. `write` carries the promise: all changes or none, durable when
    it returns, and a `Move` or `Annotate` that is refused raises what `not_made` returns.
    What a store hands out may be a snapshot: ask again for the present state.
    """

    durable: bool
    writable: bool = True

    def __init__(self) -> None:
        self._listeners: list[Listener] = []
        self._meta: dict[str, str] = {}

    @property
    def records(self) -> PendingActionStore:
        return self

    @property
    def scope(self) -> None:
        return None

    def meta(self, key: str) -> str | None:
        """Returns what was noted about this store."""
        return self._meta.get(key)

    def set_meta(self, key: str, value: str) -> None:
        """Notes something about this store."""
        self._meta[key] = value

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Tells `listener` of every push through this object; returns how to stop that."""
        self._listeners.append(listener)

        def stop() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return stop

    def commit(self, *changes: StoreChange) -> None:
        """Makes all changes or none, then tells the listeners.

        Raises `ToolError`: `invalid` for what could not be read back, `interrupted` for what
        would forget an action whose intent is open.
        """
        for change in changes:
            refuse_odd_fields(change)
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
                raise interrupted(action_id, "it is half done")

    def find(self, text: str) -> PendingAction:
        """Returns the action with this id, or with one unambiguous end of it."""
        return of_short_id(text, self.alike)

    @abstractmethod
    def write(self, changes: Sequence[StoreChange]) -> None:
        """Makes all changes in one transaction."""

    @abstractmethod
    def select(
        self, states: Sequence[State], session: str | None = None, limit: int | None = None
    ) -> list[PendingAction]:
        """Returns actions in these states (of this session), newest first."""

    @abstractmethod
    def tally(self, session: str | None = None) -> int:
        """Counts the pending actions (of this session)."""

    @abstractmethod
    def alike(self, end: str) -> list[PendingAction]:
        """Returns all actions whose id begins or ends like this, newest first."""

    @abstractmethod
    def payload(self, action_id: str) -> Any:
        """Returns the payload of a durable action; None if there is none."""

    @abstractmethod
    def annotations(self, action_id: str, after: int = 0) -> list[Annotation]:
        """Returns what is kept beside an action since revision `after`, in that order."""

    @abstractmethod
    def claims(self) -> list[Claim]:
        """Returns who claimed the actions that are `applying`, oldest first."""

    @abstractmethod
    def held(self) -> list[PendingAction]:
        """Returns the pending volatile actions whose callbacks are not in this object."""

    @abstractmethod
    def intents(self) -> list[tuple[str, Any]]:
        """Returns the open intents as (action id, intent), oldest first."""

    def refuse_newer(self) -> None:
        """Raises `StoreError` where a newer version wrote the file, which is then only read."""

    def refuse_lost(self) -> None:
        """Raises `StoreError` (`store_lost`) if an interrupted apply is announced of which
        nothing is stored: then nobody may say that there was none."""

    def lost(self) -> list[str]:
        """Returns the ids of the interrupted applies that are announced and not stored."""
        return []

    def forget_lost(self, action_id: str, row: AuditRow) -> None:
        """Records how a person ended an apply of which nothing is stored."""
        self.commit(row)

    @property
    def unsettled(self) -> bool:
        """True while an apply runs, and after one was interrupted."""
        return bool(self.claims() or self.intents())

    def settle(self) -> None:
        """Makes what a store shows outside of open intents agree with them."""
        return

    @abstractmethod
    def image(self, sha256: str) -> bytes | None:
        """Returns a stored image, of any action."""

    @abstractmethod
    def image_names(self) -> set[str]:
        """Returns the hashes of all stored images."""

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
        """Returns the audit rows that fit all filters, newest first."""
        filters = {
            "action_id": action_id,
            "kind": kind,
            "who": who,
            "outcome": outcome,
            "session": session,
            "call_id": call_id,
        }
        equal = {name: value for name, value in filters.items() if value is not None}
        return self.audit_rows(equal, since, until, limit)

    @abstractmethod
    def audit_rows(
        self,
        equal: Mapping[str, str],
        since: datetime | None,
        until: datetime | None,
        limit: int | None,
    ) -> list[AuditRow]:
        """Returns the rows with these fields, of these times (both included), newest first."""

    @abstractmethod
    def log(self, session: str, after: int = 0) -> list[Record]:
        """Returns the exchange records of a session behind number `after`, in order."""

    def resolved_calls(self, session: str) -> set[str]:
        """Returns the ids of the calls of a session that resolved an action."""
        return {row.call_id for row in self.audit(session=session) if row.call_id is not None}

    @abstractmethod
    def hold(self, session: str) -> Hold:
        """Takes the session lock, or raises `SessionBusy`."""

    @abstractmethod
    def alive(self, session: str) -> bool:
        """True while some process holds the session lock."""


class SessionStack(Stack):
    """The part of a store that belongs to one session."""

    def __init__(self, records: PendingActionStore, scope: str | None) -> None:
        self._records = records
        self._scope = scope

    @property
    def records(self) -> PendingActionStore:
        return self._records

    @property
    def scope(self) -> str | None:
        return self._scope

    def get(self, action_id: str) -> PendingAction | None:
        return self._records.get(action_id)

    def find(self, text: str) -> PendingAction:
        """Returns the action with this id or one unambiguous end of it, of any session."""
        return self._records.find(text)


def _forgets(change: StoreChange) -> TypeGuard[Move | Remove]:
    return isinstance(change, Remove) or (
        isinstance(change, Move)
        and (change.target in ("discarded", "lost") or change[1:3] == ("pending", "superseded"))
    )


def interrupted(action_id: str, why: str) -> ToolError:
    """Returns why an action whose apply was interrupted can be neither discarded nor forgotten."""
    return ToolError(
        f"An apply of {action_id} was interrupted: {why}",
        code="interrupted",
        hint=RECOVER,
    )


def not_made(change: Move | Annotate, action: PendingAction | None) -> ToolError:
    """Returns why a change cannot be made to an action as it is now."""
    if isinstance(change, Annotate) and action is not None and action.state == "pending":
        return ToolError(
            f"Somebody else changed what is kept beside {change.action_id} meanwhile.",
            code="changed_meanwhile",
            hint="Look at it as it is now, then decide again.",
        )
    return refusal(change.action_id, action)


def refusal(action_id: str, action: PendingAction | None) -> ToolError:
    """Returns why an action cannot be claimed now."""
    if action is None:
        return unknown(action_id)
    at = f"at {stamp(action.resolved_at or action.created_at)}"
    by = f"by {action.resolved_by} {at}"
    if action.state == "lost":
        return ToolError(
            f"{action_id} was already lost {at}, since its process had ended.",
            code="already_resolved",
            hint=f"{NOTHING_DONE[action.reason != ENDED_WITHIN]}; preview the change again.",
        )
    if action.state in FINAL:
        why = one_line(action.reason or "") if action.state == "discarded" else ""
        return ToolError(
            f"{action_id} was already {action.state} {by}.{f' Reason: {why}' if why else ''}",
            code="already_resolved",
            hint="Nothing is left to do for it.",
        )
    return ToolError(
        f"{action_id} is being resolved {by}.",
        code="busy",
        hint="Wait until that has ended, then look at its state.",
    )
