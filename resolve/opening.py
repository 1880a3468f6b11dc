"""What happens when a session opens, and to actions that nobody decided about."""

from __future__ import annotations

from contextlib import closing, suppress
from typing import TYPE_CHECKING

from resolve.actions import PendingAction, State
from resolve.errors import StoreError
from resolve.records import AuditRow, Move, Record

if TYPE_CHECKING:
    from resolve.session import Session


def open_session(session: Session) -> None:
    """Recovers, closes what a killed process left open, and asks for what is pending.

    A workspace session only closes lost actions: its surface says when to recover.
    """
    if not session.records.writable:
        return
    if session.workspace:
        with suppress(StoreError):  # a state file that can only be read can still be listed
            close_lost(session)
        return
    _recover(session)
    if session.records.log(session.id):
        from resolve.exchanges import recover_calls

        recover_calls(session)
    close_lost(session)
    if session.store.has_pending:
        session.gate.failed()


def _recover(session: Session) -> None:
    """Recovers now if it concerns this session, else only if nobody applies just now."""
    if any(claim.session == session.id for claim in session.records.claims()):
        session.recover()
    elif session.records.unsettled:
        hold = session.lock.try_hold()
        if hold is not None:
            with closing(hold):
                session.recover()


def close_lost(session: Session) -> None:
    """Closes the volatile actions of ended processes as `lost`; `session.lost` lists them."""
    for action in session.records.held():
        if action.session == session.id or not session.records.alive(action.session):
            drop(session, action, "lost", "its process ended")
            session.lost.append(action)


def drop(session: Session, action: PendingAction, state: State, reason: str) -> None:
    """Closes an action that nobody decided about; the first view of its session says so."""
    row = AuditRow(
        action_id=action.id,
        kind=action.kind,
        label=action.label,
        who=session.who,
        reason=reason,
        outcome=state,
        session=session.id,
    )
    move = Move(action.id, "pending", state, who=session.who, reason=reason)
    content = f"{action.id} ({action.label}) is {state}: {reason}. Nothing of it was done."
    body = {"origin": "system", "content": content}
    session.records.commit(move, row, Record(action.session, "message", None, body))
