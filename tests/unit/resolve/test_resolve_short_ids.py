"""The short form of an id: either end, as short as it can be."""

import pytest

from resolve import PendingAction, ToolError
from resolve.short_ids import SHORTEST, of_short_id, short_ids
from resolve.store import PendingActionStore


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


def test_of_many_that_a_text_may_mean_a_few_are_listed() -> None:
    actions = [PendingAction("x", lambda *_: None) for _ in range(50)]
    with pytest.raises(ToolError) as error:
        of_short_id("a0000", lambda end: actions)
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
