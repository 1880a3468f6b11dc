"""The lines of one edit as HTML: below each other as in a diff, or side by side.

Colours and changed words are elements around pieces of the text; the text itself is made
safe piece by piece.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import groupby, zip_longest
from typing import Any, NamedTuple, TypeVar

from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]
from pygments.token import Token  # type: ignore[import-untyped]
from pygments.util import ClassNotFound  # type: ignore[import-untyped]

from astedit.language.table import for_path
from astedit.review.excerpt import ExcerptLine, Side
from astedit.text.html import html, html_line

_MOST = 20_000  # characters; what is longer stays plain
# The kinds that have a colour, as the class that `style.css` names; the first that fits.
_COLOUR_CLASSES = (
    (Token.Comment, "c"),
    (Token.Literal.String, "s"),
    (Token.Literal.Number, "n"),
    (Token.Keyword, "k"),
    (Token.Operator.Word, "k"),
    (Token.Name.Function, "f"),
    (Token.Name.Class, "f"),
    (Token.Name.Tag, "k"),
    (Token.Name.Decorator, "f"),
    (Token.Name.Builtin, "b"),
)


class Colour(NamedTuple):
    """Characters `start` to `end` are of one class."""

    start: int
    end: int
    kind: str


def colours(path: str, text: str) -> Iterator[Colour]:
    """The parts of a text that have a colour, in order; its language is that of the file name."""
    row = for_path(path)
    lexer = _lexer(row.name) if row else None
    if lexer is None or len(text) > _MOST:
        return
    kinds = ((start, _class(token), value) for start, token, value in lexer(text))
    for kind, parts in groupby(kinds, key=lambda part: part[1]):
        if kind:
            first, *_, last = [*parts] * 2
            yield Colour(first[0], last[0] + len(last[2]), kind)


@cache
def _lexer(language: str) -> Any:
    """None for a language that Pygments does not know; an excerpt of PHP has no `<?php`."""
    try:
        return get_lexer_by_name(language, startinline=True).get_tokens_unprocessed
    except ClassNotFound:
        return None


@cache
def _class(token: Any) -> str:
    return next((name for kind, name in _COLOUR_CLASSES if token in kind), "")


_CLASSES: dict[Side, str] = {" ": "", "-": "m", "+": "p", "…": "o", "@": "o"}
_SPOKEN: dict[Side, str] = {"-": "before: ", "+": "after: "}  # once for a run of lines
_CHANGED: dict[Side, str] = {"-": "del", "+": "ins"}
_HEADS = "<thead><tr><th>Line<th>Before<th>Line<th>After</thead>"


class _Shown(NamedTuple):
    """A line, and its text as HTML."""

    line: ExcerptLine
    code: str

    @property
    def number(self) -> int | str:
        return self.line.old or self.line.new or ""


def unified(path: str, lines: Sequence[ExcerptLine]) -> str:
    """The lines in one column, old ones above new ones."""
    runs = groupby(_shown(path, lines), key=lambda shown: shown.line.side)
    return f'<pre class="code">{"".join(_run(side, list(run)) for side, run in runs)}</pre>'


def side_by_side(path: str, lines: Sequence[ExcerptLine]) -> str:
    """The lines in two columns, each old one beside the new one that stands in its place."""
    rows = pairs(_shown(path, lines), lambda shown: shown.line.side)
    body = "".join(f"<tr>{_cell(old)}{_cell(new)}" for old, new in rows)
    return f'<table class="code">{_HEADS}<tbody>{body}</tbody></table>'


def _run(side: Side, run: Sequence[_Shown]) -> str:
    spoken = f'<b class="vh">{_SPOKEN[side]}</b>' if side in _SPOKEN else ""
    name = f" class={_CLASSES[side]}" if _CLASSES[side] else ""
    lines = (f"<span{name}><i>{one.number}</i>{side}{one.code}\n</span>" for one in run)
    return spoken + "".join(lines)


def _cell(shown: _Shown | None) -> str:
    """Two cells: a line number and a line; both empty where this side has none."""
    if shown is None:
        return "<td><td>"
    name = _CLASSES[shown.line.side]
    mark = "@" if shown.line.side == "@" else ""
    return f"<td>{shown.number}<td{f' class={name}' if name else ''}>{mark}{shown.code}"


Line = TypeVar("Line")


def pairs(
    lines: Iterable[Line], side_of: Callable[[Line], Side]
) -> Iterator[tuple[Line | None, Line | None]]:
    """What stands on the left and on the right of each row, where sides are next to each other."""
    old: list[Line] = []
    for side, run in groupby(lines, key=side_of):
        if side == "-":
            old = list(run)
            continue
        if side == "+":
            yield from zip_longest(old, run)
            old = []
            continue
        yield from ((one, None) for one in old)
        old = []
        yield from ((one, one) for one in run)
    yield from ((one, None) for one in old)


def _shown(path: str, lines: Sequence[ExcerptLine]) -> Iterator[_Shown]:
    """The lines with their HTML; each side is coloured as a text of its own."""
    sides = {side: _coloured(path, lines, side) for side in ("-", "+")}
    for index, line in enumerate(lines):
        if line.side in ("…", "@"):
            yield _Shown(line, f" {html_line(line.text)}")
            continue
        yield _Shown(line, _pieces(line, sides["-" if line.side == "-" else "+"][index]))


def _coloured(path: str, lines: Sequence[ExcerptLine], side: str) -> dict[int, list[Colour]]:
    """The colours of every line that one side has, by the line's index."""
    own = [(index, line) for index, line in enumerate(lines) if line.side in (" ", side)]
    spans = list(colours(path, "\n".join(line.text for _, line in own)))
    starts = [span.start for span in spans]
    found: dict[int, list[Colour]] = {}
    start = at = 0
    for index, line in own:
        end = start + len(line.text)
        while at < len(spans) and spans[at].end <= start:
            at += 1
        found[index] = [
            Colour(max(low, start) - start, min(high, end) - start, kind)
            for low, high, kind in spans[at : bisect_left(starts, end, at)]
        ]
        start = end + 1
    return found


def _pieces(line: ExcerptLine, spans: Sequence[Colour]) -> str:
    """The text of a line: changed words in an element of their own, colours within it."""
    tag = _CHANGED.get(line.side, "")
    shown = []
    for is_changed, run in groupby(pieces(line, spans), key=lambda piece: piece.changed):
        code = "".join(
            f"<span class={kind}>{html(text)}</span>" if kind else html(text)
            for text, kind, _ in run
        )
        shown.append(f"<{tag}>{code}</{tag}>" if is_changed and tag else code)
    return "".join(shown)


class CodePiece(NamedTuple):
    """A part of a line that is of one colour, and wholly changed or not at all."""

    text: str
    kind: str
    changed: bool


def pieces(line: ExcerptLine, spans: Iterable[Colour]) -> Iterator[CodePiece]:
    """The parts of a line, in order."""
    size = len(line.text)
    kinds, changed = [""] * size, [False] * size
    for start, end, kind in spans:
        kinds[start:end] = [kind] * (end - start)
    for start, end in line.changed:
        changed[start:end] = [True] * (end - start)
    at = 0
    for (kind, is_changed), run in groupby(zip(kinds, changed, strict=True)):
        end = at + len(list(run))
        yield CodePiece(line.text[at:end], kind, is_changed)
        at = end
