"""What is known of utilities is computed once, however they name each other."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from astedit.language import load
from astedit.rule import RuleFinder
from astedit.rule.match.find import Steps
from astedit.rule.match.utility import components, solve
from tests.support.lists import rows
from tests.support.patience import ends
from tests.support.rule_text import JAVASCRIPT, find, finder

ROWS = rows(Path(__file__).with_suffix(".txt"))

GRAPH = {1: [2, 5], 2: [3], 3: [1, 4], 4: [], 5: [5], 6: [1, 6]}
CIRCLES = """
rule: {matches: a}
utils:
  a: {any: [{pattern: one($A)}, {kind: call_expression, has: {matches: b, stopBy: end}}]}
  b: {any: [{pattern: two($A)}, {kind: call_expression, has: {matches: a, stopBy: end}}]}
"""


def test_a_circle_comes_behind_what_it_needs() -> None:
    circles = [(sorted(one), alone) for one, alone in components(GRAPH, GRAPH.__getitem__)]
    assert circles == [([4], True), ([5], False), ([1, 2, 3], False), ([6], False)]


def test_every_value_holds_what_can_be_reached() -> None:
    reached: dict[int, frozenset[int]] = {}

    def compute(key: int) -> frozenset[int]:
        return frozenset(GRAPH[key]).union(*(reached[other] for other in GRAPH[key]))

    solve(6, GRAPH.__getitem__, compute, reached, frozenset(), frozenset({-1}))
    assert {key: sorted(value) for key, value in reached.items()} == {
        **{key: [1, 2, 3, 4, 5] for key in (1, 2, 3)},
        4: [],
        5: [5],
        6: [1, 2, 3, 4, 5, 6],
    }


def test_what_never_comes_to_rest_is_unsure_and_the_others_are_not() -> None:
    values: dict[str, int] = {}
    needs = {"start": ["circle", "end"], "circle": ["circle"], "end": []}

    def compute(key: str) -> int:
        return 7 if key == "end" else sum(values[other] for other in needs[key]) + 1

    solve("start", needs.__getitem__, compute, values, 0, -1)
    assert values == {"circle": -1, "end": 7, "start": 7}


@pytest.mark.parametrize(("members", "value"), [(60, frozenset(range(60))), (1_000, None)])
def test_a_circle_of_very_many_is_unsure_at_once(
    members: int, value: frozenset[int] | None
) -> None:
    """Each would grow by what each other has: so many times so many."""
    values: dict[int, frozenset[int] | None] = {}
    computed: list[int] = []

    def compute(key: int) -> frozenset[int]:
        computed.append(key)
        return (values[(key + 1) % members] or frozenset()) | {key}

    solve(0, lambda key: [(key + 1) % members], compute, values, frozenset(), None)
    assert values[0] == value and bool(computed) == (value is not None)


@pytest.mark.parametrize("first", ["a", "b"])
def test_a_circle_needs_one_of_the_texts_that_end_it(first: str) -> None:
    circle = finder(CIRCLES.replace("rule: {matches: a}", f"rule: {{matches: {first}}}"))
    for literals in (circle.literals, circle.rule.literals(own=True)):
        assert sorted(map(sorted, literals)) == [[b"one"], [b"two"]]


def test_all_of_a_circle_is_known_whoever_asked_first() -> None:
    both = CIRCLES.replace("rule: {matches: a}", "rule: {all: [{matches: a}, {matches: b}]}")
    assert frozenset({b"one"}) in finder(both).literals
    assert find(both, "h(f(one(1)))") == ["h(f(one(1))) A=1"]


def test_a_circle_matches_at_any_depth() -> None:
    found = find(CIRCLES, "f(two(1)); g(h(f(one(2)))); three(3)")
    assert found == ["f(two(1)) A=1", "g(h(f(one(2)))) A=2", "h(f(one(2))) A=2", "one(2) A=2"]


def test_what_names_itself_as_its_only_part_needs_nothing_and_finds_nothing() -> None:
    rule = "rule: {matches: a}\nutils: {a: {kind: arguments, has: {matches: a, stopBy: end}}}"
    assert find(rule, "f(g(1))") == []


def rule_of(utilities: Iterable[str]) -> RuleFinder:
    return finder("rule: {matches: u0}\nutils:\n" + "\n".join(utilities))


def chain(length: int, link: str) -> list[str]:
    links = [f"  u{n}: {link.replace('NEXT', f'u{n + 1}')}" for n in range(length)]
    return [*links, f"  u{length}: {{pattern: last($A)}}"]


@pytest.mark.parametrize(("link",), ROWS["a chain that forks at every link"])
@pytest.mark.parametrize("length", [60, 1_000])
def test_a_chain_that_forks_at_every_link(link: str, length: int) -> None:
    with ends():
        assert rule_of(chain(length, link)).literals == (frozenset({b"last"}),)


@pytest.mark.parametrize("count", [5, 300])
def test_utilities_that_all_lead_to_each_other(count: int) -> None:
    utilities = [
        f"  u{n}: {{any: [{{pattern: f{n}($A)}}, {{kind: call_expression, all: ["
        f"{{has: {{matches: u{(n + 1) % count}, stopBy: end}}}}, "
        f"{{has: {{matches: u{(7 * n + 3) % count}}}}}, "
        f"{{inside: {{matches: u{(5 * n + 2) % count}}}}}]}}]}}"
        for n in range(count)
    ]
    with ends():
        assert rule_of(utilities).kinds is not None


@pytest.mark.slow
def test_alternatives_of_alternatives_are_not_multiplied_out() -> None:
    several = "{any: [" + ", ".join(f"{{pattern: f{n}($A)}}" for n in range(2_000)) + "]}"
    with ends():
        finder(f"rule: {{all: [{several}, {several}]}}")


def test_ways_to_match_that_multiply_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Steps.__init__, "__defaults__", (20_000,))
    links = chain(50, "{any: [{matches: NEXT}, {matches: NEXT}]}")
    rule = rule_of([*links[:-1], "  u50: {kind: number, regex: ^2}"])
    source = b"f(1, 12)"
    assert rule.find(load(JAVASCRIPT).parser().parse(source).root_node, source) == []
    assert rule.gave_up


def test_relations_in_relations_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Steps.__init__, "__defaults__", (20_000,))
    rule = "{kind: number, regex: ^2}"
    for _ in range(12):
        rule = f"{{kind: call_expression, has: {{stopBy: end, all: [{rule}]}}}}"
    nested = finder(f"rule: {rule}")
    source = ("f(" * 60 + "12" + ")" * 60).encode()
    assert nested.find(load(JAVASCRIPT).parser().parse(source).root_node, source) == []
    assert nested.gave_up
