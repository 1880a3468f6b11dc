"""What a session is: its id, its part of the store, and the action it resolves just now."""

from __future__ import annotations

import pytest

from resolve import PendingAction, Session, ToolError
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
