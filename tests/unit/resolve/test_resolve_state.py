"""What a session is: its id, its part of the store, and the action it resolves just now."""

from __future__ import annotations

from pathlib import Path

import pytest

from resolve import PendingAction, Session, SqliteStore, ToolError, ToolResult
from resolve.state import live
from resolve.store import PendingActionStore


@pytest.mark.parametrize("name", ["one", "_", "a.b-c_1", "x" * 100])
def test_a_name_of_letters_digits_dots_and_dashes_is_an_id(
    store: PendingActionStore, name: str
) -> None:
    with Session(store, id=name) as session:
        assert session.id == name


@pytest.mark.parametrize("name", ["", ".", "-a", "a/b", "../a", "a b", "é", "x" * 101])
def test_what_cannot_name_a_file_is_no_id(store: PendingActionStore, name: str) -> None:
    with pytest.raises(ToolError, match="cannot name a session") as caught:
        Session(store, id=name)
    assert caught.value.code == "invalid"


def test_without_an_id_each_session_gets_one_of_its_own(store: PendingActionStore) -> None:
    with Session(store) as one, Session(store) as two:
        assert one.id != two.id


def test_only_the_session_that_claims_knows_the_claimed_action(store: PendingActionStore) -> None:
    action = PendingAction("change")
    with Session(store) as one, Session(store) as two:
        with one.claiming(action):
            assert (one.claimed, two.claimed) == (action, None)
            with two.claiming(PendingAction("inner")):
                assert one.claimed is None
            assert one.claimed is action and action.id in live
        assert one.claimed is None and action.id not in live


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
