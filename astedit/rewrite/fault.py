"""What is wrong with the result of edits."""

from collections.abc import Mapping
from dataclasses import dataclass, field

_SHOWN = 80  # characters of a piece of code that a message shows


@dataclass(frozen=True, slots=True)
class Fault:
    """Why edits are not made: `breaks_syntax` or `changes_structure`, and what exactly is wrong.

    `torn` are the numbers of the marks of one edit that are no longer whole. `blamed` names
    the edits that have a fault each without the help of others; empty where nobody knows.
    """

    reason: str
    detail: str
    torn: tuple[int, ...] = ()
    blamed: "Mapping[int, Fault]" = field(default_factory=dict)


def shown(text: bytes) -> str:
    """A piece of code on one line, in backquotes; cut where it is long."""
    line = " ".join(text.decode("utf-8", "replace").split())
    return f"`{line if len(line) <= _SHOWN else line[: _SHOWN - 1] + '…'}`"
