"""What is small and flat enough to be parsed outside a worker. Imports no grammar."""

from itertools import accumulate, count
from operator import sub

from astedit.limits import INLINE_DEPTH, INLINE_SIZE

_KEEP = bytes(b for b in range(256) if b not in b"()[]{}")
_TURN = bytes.maketrans(b"([{)]}", b"\x02\x02\x02\x00\x00\x00")


def is_shallow(text: bytes) -> bool:
    """Small and flat enough to be parsed outside a worker: nothing here is per byte in Python."""
    if len(text) >= INLINE_SIZE:
        return False
    brackets = text.translate(_TURN, _KEEP)
    if brackets.count(b"\x02") < INLINE_DEPTH:
        return True
    depth: int = max(map(sub, accumulate(brackets), count(1)))
    return depth < INLINE_DEPTH
