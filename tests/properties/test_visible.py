"""`visible`: what it returns steers nothing, hides nothing, and is left alone from then on."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from resolve.visible import hidden, one_line, visible

STEERING = [chr(n) for n in (*range(0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), 0x2066)]
TEXTS = st.text(
    st.one_of(st.characters(), st.sampled_from([*STEERING, "\t", "\n", "\\", "\U000e0041"]))
)


@given(TEXTS)
def test_nothing_hidden_is_left(text: str) -> None:
    shown = visible(text)
    assert hidden(shown) == 0
    categories = {unicodedata.category(char) for char in shown if char not in "\t\n"}
    assert not categories & {"Cc", "Cs", "Zl", "Zp"}
    assert visible(shown) == shown


@given(st.text(st.characters(categories=["L", "Nd", "P", "S"], exclude_characters="\u3164\uffa0")))
def test_plain_text_stays(text: str) -> None:
    if not hidden(text):
        assert visible(text) == text
    assert len(visible(text)) >= len(text)


@given(TEXTS)
def test_one_line_is_one_line(text: str) -> None:
    assert len(one_line(text).splitlines()) <= 1
