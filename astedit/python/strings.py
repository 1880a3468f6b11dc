"""Where a name may be meant inside a string: spelled out, in a format's field, or in code."""

import ast
import re
import textwrap
import warnings
from collections.abc import Iterator
from typing import NamedTuple

SPELLED, FIELD, EXAMPLE = "a string", "a format's field", "an example in a string"
CODE, SHOWN, DATA = "code in a string", "a text that shows it", "bytes that hold the name"
_LARGEST = 65_536  # characters of a string up to which it may be taken for code
_FIELD = 200  # characters of a format's field that are looked back over


class Mention(NamedTuple):
    """A place that may mean the name: its offset in the string as it is written.

    `sign` is `.` or `<` for a name behind one of these, `=` or `(` for a name before one
    of these, else "". `kind` says in what kind of string it stands, in words.
    """

    offset: int
    sign: str
    kind: str


def mentions(name: str, raw: str, value: str | bytes, *, prose: bool) -> Iterator[Mention]:
    """Every place of `name` in a string that may mean it.

    `raw` is the string as it is written and `value` what it evaluates to. Mere words are
    no mention. In `prose`, that is in docstrings, only examples are one.
    """
    word = rf"(?<!\w){re.escape(name)}(?!\w)"
    if isinstance(value, bytes):
        if _holds(name.encode(), value):
            yield Mention(0, "", DATA)
        return
    path = re.fullmatch(
        r"(?:[\w.-]+\s*=\s*(?=[\w.]+:))?([\w.:]+)", value
    )  # an entry point has a name
    if path is not None and re.search(word, path[1]):
        yield Mention(0, "", SPELLED)
        return
    examples = list(re.finditer(rf"^[ \t]*(?:>>>|\.\.\.)[ \t].*?{word}.*$", raw, re.M))
    for line in examples:
        for place in re.finditer(word, line[0]):
            yield Mention(line.start() + place.start(), _sign(line[0], place), EXAMPLE)
    if not examples and not prose:
        yield from _in_text(name, word, raw, value)


def _in_text(name: str, word: str, raw: str, value: str) -> Iterator[Mention]:
    """The places in a string of many words, or of code."""
    code = CODE if _is_code(name, value) else ""
    for place in re.finditer(word, raw):
        sign = _sign(raw, place)
        before = raw[max(0, place.start() - _FIELD) : place.start()]
        field = sign == "." and re.search(r"\{[^{}]*\.$", before)
        if kind := code or (FIELD if field else SHOWN if sign in ("(", "<") else ""):
            yield Mention(place.start(), sign, kind)


def _holds(name: bytes, value: bytes) -> bool:
    """Whether bytes have the name as a word; in a pickle, anything may follow it."""
    pickled = re.search(rb"[\x00-\x08\x0e-\x1f\x80-\xff]", value) is not None
    behind = b"" if pickled else rb"(?![A-Za-z0-9_])"
    return re.search(rb"(?<![A-Za-z0-9_])" + re.escape(name) + behind, value) is not None


def _sign(text: str, place: re.Match[str]) -> str:
    before = text[max(0, place.start() - 1) : place.start()]
    if before in (".", "<"):
        return before
    behind = text[place.end() : place.end() + 2]
    return behind[:1] if behind[:1] == "(" or (behind[:1] == "=" and behind != "==") else ""


def _is_code(name: str, text: str) -> bool:
    """Whether a text is Python that names it, and not plain words, which rarely parse."""
    if len(text) > _LARGEST or not re.search(r"[(=\n]|\bimport\b", text):
        return False
    try:
        with warnings.catch_warnings(action="ignore"):  # of escapes in a stranger's text
            tree = ast.parse(textwrap.dedent(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return any(name in _names_in(node) for node in ast.walk(tree))


def _names_in(node: ast.AST) -> tuple[str, ...]:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.keyword(arg=str(name)):
            return (name,)
        case ast.ImportFrom(names=aliases):
            return tuple(alias.name for alias in aliases)
    return ()
