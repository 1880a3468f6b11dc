"""The colours of code: which parts of a text are keywords, strings and so on."""

from collections.abc import Iterator
from functools import cache
from itertools import groupby
from typing import Any, NamedTuple

from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]
from pygments.token import Token  # type: ignore[import-untyped]
from pygments.util import ClassNotFound  # type: ignore[import-untyped]

from astedit.language.table import for_path

_MOST = 20_000  # characters; what is longer stays plain
# The kinds that have a colour, as the class that `style.css` names; the first that fits.
_CLASSES = (
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
    return next((name for kind, name in _CLASSES if token in kind), "")
