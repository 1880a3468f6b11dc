"""The search for culprits, against every part of small sets and against picire."""

import itertools
import random
import warnings
from collections.abc import Callable, Sequence
from math import log2

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from astedit.proving.culprits import Culprits, CulpritSearch, OutOfBudget, PartVerdict, Subset

with warnings.catch_warnings():  # it imports what setuptools warns of
    warnings.simplefilter("ignore")
    import picire

Failing = Callable[[Subset], bool]


class CountedJury:
    """Knows which parts fail; counts what it runs, and fails by chance if it is told to."""

    def __init__(
        self,
        fails: Failing,
        loads: Failing = lambda _: True,
        budget: int = 10_000,
        chance: Callable[[], bool] = lambda: False,
    ) -> None:
        self.fails, self.loads, self.left, self.chance = fails, loads, budget, chance
        self.used = 0
        self.known: dict[Subset, PartVerdict] = {}
        self.passes: dict[Subset, int] = {}

    def run(self, subset: Subset) -> PartVerdict:
        if self.left == 0:
            raise OutOfBudget
        self.left, self.used = self.left - 1, self.used + 1
        if not self.loads(subset):
            return "unresolved"
        verdict: PartVerdict = "fail" if self.fails(subset) or self.chance() else "pass"
        self.passes[subset] = self.passes.get(subset, 0) + (verdict == "pass")
        return verdict

    def verdicts(self, subsets: Sequence[Subset]) -> list[PartVerdict]:
        for subset in subsets:
            if subset not in self.known:
                self.known[subset] = self.run(subset)
        return [self.known[subset] for subset in subsets]

    def again(self, subset: Subset) -> PartVerdict:
        verdict = self.run(subset)
        if verdict == "pass":
            self.known[subset] = verdict
        return verdict


def searched(
    jury: CountedJury, count: int, level: Callable[[int], int] = lambda _: 2, width: int = 1
) -> Culprits:
    return CulpritSearch(jury, level, width).run(count)


def holding_any(minimal: Sequence[Subset]) -> Failing:
    return lambda subset: any(each <= subset for each in minimal)


def check(culprits: Culprits, fails: Failing, count: int) -> None:
    """What is promised of every search that comes to its end."""
    everything = frozenset(range(count))
    assert culprits.complete
    members = [each.members for each in culprits.sets]
    assert sum(map(len, members)) == len(frozenset().union(*members)), "they are disjoint"
    assert culprits.rest == everything.difference(*members)
    assert not fails(culprits.rest)
    for each in members:
        assert fails(each)
        for number in each:
            assert not fails(each - {number})


families = st.lists(st.frozensets(st.integers(0, 8), min_size=1, max_size=3), max_size=4)


@settings(max_examples=150, deadline=None)
@given(families, st.integers(1, 3), st.lists(st.integers(0, 2), min_size=9, max_size=9))
def test_every_disjoint_culprit_is_found_and_none_is_larger_than_need_be(
    minimal: list[Subset], width: int, levels: list[int]
) -> None:
    fails = holding_any(minimal)
    check(searched(CountedJury(fails), 9, levels.__getitem__, width), fails, 9)


@settings(max_examples=100, deadline=None)
@given(st.frozensets(st.frozensets(st.integers(0, 5), min_size=1), max_size=40))
def test_parts_that_fail_for_no_reason_do_not_confuse_it(failing: frozenset[Subset]) -> None:
    """More edits may mend what fewer break: then, too, what is said is true."""
    check(searched(CountedJury(failing.__contains__), 6), failing.__contains__, 6)


@settings(max_examples=60, deadline=None)
@given(st.frozensets(st.integers(0, 11), min_size=1, max_size=4))
def test_it_agrees_with_picire_about_one_culprit(culprit: Subset) -> None:
    def interesting(part: list[int], _: object) -> picire.Outcome:
        return picire.Outcome.FAIL if culprit <= frozenset(part) else picire.Outcome.PASS

    reduced = picire.DD(interesting)(list(range(12)))
    (ours,) = searched(CountedJury(lambda subset: culprit <= subset), 12).sets
    assert ours.members == frozenset(reduced) == culprit


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 8, 16, 31, 200])
def test_one_culprit_costs_no_more_than_promised(count: int) -> None:
    rng = random.Random(count)
    for culprit in range(count):
        levels = [rng.randrange(3) for _ in range(count + 1)]
        jury = CountedJury(lambda subset, culprit=culprit: culprit in subset)  # type: ignore[misc]
        (ours,) = searched(jury, count, levels.__getitem__).sets
        assert ours.members == {culprit}
        assert jury.used <= 2 * log2(count) + 3


def test_groups_are_kept_whole_where_that_costs_little() -> None:
    asked: list[Subset] = []

    class Watching(CountedJury):
        def run(self, subset: Subset) -> PartVerdict:
            asked.append(subset)
            return super().run(subset)

    searched(Watching(lambda subset: 19 in subset), 20, lambda number: 0 if number == 12 else 2)
    assert asked[:2] == [frozenset(range(20)), frozenset(range(12))]


def test_a_part_that_cannot_be_loaded_is_no_failure() -> None:
    """Half of a pair cannot be loaded; the tests fail because of another edit alone."""
    for first, second, culprit in itertools.permutations(range(5), 3):
        jury = CountedJury(
            lambda subset, culprit=culprit: culprit in subset,  # type: ignore[misc]
            lambda subset, pair={first, second}: len(subset & pair) != 1,  # type: ignore[misc]
        )
        culprits = searched(jury, 5)
        assert [each.members for each in culprits.sets] == [{culprit}]
        assert culprits.rest == set(range(5)) - {culprit}


def test_where_nothing_can_be_loaded_the_edits_that_prevent_it_are_found() -> None:
    jury = CountedJury(lambda _: False, lambda subset: 3 not in subset)
    assert [each.members for each in searched(jury, 10).sets] == [{3}]


def test_out_of_budget_the_best_bracket_is_kept() -> None:
    for budget in range(1, 9):
        culprits = searched(CountedJury(lambda subset: 77 in subset, budget=budget), 100)
        assert not culprits.complete and 77 in culprits.bracket
        assert len(culprits.bracket) <= 100 * 0.66 ** (budget - 1) + 2


@pytest.mark.parametrize(
    "rounds", [40, pytest.param(2_000, marks=[pytest.mark.slow, pytest.mark.timeout(600)])]
)
def test_failures_by_chance_are_seldom_taken_for_culprits(rounds: int) -> None:
    right = 0
    for seed in range(rounds):
        rng = random.Random(seed)
        culprits = [frozenset({each}) for each in rng.sample(range(200), rng.randrange(4))]
        jury = CountedJury(holding_any(culprits), chance=lambda rng=rng: rng.random() < 0.05)  # type: ignore[misc]
        sets = {each.members for each in searched(jury, 200).sets}
        right += sets == set(culprits)
        assert not any(len(each) == 1 and jury.passes.get(each, 0) >= 2 for each in sets)
    assert right >= 0.95 * rounds
