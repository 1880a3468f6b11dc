"""Which of many edits are to blame: all of those that are, and no other."""

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from astedit.rewrite.mend.accept_or_block import FaultOf, culprits
from astedit.rewrite.prove.fault import Fault


def fault(detail: object) -> Fault:
    return Fault("breaks_syntax", f"{detail}")


def looker(bad: set[int], asked: list[list[int]]) -> FaultOf:
    def look(edits: Sequence[int]) -> Fault | None:
        asked.append(list(edits))
        wrong = sorted(bad & set(edits))
        return fault(wrong) if wrong else None

    return look


def test_where_all_is_right_it_is_asked_once() -> None:
    asked: list[list[int]] = []
    assert culprits(range(1000), looker(set(), asked)) == {}
    assert asked == [list(range(1000))]


def test_one_of_many_is_named_by_halving() -> None:
    asked: list[list[int]] = []
    assert culprits(range(1024), looker({700}, asked)) == {700: fault([700])}
    assert len(asked) < 30


@settings(max_examples=60, deadline=None)
@given(st.sets(st.integers(0, 63)))
def test_all_culprits_and_no_others(bad: set[int]) -> None:
    assert set(culprits(range(64), looker(bad, []))) == bad


def test_edits_that_are_right_together_stay() -> None:
    """The fourth opens what the fifth closes; halves of the set part them."""

    def look(edits: Sequence[int]) -> Fault | None:
        return fault("half") if (3 in edits) != (4 in edits) or 6 in edits else None

    assert culprits(range(8), look) == {6: fault("half")}


def test_of_two_that_clash_the_later_goes() -> None:
    def look(edits: Sequence[int]) -> Fault | None:
        return fault("clash") if {1, 5} <= set(edits) else None

    assert culprits(range(8), look) == {5: fault("clash")}


def test_who_is_blamed_right_away_is_not_looked_for() -> None:
    asked: list[list[int]] = []

    def look(edits: Sequence[int]) -> Fault | None:
        asked.append(list(edits))
        wrong = {edit: fault(edit) for edit in edits if edit % 100 in (7, 8)}
        return Fault("changes_structure", "", (), wrong) if wrong else None

    assert all(edit % 100 in (7, 8) for edit in culprits(range(1000), look))
    assert [len(edits) for edits in asked] == [1000, 980]


def test_suspects_are_looked_at_first_each_by_itself() -> None:
    asked: list[list[int]] = []
    bad = {3, 70, 500}
    found = culprits(range(1000), looker(bad, asked), {9, *bad}.__contains__)
    assert found == {one: fault([one]) for one in sorted(bad)}
    assert [len(edits) for edits in asked] == [1000, 1, 1, 1, 1, 997]
