"""What a text says between marks is the same between others."""

import ast

import pytest

from astedit.rule.fixes.case import quoted, unquoted


@pytest.mark.parametrize("text", [r'"a\n"', r'"a\\"', r"'it\'s'", r'"\""', '"a"', r"'\t\r'"])
def test_a_text_between_other_marks_says_the_same(text: str) -> None:
    assert ast.literal_eval(quoted(unquoted(text), '"')) == ast.literal_eval(text)


@pytest.mark.parametrize("text", ['"a" "b"', '"""a"""', r'"\x41"', "`a${b}`"])
def test_what_is_no_simple_literal_stays(text: str) -> None:
    assert unquoted(text) == text
