"""Lists that tests draw from, kept as text beside the module that reads them.

`== name ==` begins a list, each line below it is an entry, in which `⏎` stands for the end of a
line. `@name` stands for the entries of another list, `@name;` for these with a semicolon each.
"""

import re
from ast import literal_eval
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def lists(path: Path) -> dict[str, tuple[str, ...]]:
    """Every list of a file by its name, no entry in it twice."""
    _, *parts = re.split(r"(?m)^== (.+) ==\n", path.read_text())
    lines = {name: text.splitlines() for name, text in zip(parts[::2], parts[1::2], strict=True)}

    def entries(name: str) -> Iterator[str]:
        for line in lines[name]:
            shared = re.fullmatch("@([^;]+)(;?)", line)
            if shared and shared[1] in lines:
                yield from (entry + shared[2] for entry in entries(shared[1]))
            else:
                yield line.replace("⏎", "\n")

    return {name: tuple(dict.fromkeys(entries(name))) for name in lines}


def rows(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """The lists of a file whose entries are rows of columns, with ` ¦ ` between them.

    A column that begins with `≡` is the value that Python reads behind it: `≡None`, `≡['a', 1]`.
    """
    return {
        name: [tuple(map(_value, entry.split(" ¦ "))) for entry in entries]
        for name, entries in lists(path).items()
    }


def _value(column: str) -> Any:
    return literal_eval(column[1:]) if column.startswith("≡") else column
