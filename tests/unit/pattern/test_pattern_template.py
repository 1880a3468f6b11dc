"""How a template is read: slots, and text that only looks like one. (rules F2, F3)"""

import pytest

from astedit.errors import RequestError
from astedit.pattern.template import Metavariable, Slot, parse_template

CAPTURES = {
    "A": Metavariable("A"),
    "A_": Metavariable("A_"),
    "VARN": Metavariable("VARN"),
    "B": Metavariable("B", many=True),
}
A, B = Slot("A", False), Slot("B", True)


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


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("$X", "undefined_metavariable", "Captured by the pattern: $$$B, $A"),
        ("$ABC", "undefined_metavariable", "$ABC"),
        ("$_X", "undefined_metavariable", "start with _ capture nothing"),
        ("$B", "metavariable_kind", "Write $$$B"),
        ("$$B", "metavariable_kind", "Write $$$B"),
        ("$$$A", "metavariable_kind", "Write $A"),
        ("$$$$A", "metavariable_kind", "Write $A"),
    ],
)
def test_slots_that_nothing_fills_are_errors(text: str, code: str, words: str) -> None:
    with pytest.raises(RequestError) as caught:
        parse_template(text, CAPTURES)
    assert caught.value.code == code
    assert words in f"{caught.value.message} {caught.value.hint}"
