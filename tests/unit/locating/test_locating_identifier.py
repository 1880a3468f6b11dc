"""What an identifier's text can be, and what it is relative to."""

from pathlib import Path

import pytest

from astedit.locating.identifier import LONGEST, Malformed, parse
from tests.support.lists import rows

ROWS = rows(Path(__file__).with_suffix(".txt"))


@pytest.mark.parametrize(("text", "name"), ROWS["names"])
def test_names(text: str, name: tuple[str, ...]) -> None:
    assert parse(text).name == name


@pytest.mark.parametrize(("text", "shapes"), ROWS["shapes"])
def test_shapes(text: str, shapes: set[str]) -> None:
    found = parse(text)
    assert {kind for kind in ("symbol", "route", "client") if found.asks_for(kind)} == shapes


@pytest.mark.parametrize(
    "text", [None, 7, "", "  ", "a\tb", "a\u2028b", "\x7f", "x" * (LONGEST + 1)]
)
def test_malformed(text: object) -> None:
    with pytest.raises(Malformed, match=r"^Invalid identifier: "):
        parse(text)


def test_the_longest_identifier_is_one() -> None:
    assert parse("x" * LONGEST).name
