"""Lines that stay go further in or out, with the pieces that are within them."""

from hypothesis import given
from hypothesis import strategies as st

from astedit.rewrite.lay.continuation_lines import LineMove, reindented
from astedit.rewrite.make.piece import Piece, applied, in_order
from astedit.text.indent import Text, shift

INDENT = st.sampled_from([b"", b"  ", b"    ", b"\t"])
LINES = st.lists(
    st.tuples(INDENT, st.sampled_from([b"ab", b"cd ef", b"", b"g"])), min_size=1, max_size=6
).map(lambda lines: b"\n".join(white + word for white, word in lines))


def words(source: bytes) -> list[int]:
    return [at for at in range(len(source)) if not source[at : at + 1].isspace()]


@given(LINES, INDENT, INDENT)
def test_lines_that_stay_move_as_text_does(source: bytes, old: bytes, new: bytes) -> None:
    made = reindented([], [LineMove(0, len(source), old, new)], [], source)
    assert applied(in_order(made), 0, len(source), source).data == (
        shift(Text(source), old, new).data
    )


@given(LINES, INDENT, INDENT, st.data())
def test_a_piece_within_moves_as_if_it_had_been_there(
    source: bytes, old: bytes, new: bytes, data: st.DataObject
) -> None:
    if not words(source):
        return
    at = data.draw(st.sampled_from(words(source)))
    inner = Piece(at, at + 1, Text(data.draw(st.sampled_from([b"x", b"(\n    y\n)", b"f(\n  z)"]))))
    made = reindented([inner], [LineMove(0, len(source), old, new)], [], source)
    whole = applied([inner], 0, len(source), source)
    assert applied(in_order(made), 0, len(source), source).data == shift(whole, old, new).data


def test_lines_of_literals_stay() -> None:
    source = b"a(\n  '''\n  b\n  ''',\n  c)"
    made = reindented([], [LineMove(0, len(source), b"", b"    ")], [9, 13], source)
    after = applied(in_order(made), 0, len(source), source).data
    assert after == b"a(\n      '''\n  b\n  ''',\n      c)"


def test_a_piece_across_the_beginning_of_a_line_moves_with_it() -> None:
    source = b"a(\n  b,\n  c)"
    made = reindented([Piece(4, 6, Text(b"x"))], [LineMove(0, len(source), b"", b"  ")], [], source)
    assert applied(in_order(made), 0, len(source), source).data == b"a(\n   x,\n    c)"
