"""Which definitions a line of code stands in, as far as its layout says.

Lines further left are read upwards, as git does for the heads of its hunks: it takes no
parser and no time, and misses what the layout does not show.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

_MOST = 20_000  # lines that are read upwards
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
    for number, text in _upwards(source, line):
        code = text.strip()
        indent = len(text.expandtabs(8)) - len(text.expandtabs(8).lstrip())
        if left is None:
            left = indent
            continue
        if indent >= left or code.startswith(_ASIDE):
            continue
        left = indent + code.startswith(_CLOSING)
        name = _name(code)
        if name is not None:
            found.append(EnclosingDefinition(name, number))
        if not left:
            break
    return found[::-1]


def _upwards(source: bytes, line: int) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, from this one on towards the first."""
    lines = source.split(b"\n", line)[:line]
    for number in range(len(lines), max(0, len(lines) - _MOST), -1):
        if lines[number - 1].strip():
            yield number, lines[number - 1].rstrip()


def _name(code: bytes) -> str | None:
    for way in _WAYS:
        if match := way.match(code):
            return match[1].decode("utf-8", "replace")
    return None
