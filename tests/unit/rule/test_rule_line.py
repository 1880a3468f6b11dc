"""Errors of rules say in which line of which file, and what was probably meant."""

from pathlib import Path

import pytest

from astedit.rule import RuleError, read_rules, read_utilities
from astedit.rule.document import line_of, locate
from astedit.rule.failure import captured, one_of, wrong
from tests.support.cases import tree
from tests.support.lists import rows

ROWS = rows(Path(__file__).with_suffix(".txt"))

TEXT = tree("rule-line")["rules.yml"].encode()


@pytest.mark.parametrize(("at", "place", "line"), ROWS["places"])
def test_the_line_of_a_place(at: int, place: str, line: int) -> None:
    assert line_of(TEXT, at, place) == line


def test_a_key_that_does_not_belong_there_has_its_own_line() -> None:
    assert line_of(TEXT, 0, "document", "fix") == 12
    assert line_of(TEXT, 0, "rule.any[1]", "inside") == 7


def test_text_that_is_no_yaml_and_documents_that_are_not_there_have_no_line() -> None:
    assert line_of(b"{", 0, "rule") is None
    assert line_of(b"\xff", 0, "rule") is None
    assert line_of(TEXT, 2, "rule") is None
    assert line_of(b"", 0, "document") is None


@pytest.mark.parametrize("read", [read_rules, read_utilities])
def test_reading_a_file_says_the_line(read: object) -> None:
    text = b"# a comment\n---\nid: one\nlanguage: js\nrule: {kind: number}\nmesage: x\n"
    with pytest.raises(RuleError) as caught:
        read(text, "rules/x.yml")  # type: ignore[operator]
    error = caught.value
    assert (error.line, error.path) == (6, "rules/x.yml")
    assert str(error).endswith("unknown key 'mesage' (line 6)")


def test_an_error_of_compiling_is_found_by_the_id_of_its_rule() -> None:
    documents = read_rules(TEXT, "rules/x.yml")
    error = wrong("the pattern is odd.", "rule.pattern", "two", None, None)
    locate(error, documents, {"rules/x.yml": TEXT}.__getitem__)
    assert (error.path, error.line) == ("rules/x.yml", 17)
    assert error.message == "Rule 'two', rule.pattern: the pattern is odd (line 17)"


def test_a_file_that_went_leaves_an_error_without_its_line() -> None:
    def gone(path: str) -> bytes:
        raise FileNotFoundError(path)

    error = wrong("odd", "rule", "two", None, None)
    locate(error, read_rules(TEXT, "rules/x.yml"), gone)
    assert (error.path, error.line) == ("rules/x.yml", None)


@pytest.mark.parametrize(("given", "hint"), ROWS["hints name what was probably meant"])
def test_hints_name_what_was_probably_meant(given: object, hint: str) -> None:
    assert one_of(["pattern", "kind"], given) == hint


def test_hints_list_captures() -> None:
    assert captured("ARG", ["ARGS", "B"]) == "Did you mean '$ARGS'? Captured: $ARGS, $B."
    assert captured("A", []) == "It captures nothing: names such as $NAME do, $_NAME does not."


@pytest.mark.parametrize(("text", "hint"), ROWS["hints"])
def test_what_is_wrong_says_what_to_do(text: str, hint: str) -> None:
    from tests.support.rule_text import finder

    with pytest.raises(RuleError) as caught:
        finder(text)
    assert hint in (caught.value.hint or "")


@pytest.mark.parametrize(("text", "hint"), ROWS["what is wrong with a document says what to do"])
def test_what_is_wrong_with_a_document_says_what_to_do(text: bytes, hint: str) -> None:
    with pytest.raises(RuleError) as caught:
        read_rules(text)
    assert hint in (caught.value.hint or "")
