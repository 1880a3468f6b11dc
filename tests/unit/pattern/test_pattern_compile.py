"""A pattern's text to its goals: the effective node, refusals, literals."""

from pathlib import Path
from typing import Any

import pytest

from astedit.errors import RequestError
from astedit.language import load, named
from astedit.limits import MAX_PATTERN_DEPTH, MAX_PATTERN_SIZE
from astedit.pattern.compile import Pattern, compile_pattern
from tests.support.lists import rows

ROWS = rows(Path(__file__).with_suffix(".txt"))


def pattern(language: str, text: str, **options: Any) -> Pattern:
    row = named(language)
    assert row is not None
    return compile_pattern(text, row, load(row), **options)


@pytest.mark.parametrize(("language", "text", "kind"), ROWS["the effective node"])
def test_the_effective_node(language: str, text: str, kind: str) -> None:
    assert pattern(language, text).goal.kind_name == kind


def test_the_selector_takes_the_first_node_in_document_order() -> None:
    found = pattern("javascript", "x", context="a.b(c.d(e))", selector="member_expression")
    assert found.goal.text == b"a.b"
    assert found.root_kind_name == "member_expression"


def test_a_context_without_selector_is_the_pattern() -> None:
    assert pattern("javascript", "x", context="f(1)").goal.text == b"f(1)"


def test_a_selected_hole_keeps_its_kind() -> None:
    assert pattern("javascript", "$A", context="f = $A", selector="identifier").goal.text == b"f"
    hole = pattern("python", "$A", context="$A", selector="identifier")
    assert hole.goal.hole is not None
    assert hole.root_kind_name == "identifier"


@pytest.mark.parametrize(
    ("language", "text", "options", "code"),
    [
        ("javascript", "", {}, "empty_pattern"),
        ("javascript", "  \n", {}, "empty_pattern"),
        ("javascript", "a; b", {}, "multiple_nodes"),
        ("javascript", "12  3344", {}, "multiple_nodes"),
        ("typescript", ": $T = $V", {}, "multiple_nodes"),
        ("javascript", "$$$A", {}, "standalone_multi"),
        ("javascript", "$$$", {}, "standalone_multi"),
        ("javascript", "f($$$A, $$$B)", {}, "ambiguous"),
        ("javascript", "f($$$, $$$)", {}, "ambiguous"),
        ("javascript", "f(1)", {"selector": "nope"}, "invalid_kind"),
        ("javascript", "f(1)", {"selector": "string"}, "selector_not_found"),
        ("javascript", "f(1)", {"context": "g(2)", "selector": "string"}, "selector_not_found"),
        ("javascript", "x" * (MAX_PATTERN_SIZE + 1), {}, "pattern_too_large"),
        ("java", "<a>#" * 10_000, {}, "pattern_too_large"),
        (
            "javascript",
            "[" * (MAX_PATTERN_DEPTH + 2) + "]" * (MAX_PATTERN_DEPTH + 2),
            {},
            "too_deep",
        ),
        ("javascript", "f(1)", {"strictness": "x"}, "bad_request"),
    ],
)
def test_refusals(language: str, text: str, options: dict[str, Any], code: str) -> None:
    with pytest.raises(RequestError) as caught:
        pattern(language, text, **options)
    assert caught.value.code == code


def test_many_holes_with_something_between_them_are_fine() -> None:
    assert pattern("javascript", "f($$$A, x, $$$B)").captures.keys() == {"A", "B"}


@pytest.mark.parametrize("row", ROWS["flaws"])
def test_flaws(row: tuple[str, ...]) -> None:
    language, text, *flaws = row
    assert pattern(language, text).flaws == tuple(flaws)


@pytest.mark.parametrize("row", ROWS["tokens that every match spells"])
def test_every_match_spells_the_tokens(row: tuple[str, ...]) -> None:
    language, text, strictness, *words = row
    goals, spelled = [pattern(language, text, strictness=strictness).goal], set()
    while goals:
        goal = goals.pop()
        goals += goal.children
        spelled |= {goal.text.decode()} if goal.spelled else set()
    assert spelled == set(words)


@pytest.mark.parametrize(("text", "strictness", "literals"), ROWS["every match holds the literals"])
def test_every_match_holds_the_literals(
    text: str, strictness: str, literals: tuple[bytes, ...]
) -> None:
    assert pattern("javascript", text, strictness=strictness).literals == literals


def test_captures_are_the_names_that_capture() -> None:
    found = pattern("javascript", "f($A, $_, $_B, $$C, $$$D)")
    spelled = {name: hole.spelling for name, hole in found.captures.items()}
    assert spelled == {"A": "$A", "C": "$$C", "D": "$$$D"}


def test_nodes_that_the_parser_invented_are_not_asked_for() -> None:
    assert pattern("java", "int x = $A").goal.children[-1].kind_name != ";"
