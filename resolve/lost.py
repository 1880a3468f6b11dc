"""Closes the actions that nobody decided about."""

from __future__ import annotations

from resolve.actions import ENDED_WITHIN, NOTHING_DONE, PendingAction, State
from resolve.records import AuditRow, Move, Record
from resolve.state import SessionState


def close_lost(session: SessionState) -> None:
    """Closes the volatile actions of ended processes as `lost`; `session.lost` lists them."""
    for action in session.records.held():
        if action.session == session.id or not session.records.alive(action.session):
            unknown = session.records.audit(action_id=action.id, outcome="unknown", limit=1)
            drop(session, action, "lost", ENDED_WITHIN if unknown else "its process ended")
            session.lost.append(action)


def drop(session: SessionState, action: PendingAction, state: State, reason: str) -> None:
    """Closes an action that nobody decided about; the first view of its session says so."""
    row = AuditRow(action.id, action.kind, action.label, session.who, reason, state)
    row.session = session.id
    move = Move(action.id, "pending", state, who=session.who, reason=reason)
    done = NOTHING_DONE[reason != ENDED_WITHIN]
    content = f"{action.id} ({action.label}) is {state}: {reason}. {done}."
    body = {"origin": "system", "content": content}
    session.records.commit(move, row, Record(action.session, "message", None, body))
