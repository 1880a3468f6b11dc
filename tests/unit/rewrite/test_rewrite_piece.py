"""Pieces of a text: what they make of it, however they are put together. (rule F16)"""

from hypothesis import given
from hypothesis import strategies as st

from astedit.rewrite.make.piece import Piece, amended, applied, in_order, overlapping, trimmed
from astedit.text.indent import Mark, Text

WORDS = st.lists(st.sampled_from([b"a", b"b", b" ", b"\n", b"\t"]), max_size=6).map(b"".join)


@st.composite
def texts_and_pieces(draw: st.DrawFn) -> tuple[bytes, list[Piece]]:
    source = draw(st.binary(max_size=12))
    places = draw(st.sets(st.integers(0, len(source)), max_size=8).map(sorted))
    return source, [
        Piece(low, high, Text(draw(WORDS)))
        for low, high in zip(places[::2], places[1::2], strict=False)
    ]


@given(WORDS, WORDS, WORDS, WORDS)
def test_a_trimmed_piece_makes_the_same_text(
    head: bytes, old: bytes, new: bytes, tail: bytes
) -> None:
    source, low = head + old + tail, len(head)
    if (piece := trimmed(Piece(low, low + len(old), Text(new)), source)) is None:
        assert old == new
        return
    assert applied([piece], 0, len(source), source).data == head + new + tail
    left, right = source[piece.start : piece.end], piece.text.data
    assert not (left[:1] == right[:1] and left[:1].isspace())
    assert not (left[-1:] == right[-1:] and left[-1:].isspace())


@given(texts_and_pieces())
def test_a_text_with_marks_has_the_same_bytes(drawn: tuple[bytes, list[Piece]]) -> None:
    source, pieces = drawn
    text, spliced = applied(pieces, 0, len(source), source, [0, 3]), source
    for piece in reversed(pieces):
        spliced = spliced[: piece.start] + piece.text.data + spliced[piece.end :]
    assert text.data == spliced
    assert in_order(reversed(pieces)) == pieces


@given(texts_and_pieces(), st.integers(0, 12), st.integers(0, 12))
def test_what_overlaps_changes_a_byte_between_the_two_places(
    drawn: tuple[bytes, list[Piece]], low: int, high: int
) -> None:
    _, pieces = drawn
    touched = any(low <= at < high for piece in pieces for at in range(piece.start, piece.end))
    assert overlapping(pieces, low, high) == touched or low >= high


@given(texts_and_pieces(), st.data())
def test_brackets_are_put_into_pieces_or_between_them(
    drawn: tuple[bytes, list[Piece]], data: st.DataObject
) -> None:
    source, pieces = drawn
    old = applied(pieces, 0, len(source), source).data
    low, high = sorted(data.draw(st.tuples(*[st.integers(0, len(old))] * 2)))
    new = old[:low] + b"(" + old[low:high] + b")" + old[high:]
    made = amended(pieces, 0, len(source), source, [(low, low, b"("), (high, high, b")")])
    assert applied(made, 0, len(source), source).data == new


def test_marks_and_literal_lines_keep_their_place() -> None:
    text = applied(
        [Piece(2, 3, Text(b"xyz", (), [Mark(1, 2, "A", ())]))], 0, 9, b"a\nb'\n' cd", [5]
    )
    assert text.data == b"a\nxyz'\n' cd"
    assert text.frozen == [7]
    assert [(mark.start, mark.end) for mark in text.marks] == [(3, 4)]
