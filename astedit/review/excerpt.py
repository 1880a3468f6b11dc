"""One edit as a person reads it: its lines before and after, and some lines around them."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Literal, NamedTuple

from astedit.model.edit import Edit
from astedit.text import number
from astedit.text.diff import hunks, unlike

_MOST = 250_000  # pairs of words to compare; of more all count as changed
_WORD = re.compile(r"\w+|\s+|[^\w\s]")


class TextSpan(NamedTuple):
    """Characters `start` to `end` of a text."""

    start: int
    end: int


def changed_words(before: str, after: str) -> tuple[list[TextSpan], list[TextSpan]]:
    """The parts of both texts that the other one does not have in the same order.

    A word that moved is changed on both sides. White space counts where nothing else differs
    beside it; new or removed lines alone do not. Of very many words all count as changed.
    """
    old, new = _WORD.findall(before), _WORD.findall(after)
    if len(old) * len(new) > _MOST:
        return [TextSpan(0, len(before))], [TextSpan(0, len(after))]
    changes = unlike(old, new)
    return (
        _spans(old, [(start, end) for start, end, _, _ in changes]),
        _spans(new, [(start, end) for _, _, start, end in changes]),
    )


def _spans(words: list[str], ranges: list[tuple[int, int]]) -> list[TextSpan]:
    """The ranges of words as characters; those with only white space between them are joined."""
    starts = [0]
    for word in words:
        starts.append(starts[-1] + len(word))
    text = "".join(words)
    spans: list[TextSpan] = []
    for low, high in (TextSpan(starts[first], starts[end]) for first, end in ranges):
        if spans and low < high and not text[spans[-1].end : low].strip():
            spans[-1] = TextSpan(spans[-1].start, high)
        elif low < high:
            spans.append(TextSpan(low, high))
    return [word for span in spans for word in _stripped(text, span)]


def _stripped(text: str, span: TextSpan) -> list[TextSpan]:
    """The span without the white space around it; none if it is but line breaks."""
    part = text[span.start : span.end]
    if not part.strip():
        return [] if "\n" in part else [span]
    start = span.start + len(part) - len(part.lstrip())
    return [TextSpan(start, start + len(part.strip()))]


_MOST_OPENED = 20_000  # lines that are read upwards
_ASIDE = (b"#", b"//", b"*", b"/*", b"--")  # begin comments and directives, wherever they stand
_CLOSING = (b")", b"]", b"}", b"{", b"end")  # what they belong to stands above, as far left
_MODIFIER = (
    rb"(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|open"
    rb"|sealed|partial|override|virtual|inline|unsafe|data|pub(?:\([^)]*\))?)\s+)*"
)
_KEYWORD = (
    rb"(?:def|class|func|fn|function\*?|fun|interface|struct|enum|trait|impl|module|namespace"
    rb"|object|record|sub|type)\b\s*(?:<[^>]*>\s*)?(?:\([^)]*\)\s*)?"
)
_CONTROL = (
    rb"(?!(?:if|for|foreach|while|switch|catch|else|elif|do|try|return|with|match|unless|using|lock"
    rb"|synchronized|new|await|yield|throw)\b)"
)
_NAME = rb"([\w$#.:~?!-]*[\w?!])"
_WAYS = (
    re.compile(_MODIFIER + _KEYWORD + _NAME),
    re.compile(rb"(?:export\s+)?(?:const|let|var)\s+([\w$]+)\s*=.*(?:=>|\bfunction\b.*)\s*\{$"),
    re.compile(_CONTROL + rb"[^=;\"'(]*?([\w$~]+)\s*\([^;]*\)[^;]*\{$"),
)


class EnclosingDefinition(NamedTuple):
    """A definition: its name, and the line that it begins on."""

    name: str
    line: int


def enclosing_definitions(source: bytes, line: int) -> list[EnclosingDefinition]:
    """Those around a line (from 1), the outermost first."""
    found = []
    left: int | None = None
    for row, text in _upwards(source, line):
        code = text.strip()
        indent = len(text.expandtabs(8)) - len(text.expandtabs(8).lstrip())
        if left is None:
            left = indent
            continue
        if indent >= left or code.startswith(_ASIDE):
            continue
        left = indent + code.startswith(_CLOSING)
        if (name := _name(code)) is not None:
            found.append(EnclosingDefinition(name, row))
        if not left:
            break
    return found[::-1]


def _upwards(source: bytes, line: int) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, from this one on towards the first."""
    lines = source.split(b"\n", line)[:line]
    for row in range(len(lines), max(0, len(lines) - _MOST_OPENED), -1):
        if lines[row - 1].strip():
            yield row, lines[row - 1].rstrip()


def _name(code: bytes) -> str | None:
    for way in _WAYS:
        if match := way.match(code):
            return match[1].decode("utf-8", "replace")
    return None


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
