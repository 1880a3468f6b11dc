"""Blanks that are put in or taken away take captures and literal lines along."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from astedit.text.indent import Mark, Text, respaced

WORDS = st.lists(st.sampled_from([b"a", b"bc", b"   ", b"\n", b"\n    "]), min_size=1, max_size=8)


def test_a_capture_behind_the_blanks_goes_along() -> None:
    marks = [Mark(0, 1, "A", ()), Mark(4, 5, "B", ()), Mark(0, 9, "C", ())]
    text = respaced(Text(b"a\n  b\n  c", [2, 6], marks), [(4, 4, b"  "), (7, 8, b"")])
    assert text.data == b"a\n    b\n c"
    assert [(mark.start, mark.end) for mark in text.marks] == [(0, 1), (6, 7), (0, 10)]
    assert text.frozen == [2, 8]


@given(WORDS, st.data())
def test_only_blanks_differ_and_marks_hold_the_same_words(
    words: list[bytes], data: st.DataObject
) -> None:
    text = b"".join(words)
    starts = [at for at in range(len(text)) if not text[at : at + 1].isspace()]
    places = sorted(data.draw(st.sets(st.sampled_from(starts)))) if starts else []
    marks = [Mark(at, at + 1, "A", ()) for at in starts]
    blanks = [(place, place, b" " * data.draw(st.integers(1, 3))) for place in places]
    moved = respaced(Text(text, (), marks), blanks)
    assert moved.data.split() == [word for word in _split(text, places) if word]
    assert [moved.data[m.start : m.end] for m in moved.marks] == [
        text[at : at + 1] for at in starts
    ]


def _split(text: bytes, places: list[int]) -> list[bytes]:
    """The words of a text that is cut at some places."""
    cuts = [0, *places, len(text)]
    return [word for low, high in pairwise(cuts) for word in text[low:high].split()]
