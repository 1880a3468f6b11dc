"""What happens when a session opens."""

from __future__ import annotations

from contextlib import closing, suppress

from resolve.errors import StoreError
from resolve.lost import close_lost
from resolve.state import SessionState


def open_session(session: SessionState) -> None:
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


def _recover(session: SessionState) -> None:
    """Recovers now if it concerns this session, else only if nobody applies just now."""
    if any(claim.session == session.id for claim in session.records.claims()):
        _end_interrupted(session)
    elif session.records.unsettled:
        hold = session.lock.try_hold()
        if hold is not None:
            with closing(hold):
                _end_interrupted(session)


def _end_interrupted(session: SessionState) -> None:
    from resolve.recovery import recover_blocking  # with all that resolving needs: seldom

    recover_blocking(session)
