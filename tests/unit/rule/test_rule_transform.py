"""Transforms and rewriters that are wrong, or that no other program can be asked about."""

from pathlib import Path

import pytest

from astedit.language import load
from astedit.rule import RuleError
from tests.support.lists import rows
from tests.support.rule_text import JAVASCRIPT, finder

ROWS = rows(Path(__file__).with_suffix(".txt"))

HEAD = "rule: {pattern: 'f($A, $$$B)'}\n"
WRONG = ROWS["wrong"]  # fmt: skip


@pytest.mark.parametrize(("text", "place", "problem"), [row[1:] for row in WRONG])
def test_wrong_transforms(text: str, place: str, problem: str) -> None:
    with pytest.raises(RuleError) as caught:
        finder(HEAD + text)
    assert problem in caught.value.message
    assert caught.value.place == place


def test_t7_a_rewriter_may_say_its_language() -> None:
    finder(HEAD + "rewriters: [{id: x, language: js, rule: {kind: number}, fix: N}]")


def made(text: str, source: bytes) -> bytes:
    (match,) = finder(text).find(load(JAVASCRIPT).parser().parse(source).root_node, source)
    return match.texts["T"].data


def test_t3_bytes_that_are_no_text_stay() -> None:
    text = "rule: {pattern: f($A)}\ntransform: {T: 'substring($A, startChar=1)'}"
    assert made(text, b"f('\xff')") == b"\xff'"


def test_t4_takes_linear_time() -> None:
    text = "rule: {pattern: f($A)}\ntransform: {T: \"replace($A, replace='(a*)*b', by='')\"}"
    assert made(text, b"f('" + b"a" * 50_000 + b"')") == b"'" + b"a" * 50_000 + b"'"


def test_t7_what_a_rewriter_binds_stays_inside() -> None:
    text = (
        "rule: {pattern: f($A)}\ntransform: {T: 'rewrite($A, rewriters=[pair])'}\n"
        "rewriters: [{id: pair, rule: {pattern: '$X + $X'}, fix: 2 * $X}]"
    )
    assert made(text, b"f([a + a, b + b, c + d])") == b"[2 * a, 2 * b, c + d]"


def test_t7_a_rewriter_has_utilities_and_constraints_of_its_own() -> None:
    text = (
        "rule: {pattern: f($A)}\ntransform: {T: 'rewrite($A, rewriters=[one])'}\n"
        "utils: {small: {regex: '^.$'}}\n"
        "rewriters: [{id: one, rule: {pattern: g($X)}, fix: $X, utils: {n: {kind: number}},"
        " constraints: {X: {matches: n, all: [{matches: small}]}}}]"
    )
    assert made(text, b"f([g(1), g(22), g(x)])") == b"[1, g(22), g(x)]"


def test_t7_recursion_that_is_too_deep_is_reported() -> None:
    rule = finder(
        "rule: {kind: program, has: {has: {pattern: f($A)}}}\n"
        "transform: {T: 'rewrite($A, rewriters=[r])'}\n"
        "rewriters: [{id: r, rule: {pattern: 'h($X)'}, fix: <$IN>,"
        " transform: {IN: 'rewrite($X, rewriters=[r])'}}]"
    )
    source = b"f(" + b"h(" * 200 + b"1" + b")" * 201
    rule.find(load(JAVASCRIPT).parser().parse(source).root_node, source)
    assert rule.gave_up
