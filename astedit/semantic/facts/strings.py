"""Where a name may be meant inside a string: spelled out, in a format's field, or in code."""

import ast
import re
import textwrap
import warnings
from collections.abc import Iterator

SPELLED, FIELD, EXAMPLE = "a string", "a format's field", "an example in a string"
CODE, SHOWN, DATA = "code in a string", "a text that shows it", "bytes that hold the name"
_LARGEST = 65_536  # characters of a string up to which it may be taken for code
_FIELD = 200  # characters of a format's field that are looked back over


def mentions(
    name: str, raw: str, value: str | bytes, *, prose: bool
) -> Iterator[tuple[int, str, str]]:
    """Every place of `name` in a string that may mean it: offset in `raw`, sign, what it is.

    `raw` is the string as written and `value` what it evaluates to. The sign is `.` or `<`
    for a name behind one, `=` or `(` for one before these, else "". Words are no mention,
    and in `prose`, that is in docstrings, only examples are.
    """
    word = rf"(?<!\w){re.escape(name)}(?!\w)"
    if isinstance(value, bytes):
        if _holds(name.encode(), value):
            yield 0, "", DATA
        return
    path = re.fullmatch(
        r"(?:[\w.-]+\s*=\s*(?=[\w.]+:))?([\w.:]+)", value
    )  # an entry point has a name
    if path is not None and re.search(word, path[1]):
        yield 0, "", SPELLED
        return
    examples = list(re.finditer(rf"^[ \t]*(?:>>>|\.\.\.)[ \t].*?{word}.*$", raw, re.M))
    for line in examples:
        for found in re.finditer(word, line[0]):
            yield line.start() + found.start(), _sign(line[0], found), EXAMPLE
    if examples or prose:
        return
    why = CODE if _is_code(name, value) else ""
    for found in re.finditer(word, raw):
        sign = _sign(raw, found)
        before = raw[max(0, found.start() - _FIELD) : found.start()]
        field = sign == "." and re.search(r"\{[^{}]*\.$", before)
        if here := why or (FIELD if field else SHOWN if sign in ("(", "<") else ""):
            yield found.start(), sign, here


def _holds(name: bytes, value: bytes) -> bool:
    """Whether bytes have the name as a word; in a pickle, anything may follow one."""
    pickled = re.search(rb"[\x00-\x08\x0e-\x1f\x80-\xff]", value) is not None
    behind = b"" if pickled else rb"(?![A-Za-z0-9_])"
    return re.search(rb"(?<![A-Za-z0-9_])" + re.escape(name) + behind, value) is not None


def _sign(text: str, found: re.Match[str]) -> str:
    before = text[max(0, found.start() - 1) : found.start()]
    if before in (".", "<"):
        return before
    behind = text[found.end() : found.end() + 2]
    return behind[:1] if behind[:1] == "(" or (behind[:1] == "=" and behind != "==") else ""


def _is_code(name: str, text: str) -> bool:
    """Whether a text is Python that names it, and no plain words: those rarely parse."""
    if len(text) > _LARGEST or not re.search(r"[(=\n]|\bimport\b", text):
        return False
    try:
        with warnings.catch_warnings(action="ignore"):  # of escapes in a stranger's text
            tree = ast.parse(textwrap.dedent(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return any(name in _named(node) for node in ast.walk(tree))


def _named(node: ast.AST) -> tuple[str, ...]:
    match node:
        case ast.Name(id=one) | ast.Attribute(attr=one) | ast.keyword(arg=str(one)):
            return (one,)
        case ast.ImportFrom(names=aliases):
            return tuple(alias.name for alias in aliases)
    return ()
