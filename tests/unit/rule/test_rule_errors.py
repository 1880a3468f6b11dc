"""Rules that are wrong, and rule files that are: which key, and what is valid there."""

import pickle
from pathlib import Path
from typing import Any

import pytest

from astedit.errors import RequestError
from astedit.rule import RuleError, read_rules
from astedit.rule.document import rule_document
from astedit.rule.match.find import compile_document
from astedit.rule.yaml import MAX_ALIASES, MAX_DEPTH, MAX_SIZE, read_yaml
from tests.support.lists import rows
from tests.support.rule_text import finder, utilities

ROWS = rows(Path(__file__).with_suffix(".txt"))

RULES = ROWS["rules"]


@pytest.mark.parametrize(("rule", "place", "problem"), [row[1:] for row in RULES])
def test_wrong_rule_objects(rule: str, place: str, problem: str) -> None:
    with pytest.raises(RuleError) as caught:
        finder(f"rule: {rule}")
    assert problem in caught.value.message
    assert (caught.value.place, caught.value.rule) == (place, "case")
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("part", [{"rule": {"pattern": "\ud800"}}, {"fix": "\ud800"}])
def test_half_a_character_is_wrong_where_it_stands(part: dict[str, Any]) -> None:
    whole = {"id": "case", "language": "python", "rule": {"pattern": "x"}, **part}
    (row,) = (document := rule_document(whole)).languages
    with pytest.raises(RuleError, match="surrogates not allowed"):
        compile_document(document, row)


def test_g1_an_unknown_key_comes_with_the_valid_ones() -> None:
    with pytest.raises(RuleError) as caught:
        finder("rule: {kid: number}")
    assert "kind, regex, nthChild" in str(caught.value.hint)


def test_g1_a_relation_overlooks_unknown_keys_and_warns() -> None:
    (warning,) = finder("rule: {kind: number, inside: {kind: arguments, parent: x}}").warnings
    assert "rule.inside: unknown key 'parent' ignored. One of: pattern, kind" in warning


def test_errors_travel_between_processes() -> None:
    with pytest.raises(RuleError) as caught:
        finder("rule: {kind: nope}")
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (str(copy), copy.place, copy.rule) == (str(caught.value), "rule.kind", "case")


@pytest.mark.parametrize(("rule", "problem"), ROWS["calls"])
def test_u3_wrong_calls(rule: str, problem: str) -> None:
    ours = utilities("id: w\narguments: [X]\nrule: {matches: X}", "id: plain\nrule: {kind: number}")
    with pytest.raises(RuleError) as caught:
        finder(f"rule: {rule}", ours)
    assert problem in caught.value.message


@pytest.mark.parametrize(("text", "problem"), ROWS["utilities"])
def test_u3_wrong_utilities(text: str, problem: str) -> None:
    with pytest.raises(RuleError) as caught:
        utilities(text)
    assert problem in caught.value.message


def test_k3_a_constraint_on_what_is_not_captured() -> None:
    with pytest.raises(RuleError) as caught:
        finder("rule: {pattern: f($A)}\nconstraints: {B: {kind: number}}")
    assert caught.value.place == "constraints.B"


def test_t7_a_rewriter_that_is_not_defined_is_refused() -> None:
    with pytest.raises(RuleError, match="'x' is not defined"):
        finder("rule: {pattern: f($A)}\ntransform: {B: 'rewrite($A, rewriters=[x])'}")


@pytest.mark.parametrize(("text", "problem"), ROWS["files"])
def test_g1_wrong_envelopes(text: str, problem: str) -> None:
    with pytest.raises(RuleError) as caught:
        read_rules(text.encode(), "rules/a.yml")
    assert problem in caught.value.message
    assert caught.value.path == "rules/a.yml"


@pytest.mark.parametrize(("text", "path", "ids"), ROWS["rules without an id"])
def test_g1_a_rule_without_an_id_is_named_after_its_file(
    text: str, path: str, ids: list[str]
) -> None:
    assert [rule.id for rule in read_rules(text.encode(), path)] == ids


@pytest.mark.parametrize("path", [None, "rules/\udcff.yml"])
def test_g1_without_an_id_and_a_name_that_is_text_there_is_no_rule(path: str | None) -> None:
    with pytest.raises(RuleError, match="'id' is missing"):
        read_rules(b"language: js\nrule: {kind: number}", path)


def test_g1_what_is_optional_may_be_null() -> None:
    rule = read_rules(b"id: x\nlanguage: JavaScript\nrule: {kind: number}\nnote: ~\n")[0]
    assert "note" not in rule.content
    assert (rule.severity, rule.languages[0].name) == ("hint", "javascript")


def test_g4_several_languages_each_once() -> None:
    rule = read_rules(b"id: x\nlanguage: [ts, tsx, TypeScript]\nrule: {kind: number}\n")[0]
    assert [row.name for row in rule.languages] == ["typescript", "tsx"]


def test_g6_yaml_1_2() -> None:
    assert read_yaml(b"[off, no, on, true, 0o17, 017, 0x1F, 1.5, ~, '1']") == [
        ["off", "no", "on", True, 15, 17, 31, 1.5, None, "1"]
    ]
    assert read_yaml(b"a: |\n  x\n  y\n---\n- {b: 1}\n") == [{"a": "x\ny\n"}, [{"b": 1}]]
    assert read_yaml(b"a: &x [1]\nb: *x\n") == [{"a": [1], "b": [1]}]


BOMB = b"a0: &a0 [1, 1]\n" + b"".join(
    b"a%d: &a%d [*a%d, *a%d]\n" % (n, n, n - 1, n - 1) for n in range(1, 30)
)
WRONG = [
    (b"a: 1\na: 2", "given twice"),
    (b"a: !!python/object:os.system x", "tag"),
    (b"a: !!int '3'", "tag"),
    (b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1), "deeper"),
    (b"a: &a 1\nb: [" + b"*a, " * (MAX_ALIASES + 1) + b"]", "aliases"),
    (BOMB, "values"),
    (b"a: &a [*a]", "no value"),
    (b"a: *b", "no value"),
    (b"{[1]: 2}", "key must be a string"),
    (b"a: [", "Not YAML"),
    (b"\xff", "UTF-8"),
    (b"#" * (MAX_SIZE + 1), "larger"),
]


@pytest.mark.parametrize(("text", "problem"), WRONG, ids=[row[1] for row in WRONG])
def test_g6_limits(text: bytes, problem: str) -> None:
    with pytest.raises(RequestError) as caught:
        read_yaml(text, "a.yml")
    assert problem in caught.value.message
    assert (caught.value.code, caught.value.path) == ("bad_yaml", "a.yml")
