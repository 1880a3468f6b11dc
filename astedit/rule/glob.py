"""`files` and `ignores` of rules: globs in which `*` goes across directories. (rule G2)

Not those of ignore files: as in ast-grep, `*.js` means files at any depth, `src` nothing
but a file of this name. `?`, `[a-z]`, `[!a-z]`, `{a,b}`, `\\` and `**` between slashes mean
what they do there.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

_TOKEN = re.compile(
    r"(?P<above>(?<![^/])\*\*/)|(?P<below>(?<=/)\*\*$)|\*+|\?|\[[!^]?\]?[^\]]*\]|\\.|[{},]|.",
    re.DOTALL,
)


class FileGlobs:
    """Some globs, each with whether letters match in either case."""

    def __init__(self, globs: Iterable[tuple[str, bool]]) -> None:
        """Raises ValueError for one that is malformed."""
        from astedit.rule.regex import compile_regex

        each = [f"(?{'i' if fold else ''}s:{_expression(glob)})" for glob, fold in globs]
        self._any: Any = compile_regex(f"^(?:{'|'.join(each)})$")

    def hold(self, path: str) -> bool:
        """Whether one of them matches a path relative to the root."""
        return self._any.search(path.encode("utf-8", "replace")) is not None


def escaped(text: str) -> str:
    """A glob that matches just this text."""
    return re.sub(r"([*?\[\]{}\\])", r"\\\1", text)


def _expression(glob: str) -> str:
    text = glob.removeprefix("./").removeprefix("/")
    parts = list(_parts(text))
    if parts.count("(?:") != parts.count(")"):
        raise ValueError(f"{glob!r} is no glob: a brace is open")
    return "".join(parts)


def _parts(glob: str) -> Iterator[str]:
    depth = 0
    for token in _TOKEN.finditer(glob):
        text = token[0]
        if token.lastgroup == "above":
            yield "(?:.*/)?"
        elif text[0] == "*":
            yield ".*"
        elif text == "?":
            yield "."
        elif text in "{}," and (text == "{" or depth):
            depth += {"{": 1, "}": -1}.get(text, 0)
            yield {"{": "(?:", "}": ")"}.get(text, "|")
        elif text[0] == "[":
            yield _class(glob, text)
        elif text == "}":
            raise ValueError(f"{glob!r} is no glob: no brace is open")
        else:
            yield _literal(text[-1])


def _class(glob: str, text: str) -> str:
    if len(text) < 3:
        raise ValueError(f"{glob!r} is no glob: a bracket is open")
    negated = text[1] in "!^"
    inside = text[1 + negated : -1]
    safe = re.sub(r"([\\\[\]^])", r"\\\1", inside)
    return f"[{'^' if negated else ''}{safe}]"


def _literal(character: str) -> str:
    return re.escape(character) if character.isascii() else character
