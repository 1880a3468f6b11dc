"""What a piece of code is, as far as its tokens say: a name, a call, a string."""

import re
from collections.abc import Iterator
from itertools import pairwise

from astedit.model.token_diff import Tokens

_NAME = re.compile(r"[^\W\d]\w*")
_DOTTED = frozenset({".", "?", ":", "->"})
_CONSTANTS = frozenset({"None", "True", "False", "null", "nil", "true", "false", "undefined"})
_FUNCTIONS = frozenset({"lambda", "function", "fn", "func"})
_DISPLAYS = {"(": "brackets", "[": "a list", "{": "a dict or set"}
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_LOOSE = frozenset(").,;:=")


def capture_kind(tokens: Tokens) -> str:
    """The kind in words: `a name`, `a call`, `several items`."""
    tokens = _bare(tokens)
    if not tokens:
        return "nothing"
    if tokens[0] in _FUNCTIONS:
        return "a function"
    if len(tokens) == 1:
        return _of_token(tokens[0])
    outer = [token for token, depth in _depths(tokens) if depth == 0]
    if "," in outer:
        return "several items"
    return _of_several(tokens, outer)


def _of_token(token: str) -> str:
    if token in _CONSTANTS:
        return "a constant"
    if token[0] in "\"'":
        return "a string"
    if token[0].isdigit():
        return "a number"
    return "a name" if _NAME.fullmatch(token) else "a sign"


def _of_several(tokens: Tokens, outer: list[str]) -> str:
    """Of tokens without a comma outside brackets; `outer` are those outside."""
    if any(
        not (token in _DOTTED or _NAME.fullmatch(token) or token in "()[]{}") for token in outer
    ):
        return "a string" if _quoted(tokens) else "an expression"
    if tokens[0] in _DISPLAYS and len(outer) == 2:
        return _DISPLAYS[tokens[0]]
    names = pairwise(outer)
    if any(_NAME.fullmatch(one) and _NAME.fullmatch(other) for one, other in names):
        return "an expression"  # `a if b else c`, `not a`
    return {")": "a call", "]": "an item", "}": "a block"}.get(tokens[-1], "a dotted name")


def _quoted(tokens: Tokens) -> bool:
    """Whether it is one string with a prefix, or strings side by side."""
    return all(token[0] in "\"'" or token in ("f", "r", "b", "rb", "u") for token in tokens)


def _bare(tokens: Tokens) -> Tokens:
    """Without what a list around it leaves: its brackets, or one of them, and commas."""
    start, end = 0, len(tokens)
    while start < end and tokens[start] in _LOOSE:
        start += 1
    while start < end and tokens[end - 1] in ",;:=":
        end -= 1
    inner = tokens[start:end]
    if inner and inner[0] == "(" and (inner[-1] == ")") and _encloses(inner):
        return inner[1:-1]
    surplus = inner.count(")") - inner.count("(")
    return inner[: len(inner) - surplus] if surplus > 0 and inner[-1] == ")" else inner


def _encloses(tokens: Tokens) -> bool:
    """Whether the first bracket is closed by the last token."""
    return all(depth > 0 for _, depth in list(_depths(tokens))[1:-1])


def _depths(tokens: Tokens) -> Iterator[tuple[str, int]]:
    """Each token, and how many brackets are open around it."""
    depth = 0
    for token in tokens:
        depth -= token in _CLOSING.values()
        yield token, depth
        depth += token in _CLOSING
