"""A sample of alike edits, and what it says of the others."""

from collections.abc import Sequence
from hashlib import sha256
from math import ceil, comb, fsum

SAMPLE = 59  # the fewest of which none is wrong that say "under 5 %"
CONFIDENCE = 0.95
_LITTLE = 1e-6  # percent; 95 % are no 96 % for a rounding error


def sampled(fingerprint: str, edit_ids: Sequence[str]) -> list[str]:
    """All of these edits in random order, the same for a plan for ever: any first part of it
    is a sample."""
    return sorted(edit_ids, key=lambda edit_id: sha256(f"{fingerprint}{edit_id}".encode()).digest())


def sentence(read: int, wrong: int) -> str:
    """What so many wrong ones of a sample say of edits that are alike; '' without a sample."""
    if not read:
        return ""
    share = 100 * at_most(read, wrong)
    shown = ceil(share - _LITTLE) if share > 1 else ceil(10 * share) / 10
    most = f"under {shown} % wrong with 95 % confidence"
    return f"{wrong} of {read} wrong: {most}, if these are alike"


def at_most(read: int, wrong: int) -> float:
    """The share of wrong ones with which one sample in twenty would show so few: exact.

    (Clopper and Pearson, one-sided; without a wrong one about 3 by the number read.)
    """
    if wrong >= read:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(30):
        share = (low + high) / 2
        if _so_few(read, wrong, share) > 1 - CONFIDENCE:
            low = share
        else:
            high = share
    return high


def _so_few(read: int, wrong: int, share: float) -> float:
    """How likely a sample shows at most so many, where so large a share is wrong."""
    few = range(wrong + 1)
    return fsum(comb(read, each) * share**each * (1 - share) ** (read - each) for each in few)
