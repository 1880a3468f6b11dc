"""Metavariables: `$NAME`, `$$NAME`, `$$$NAME`, in patterns and in templates.

`$NAME` holds one named node, `$$NAME` one node of any sort, `$$$NAME` any number of
nodes; a name that starts with `_` holds without capturing. (rules V1, V2, V5)
"""

import re
from dataclasses import dataclass

NAME = re.compile(r"[A-Z_][A-Z0-9_]*")
_RUN = re.compile(r"(\$+)([A-Z_])?")
_AFTER = re.compile(r"[A-Z0-9_]*")


@dataclass(frozen=True, slots=True)
class Metavariable:
    """One hole. `name` is None when nothing is captured.

    `loose` says that a name may hold one node as well as many, or nothing ever: rules have
    several patterns, and some are only asked whether they match.
    """

    name: str | None
    many: bool = False
    named_only: bool = True
    loose: bool = False

    @property
    def spelling(self) -> str:
        sigil = "$$$" if self.many else "$" if self.named_only else "$$"
        return sigil + (self.name or ("" if self.many else "_"))


def stand_in(text: str, char: str) -> tuple[bytes, dict[int, int]]:
    """Replaces the sigils a grammar would choke on by `char`.

    Returns the text as UTF-8 and, by byte offset of every sigil run that may begin a
    hole, the run's length in sigils. Only those offsets begin holes, so source text that
    happens to contain the stand-in never does. A run is a sigil when a capital letter or
    `_` follows, or when it is exactly three long (anonymous many).
    """
    out = bytearray()
    sigils: dict[int, int] = {}
    last = 0
    for run in _RUN.finditer(text):
        count = len(run[1])
        out += text[last : run.start()].encode()
        last = run.end(1)
        if run[2] or count == 3:
            sigils[len(out)] = count
            out += (char * count).encode()
        else:
            out += run[1].encode()
    out += text[last:].encode()
    return bytes(out), sigils


def read_hole(text: bytes, start: int, sigils: dict[int, int], char: str) -> Metavariable | None:
    """The hole that a node is, or None: the *whole* text of the node must be the hole (V3)."""
    count = sigils.get(start)
    if count is None or count > 3:
        return None
    try:
        name = text.decode()[count * len(char) :]
    except UnicodeDecodeError:
        return None
    if count == 3:
        if _AFTER.fullmatch(name) is None:
            return None
        return Metavariable(None if name.startswith("_") else name or None, many=True)
    if NAME.fullmatch(name) is None:
        return None
    return Metavariable(None if name.startswith("_") else name, named_only=count == 1)
