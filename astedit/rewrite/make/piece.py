"""What changes of the source, piece by piece."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from astedit.text.indent import Text, cut, join, moved_places
from astedit.text.source import Change, alike_start, compose

_BLANKS = b" \t\r\n"


@dataclass(slots=True)
class Piece:
    """Bytes `start` to `end` of the source become `text`."""

    start: int
    end: int
    text: Text

    @property
    def change(self) -> Change:
        return self.start, self.end, self.text.data


def trimmed(piece: Piece, source: bytes) -> Piece | None:
    """The piece without the white space that stays at its ends; None if it says nothing new."""
    old, new = source[piece.start : piece.end], piece.text.data
    if old == new and not piece.text.marks:  # which say what is a capture now
        return None
    if old == new or (old[:1] != new[:1] and old[-1:] != new[-1:]):
        return piece
    head = alike_start(_blanks(old), _blanks(new))
    tail = alike_start(_blanks(old[head:][::-1]), _blanks(new[head:][::-1]))
    return Piece(piece.start + head, piece.end - tail, cut(piece.text, head, len(new) - tail))


def _blanks(text: bytes) -> bytes:
    return text[: len(text) - len(text.lstrip(_BLANKS))]


def framed(lead: bytes, text: Text, trail: bytes) -> Text:
    """New text with other text before and behind it."""
    return join([Text(lead), text, Text(trail)])


def overlapping(pieces: Sequence[Piece], low: int, high: int) -> bool:
    """Does one of them change a byte between two places?"""
    return any(piece.start < high and low < piece.end for piece in pieces)


def applied(
    pieces: Sequence[Piece], low: int, high: int, source: bytes, frozen: Sequence[int] = ()
) -> Text:
    """The source from `low` to `high` with the pieces in their places.

    `frozen` are the places of lines that begin inside a literal.
    """
    if not pieces:
        return _slice(source, low, high, frozen)
    parts: list[Text] = []
    at = low
    for piece in pieces:
        if at < piece.start:
            parts.append(_slice(source, at, piece.start, frozen))
        parts.append(piece.text)
        at = piece.end
    if at < high:
        parts.append(_slice(source, at, high, frozen))
    return join(parts)


def moved_to(at: int, pieces: Sequence[Piece]) -> int:
    """Where a place of the source is when the pieces before it are made."""
    shift = 0
    for piece in pieces:
        if piece.start >= at:
            break
        shift += len(piece.text.data) - (min(piece.end, at) - piece.start)
    return at + shift


def in_order(pieces: Iterable[Piece]) -> list[Piece]:
    """The pieces by their places."""
    return sorted(pieces, key=lambda piece: (piece.start, piece.end))


def _slice(source: bytes, low: int, high: int, frozen: Sequence[int]) -> Text:
    return Text(source[low:high], [at - low for at in frozen if low < at <= high] if frozen else ())


def amended(
    pieces: Sequence[Piece], start: int, end: int, source: bytes, changes: Sequence[Change]
) -> list[Piece]:
    """The pieces, and changes of the text that they make of the source from `start` to `end`."""
    first = [(piece.start - start, piece.end - start, piece.text.data) for piece in pieces]
    frozen = moved_places(applied(pieces, start, end, source).frozen, changes)
    made: list[Piece] = []
    shift = 0
    for (low, high, new), *_ in compose(source[start:end], first, changes):
        at = low + shift
        inside = [line - at for line in frozen if at < line <= at + len(new)]
        made.append(Piece(low + start, high + start, Text(new, inside)))
        shift += len(new) - (high - low)
    return made
