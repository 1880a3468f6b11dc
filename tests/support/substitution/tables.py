"""What stands where: operands, templates with `$A`, and surroundings with `…`, by language.

A file is a `head`, functions with a statement each in the place of `…`, and a `tail`; the frame
in `tables.txt` has `%` between them.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from tests.support.lists import lists


class Table(NamedTuple):
    """The matrix of one language: each operand in each template in each surrounding."""

    head: str
    frame: str
    tail: str
    operands: tuple[str, ...]
    templates: tuple[str, ...]
    surroundings: tuple[str, ...]


_LISTS = lists(Path(__file__).with_suffix(".txt"))


def _table(name: str) -> Table:
    (frame,) = _LISTS[f"{name} frame"]
    head, frame, tail = frame.split("%")
    operands, templates, places = (
        _LISTS[f"{name} {part}"] for part in ("operands", "templates", "places")
    )
    return Table(head, frame, tail, operands, templates, places)


_LANGUAGES = ("typescript", "tsx", "go", "java", "rust", "ruby", "php")
TABLES: Mapping[str, Table] = {name: _table(name) for name in _LANGUAGES}
