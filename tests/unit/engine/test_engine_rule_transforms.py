"""What transforms and rewriters of a rule make of captures, in place, by the rule's id."""

from pathlib import Path

import pytest

from astedit.rule import RuleError
from tests.support.lists import rows
from tests.support.rule_plans import F, fixed, found, plan

ROWS = rows(Path(__file__).with_suffix(".txt"))


def test_t8_a_multi_line_transform_is_indented_where_it_stands() -> None:
    rule = (
        "rule: {pattern: 'f($A)'}\n"
        "transform: {N: {replace: {source: $A, replace: x, by: y}}}\n"
        "fix: |-\n  g(\n    $N\n  )"
    )
    source = "if (a) {\n  f(() => {\n    x();\n  });\n}\n"
    assert fixed(rule, source) == ("if (a) {\n  g(\n    () => {\n      y();\n    }\n  );\n}\n")


def test_t7_captures_in_a_rewriter_move_by_the_lines_of_its_fix_only() -> None:
    rule = (
        "rule: {pattern: 'f($A)'}\nfix: g($N)\ntransform: {N: 'rewrite($A, rewriters=[w])'}\n"
        "rewriters: [{id: w, rule: {pattern: 'h($X, $Y)'}, fix: 'k($X, $Y, $X)'}]"
    )
    source = "f(h({\n  a: [\n    1]}, {\n      b: 2}));\n"
    assert fixed(rule, source) == "g(k({\n  a: [\n    1]}, {\n  b: 2}, {\n  a: [\n    1]}));\n"


@pytest.mark.parametrize(("made", "source", "after"), ROWS["a rewriter writes no comma twice"])
def test_m_8_a_rewriter_writes_no_comma_twice(made: str, source: str, after: str) -> None:
    rule = (
        "rule: {pattern: 'f($A)'}\nfix: g($N)\ntransform: {N: 'rewrite($A, rewriters=[w])'}\n"
        "rewriters: [{id: w, rule: {pattern: '[$$$X]'}, fix: '" + made + "'}]"
    )
    assert fixed(rule, source) == after


@pytest.mark.parametrize(("transform", "source", "result"), ROWS["t9 our own transforms"])
def test_t9_our_own_transforms(transform: str, source: str, result: str) -> None:
    rule = "rule: {pattern: 'f($$$A)'}\nfix: r($N)\ntransform: {N: " + transform + "}"
    assert fixed(rule, source) == f"r({result})"


@pytest.mark.parametrize(("transform", "result"), ROWS["t9 concat of several captures"])
def test_t9_concat_takes_several_captures(transform: str, result: str) -> None:
    """Of a rule's captures, of an alternative not taken, and of another transform."""
    rule = (
        "rule: {any: [{pattern: 'f($A, $B, $$$C)'}, {pattern: g($D)}]}\nfix: r($N)\n"
        "transform:\n  N: " + transform + "\n  M: {default: {source: $D, value: x}}\n"
    )
    assert fixed(rule, "f(1, 2, 3, 4)") == f"r({result})"


def test_t9_concat_moves_every_text_by_the_line_it_was_on() -> None:
    rule = (
        "rule: {pattern: 'f($A, $B)'}\nfix: $N\n"
        "transform: {N: {concat: {source: $B, with: [$A], joinBy: ' + '}}}\n"
    )
    source = "if (x) {\n  f([\n    1,\n  ],\n      [\n        2,\n      ]);\n}\n"
    after = "if (x) {\n  [\n    2,\n  ] + [\n    1,\n  ];\n}\n"
    assert fixed(rule, source) == after


@pytest.mark.parametrize(("transform", "place", "problem"), ROWS["what concat takes is checked"])
def test_t9_what_concat_takes_is_checked(transform: str, place: str, problem: str) -> None:
    with pytest.raises(RuleError) as raised:
        found(F + "transform: {N: " + transform + "}", "f(1)")
    assert raised.value.place == place
    assert problem in raised.value.message


def test_t9_trim_takes_white_space_off_both_ends() -> None:
    rule = (
        "rule: {pattern: 'f($A)'}\nfix: r($M)\ntransform:\n"
        "  N: {replace: {source: $A, replace: '[ab]', by: ' '}}\n  M: {trim: {source: $N}}"
    )
    assert fixed(rule, "f(axb)") == "r(x)"


def test_t6_a_join_of_nothing_is_a_loss_unless_it_is_allowed() -> None:
    rule = (
        "rule: {pattern: 'f($$$A)'}\nfix: g($N)\n"
        "rewriters: [{id: n, rule: {kind: number}, fix: x}]\n"
        "transform: {N: {rewrite: {source: $$$A, rewriters: [n], joinBy: ', '%s}}}"
    )
    made = plan(rule % "", "f(a); f(1);")
    assert [(b.reason, b.lost[0].text) for b in made.blocked] == [("loss", "a")]
    assert fixed(rule % "", "f(a); f(1);") == "f(a); g(x);"
    assert fixed(rule % ", allowEmpty: true", "f(a); f(1);") == "g(); g(x);"


COMMENTED = "f(a, /* why */ b);\n"
REWRITER = "rewriters: [{id: w, rule: {kind: identifier, pattern: $X}, fix: '$X'}]\n"


@pytest.mark.parametrize(
    ("language", "rule", "source", "result"), ROWS["f12 pieces in what a transform writes"]
)
def test_f12_a_piece_stays_whole_in_what_a_transform_writes(
    language: str, rule: str, source: str, result: str
) -> None:
    made = plan(rule, source, language)
    assert result == (made.blocked[0].reason if made.blocked else fixed(rule, source, language))


@pytest.mark.parametrize(("transform", "kept"), ROWS["a transform keeps comments or blocks"])
def test_f13_a_transform_keeps_comments_or_blocks(transform: str, kept: bool) -> None:
    rule = f"rule: {{pattern: 'f($$$A)'}}\n{REWRITER}transform: {{N: {transform}}}\nfix: g($N)"
    made = plan(rule, COMMENTED)
    assert [one.text for item in made.blocked for one in item.lost] == (
        [] if kept else ["/* why */"]
    )
    assert made.dropped_comments == []
    admitted = plan(f"{rule}\nallowLoss: true", COMMENTED)
    assert [one.text for one in admitted.dropped_comments] == ([] if kept else ["/* why */"])


@pytest.mark.parametrize(
    ("fix", "dropped"),
    [("g($N, $$$A)", []), ("g(1)", ["/* why */"]), ("g($M)", []), ("$N($$$A)", [])],
)
def test_f13_what_no_used_transform_reads_is_left_out_on_purpose(
    fix: str, dropped: list[str]
) -> None:
    rule = (
        "rule: {pattern: 'f($$$A)'}\nfix: " + fix + "\n"
        "transform: {N: {items: {source: $$$A}}, M: {concat: {source: $$$A}}}"
    )
    made = plan(rule, COMMENTED)
    assert [one.text for one in made.dropped_comments] == dropped
    assert not made.blocked
