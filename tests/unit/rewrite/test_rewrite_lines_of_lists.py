"""The lines of a list stay when its brackets become others, or stand around fewer items."""

from pathlib import Path

import pytest

from tests.support.engine_edit import edited
from tests.support.lists import rows

ROWS = rows(Path(__file__).with_suffix(".txt"))

WITH_COMMA = "x = f(\n    a,\n    b,\n)\n"
WITHOUT = "x = f(\n    a,\n    b\n)\n"


@pytest.mark.parametrize(("out", "with_comma", "without"), ROWS["its end stays on a line"])
def test_its_end_stays_on_a_line_of_its_own(out: str, with_comma: str, without: str) -> None:
    """With its comma, unless that would say something."""
    for text, expected in ((WITH_COMMA, with_comma), (WITHOUT, without)):
        after, data = edited("python", text, ("f($A, $B)", out))
        assert (after, data.blocked) == (expected, ())


@pytest.mark.parametrize(("out", "expected"), ROWS["what stands on lines of its own stays there"])
def test_what_stands_on_lines_of_its_own_stays_there(out: str, expected: str) -> None:
    after, data = edited("python", WITH_COMMA, ("f($A, $B)", out))
    assert (after, data.blocked) == (expected, ())


@pytest.mark.parametrize(("out", "expected"), ROWS["what stands below what follows a bracket"])
def test_what_stands_below_what_follows_a_bracket_stays_below_it(out: str, expected: str) -> None:
    after, data = edited("python", "x = f(a,\n      b)\n", ("f($A, $B)", out))
    assert (after, data.blocked) == (expected, ())


@pytest.mark.parametrize(("out", "expected"), ROWS["a comma that would make a tuple goes"])
def test_a_comma_that_would_make_a_tuple_goes(out: str, expected: str) -> None:
    text = "def g():\n    " + "x = f(\n    a,\n)\n".replace("\n", "\n    ").rstrip(" ")
    after, data = edited("python", text, ("f($A)", out))
    assert data.blocked == ()
    assert after.replace("\n    ", "\n") == "def g():\n" + expected


def test_a_choice_with_a_name_gets_brackets_within_a_string() -> None:
    """`f"{a := b if c else d}"` has `= b if …` for a format."""
    after, _ = edited("python", "x = f(o := a if b else c)\n", ("f($A)", "f'{$A}'"))
    assert after == "x = f'{(o := a if b else c)}'\n"


def test_the_head_of_a_loop_has_no_other_statements_in_java() -> None:
    text = "class A { void f() { int i; for (i = 1; i < 3; i++) { } } }\n"
    after, data = edited("java", text, ("$A = $B", "$A % 2 == $B"))
    assert (after, [one.reason for one in data.blocked]) == (text, ["breaks_syntax"])
    after, data = edited("java", text, ("$A = $B", "g($B)"))
    assert (after, data.blocked) == (text.replace("i = 1", "g(1)"), ())
