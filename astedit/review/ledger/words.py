"""The names that stand for an op, and where they stand in a text as words."""

import re
from collections.abc import Iterator
from functools import cache

from astedit.engine.places import names_of
from astedit.engine.program import CompiledOp

_WORD = re.compile(r"[^\W\d]\w{2,}")  # shorter ones stand everywhere
_MOST = 3  # names that are counted to find the rarest


def names_by_way(op: CompiledOp) -> list[list[str]]:
    """For each way in which an op can match, the longest names that the code then holds.

    Of each the rarest counts, which only the files can say. Without a name there is nothing
    to be counted.
    """
    if op.pattern is not None:
        ways = [[name.decode("utf-8", "replace") for name in names_of(op.pattern)]]
    else:
        ways = [
            [word for literal in way if isinstance(literal, bytes) for word in _words(literal)]
            for way in op.finder.literals
        ]
    longest = (sorted({*way}, key=lambda name: (-len(name), name))[:_MOST] for way in ways)
    return [names for names in longest if names]


def _words(literal: bytes) -> Iterator[str]:
    yield from _WORD.findall(literal.decode("utf-8", "replace"))


def standing(name: str, source: bytes) -> list[int]:
    """The byte offsets at which a name stands as a word, as `rg -w` and `grep -w` count them."""
    word = name.encode()
    if word not in source:
        return []
    if source.isascii():
        return [match.start() for match in _in_bytes(word).finditer(source)]
    text = source.decode("utf-8", "surrogateescape")
    starts = []
    at = offset = 0
    for match in _in_text(name).finditer(text):
        offset += len(text[at : match.start()].encode("utf-8", "surrogateescape"))
        at = match.start()
        starts.append(offset)
    return starts


@cache
def _in_bytes(word: bytes) -> re.Pattern[bytes]:
    return re.compile(rb"(?<!\w)" + re.escape(word) + rb"(?!\w)")


@cache
def _in_text(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
