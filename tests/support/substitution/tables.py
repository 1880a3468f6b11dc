"""What stands where: operands, templates with `$A`, and surroundings with `…`, by language.

A text file beside this one for each language. A line is one entry; `⏎` stands for the end of
one, `@c` for the entries of `c.txt`, `@c;` for these with a semicolon. The frame is a head,
functions with a statement each in the place of `…`, and a tail, with `%` between them.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

_FOLDER = Path(__file__).parent / "tables"


class Table(NamedTuple):
    """The matrix of one language: each operand in each template in each surrounding."""

    head: str
    frame: str
    tail: str
    operands: tuple[str, ...]
    templates: tuple[str, ...]
    surroundings: tuple[str, ...]


def _sections(name: str) -> dict[str, str]:
    text = (_FOLDER / f"{name}.txt").read_text()
    _, *parts = re.split(r"(?m)^== (\w+) ==\n", text)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def _entries(name: str, section: str) -> Iterator[str]:
    for line in _sections(name)[section].splitlines():
        if shared := re.fullmatch("@(c|script)(;?)", line):
            yield from (entry + shared[2] for entry in _entries(shared[1], section))
        else:
            yield line.replace("⏎", "\n")


def _table(name: str) -> Table:
    frame = _sections(name)["frame"].removesuffix("\n").split("%")
    sections = ("operands", "templates", "places")
    return Table(*frame, *(tuple(dict.fromkeys(_entries(name, key))) for key in sections))


_LANGUAGES = ("typescript", "tsx", "go", "java", "rust", "ruby", "php")
TABLES: Mapping[str, Table] = {name: _table(name) for name in _LANGUAGES}
