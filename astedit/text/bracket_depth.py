"""How deep the brackets of a text stand in one another, told without a parser."""

from itertools import accumulate, count
from operator import sub

_KEEP = bytes(b for b in range(256) if b not in b"()[]{}")
_TURN = bytes.maketrans(b"([{)]}", b"\x02\x02\x02\x00\x00\x00")


def is_nested(text: bytes, levels: int) -> bool:
    """Whether a bracket stands in so many others, all pairs alike, whatever they stand for.

    No step of this takes Python time for each byte.
    """
    brackets = text.translate(_TURN, _KEEP)
    if brackets.count(b"\x02") < levels:
        return False
    depth: int = max(map(sub, accumulate(brackets), count(1)))
    return depth >= levels
