"""The stack of pending actions, of a store and of one session."""

from __future__ import annotations

import pytest

from resolve import PendingAction, Session, ToolError
from resolve.stack import SHORTEST, short_ids
from resolve.store import PendingActionStore


def apply(reason: str) -> str:
    return reason


def volatile(label: str = "change", **fields: object) -> PendingAction:
    return PendingAction(label=label, apply=apply, **fields)


def test_an_empty_store_has_nothing(store: PendingActionStore) -> None:
    assert store.peek() is None
    assert store.pop() is None
    assert store.list() == []
    assert store.get("a00000000000000000") is None
    assert (store.count, store.has_pending) == (0, False)


def test_the_newest_action_comes_first(store: PendingActionStore) -> None:
    first, second = store.push(volatile("one")), store.push(volatile("two"))
    assert store.list() == [second, first]
    assert store.peek() == second
    assert (store.count, store.has_pending) == (2, True)


def test_pop_takes_the_newest_and_leaves_the_rest(store: PendingActionStore) -> None:
    first, second = store.push(volatile("one")), store.push(volatile("two"))
    popped = store.pop()
    assert popped is not None
    assert (popped.id, popped.label) == (second.id, "two")
    assert store.list() == [first]


def test_remove_takes_one_out_of_the_middle_once(store: PendingActionStore) -> None:
    one, two, three = (store.push(volatile(label)) for label in ("one", "two", "three"))
    removed = store.remove(two.id)
    assert removed is not None
    assert removed.label == "two"
    assert store.remove(two.id) is None
    assert store.list() == [three, one]
    assert store.get(two.id) is None


def test_clear_empties_the_stack(store: PendingActionStore) -> None:
    store.push(volatile())
    store.push(volatile())
    store.clear()
    assert store.count == 0


def test_the_same_label_twice_is_two_actions(store: PendingActionStore) -> None:
    first, second = store.push(volatile("same")), store.push(volatile("same"))
    assert first.id != second.id
    assert store.count == 2


def test_a_session_sees_its_own_part_of_the_store(store: PendingActionStore) -> None:
    with Session(store) as mine, Session(store) as other, Session(store, workspace=True) as every:
        one, two = mine.store.push(volatile("mine")), other.store.push(volatile("other"))
        assert mine.store.list() == [one]
        assert other.store.peek() == two
        assert every.store.list() == [two, one]
        assert mine.store.get(two.id) == two
        assert mine.store.find(two.id[-8:]) == two
        mine.store.clear()
        assert (mine.store.count, other.store.count) == (0, 1)


def test_an_id_may_be_shortened_from_either_end(store: PendingActionStore) -> None:
    old, new = (PendingAction("x", lambda *_: None) for _ in range(2))
    old.id, new.id = "a000000001aaaa7f3k", "a000000002bbbb9xyz"
    for action in (old, new):
        store.push(action)
    for text in ("7f3k", "a000000001", "aaaa7F3K", old.id):
        assert store.find(text).id == old.id
    with pytest.raises(ToolError, match="ambiguous") as error:
        store.find("a000")
    assert old.id in str(error.value) and new.id in str(error.value)
    for text in ("f3k", "a0000000011", "0000", "7f3"):
        with pytest.raises(ToolError, match="no action"):
            store.find(text)


def test_of_many_that_a_text_may_mean_a_few_are_listed(store: PendingActionStore) -> None:
    for number in range(50):
        store.push(PendingAction("x", lambda *_: None, id=f"a0000{number:013}"))
    with pytest.raises(ToolError) as error:
        store.find("a0000")
    assert len(str(error.value).splitlines()) == 12


def test_the_short_form_means_one_id_alone() -> None:
    ids = ["a0000000017777bbbb", "a0000000025777bbbb", "a00000000366666xyz", "a0001000047777a000"]
    assert short_ids(ids) == {
        ids[0]: "7777bbbb"[-8:],
        ids[1]: "5777bbbb",
        ids[2]: "6xyz",
        ids[3]: "7a000",  # `a000` is how all of them begin
    }
    assert short_ids([]) == {} and SHORTEST == 4
