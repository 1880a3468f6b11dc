"""Actions that nobody decided about, and what happens when a session opens."""

from __future__ import annotations

from pathlib import Path

from resolve import PendingAction, Session, SqliteStore, ToolResult


def apply(reason: str) -> ToolResult:
    return ToolResult(reason)


def test_callbacks_of_an_ended_process_are_lost_and_said_so(
    sqlite: SqliteStore, state: Path
) -> None:
    action = PendingAction("change", apply, session="gone")
    with SqliteStore(state) as ended:
        ended.push(action)
    with Session(sqlite, id="other") as session:
        assert [lost.id for lost in session.lost] == [action.id]
    assert sqlite.get(action.id).state == "lost"
    [row] = sqlite.audit(action_id=action.id)
    assert (row.outcome, row.reason, row.session) == ("lost", "its process ended", "other")
    with Session(sqlite, id="gone") as session:
        assert "Nothing of it was done." in session.view().transcript()


def test_callbacks_of_a_process_that_runs_are_left_alone(sqlite: SqliteStore, state: Path) -> None:
    with SqliteStore(state) as running, Session(running, id="alive") as alive:
        action = alive.store.push(PendingAction("change", apply))
        with Session(sqlite, id="other") as other:
            assert other.lost == []
        assert sqlite.get(action.id).state == "pending"


def test_a_session_that_opens_again_asks_for_what_is_pending(sqlite: SqliteStore) -> None:
    with Session(sqlite, id="one") as session:
        action = session.stage(handler="h", payload={}, label="change")
    with Session(sqlite, id="one") as session:
        assert session.queue.inspect() == [f"resolve:{action.id}"]
        assert [message.name for message in session.steering] == ["resolve-reminder"]
