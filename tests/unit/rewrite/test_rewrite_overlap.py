"""Which of several matches is made, and where: whatever their ranges. (rules F9, F10)"""

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st
from tree_sitter import Node

from astedit.language import load, named
from astedit.pattern.match import Found
from astedit.rewrite.make.overlap import Site, nest
from tests.support.engine_edit import edited, program

SOURCE = b"(" * 20 + b"x" + b")" * 20


def node() -> Node:
    row = named("javascript")
    assert row is not None
    return load(row).parser().parse(SOURCE).root_node


NODE = node()
OPS = program("javascript", ("f($A)", "g($A)"), ("h($A)", "k()"), ("d($A)", ""))[0].ops
RANGES = st.tuples(st.integers(0, 2), st.integers(0, 20), st.integers(1, 20))


def site(op: int, start: int, end: int) -> Site:
    """A match of an op, without captures."""
    rewrite = OPS[op].rewrite
    assert rewrite is not None
    return Site(rewrite, Found(NODE, {}, {}, []), start, end)


@settings(max_examples=200)
@given(st.lists(RANGES, max_size=8))
def test_every_match_is_made_or_has_one_that_displaced_it(
    drawn: list[tuple[int, int, int]],
) -> None:
    sites = [site(op, start, start + size) for op, start, size in drawn]
    outer, displaced = nest(sites, SOURCE)
    spans = [(one.start, one.end) for one in outer]
    assert spans == sorted(spans)
    assert all(left[1] <= right[0] for left, right in itertools.pairwise(spans))
    assert not any(one.inner for one in outer)  # nothing is captured here
    made = sum(one.matches for one in outer)
    assert made + sum(loss.site.matches for loss in displaced) == len(sites)
    assert all(loss.site is not loss.by for loss in displaced)


@given(st.permutations([(0, 2, 8), (1, 2, 8), (2, 2, 8)]))
def test_of_equal_ranges_the_earlier_op_wins(drawn: list[tuple[int, int, int]]) -> None:
    outer, displaced = nest([site(*one) for one in drawn], SOURCE)
    assert [one.rewrite.op for one in outer] == [0]
    assert sorted(loss.site.rewrite.op for loss in displaced) == [1, 2]
    assert {loss.reason for loss in displaced} == {"crossing"}


def test_of_crossing_ranges_the_earlier_op_wins_whatever_its_place() -> None:
    for drawn in ([(0, 0, 5), (1, 3, 9)], [(0, 3, 9), (1, 0, 5)]):
        outer, displaced = nest([site(*one) for one in drawn], SOURCE)
        assert [one.rewrite.op for one in outer] == [0]
        assert [(loss.site.rewrite.op, loss.reason) for loss in displaced] == [(1, "crossing")]


def test_of_one_op_the_earlier_start_wins() -> None:
    outer, displaced = nest([site(0, 3, 9), site(0, 0, 5)], SOURCE)
    assert [(one.start, one.end) for one in outer] == [(0, 5)]
    assert [loss.site.start for loss in displaced] == [3]


def test_deletions_that_overlap_unite() -> None:
    outer, displaced = nest([site(2, 3, 9), site(2, 0, 5), site(2, 9, 12)], SOURCE)
    assert [(one.start, one.end, one.matches) for one in outer] == [(0, 9, 2), (9, 12, 1)]
    assert not displaced


CALLS = st.recursive(
    st.sampled_from(["1", "x", "'s'"]),
    lambda inner: st.one_of(
        inner.map("f({})".format), inner.map("q({})".format), inner.map("[{}, 2]".format)
    ),
    max_leaves=8,
)


@settings(max_examples=60, deadline=None)
@given(CALLS)
def test_composing_is_rewriting_from_the_inside_out(text: str) -> None:
    after, _ = edited("javascript", f"y = {text};", ("f($A)", "g($A, $A)"))
    expected = f"y = {text};"
    while "f(" in expected:
        start = expected.rindex("f(")
        depth, end = 1, start + 2
        while depth:
            depth += {"(": 1, ")": -1}.get(expected[end], 0)
            end += 1
        inner = expected[start + 2 : end - 1]
        expected = f"{expected[:start]}g({inner}, {inner}){expected[end:]}"
    assert after == expected


@settings(max_examples=60, deadline=None)
@given(CALLS)
def test_the_number_of_matches_counts_the_composed_ones(text: str) -> None:
    _, data = edited("javascript", f"y = {text};", ("f($A)", "g($A)"))
    assert sum(edit.matches for edit in data.edits) == text.count("f(")


def test_matches_nest_as_deep_as_they_like() -> None:
    text = "f(" * 300 + "1" + ")" * 300
    after, data = edited("javascript", text, ("f($A)", "g($A)"))
    assert after == text.replace("f", "g")
    assert data.edits[0].matches == 300


def test_a_capture_that_doubles_with_every_level_is_stopped() -> None:
    text = "f(" * 40 + "1" + ")" * 40
    after, data = edited("javascript", text, ("f($A)", "g($A, $A)"))
    assert after == text
    assert data.skip is not None
    assert data.skip[0] == "too_large"
