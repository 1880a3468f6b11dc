"""What a grammar takes and a language does not is not written: by kind and by place."""

from pathlib import Path

import pytest

from tests.support.engine_edit import edited
from tests.support.lists import rows

# Language, text, pattern, template, and what comes of it where something does.
ROWS = rows(Path(__file__).with_suffix(".txt"))


@pytest.mark.parametrize(("language", "text", "pattern", "out"), ROWS["barred"])
def test_what_may_not_stand_there_is_blocked(
    language: str, text: str, pattern: str, out: str
) -> None:
    after, data = edited(language, text, (pattern, out))
    assert after == text
    assert len(data.blocked) == 1


@pytest.mark.parametrize(
    ("language", "text", "pattern", "out", "expected"),
    ROWS["allowed"] + ROWS["lists"] + ROWS["bracketed"],
)
def test_what_may_stand_there_is_written(
    language: str, text: str, pattern: str, out: str, expected: str
) -> None:
    """With the brackets that only the grammar spares it."""
    after, data = edited(language, text, (pattern, out))
    assert (after, data.blocked) == (expected, ())


def test_what_is_wrong_within_is_blocked_alone() -> None:
    text = "def a():\n    f(f(1, b=2), f(3))\n"
    after, data = edited("python", text, ("f($$$A)", "f($$$A, b=0)"))
    assert after == "def a():\n    f(f(1, b=2), f(3, b=0), b=0)\n"
    assert [(one.text, one.matches) for one in data.blocked] == [(b"f(1, b=2)", 1)]


def test_what_is_right_within_is_made() -> None:
    after, data = edited("java", "class A { void f() { a.g(b.h(c)); } }\n", ("$A.$F($B)", "$B"))
    assert after == "class A { void f() { a.g(c); } }\n"
    assert [(one.text, one.matches) for one in data.blocked] == [(b"a.g(b.h(c))", 1)]


@pytest.mark.parametrize(("line", "pattern", "out", "expected"), ROWS["bare tuples"])
def test_a_tuple_without_brackets_gets_them_where_it_needs_them(
    line: str, pattern: str, out: str, expected: str
) -> None:
    after, data = edited("python", f"def k():\n    {line}\n", (pattern, out))
    assert (after, data.blocked) == (f"def k():\n    {expected}\n", ())


COMMENT_FIRST = "while a:\n    # why\n    # so\n    x()\n    # end\nz()\n"


@pytest.mark.parametrize(("out", "expected"), ROWS["a comment before the first statement"])
def test_a_comment_before_the_first_statement_may_stand_before_the_block(
    out: str, expected: str
) -> None:
    after, data = edited("python", COMMENT_FIRST, ("while $A: $$$B", out))
    assert (after, data.blocked) == (expected, ())


@pytest.mark.parametrize("out", ["with wrap($A): $$$B", "with $A, c: $$$B", "wrap($A)"])
def test_the_items_of_a_with_are_no_tuple(out: str) -> None:
    text = "with (\n    a(),\n    b(),\n):\n    x()\n"
    after, data = edited(
        "python", text, ("with $A: $$$B" if "$$$B" in out else "with $A: x()", out)
    )
    assert after == text
    assert [blocked.reason for blocked in data.blocked] == ["changes_structure"]


def test_in_a_blocked_edit_all_others_are_made_at_any_depth() -> None:
    text = (
        "if a:\n    if b:\n        if c:\n            f()\n            if d:\n"
        "                g()\n            else:\n                h()\n            if e:\n"
        "                k()\nelse:\n    m()\n"
    )
    after, data = edited("python", text, ("if $A: $$$B", "while $A:\n    $$$B"))
    assert after == (
        "if a:\n    while b:\n        while c:\n            f()\n            if d:\n"
        "                g()\n            else:\n                h()\n            while e:\n"
        "                k()\nelse:\n    m()\n"
    )
    assert [(blocked.span.line, blocked.matches) for blocked in data.blocked] == [(1, 1), (5, 1)]
    detail = "$B, with the else clause in it, does not stay whole: "
    assert all((blocked.detail or "").startswith(detail) for blocked in data.blocked)


@pytest.mark.parametrize(("language", "text", "pattern", "out"), ROWS["a list that is no value"])
def test_a_list_that_is_no_value_is_not_made_two(
    language: str, text: str, pattern: str, out: str
) -> None:
    after, data = edited(language, text, (pattern, out))
    assert after == text
    assert [blocked.reason for blocked in data.blocked] == ["changes_structure"]
