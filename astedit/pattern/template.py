"""Metavariables, the text of patterns, and templates: literal text and slots that captures fill.

`$NAME` holds one named node, `$$NAME` one node of any sort, `$$$NAME` any number of
nodes; a name that starts with `_` holds without capturing. (rules V1, V2, V5)
A template is text, never parsed. `$NAME` and `$$$NAME` are slots, `$_` disappears,
everything else (`${A}`, `$a`, `$1`, lone sigils) stays as written. (rules F2, F3)
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from tree_sitter import Node

from astedit.errors import RequestError
from astedit.language import Grammar, Row, load
from astedit.language.facts import PLACE, contexts
from astedit.language.traits import traits

_SLOT = re.compile(r"(\${1,3})([A-Z_][A-Z0-9_]*)")
_BRACED = re.compile(r"(\$)\{([A-Z_][A-Z0-9_]*)\}")
_CALLED = "(/**/);"
NAME = re.compile(r"[A-Z_][A-Z0-9_]*")
_RUN = re.compile(r"(\$+)([A-Z_])?")
_AFTER = re.compile(r"[A-Z0-9_]*")


class Metavariable(NamedTuple):
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


class Slot(NamedTuple):
    """Where the text of one capture goes."""

    name: str
    many: bool


@dataclass(frozen=True)
class Template:
    """Parts in order: `bytes` as written (newlines as LF), or a `Slot`; `row` is its language."""

    text: str
    parts: tuple[bytes | Slot, ...]
    row: Row | None = None

    def filled(self, char: str) -> list[bytes]:
        """Its parts with a name in the place of every slot, which begins with `char`."""
        return [
            part
            if isinstance(part, bytes)
            else (char * (3 if part.many else 1) + part.name).encode()
            for part in self.parts
        ]

    @cached_property
    def unit(self) -> int:
        """Columns of one level of its indentation; asked for each of its lines."""
        from astedit.text.indent import template_unit

        lines = b"".join(self.filled("$")).split(b"\n")
        rows = (line for at, line in enumerate(lines) if at and at not in self.literal_rows)
        return template_unit([len(row) - len(row.lstrip(b" ")) for row in rows if row.strip()])

    @cached_property
    def literal_rows(self) -> frozenset[int]:
        """Which of its lines begin inside a literal, in the first place where it parses."""
        if self.row is None or "\n" not in self.text:
            return frozenset()
        text = b"".join(self.filled(self.row.stand_in))
        return frozenset(text.count(b"\n", 0, at) for at in literal_starts(text, self.row))

    @property
    def slots(self) -> frozenset[Slot]:
        return frozenset(part for part in self.parts if isinstance(part, Slot))


def parse_template(
    text: str, captures: Mapping[str, Metavariable], row: Row | None = None, *, braces: bool = False
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
            parts.append(_slot("$$$" if hole and hole.many else found[1], found[2], captures))
    parts.append(text_lf[last:].encode())
    return Template(text, tuple(part for part in parts if part != b""), row)


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


def in_first_place(text: bytes, row: Row) -> tuple[int, Node, bytes]:
    """Where a text begins, the tree and all of it in the first place that takes it; or alone."""
    parser = load(row).parser()
    places = (place for _, place in contexts(traits(row.name).contexts))
    for place in (PLACE, *places, PLACE):
        head, tail = place.encode().split(PLACE.encode())
        whole = head + text + tail
        root = parser.parse(whole, requested=True).root_node
        if is_read(root):
            break
    return len(head), root, whole


def is_read(root: Node) -> bool:
    """Is all of a text code? Lua has a `#$A` for a `#!`, and Kotlin's may leave out its end."""
    nodes = root.children
    if root.has_error or not nodes or nodes[0].type == "hash_bang_line":
        return False
    return not (root.text or b"")[nodes[-1].end_byte - root.start_byte :].strip()


def literal_starts(text: bytes, row: Row) -> list[int]:
    """Where the lines of a text begin that do so inside a literal."""
    from astedit.text.indent import literal_lines

    low, root, whole = in_first_place(text, row)
    starts = literal_lines(root, whole, traits(row.name).facts.literals)
    return [at - low for at in starts if low < at <= low + len(text)]


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


@dataclass(slots=True)
class PatternText:
    """A pattern's text as its grammar reads it, and where its holes stand in that text.

    In a grammar that takes no name for a statement `$$$B` is read as a call where it stands
    for statements, and is the hole with the brackets and `;` that were added.
    """

    source: bytes
    root: Node
    sigils: dict[int, int]
    char: str

    @classmethod
    def of(cls, text: str, row: Row, grammar: Grammar) -> "PatternText":
        """Reads `text`, with calls only if it has an error without them and none with them."""
        texts = [text]
        if statement := traits(row.name).facts.calls_only:
            texts.append(statement.sub(lambda m: m[1] + _CALLED if m[1] else m[0], text))
        made = []
        for one in texts:
            source, sigils = stand_in(one, row.stand_in)
            root = grammar.parser().parse(source, requested=True).root_node
            made.append(cls(source, root, sigils, row.stand_in))
            if not root.has_error:
                return made[-1]
        return made[0]

    def read(self, node: Node) -> tuple[bytes, Metavariable | None]:
        """A node's text as it was written, and the hole that it is, if it is one."""
        text = (node.text or b"").removesuffix(_CALLED.encode())
        return text, read_hole(text, node.start_byte, self.sigils, self.char)
