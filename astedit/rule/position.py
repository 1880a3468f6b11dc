"""`An+B`, as in CSS: some places of a list. (rule A4)"""

import re
from dataclasses import dataclass

_PARTS = re.compile(r"(?:(?P<step>[+-]?\d*)[nN])?(?P<offset>[+-]?\d+)?")
_ILLEGAL = re.compile(r"[^0-9nN+\-\s]")


@dataclass(frozen=True, slots=True)
class Position:
    """The places `step * n + offset` for n = 0, 1, 2, …; the first place is 1."""

    step: int
    offset: int

    def holds(self, place: int) -> bool:
        if self.step == 0:
            return place == self.offset
        distance = place - self.offset
        return distance % self.step == 0 and distance // self.step >= 0


def parse_position(text: str) -> Position:
    """Reads `3`, `2n+1`, `-n + 2`; raises ValueError with what is wrong."""
    if illegal := _ILLEGAL.search(text):
        raise ValueError(f"illegal character {illegal[0]!r} in the position {text!r}")
    compact = "".join(text.split())
    found = _PARTS.fullmatch(compact)
    if found is None or not compact or len(compact) > 20:
        raise ValueError(f"{text!r} is no position; write 3, 2n+1 or -n+2")
    step, offset = found["step"], found["offset"]
    if step is not None and offset is not None and offset[0] not in "+-":
        raise ValueError(f"{text!r} is no position: a sign is missing after n")
    if step in ("", "+", "-"):
        step += "1"
    return Position(int(step or 0), int(offset or 0))
