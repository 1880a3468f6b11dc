"""How a template is read: slots, and text that only looks like one. (rules F2, F3)"""

from pathlib import Path

import pytest

from astedit.errors import RequestError
from astedit.language import rows
from astedit.pattern.template import Metavariable, Slot, parse_template, read_hole, stand_in
from tests.support import lists

ROWS = lists.rows(Path(__file__).with_suffix(".txt"))

A, B = Slot("A", False), Slot("B", True)
HOLES = {
    "$A": Metavariable("A"),
    "$A1": Metavariable("A1"),
    "$A_B": Metavariable("A_B"),
    "$$A": Metavariable("A", named_only=False),
    "$$$A": Metavariable("A", many=True),
    "$$$": Metavariable(None, many=True),
    "$_": Metavariable(None),
    "$_X": Metavariable(None),
    "$$_X": Metavariable(None, named_only=False),
    "$$$_X": Metavariable(None, many=True),
}
PLAIN = ["$a", "$1", "$É", "$", "$$", "$$$$A", "$Aa", "$A-", "A", "", "$$$a", "$ A", "x$A"]
CAPTURES = {
    "A": Metavariable("A"),
    "A_": Metavariable("A_"),
    "VARN": Metavariable("VARN"),
    "B": Metavariable("B", many=True),
}


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", ()),
        ("f()", (b"f()",)),
        ("$A", (A,)),
        ("$$A", (A,)),
        ("$$$B", (B,)),
        ("f($A, $$$B)", (b"f(", A, b", ", B, b")")),
        ("$VARName", (Slot("VARN", False), b"ame")),
        ("$A_b", (Slot("A_", False), b"b")),
        ("$A$A", (A, A)),
        ("$_", ()),
        ("x$_y", (b"x", b"y")),
        ("${A} $a $1 $ $$ é", ("${A} $a $1 $ $$ é".encode(),)),
        ("a\r\nb\n", (b"a\nb\n",)),
    ],
)
def test_parts(text: str, parts: tuple[object, ...]) -> None:
    assert parse_template(text, CAPTURES).parts == parts


@pytest.mark.parametrize(("text", "code", "words"), ROWS["slots that nothing fills are errors"])
def test_slots_that_nothing_fills_are_errors(text: str, code: str, words: str) -> None:
    with pytest.raises(RequestError) as caught:
        parse_template(text, CAPTURES)
    assert caught.value.code == code
    assert words in f"{caught.value.message} {caught.value.hint}"


@pytest.mark.parametrize("char", ["$", "µ", "\U00010000", "_", "z"])
@pytest.mark.parametrize("text", HOLES)
def test_holes(text: str, char: str) -> None:
    source, sigils = stand_in(text, char)
    assert source.decode() == text.replace("$", char)
    assert read_hole(source, 0, sigils, char) == HOLES[text]


@pytest.mark.parametrize("char", ["$", "µ", "_"])
@pytest.mark.parametrize("text", PLAIN)
def test_plain_text(text: str, char: str) -> None:
    source, sigils = stand_in(text, char)
    assert read_hole(source, 0, sigils, char) is None


def test_a_hole_begins_where_a_sigil_stood_in_the_text() -> None:
    source, sigils = stand_in("é µA $A", "µ")
    assert source.decode() == "é µA µA"
    start = source.rindex("µA".encode())
    assert sigils == {start: 1}
    assert read_hole(source[start:], start, sigils, "µ") == Metavariable("A")
    assert read_hole("µA".encode(), source.index("µA".encode()), sigils, "µ") is None


def test_stand_ins_are_those_of_ast_grep() -> None:
    chars: dict[str, set[str]] = {}
    for row in rows():
        chars.setdefault(row.stand_in, set()).add(row.name)
    assert chars["\U00010000"] == {"c", "cpp"}
    letters = "csharp elixir go haskell hcl kotlin php python ruby rust swift"
    assert chars["µ"] == set(letters.split())
    assert {"css", "nix"} <= chars["_"]
    assert chars["z"] == {"html"}
    assert set(chars) == {"\U00010000", "µ", "_", "z", "$"}


@pytest.mark.parametrize(("text", "hole"), HOLES.items())
def test_the_spelling_is_read_back(text: str, hole: Metavariable) -> None:
    source, sigils = stand_in(hole.spelling, "$")
    assert read_hole(source, 0, sigils, "$") == hole
