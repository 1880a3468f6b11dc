"""Lines that stay move with the line they continue."""

from collections.abc import Sequence
from typing import NamedTuple

from astedit.rewrite.piece import Piece
from astedit.text.indent import Text, cut, join, leading_white, moved_line, shift


class LineMove(NamedTuple):
    """Lines that begin between two places of the source: `old` at their beginning becomes `new`."""

    start: int
    end: int
    old: bytes
    new: bytes


def reindented(
    inner: Sequence[Piece], moves: Sequence[LineMove], frozen: Sequence[int], source: bytes
) -> list[Piece] | None:
    """The pieces within what stays, moved, and those that the moves need.

    None if they are in each other's way. `frozen` are the places of lines that begin inside
    a literal.
    """
    made = list(inner)
    for move in moves:
        made = [_shifted(one, move, source) if _holds(move, one) else one for one in made]
        lines = _moved_lines([one for one in made if _holds(move, one)], move, frozen, source)
        if lines is None:
            return None
        made += lines
    return made


def shifted(piece: Piece, old: bytes, new: bytes, *, ends_line: bool) -> Piece:
    """The piece, its later lines moved; the last one too unless nothing follows on it."""
    text = piece.text if ends_line else join([piece.text, Text(b".")])
    text = shift(text, old, new)
    return Piece(piece.start, piece.end, text if ends_line else cut(text, 0, len(text.data) - 1))


def _shifted(piece: Piece, move: LineMove, source: bytes) -> Piece:
    ends_line = source[piece.end : piece.end + 1] in (b"\r", b"\n", b"")
    return shifted(piece, move.old, move.new, ends_line=ends_line)


def _holds(move: LineMove, piece: Piece) -> bool:
    return move.start <= piece.start and piece.end <= move.end


def _moved_lines(
    inside: Sequence[Piece], move: LineMove, frozen: Sequence[int], source: bytes
) -> list[Piece] | None:
    """What changes at the beginnings of lines that stay."""
    added: list[Piece] = []
    at = source.find(b"\n", move.start, move.end)
    while at >= 0:
        begin = at + 1
        at = source.find(b"\n", begin, move.end)
        over = next((one for one in inside if one.start <= begin <= one.end), None)
        if begin in frozen:
            continue
        if over is not None and not _begins_behind(over, begin, source):
            if over.start == begin < over.end and not _is_line(over, source):
                if source[begin : begin + 1].isspace():
                    return None
                added.append(Piece(begin, begin, Text(moved_line(b"", move.old, move.new))))
            continue
        white = leading_white(source, begin)
        new = moved_line(white, move.old, move.new)
        end = begin + len(white)
        if new == white or source[end : end + 1] in (b"\r", b"\n", b""):
            continue
        if any(one.start < end and begin < one.end for one in inside):
            return None
        added.append(Piece(begin, end, Text(new)))
    return added


def _begins_behind(piece: Piece, begin: int, source: bytes) -> bool:
    """Does a line that stays begin where a piece ends, or where one is put in front of it?"""
    if piece.start == piece.end == begin:
        return piece.text.data.endswith(b"\n")
    return piece.end == begin and _is_line(piece, source)


def _is_line(piece: Piece, source: bytes) -> bool:
    """Are whole lines replaced by whole lines, or by nothing?"""
    whole = piece.start == 0 or source[piece.start - 1 : piece.start] == b"\n"
    return whole and piece.text.data[-1:] in (b"", b"\n") and source[piece.end - 1] == 10
