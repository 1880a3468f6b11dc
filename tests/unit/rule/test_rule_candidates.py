"""A rule is tried at few nodes, among them every one that it matches."""

from pathlib import Path

import pytest

from astedit.language import load
from astedit.pattern.listed import Listed
from astedit.rule.regex import exact_texts
from tests.support.lists import rows
from tests.support.rule_text import JAVASCRIPT, find, finder, utilities

ROWS = rows(Path(__file__).with_suffix(".txt"))

CODE = "id = vid + id2; list(id, `id`); id: for (;;) { break id } f({ id, 'id': 1 });\n"


def tried(rule: str, code: str = CODE) -> list[str]:
    """The texts of the nodes at which the rule is tried."""
    source = code.encode()
    root = load(JAVASCRIPT).parser().parse(source).root_node
    listed = Listed(load(JAVASCRIPT), root, source)
    nodes = finder(rule)._candidates.of(listed)
    return sorted(node.text.decode() for node in nodes if node.text is not None)


@pytest.mark.parametrize(("expression", "texts"), ROWS["texts of expressions"])
def test_a3_texts_that_an_expression_stands_for(expression: str, texts: list[bytes] | None) -> None:
    found = exact_texts(expression)
    assert (found if found is None else sorted(found)) == texts


def test_a3_a_whole_word_is_found_by_its_bytes() -> None:
    assert tried("rule: {kind: identifier, regex: ^id$}") == ["id", "id"]
    assert tried("rule: {kind: identifier, regex: ^(id|list)$}") == ["id", "id", "list"]
    assert tried("rule: {kind: identifier, regex: id}") == ["id", "id", "id2", "vid"]


def test_a3_text_that_is_no_name_may_stand_amid_letters() -> None:
    assert find("rule: {kind: string_fragment, regex: ^n$}", r"'\nn' + 'xn' + 'n'") == ["n", "n"]
    assert tried("rule: {kind: string_fragment, regex: ^n$}", r"'\nn' + 'xn'") == ["n"]


def test_r2_what_holds_a_rare_word_is_found_from_there() -> None:
    rule = "rule: {kind: labeled_statement, has: {kind: statement_identifier, regex: ^id$}}"
    assert tried(rule) == ["id: for (;;) { break id }"]
    assert find(rule, CODE) == tried(rule)


def test_r1_what_lies_right_in_a_kind_is_looked_for_there() -> None:
    rule = "rule: {kind: identifier, inside: {kind: arguments}}"
    assert tried(rule) == ["id"]
    assert find(rule, CODE) == ["id"]


def test_a3_what_holds_rare_text_is_found_from_there() -> None:
    code = "f(1, 'a Word'); g('word', `${'sword'}`); /* word */ h('no')"
    rule = "rule: {kind: string, regex: '(?i)word'}"
    assert tried(rule, code) == ["'a Word'", "'sword'", "'word'"]
    assert find(rule, code) == ["'a Word'", "'word'", "'sword'"]
    rule = "rule: {kind: call_expression, has: {regex: (?i)word, kind: string, stopBy: end}}"
    assert tried(rule, code) == ["f(1, 'a Word')", "g('word', `${'sword'}`)"]


def test_a3_without_a_kind_it_is_found_in_order() -> None:
    found = find("rule: {regex: wo.*rd}", "f('wo rd', 'word')")
    texts = ["f('wo rd', 'word')", "('wo rd', 'word')", "'wo rd'", "wo rd", "'word'", "word"]
    assert found == [texts[0], texts[0], *texts]  # program, statement and call


def test_k1_a_constraint_says_what_the_match_holds() -> None:
    rule = "rule: {pattern: '$F($A)'}\nconstraints: {A: {kind: string, regex: word}}"
    code = "f(1); f('word'); g('a'); f(word)"
    assert tried(rule, code) == ["f('word')", "f(word)"]
    assert find(rule, code) == ["f('word') A='word' F=f"]


def test_u1_what_a_utility_names_is_looked_for() -> None:
    ours = utilities(
        "id: ours\nrule: {kind: call_expression, has: {kind: identifier, regex: ^go$}}"
    )
    assert find("rule: {matches: ours}", "go(1); stop(2)", ours) == ["go(1)"]
    assert not finder("rule: {matches: ours}", ours).may_match(b"gone(1)")


def test_only_what_no_text_leads_to_is_listed() -> None:
    source = b"f('word'); g(1)"
    root = load(JAVASCRIPT).parser().parse(source).root_node
    listed = Listed(load(JAVASCRIPT), root, source)
    number = frozenset(node.kind_id for node in listed.of(None) if node.type == "number")
    assert finder("rule: {kind: string, regex: word}").wanted(listed) == frozenset()
    assert finder("rule: {kind: number, regex: 1+.*}").wanted(listed) == frozenset()
    assert finder("rule: {kind: number, regex: '[0-9]'}").wanted(listed) == number
    many = Listed(load(JAVASCRIPT), root, b"1 " * 200)
    assert finder("rule: {kind: number, regex: 1+.*}").wanted(many) == number


def test_many_places_are_left_to_a_list() -> None:
    code = "id;" * 200 + "other;"
    rule = "rule: {kind: identifier, regex: ^id$}"
    assert tried(rule, code) == ["id"] * 200
    assert len(find(rule, code)) == 200


def test_a_rule_without_a_kind_finds_in_order() -> None:
    assert find("rule: {regex: ^id$}", "id; f(id)") == ["id;", "id", "id"][1:]
