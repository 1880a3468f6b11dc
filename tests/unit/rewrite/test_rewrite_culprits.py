"""Which of many edits are to blame: all of those that are, and no other."""

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from astedit.rewrite.culprits import culprits


def looker(bad: set[int], asked: list[list[int]]):  # type: ignore[no-untyped-def]
    def look(edits: Sequence[int]) -> str | None:
        asked.append(list(edits))
        wrong = sorted(bad & set(edits))
        return f"{wrong}" if wrong else None

    return look


def test_where_all_is_right_it_is_asked_once() -> None:
    asked: list[list[int]] = []
    assert culprits(1000, looker(set(), asked)) == {}
    assert asked == [list(range(1000))]


def test_one_of_many_is_named_by_halving() -> None:
    asked: list[list[int]] = []
    assert culprits(1024, looker({700}, asked)) == {700: "[700]"}
    assert len(asked) < 30


@settings(max_examples=60, deadline=None)
@given(st.sets(st.integers(0, 63)))
def test_all_culprits_and_no_others(bad: set[int]) -> None:
    assert set(culprits(64, looker(bad, []))) == bad


def test_edits_that_are_right_together_stay() -> None:
    """The fourth opens what the fifth closes; halves of the set part them."""

    def look(edits: Sequence[int]) -> str | None:
        return "half" if (3 in edits) != (4 in edits) or 6 in edits else None

    assert culprits(8, look) == {6: "half"}


def test_of_two_that_clash_the_later_goes() -> None:
    def look(edits: Sequence[int]) -> str | None:
        return "clash" if {1, 5} <= set(edits) else None

    assert culprits(8, look) == {5: "clash"}
