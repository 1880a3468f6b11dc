"""What a session is: an id, who acts in it, its actions, its store, its lock.

Every part of the gate works on a `SessionState` and knows nothing of the `Session` that
puts the parts together.
"""

from __future__ import annotations

import os
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from resolve.actions import ENDED_WITHIN, NOTHING_DONE, PendingAction, State, new_id
from resolve.errors import ToolError
from resolve.locks import WAIT, ApplyLock
from resolve.records import AuditRow, Move, Record
from resolve.stack import Stack

if TYPE_CHECKING:
    from resolve.fold import Folding
    from resolve.loops.gate import Gate
    from resolve.store import PendingActionStore

live: set[str] = set()  # ids of the actions that this very process is resolving now
_claimed: ContextVar[tuple[str, PendingAction] | None] = ContextVar("resolve_claimed", default=None)
_ID = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}")


class SessionState(ABC):
    """What every part of a session works on.

    `records` is the whole store below; `store` is the part of it that belongs to this
    session, or all of it when the session is the workspace. `lost` lists the actions that
    were closed because their process had ended. `standing` answers when no pending action
    does. `on_progress` is called with how much is done, of how much. `handlers` are its own,
    by name, or functions that make them when they are needed; they come before all others.
    `run_again` are the ids of actions that may have run already, and that a person wants to
    have applied once more.
    """

    def __init__(
        self,
        store: PendingActionStore,
        id: str | None,
        who: str,
        *,
        workspace: bool = False,
        lock: str | os.PathLike[str] | None = None,
        lock_wait: float = WAIT,
        handlers: Mapping[str, object] | None = None,
    ) -> None:
        self.handlers = dict(handlers or {})
        self.id = f"s{new_id()}" if id is None else id
        if not _ID.fullmatch(self.id):
            raise ToolError(
                f"{id!r} cannot name a session.",
                code="invalid",
                hint="Use up to 100 letters, digits, dots, dashes and underscores.",
            )
        self.who = str(who)
        self.workspace = workspace
        self.records = store
        self.store = Stack(store, None if workspace else self.id)
        self.lock = ApplyLock(lock, lock_wait)
        self.lost: list[PendingAction] = []
        self.run_again: set[str] = set()
        self.standing: Callable[[Any], Any] | None = None
        self.standing_label: str | None = None
        self.standing_source: str | None = None
        self.on_progress: Callable[[int, int], None] | None = None
        self.folding: Folding | None = None  # of the records up to number `folded`
        self.folded = 0
        self.used_calls: set[str] | None = None

    @property
    @abstractmethod
    def gate(self) -> Gate:
        """What asks the model for pending actions."""

    @property
    def claimed(self) -> PendingAction | None:
        """The action of this session whose callback the caller runs in."""
        session_id, action = _claimed.get() or ("", None)
        return action if session_id == self.id else None

    @contextmanager
    def claiming(self, action: PendingAction) -> Iterator[None]:
        """Marks an action as the one that is being resolved here."""
        token = _claimed.set((self.id, action))
        live.add(action.id)
        try:
            yield
        finally:
            live.discard(action.id)
            _claimed.reset(token)


def close_lost(session: SessionState) -> None:
    """Closes the volatile actions of ended processes as `lost`; `session.lost` lists them."""
    for action in session.records.held():
        if action.session == session.id or not session.records.alive(action.session):
            unknown = session.records.audit(action_id=action.id, outcome="unknown", limit=1)
            drop(session, action, "lost", ENDED_WITHIN if unknown else "its process ended")
            session.lost.append(action)


def drop(session: SessionState, action: PendingAction, state: State, reason: str) -> None:
    """Closes an action that nobody decided about; the first view of its session says so."""
    row = AuditRow.of(action, session.who, reason, state, session=session.id)
    move = Move(action.id, "pending", state, who=session.who, reason=reason)
    done = NOTHING_DONE[reason != ENDED_WITHIN]
    content = f"{action.id} ({action.label}) is {state}: {reason}. {done}."
    body = {"origin": "system", "content": content}
    session.records.commit(move, row, Record(action.session, "message", None, body))
