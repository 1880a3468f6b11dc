"""Which leaves of a pattern stay, and what is written between them. (rule F16)"""

from pathlib import Path

import pytest

from astedit.language import load, named
from astedit.pattern.compile import compile_pattern
from astedit.pattern.template import parse_template
from astedit.rewrite.make.align import Absent, Alignment
from tests.support.engine_edit import edited
from tests.support.lists import rows

ROWS = rows(Path(__file__).with_suffix(".txt"))


def alignment(pattern: str, template: str, language: str = "python") -> Alignment:
    row = named(language)
    assert row is not None
    compiled = compile_pattern(pattern, row, load(row))
    return Alignment(compiled, parse_template(template, compiled.captures))


def kept(found: Alignment, *absent: int) -> list[str]:
    pairs = found.kept(Absent(frozenset(absent)))
    return [
        found.leaves[new].text.decode() or f"${found.leaves[new].slot.name}" for _, new in pairs
    ]  # type: ignore[union-attr]


@pytest.mark.parametrize(("pattern", "template", "stays"), ROWS["what stays"])
def test_what_stays(pattern: str, template: str, stays: list[str]) -> None:
    """Most slots, then the leftmost; one with its first use, a name there twice with its last."""
    assert kept(alignment(pattern, template)) == stays


def test_a_bracket_stays_with_its_partner() -> None:
    found = alignment("f($A)", "f($A, g(1))")
    (_, last) = found.kept(Absent())[-1]
    assert last == len(found.leaves) - 1


def test_an_empty_slot_that_moves_takes_its_comma_along() -> None:
    found = alignment("foo($X, $Y, $$$A)", "g($X, $$$A)")
    assert kept(found) == ["(", "$X", ",", "$A", ")"]
    assert kept(found, 5, 6) == ["(", "$X", ")"]  # the second comma and $A have no text


def test_a_template_that_does_not_parse_is_words_and_signs() -> None:
    found = alignment("foo($A == 1)", "foo($A == 1) level=2")
    assert kept(found)[:3] == ["foo", "(", "$A"]
    assert b"==" in [leaf.text for leaf in found.leaves]


def test_white_space_is_rewritten_where_a_template_asks_for_it() -> None:
    assert len(alignment("f($A)", "g($A)").regions(Absent())) == 2
    lines = alignment("f($A)", "g(\n    $A\n)").regions(Absent())
    assert [region.parts for region in lines if region.spaces] == [(b"\n    ",), (b"\n",)]
    spaces = alignment("f( $A )", "f($A)").regions(Absent())
    assert [region.spaces for region in spaces] == [False, True, True, False]


def test_line_breaks_stay_in_brackets_that_give_way_to_others() -> None:
    first, last = alignment("set([$$$A])", "{$$$A}").regions(Absent())
    assert first.same_right and last.same_left
    first, *_ = alignment("eq($A, $B)", "assert $A == $B").regions(Absent())
    assert not first.same_right


def test_of_equal_signs_that_one_stays_which_is_as_deep_in_brackets() -> None:
    head = alignment("for $T in $V: $$$B", "for $T in {$V: 1}: $$$B").regions(Absent())
    assert [region.parts for region in head if region.parts] == [(b" {",), (b": 1}",)]
    part = alignment("for $T in $V: $$$B", "for $T in $V[1:]: $$$B").regions(Absent())
    assert [region.parts for region in part if region.parts] == [(b"[1:]",)]


@pytest.mark.parametrize(("language", "text", "pattern", "out", "expected"), ROWS["interpolated"])
def test_brackets_of_code_in_strings_are_their_own(
    language: str, text: str, pattern: str, out: str, expected: str
) -> None:
    after, data = edited(language, text, (pattern, out))
    assert (after, data.blocked) == (expected, ())
