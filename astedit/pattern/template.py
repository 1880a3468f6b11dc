"""The text a match becomes: literal text and slots that captures fill.

A template is text, never parsed. `$NAME` and `$$$NAME` are slots, `$_` disappears,
everything else (`${A}`, `$a`, `$1`, lone sigils) stays as written. (rules F2, F3)
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from astedit.errors import RequestError
from astedit.pattern.metavariable import Metavariable
from astedit.text.indent import template_unit

_INDENT = re.compile(rb"\n([ \t]*)(?=[^ \t\n])")
_SLOT = re.compile(r"(\${1,3})([A-Z_][A-Z0-9_]*)")
_BRACED = re.compile(r"(\$)\{([A-Z_][A-Z0-9_]*)\}")


@dataclass(frozen=True, slots=True)
class Slot:
    """Where the text of one capture goes."""

    name: str
    many: bool


@dataclass(frozen=True)
class Template:
    """Parts in order: `bytes` as written (newlines as LF), or a `Slot`."""

    text: str
    parts: tuple[bytes | Slot, ...]

    @cached_property
    def unit(self) -> int:
        """Columns of one level of its indentation; asked for each of its lines."""
        text = b"".join(part if isinstance(part, bytes) else b"$" for part in self.parts)
        return template_unit([len(white) for white in _INDENT.findall(text) if b"\t" not in white])

    @property
    def slots(self) -> frozenset[Slot]:
        return frozenset(part for part in self.parts if isinstance(part, Slot))


def parse_template(
    text: str, captures: Mapping[str, Metavariable], *, braces: bool = False
) -> Template:
    """Reads a template whose slots must all be captured, each with the same sigil.

    With `braces` only `${NAME}` is a slot, for one node as for many, and every other `$`
    stays as written (F4). Raises `RequestError` naming the slot and the right spelling.
    """
    parts: list[bytes | Slot] = []
    last = 0
    text_lf = text.replace("\r\n", "\n")
    for found in (_BRACED if braces else _SLOT).finditer(text_lf):
        parts.append(text_lf[last : found.start()].encode())
        last = found.end()
        if found[2] != "_":
            hole = captures.get(found[2]) if braces else None
            sigil = "$$$" if hole and hole.many else found[1]
            parts.append(_slot(sigil, found[2], captures))
    parts.append(text_lf[last:].encode())
    return Template(text, tuple(part for part in parts if part != b""))


def _slot(sigil: str, name: str, captures: Mapping[str, Metavariable]) -> Slot:
    hole = captures.get(name)
    many = sigil == "$$$"
    if hole is None:
        known = ", ".join(sorted(h.spelling for h in captures.values())) or "none"
        raise RequestError(
            f"The rewrite uses {sigil}{name}, which the pattern does not capture.",
            hint=f"Captured by the pattern: {known}. Names that start with _ capture nothing.",
            code="undefined_metavariable",
        )
    if hole.many != many and not hole.loose:
        raise RequestError(
            f"The rewrite uses {sigil}{name}, but the pattern captures {hole.spelling}.",
            hint=f"Write {'$$$' if hole.many else '$'}{name} in the rewrite.",
            code="metavariable_kind",
        )
    return Slot(name, many)
