"""A text with brackets around captures in it."""

from collections.abc import Collection, Iterator

from astedit.language.brackets import Brackets
from astedit.text.indent import Text

# a span: its start, its end, and what sorts it before the spans that lie within it
_Span = tuple[int, int, tuple[int, int]]


def bracketed(text: Text, numbers: Collection[int], brackets: Brackets) -> Text:
    """The text with brackets around the marks of these numbers; the marks stay in them."""
    spans = [_span(text, number) for number in numbers]
    before, after = len(brackets.before), len(brackets.after)

    def moved(at: int) -> int:
        opened = sum(before for start, _, _ in spans if start < at)
        return at + opened + sum(after for _, end, _ in spans if end <= at)

    marks = [
        mark.at(
            mark.start + _opened(spans, span) * before + _closed(spans, mark.start) * after,
            mark.end + _inside(spans, span) * before + _ended(spans, span) * after,
        )
        for number, mark in enumerate(text.marks)
        for span in (_span(text, number),)
    ]
    data = b"".join(_pieces(text.data, spans, brackets))
    return Text(data, [moved(at) for at in text.frozen], marks)


def _span(text: Text, number: int) -> _Span:
    mark = text.marks[number]
    return mark.start, mark.end, (mark.start - mark.end, number)


def _opened(spans: list[_Span], span: _Span) -> int:
    """How many brackets open before what lies in a span."""
    return sum(one[0] < span[0] or (one[0] == span[0] and one[2] <= span[2]) for one in spans)


def _inside(spans: list[_Span], span: _Span) -> int:
    """How many brackets open before the end of a span."""
    return sum(one[0] < span[1] for one in spans)


def _closed(spans: list[_Span], at: int) -> int:
    return sum(one[1] <= at for one in spans)


def _ended(spans: list[_Span], span: _Span) -> int:
    """How many brackets close before the end of a span."""
    return sum(one[1] < span[1] or (one[1] == span[1] and one[2] > span[2]) for one in spans)


def _pieces(data: bytes, spans: list[_Span], brackets: Brackets) -> Iterator[bytes]:
    opening = [(start, 1, *rank, brackets.before) for start, _, rank in spans]
    closing = [(end, 0, -rank[0], -rank[1], brackets.after) for _, end, rank in spans]
    last = 0
    for at, *_, sign in sorted(opening + closing):
        yield data[last:at]
        yield sign
        last = at
    yield data[last:]
