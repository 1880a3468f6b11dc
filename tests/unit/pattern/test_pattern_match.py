"""What matches at which strictness, and what the holes hold."""

from pathlib import Path

import pytest

from astedit.language import load, named
from astedit.model.request import STRICTNESS
from astedit.pattern.compile import compile_pattern
from astedit.pattern.find import Finder
from astedit.pattern.match import Found
from tests.support.lists import rows

ROWS = rows(Path(__file__).with_suffix(".txt"))

TARGETS = [
    "foo(bar)",
    "foo(bar,)",
    "foo(/*c*/ bar)",
    "foo(bar /*c*/)",
    "foo(baz)",
    "bar(baz)",
    "foo(bar, z)",
]
ALL = set(STRICTNESS)


def find(
    text: str, source: str, strictness: str = "smart", language: str = "javascript"
) -> list[Found]:
    row = named(language)
    assert row is not None
    finder = Finder(compile_pattern(text, row, load(row), strictness=strictness))
    data = source.encode()
    return finder.find(load(row).parser().parse(data).root_node, data)


def texts(found: list[Found]) -> list[str]:
    return [(one.node.text or b"").decode() for one in found]


def held(found: Found) -> dict[str, str | list[str]]:
    single = {name: (node.text or b"").decode() for name, node in found.single.items()}
    multi = {name: [(n.text or b"").decode() for n in many] for name, many in found.multi.items()}
    return {**single, **multi}


@pytest.mark.parametrize(("strictness", "expected"), ROWS["the table of strictness"])
def test_the_table_of_strictness(strictness: str, expected: str) -> None:
    got = ["01"[target in texts(find("foo(bar)", target, strictness))] for target in TARGETS]
    assert "".join(got) == expected


@pytest.mark.parametrize(("text", "target", "matching"), ROWS["which levels match"])
def test_which_levels_match(text: str, target: str, matching: str) -> None:
    got = [level for level in STRICTNESS if find(text, target, level)]
    assert set(got) == set(matching.split())


def test_a_root_hole_matches_every_named_node() -> None:
    assert texts(find("$A", "f(1);")) == ["f(1);", "f(1);", "f(1)", "f", "(1)", "1"]


@pytest.mark.parametrize("strictness", STRICTNESS)
def test_a_root_hole_and_comments(strictness: str) -> None:
    comments = [text for text in texts(find("$A", "f; // c", strictness)) if text == "// c"]
    assert bool(comments) == (strictness in ("cst", "smart", "ast"))


def test_two_sigils_hold_any_node() -> None:
    assert not find("return $A", "function f() { return; }")
    (found,) = find("return $$A", "function f() { return; }")
    assert held(found) == {"A": ";"}


@pytest.mark.parametrize(("text", "equal", "different"), ROWS["a name that occurs twice"])
def test_a_name_that_occurs_twice(text: str, equal: str, different: str) -> None:
    assert find(text, equal)
    assert not find(text, different)


@pytest.mark.parametrize(("text", "target", "expected"), ROWS["many holes"])
def test_many_holes(text: str, target: str, expected: dict[str, object]) -> None:
    (found,) = find(text, target)
    assert held(found) == expected


def test_a_probe_leaks_nothing() -> None:
    (found,) = find("{ $$$A let $P = g() }", "{ let a = 1; let b = g() }")
    assert held(found)["P"] == "b"


def test_candidates_are_looked_for_behind_the_first_child_of_a_kind() -> None:
    """tree-sitter's query alone passes over the second declaration."""
    assert find("{\n  $$$A\n  let $P = g()\n}", "{\n  let a = 1\n  let b = g()\n}")


def test_a_pattern_too_deep_for_python_is_given_up_and_says_so() -> None:
    row = named("javascript")
    assert row is not None
    text, code = "x", "x"
    for level in range(120):
        text, code = f"[$$$A{level}, 0, {text}, $$$B{level}]", f"[7, 0, {code}, 8]"
    finder = Finder(compile_pattern(text, row, load(row)))
    source = f"{code}\n{code.replace('x', 'y')}".encode()
    assert finder.find(load(row).parser().parse(source).root_node, source) == []
    assert finder.matcher.gave_up


def test_what_has_too_many_ways_to_match_is_given_up_and_says_so() -> None:
    row = named("javascript")
    assert row is not None
    holes = ", ".join(f"$$$A{i}, $B{i}, x" for i in range(12))
    finder = Finder(compile_pattern(f"f({holes}, end)", row, load(row)))
    source = ("f(" + "x, " * 60 + "end, more)").encode()
    assert finder.find(load(row).parser().parse(source).root_node, source) == []
    assert finder.matcher.gave_up


def levels(pattern: str, code: str) -> set[str]:
    """The strictness levels at which a pattern matches this code."""
    row = named("javascript")
    assert row is not None
    grammar, data = load(row), code.encode()
    root = grammar.parser().parse(data).root_node
    return {
        level
        for level in STRICTNESS
        if Finder(compile_pattern(pattern, row, grammar, strictness=level)).find(root, data)
    }


@pytest.mark.parametrize(
    ("pattern", "code", "expected"),
    [
        ("f($A, $$$B)", "f(1)", ALL - {"cst"}),
        ("f($A, $$$B)", "f(1, 2)", ALL),
        ("f($$$A,)", "f(1)", ALL - {"cst"}),
        ("f($$$A,)", "f(1,)", ALL),
        ("f($A, $B)", "f(1)", set()),
        ("f($A, x)", "f(1)", set()),
    ],
)
def test_a_comma_may_be_missing_beside_an_empty_many_hole(
    pattern: str, code: str, expected: set[str]
) -> None:
    assert levels(pattern, code) == expected
