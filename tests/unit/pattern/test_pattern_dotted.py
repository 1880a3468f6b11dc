"""Names are looked for in a text before it is parsed."""

from pathlib import Path

import pytest

from astedit.language import load, named
from astedit.pattern.compile import compile_pattern
from astedit.pattern.required_text import DottedName, dotted_names
from tests.support.lists import rows

ROWS = rows(Path(__file__).with_suffix(".txt"))


def names(text: str, language: str = "python", strictness: str = "smart") -> set[DottedName]:
    row = named(language)
    assert row is not None
    return set(dotted_names(compile_pattern(text, row, load(row), strictness=strictness)).values())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("os.path.join($$$A)", {DottedName((b"os", b"path", b"join"), True, True)}),
        ("os.path.join", {DottedName((b"os", b"path", b"join"), True)}),
        ("open($A)", {DottedName((b"open",), True, True)}),
        ("open", {DottedName((b"open",))}),
        ("$A.append($B)", {DottedName((b"append",), False, True)}),
        ("$A.b.c", {DottedName((b"b", b"c"))}),
        ("f(os.path)", {DottedName((b"f",), True, True), DottedName((b"os", b"path"))}),
        ("os.$A.join", {DottedName((b"os",), True), DottedName((b"join",))}),
        ("raise ValueError", {DottedName((b"ValueError",))}),
        ("class A(B): pass", {DottedName((b"A",), False, True), DottedName((b"B",))}),
        ("a[0].b", {DottedName((b"a",), True), DottedName((b"b",))}),
    ],
)
def test_what_a_pattern_names(text: str, expected: set[DottedName]) -> None:
    assert names(text) == expected


def test_where_nobody_knows_what_stands_behind_a_dot_words_are_words() -> None:
    assert names("f(os.path)", "kotlin") == {DottedName((one,)) for one in (b"f", b"os", b"path")}


def test_a_pattern_that_may_leave_out_signs_names_words() -> None:
    """`a.b` finds C's `a->b` then."""
    assert names("a.b", "c", "relaxed") == {DottedName((one,)) for one in (b"a", b"b")}


def test_a_dotted_name_may_begin_behind_a_dot() -> None:
    """As in `from .os.path import join`."""
    row = named("python")
    assert row is not None
    grammar = load(row)
    context = "from os.path import join"
    pattern = compile_pattern("", row, grammar, selector="dotted_name", context=context)
    assert set(dotted_names(pattern).values()) == {DottedName((b"os", b"path"))}


@pytest.mark.parametrize(("source", "expected"), ROWS["where a name stands"])
def test_where_a_name_stands(source: bytes, expected: bool) -> None:
    assert DottedName((b"os", b"path"), True).stands(source) is expected


@pytest.mark.parametrize(
    ("source", "expected"), [(b"x.os", True), (b"1os", True), (b"cos", False), (b"os1", False)]
)
def test_where_a_word_stands(source: bytes, expected: bool) -> None:
    assert DottedName((b"os",)).stands(source) is expected


def test_a_name_may_begin_within_what_is_none() -> None:
    assert DottedName((b"a", b"a")).stands(b"xa.a.a")
    assert not DottedName((b"a", b"a")).stands(b"xa.a")
    assert DottedName((b"a", b"b", b"a"), False, True).stands(b"xa.b.a.b.a(1)")


def test_only_the_bytes_that_are_asked_about_are_looked_at() -> None:
    source = b"os.path x.os.path os.path"
    name = DottedName((b"os", b"path"), True)
    assert not name.stands(source, 8, 17)
    assert name.stands(source, 18, 25)
