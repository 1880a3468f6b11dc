"""What is wrong with the result of edits."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

_SHOWN = 80  # characters of a piece of code that a message shows


class Misreading(NamedTuple):
    """The two readings of an edit that would change the structure of the code.

    `read` is what the result would be read as, `meant` what was meant, with the piece that
    is concerned in brackets. `capture` is the name of the metavariable that the piece comes
    from, None if the piece is all of the edit.
    """

    capture: str | None
    read: str
    meant: str


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
    misreading: Misreading | None = None


def shown(text: bytes) -> str:
    """A piece of code on one line, in backquotes; cut where it is long."""
    line = " ".join(text.decode("utf-8", "replace").split())
    return f"`{line if len(line) <= _SHOWN else line[: _SHOWN - 1] + '…'}`"
