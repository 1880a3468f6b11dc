"""One edit as a person reads it: its lines before and after, and some lines around them."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Literal, NamedTuple

from astedit.model.edit import Edit
from astedit.review.changed_words import TextSpan, changed_words
from astedit.review.enclosing_definition import enclosing_definitions
from astedit.text.count_phrases import number
from astedit.text.diff import hunks

CONTEXT = 2  # lines before and after
MOST_LINES = 60  # of one excerpt
MOST_ALIKE = 16  # lines of one side in a row
MOST_CHARACTERS = 400  # of one line

Side = Literal[" ", "-", "+", "…", "@"]


class ExcerptLine(NamedTuple):
    """One line of an excerpt.

    `side` is as in a diff; `…` stands for lines that are too many to show, and `text` counts
    them; `@` is the first line, if the edit stands in a definition that begins further above,
    and `text` is its name. `old` and `new` are line numbers from 1, None where the line is
    not. `changed` are the words that only this side has.
    """

    side: Side
    old: int | None
    new: int | None
    text: str
    changed: Sequence[TextSpan] = ()


def excerpt(edit: Edit, source: bytes | None, context: int = CONTEXT) -> list[ExcerptLine]:
    """The lines that this edit alone changes in its file, and `context` lines around them.

    `source` is the content that the plan was made of; without it only the edit's own text
    is shown. Long lines are cut; of many lines the first of each side are shown.
    """
    lines = _without_returns(list(_marked(_lines(edit, source, context))))
    shown = [_cut(line) for line in _few(lines, context)]
    return shown if source is None else [*_head(edit, source, shown), *shown]


def _head(edit: Edit, source: bytes, shown: Sequence[ExcerptLine]) -> Iterator[ExcerptLine]:
    """What the edit stands in, as far as it begins above what is shown."""
    first = min((line.old for line in shown if line.old is not None), default=edit.line)
    around = enclosing_definitions(source, edit.line)
    if around and around[-1].line < first:
        yield _cut(ExcerptLine("@", None, None, ".".join(each.name for each in around)))


def _few(lines: list[ExcerptLine], context: int) -> Iterator[ExcerptLine]:
    """The first lines of each run, and of all of them so many; more where more were asked for."""
    runs = [list(run) for _, run in groupby(lines, key=lambda line: line.side)]
    most = max(MOST_ALIKE, context)
    left = MOST_LINES + 2 * max(0, context - CONTEXT)
    for run in runs:
        shown = run[: min(most, left)]
        left -= len(shown)
        yield from shown
        if others := len(run) - len(shown):
            yield ExcerptLine("…", None, None, number(others, "more line"))


def _lines(edit: Edit, source: bytes | None, context: int) -> Iterator[ExcerptLine]:
    if source is None:
        yield from _alone(edit)
        return
    diff = hunks("", source, [(edit.start, edit.end, edit.new)], context)
    old = new = 0
    for line in diff.decode("utf-8", "surrogateescape").split("\n")[2:-1]:
        if line.startswith("@@"):
            old, new = (int(part.partition(",")[0]) for part in line[4:-3].split(" +"))
        elif line[:1] == "-":
            yield ExcerptLine("-", old, None, line[1:])
            old += 1
        elif line[:1] == "+":
            yield ExcerptLine("+", None, new, line[1:])
            new += 1
        elif line[:1] == " ":
            yield ExcerptLine(" ", old, new, line[1:])
            old, new = old + 1, new + 1


def _alone(edit: Edit) -> Iterator[ExcerptLine]:
    first = edit.shown_line
    for at, text in enumerate(edit.whole_before.splitlines(), first):
        yield ExcerptLine("-", at, None, text)
    for at, text in enumerate(edit.whole_after.splitlines(), first):
        yield ExcerptLine("+", None, at, text)


def _marked(lines: Iterator[ExcerptLine]) -> Iterator[ExcerptLine]:
    """The lines, in which the words that differ between old and new ones are known."""
    old: list[ExcerptLine] = []
    new: list[ExcerptLine] = []
    for line in lines:
        if line.side == "+":
            new.append(line)
            continue
        if new or line.side == " ":
            yield from _compared(old, new)
            old, new = [], []
        if line.side == "-":
            old.append(line)
        else:
            yield line
    yield from _compared(old, new)


def _compared(old: list[ExcerptLine], new: list[ExcerptLine]) -> Iterator[ExcerptLine]:
    if not old or not new:  # all of it is new or gone: nothing stands out
        yield from [*old, *new]
        return
    before, after = ("\n".join(line.text for line in side) for side in (old, new))
    for lines, spans in zip((old, new), changed_words(before, after), strict=True):
        start = 0
        for line in lines:
            end = start + len(line.text)
            yield line._replace(changed=_within(spans, start, end))
            start = end + 1


def _within(spans: Sequence[TextSpan], start: int, end: int) -> list[TextSpan]:
    """The parts of spans that lie between two places, counted from the first."""
    cut = (TextSpan(max(low, start) - start, min(high, end) - start) for low, high in spans)
    return [span for span in cut if span.start < span.end]


def _without_returns(lines: list[ExcerptLine]) -> list[ExcerptLine]:
    """Leaves out the carriage returns of line ends, unless they are what differs."""
    if not all(line.text.endswith("\r") for line in lines):
        return lines
    return [line._replace(text=line.text[:-1]) for line in lines]


def _cut(line: ExcerptLine) -> ExcerptLine:
    """A long line around its first change."""
    text, changed = line.text, line.changed
    if len(text) <= MOST_CHARACTERS:
        return line
    first = changed[0].start if changed else 0
    low = max(0, min(first - MOST_CHARACTERS // 4, len(text) - MOST_CHARACTERS))
    high = low + MOST_CHARACTERS
    head, tail = "…" * (low > 0), "…" * (high < len(text))
    moved = [
        TextSpan(start + len(head), end + len(head)) for start, end in _within(changed, low, high)
    ]
    return line._replace(text=head + text[low:high] + tail, changed=moved)
