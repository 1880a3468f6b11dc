"""A text with brackets around captures in it."""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator

from astedit.language.brackets import Brackets
from astedit.text.indent import Text

# a span: its start, its end, and what sorts it before the spans that lie within it
_Span = tuple[int, int, tuple[int, int]]


class _Signs:
    """Where brackets open and close. Counted by sorted lists: a text may have thousands."""

    def __init__(self, spans: list[_Span]) -> None:
        self._opening = sorted((start, rank) for start, _, rank in spans)
        self._closing = sorted((end, -size, -number) for _, end, (size, number) in spans)
        self._starts = [start for start, _ in self._opening]
        self._ends = [end for end, *_ in self._closing]

    def opened(self, span: _Span) -> int:
        """How many brackets open before what lies in a span."""
        return bisect_right(self._opening, (span[0], span[2]))

    def opened_before(self, at: int) -> int:
        return bisect_left(self._starts, at)

    def closed_by(self, at: int) -> int:
        return bisect_right(self._ends, at)

    def closed(self, span: _Span) -> int:
        """How many brackets close before the end of a span."""
        _, end, (size, number) = span
        return bisect_left(self._closing, (end, -size, -number))


def bracketed(text: Text, numbers: Collection[int], brackets: Brackets) -> Text:
    """The text with brackets around the marks of these numbers; the marks stay in them."""
    spans = [_span(text, number) for number in numbers]
    signs, before, after = _Signs(spans), len(brackets.before), len(brackets.after)

    def moved(at: int) -> int:
        return at + signs.opened_before(at) * before + signs.closed_by(at) * after

    marks = [
        mark.at(
            mark.start + signs.opened(span) * before + signs.closed_by(mark.start) * after,
            mark.end + signs.opened_before(mark.end) * before + signs.closed(span) * after,
        )
        for number, mark in enumerate(text.marks)
        for span in (_span(text, number),)
    ]
    data = b"".join(_pieces(text.data, spans, brackets))
    return Text(data, [moved(at) for at in text.frozen], marks)


def _span(text: Text, number: int) -> _Span:
    mark = text.marks[number]
    return mark.start, mark.end, (mark.start - mark.end, number)


def _pieces(data: bytes, spans: list[_Span], brackets: Brackets) -> Iterator[bytes]:
    opening = [(start, 1, *rank, brackets.before) for start, _, rank in spans]
    closing = [(end, 0, -rank[0], -rank[1], brackets.after) for _, end, rank in spans]
    last = 0
    for at, *_, sign in sorted(opening + closing):
        yield data[last:at]
        yield sign
        last = at
    yield data[last:]
