"""Text that every match holds, where the case of its letters may not count."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial

# What is a letter of another alphabet that RE2, and Unicode, take for the same: ſ and K.
_ALIKE = {"s": r"\xc5\xbf", "k": r"\xe2\x84\xaa"}


@dataclass(frozen=True, slots=True)
class Folded:
    """An ASCII text in lower case that stands for the same letters in either case."""

    text: bytes

    @property
    def is_ascii(self) -> bool:
        """Whether all that the text stands for is ASCII, and so spelled alike in most encodings."""
        return not any(letter in self.text.decode() for letter in _ALIKE)

    def expression(self) -> str:
        """The expression that finds the text. RE2 reads it as Latin-1: a byte is a character."""
        return "".join(map(_letter, self.text.decode("ascii")))


Literal = bytes | Folded


def stands(literal: Literal, source: bytes) -> bool:
    """Whether the bytes hold the text."""
    if isinstance(literal, bytes):
        return literal in source
    return _compiled(literal).search(source) is not None


def seeker(literal: Literal, source: bytes) -> Callable[[int, int], int]:
    """A function that tells where the text begins between two places of the source, or -1."""
    if isinstance(literal, bytes):
        return partial(source.find, literal)
    search = _compiled(literal).search

    def first(start: int, end: int) -> int:
        found = search(source, start, end)
        return -1 if found is None else found.start()

    return first


def count(literal: Literal, source: bytes) -> int:
    """How often the text stands in the source, without overlaps."""
    if isinstance(literal, bytes):
        return source.count(literal)
    return len(_compiled(literal).findall(source))


def spans(literal: Literal, source: bytes) -> Iterator[tuple[int, int]]:
    """Every place of the text, overlaps included: its first byte, and the one past its last."""
    if isinstance(literal, bytes):
        at = source.find(literal)
        while at >= 0:
            yield at, at + len(literal)
            at = source.find(literal, at + 1)
        return
    search = _compiled(literal).search
    found = search(source)
    while found is not None:
        yield found.span()
        found = search(source, found.start() + 1)


def length(literal: Literal) -> int:
    """The length of the text, in bytes."""
    return len(literal if isinstance(literal, bytes) else literal.text)


def is_ascii(literal: Literal) -> bool:
    """Whether the text is spelled alike in all encodings but UTF-16."""
    return literal.isascii() if isinstance(literal, bytes) else literal.is_ascii


def _letter(letter: str) -> str:
    if not letter.isalpha():
        return re.escape(letter)
    both = f"[{letter}{letter.upper()}]"
    return f"(?:{both}|{_ALIKE[letter]})" if letter in _ALIKE else both


@lru_cache(maxsize=1024)
def _compiled(literal: Folded) -> re.Pattern[bytes]:
    return re.compile(literal.expression().encode("ascii"))
