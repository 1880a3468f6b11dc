"""Transforms and rewriters that are wrong, or that no other program can be asked about."""

import pytest

from astedit.language import load
from astedit.rule import RuleError
from astedit.rule.match.find import RuleFound
from tests.support.rule_text import JAVASCRIPT, finder

HEAD = "rule: {pattern: 'f($A, $$$B)'}\n"
WRONG = [
    ("T1", "transform: {T: 'substring($A)'}", "transform.T", "is no call"),
    ("T1", "transform: {T: 'substring($A, x)'}", "transform.T", "name=value is expected"),
    ("T1", "transform: {T: 'shout($A,)'}", "transform.T", "unknown key 'shout'"),
    ("T1", "transform: {T: 'substring($A, at=1)'}", "transform.T.substring", "unknown key 'at'"),
    ("T1", "transform: {T: 'substring($A, endChar=1, endChar=2)'}", "transform.T", "twice"),
    ("T1", "transform: {T: {}}", "transform.T", "one operation"),
    ("T2", "transform: {T: 'substring($T,)'}", "transform.T", "depends on itself"),
    ("T2", "transform: {T: 'substring($U,)', U: 'substring($T,)'}", "transform.T", "itself"),
    ("T2", "transform: {A: 'substring($B,)'}", "transform.A", "captures $A already"),
    ("T2", "transform: {T: 'substring($Z,)'}", "transform.T", "$Z is not defined"),
    ("T2", "transform: {T: 'substring(A,)'}", "transform.T.substring.source", "not a capture"),
    ("T2", "transform: {t: 'substring($A,)'}", "transform", "not a name"),
    ("T3", "transform: {T: 'substring($A, endChar=x)'}", "transform.T.substring.endChar", "number"),
    ("T4", "transform: {T: \"replace($A, replace='(', by='')\"}", "transform.T.replace.replace",
     "no RE2"),
    ("T4", "transform: {T: \"replace($A, replace='a')\"}", "transform.T.replace.by", "a string"),
    ("T5", "transform: {T: 'convert($A, toCase=loud)'}", "transform.T.convert.toCase", "unknown"),
    ("T5", "transform: {T: 'convert($A, toCase=camelCase, separatedBy=[comma])'}",
     "transform.T.convert.separatedBy", "separators"),
    ("T6", "transform: {T: 'rewrite($A, joinBy=x)'}", "transform.T.rewrite.rewriters", "a list"),
    ("T7", "transform: {T: 'rewrite($A, rewriters=[x])'}", "transform.T.rewrite.rewriters",
     "'x' is not defined"),
    ("T7", "rewriters: [{id: x, rule: {kind: number}}]", "rewriters[0]", "'fix' is missing"),
    ("T7", "rewriters: [{id: x, rule: {kind: nope}, fix: ''}]", "rewriters[0].rule.kind", "nope"),
    ("T7", "rewriters: [{id: x, rule: {kind: number}, fix: $Z}]", "rewriters[0].fix", "$Z"),
    ("T7", "rewriters: [{id: x, rule: {kind: number}, fix: $B}]", "rewriters[0].fix", "$$$B"),
    ("T7", "rewriters: [{id: x, rule: {kind: number}, fix: a}, {id: x, rule: {kind: string},"
     " fix: b}]", "rewriters", "same id"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "place", "problem"), [row[1:] for row in WRONG])
def test_wrong_transforms(text: str, place: str, problem: str) -> None:
    with pytest.raises(RuleError) as caught:
        finder(HEAD + text)
    assert problem in caught.value.message
    assert caught.value.place == place


def test_t7_a_rewriter_may_say_its_language() -> None:
    finder(HEAD + "rewriters: [{id: x, language: js, rule: {kind: number}, fix: N}]")


def made(text: str, source: bytes) -> bytes:
    rule = finder(text)
    (match,) = rule.find(load(JAVASCRIPT).parser().parse(source).root_node, source)
    assert isinstance(match, RuleFound)
    return match.texts["T"]


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
