"""How much a text costs a model, and text that is quoted from files.

No tokenizer is asked: the weight is an estimate that is never below what a public one
(o200k) counts by more than a fifth, on code, on other scripts and on random characters;
on ordinary code it is twice as much.
"""

import re
from collections.abc import Iterable, Iterator

from resolve.visible import one_line, visible

LIMIT = 3_300  # weight of one text: under 4,000 tokens whatever it holds
_PIECES = re.compile(r"[ _.$/]?[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[ \t]+|\n|[^\x00-\x7f]+|.")
_LINE = 200  # characters of one quoted line
_NAME = 120  # characters of one file's name


def weight(text: str) -> int:
    """About how many tokens the text is, rather too many than too few."""
    return max(sum(map(_cost, _PIECES.findall(text))), len(text) // 2)


def _cost(piece: str) -> int:
    if not piece.isascii():
        return len(piece.encode("utf-8", "surrogatepass"))
    return 1 + (len(piece) - 1) // 3 if piece[-1].isalnum() else 1


class Budget:
    """What is left of a text's weight."""

    def __init__(self, limit: int) -> None:
        self.left = limit

    def fits(self, lines: Iterable[str]) -> bool:
        """Takes the lines off the budget if all of them fit, else none."""
        cost = sum(weight(line) + 1 for line in lines)
        if cost > self.left:
            return False
        self.left -= cost
        return True

    def first(self, lines: Iterable[str]) -> list[str]:
        """As many of the lines, from the first on, as fit."""
        taken = []
        for line in lines:
            if not self.fits([line]):
                break
            taken.append(line)
        return taken


def quoted(text: str, mark: str = "") -> Iterator[str]:
    """The lines of a file's text, each behind `|`, nothing in them hidden."""
    for line in visible(text).removesuffix("\n").split("\n"):
        yield clipped(f"|{mark}{line}", _LINE)


def name(path: str) -> str:
    """A file's name on one line; of a long one the end."""
    shown = one_line(path)
    return shown if len(shown) <= _NAME else f"…{shown[-_NAME:]}"


def clipped(text: str, size: int) -> str:
    """At most `size` characters of one line, and `…` for the rest."""
    return text if len(text) <= size else f"{text[:size]}…"
