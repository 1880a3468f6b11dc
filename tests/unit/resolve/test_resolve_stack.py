"""The stack of pending actions, of a store and of one session."""

from __future__ import annotations

from resolve import PendingAction, Session
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
