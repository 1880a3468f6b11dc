"""What an edit makes has the tree of its template, and what transforms made is whole."""

from pathlib import Path

import pytest

from tests.support.engine_edit import edited
from tests.support.lists import rows
from tests.support.rule_plans import fixed, plan

ROWS = rows(Path(__file__).with_suffix(".txt"))

STRUCTURE = "changes_structure"


@pytest.mark.parametrize(("language", "text", "pattern", "out", "expected"), ROWS["templates"])
def test_the_tree_is_that_of_the_template(
    language: str, text: str, pattern: str, out: str, expected: str | None
) -> None:
    after, data = edited(language, text, (pattern, out))
    assert after == (expected or text)
    if expected is None:
        assert [one.reason for one in data.blocked] == [STRUCTURE]
        assert data.blocked[0].misreading is not None
    else:
        assert data.blocked == ()


JOINED = (
    "rule: {pattern: 'f($$$A)'}\nfix: 2 * $N\n"
    "transform: {N: {items: {source: $$$A, joinBy: ' + '}}}"
)


def test_what_a_transform_made_gets_brackets() -> None:
    assert fixed(JOINED, "x = f(a, b);\ny = f(a);\n") == "x = 2 * (a + b);\ny = 2 * a;\n"


def test_what_a_transform_made_may_be_a_part_of_a_word() -> None:
    rule = (
        "rule: {pattern: 'f($A)'}\nfix: get_$N()\n"
        "transform: {N: {replace: {source: $A, replace: x, by: y}}}"
    )
    assert fixed(rule, "f(ax);\n") == "get_ay();\n"


def test_what_no_brackets_help_is_blocked_with_both_readings() -> None:
    rule = (
        "rule: {pattern: 'f($A)'}\nfix: g_$N()\n"
        "transform: {N: {replace: {source: $A, replace: x, by: y}}}"
    )
    (blocked,) = plan(rule, "f(a + x);\n").blocked
    assert blocked.readings is not None
    assert (blocked.readings.read, blocked.readings.meant) == ("g_a + y()", "g_$N()")


def test_a_template_of_very_many_signs_is_refused_like_any_other() -> None:
    text = "f(1)\n"
    after, data = edited("ruby", text, ("f($$$A)", "+x = " * 2_000 + "1"))
    assert after == text or data.blocked == ()


def test_any_number_of_comments_behind_an_edit_is_nobodys() -> None:
    text = "s:\n  - run: x\n" + "  # c\n" * 3_000 + "  - a: 1\n"
    after, data = edited("yaml", text, ("run: $A", "run:\n  cmd: $A"))
    assert not data.blocked and after == text.replace("run: x", "run:\n      cmd: x")
