"""The order of a review: what is odd comes first, whoever made it, and it never changes."""

import math
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from astedit.model.edit import Edit, FilePlan, Near, NearReason, Span
from astedit.model.plan import Blocked, Plan
from astedit.model.request import EditRequest
from astedit.review.order import (
    SAMPLE,
    SMALL,
    ReviewGroup,
    at_most,
    capture_kind,
    is_test,
    ordered,
    sampled,
    sentence,
)
from benchmarks.planted import MISTAKES, Mistake, plant, spoiled
from tests.support.lists import rows

ROWS = rows(Path(__file__).with_suffix(".txt"))

ALIKE = [(f"o{n}.put({n}, f(x{n}))", f"store(o{n}, {n}, f(x{n}), 7)") for n in range(120)]


def plan(pairs: list[tuple[str, str]], path: str = "a.py", matches: int = 1) -> Plan:
    """A plan of one file with these edits: before, after; ten lines apart."""
    edits = [
        Edit(f"e{at}", 0, None, at * 100, at * 100 + 9, at * 10 + 1, 1, *pair, matches=matches)
        for at, pair in enumerate(pairs)
    ]
    file = FilePlan(path, "modify", None, None, 0o644, len(edits), edits)
    return Plan("/", EditRequest(), [file], fingerprint="f" * 64)


def outliers(plan: Plan) -> dict[str, tuple[str, ...]]:
    """Before, and why it comes first."""
    first = ordered(plan)[0]
    assert first.kind == "outliers"
    return {edit.edit.whole_before: edit.why for edit in first.shown}


def everything(groups: list[ReviewGroup]) -> list[str]:
    return [edit.edit.id for group in groups for edit in group.edits]


@pytest.mark.parametrize(
    ("after", "words"), ROWS["an edit that differs from what the others do is first"]
)
def test_an_edit_that_differs_from_what_the_others_do_is_first(after: str, words: str) -> None:
    found = outliers(plan([*ALIKE, ("o.put(9, f(x))", after)]))
    assert next(iter(found)) == "o.put(9, f(x))"
    assert found["o.put(9, f(x))"][0] == f"120 alike edits {words}"


def test_a_right_edit_among_alike_ones_is_no_outlier() -> None:
    (group,) = ordered(plan([*ALIKE, ("o.put(9, f(x))", "store(o, 9, f(x), 7)")]))
    assert (group.kind, group.number, len(group.edits)) == ("large", 1, 121)


def test_several_wrong_ones_that_are_alike_do_not_hide_each_other() -> None:
    wrong = [(f"w{n}.put({n}, f(y))", f"store({n}, w{n}, f(y), 7)") for n in range(3)]
    assert list(outliers(plan(ALIKE + wrong))) == [before for before, _ in wrong]


def test_matches_within_matches_are_not_called_wrong() -> None:
    nested = ("o.put(1, p.put(2, f(x)))", "store(o, 1, store(p, 2, f(x), 7), 7)")
    twice = plan([*ALIKE, nested])
    twice.files[0].edits[-1].matches = 2
    wrong = plan([*ALIKE, nested, ("o.put(8, f(x))", "store(o, 8, f(x))")])
    wrong.files[0].edits[-2].matches = 2
    assert list(outliers(twice)) == [nested[0]]
    assert list(outliers(wrong)) == ["o.put(8, f(x))", nested[0]]


def test_planted_mistakes_come_first() -> None:
    """The program of the benchmark, on a small plan: of every kind of mistake."""
    files, wrong = plant(plan(ALIKE).files, 8, seed=3)
    spoilt = plan([])
    spoilt.files = files
    assert len(wrong) == 8
    assert set(everything(ordered(spoilt))[:8]) == wrong


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_one(mistake: Mistake) -> None:
    for before, after in ALIKE[:3]:
        text = spoiled(after, mistake, random.Random(before))
        assert text is not None
        assert text != after


@pytest.mark.parametrize(("change", "why"), ROWS["what stands out for another reason says so"])
def test_what_stands_out_for_another_reason_says_so(change: dict[str, str], why: str) -> None:
    subject = plan(ALIKE)
    edit = subject.files[0].edits.pop(5)
    edit.before = change.get("before", edit.before)
    edit.after = change.get("after", edit.after)
    path = change.get("path", "b.py")
    subject.files.append(FilePlan(path, "modify", None, None, 0o644, 1, [edit]))
    if "blocked" in change:
        subject.blocked.append(Blocked("b.py", Span(0, 1, edit.line + 2, 1), 0, "loss"))
    if "near" in change:
        reason = NearReason("call", 1, "b.py", edit.line - 1)
        subject.near.append(Near(0, "o.put($$$A)", "put", 2, 1, [reason]))
    ((before, reasons),) = outliers(subject).items()
    assert before == edit.before
    assert any(why in reason for reason in reasons)


def test_shapes_come_small_ones_first_each_edit_once_and_large_ones_are_folded() -> None:
    small = [(f"a{n}", f"(yield a{n})") for n in range(SMALL)]
    groups = ordered(plan(ALIKE + small + [("alone", "")]))
    assert [group.kind for group in groups] == ["outliers", "small", "large"]
    assert sorted(everything(groups)) == sorted(f"e{n}" for n in range(len(ALIKE) + SMALL + 1))
    large = groups[2]
    assert (len(large.shown), len(large.sample)) == (1 + SAMPLE, SAMPLE)
    assert large.shown[0].edit.id == "e0"
    assert sum(len(part.edits) for part in large.folded) == len(ALIKE) - 1 - SAMPLE
    assert groups == ordered(plan(ALIKE + small + [("alone", "")]))


def test_what_is_folded_is_divided_by_what_varies() -> None:
    pairs = [(f"p({'f()' if n % 2 else n})", f"q({'f()' if n % 2 else n})") for n in range(400)]
    subject = plan(pairs)
    edits = subject.files[0].edits
    tests = FilePlan("tests/t.py", "modify", None, None, 0o644, 100, edits[:100])
    subject.files = [FilePlan("a.py", "modify", None, None, 0o644, 300, edits[100:]), tests]
    (group,) = ordered(subject, lambda path: ["@t"] if "tests" in path else [])
    assert {part.label for part in group.folded} == {
        "a call; source; no owner", "a call; tests; @t",
        "a number; source; no owner", "a number; tests; @t",
    }  # fmt: skip
    assert {edit.path for part in group.folded if "tests" in part.label for edit in part.edits} == {
        "tests/t.py"
    }


def test_the_sample_is_of_the_plan() -> None:
    ids = [f"e{n}" for n in range(100)]
    assert sorted(sampled("a", ids)) == sorted(ids)
    assert sampled("a", ids) == sampled("a", ids[::-1])
    assert sampled("a", ids)[:10] != sampled("b", ids)[:10]


@pytest.mark.parametrize(("read", "wrong", "words"), ROWS["a sample says how many may be wrong"])
def test_a_sample_says_how_many_may_be_wrong(read: int, wrong: int, words: str) -> None:
    assert sentence(read, wrong).startswith(words)
    assert sentence(0, 0) == ""


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 400), st.integers(0, 5))
def test_so_few_wrong_ones_have_a_chance_of_one_in_twenty(read: int, wrong: int) -> None:
    """The binomial distribution once more, from its recurrence; and the rule of three."""
    share = at_most(read, wrong)
    if wrong >= read:
        assert share == 1
        return
    term = total = (1 - share) ** read
    for at in range(wrong):
        term *= (read - at) / (at + 1) * share / (1 - share)
        total += term
    assert math.isclose(total, 0.05, abs_tol=1e-6)
    assert wrong or share <= 3 / read


@pytest.mark.parametrize(("tokens", "kind"), ROWS["a capture has a kind"])
def test_a_capture_has_a_kind(tokens: str, kind: str) -> None:
    assert capture_kind(tokens.split()) == kind


def test_tests_are_known_by_their_place() -> None:
    tests = "tests/a.py a/test_b.py a/b_test.go a/b.spec.ts src/test/A.java a/FooTest.java"
    source = "a/b.py contest.py latest.py attest/a.py a/testing_tools.py"
    assert all(map(is_test, tests.split()))
    assert not any(map(is_test, source.split()))
