"""Texts of several pieces of code, each of which is to stay whole in what is made of them."""

import re
from collections.abc import Iterable, Sequence

from tree_sitter import Node

from astedit.language import Row
from astedit.pattern.template import Slot, literal_starts
from astedit.rule.environment import Environment
from astedit.rule.fixes.case import QUOTES
from astedit.text.indent import Mark, Text, cut, join, leading, shift

_WORD = re.compile(rb"\w")
_PIECE = b"_"  # stands for one beside another


def with_literals(text: Text, row: Row | None) -> Text:
    """The text and the lines of it that begin inside a literal."""
    if row is None or b"\n" not in text.data:
        return text
    return Text(text.data, literal_starts(text.data, row), text.marks)


def dedented(text: Text, source: Slot, env: Environment) -> Text:
    """A text without the indentation of the line where its source begins (T8)."""
    nodes = env.nodes(source)
    return shift(text, leading(env.source, nodes[0].start_byte), b"") if nodes else text


def piece(slot: Slot, env: Environment) -> Text:
    """What a slot holds, with a mark: it is one piece of code where it is put."""
    nodes = env.nodes(slot)
    made = None if nodes or slot.many else env.texts.get(slot.name)
    text = made or Text(env.text(slot) or b"")
    return whole(text, Mark(0, 0, slot.name, nodes, slot.many, composed=not nodes))


def whole(text: Text, mark: Mark) -> Text:
    """A text that is to stay one piece of code, as the nodes of the mark are."""
    return Text(text.data, (), (mark._replace(end=len(text.data)), *text.marks))


def separated(groups: Iterable[Sequence[Text]], sign: bytes) -> list[Text]:
    """The parts of some groups in a row, with a sign between two groups."""
    return [part for group in groups for part in (Text(sign), *group)][1:]


def put_together(parts: Iterable[Text]) -> Text:
    """Pieces and what is written around them. What is a part of a string or a name is no piece."""
    parts = [part for part in parts if part.data]
    out: list[Text] = []
    written = b""
    for part, behind in zip(parts, (*parts[1:], Text(b"")), strict=False):
        if part.marks and _stands_alone(written, _PIECE if behind.marks else behind.data):
            out.append(part)
        else:
            out.append(Text(part.data))
        written += _PIECE if part.marks else part.data
    return join(out)


def _stands_alone(before: bytes, behind: bytes) -> bool:
    is_quoted = any(before.count(mark.encode()) % 2 for mark in QUOTES)
    return not (is_quoted or _WORD.match(before[-1:]) or _WORD.match(behind))


def expanded(
    parts: Sequence[bytes | Slot], env: Environment, node: Node, row: Row | None = None
) -> Text:
    """A template filled in and indented like the line of `node` (F7)."""
    out: list[Text] = []
    before = b""  # the template up to there
    for part, following in zip(parts, (*parts[1:], b""), strict=False):
        if isinstance(part, Slot):
            out.append(_filled(part, env, leading(before, len(before)), following, row))
            before += b"$"
        else:
            out.append(Text(part))
            before += part
    return shift(with_literals(put_together(out), row), b"", leading(env.source, node.start_byte))


def _filled(
    slot: Slot, env: Environment, indent: bytes, following: bytes | Slot, row: Row | None
) -> Text:
    nodes = env.nodes(slot)
    old = leading(env.source, nodes[0].start_byte) if nodes else b""
    text = shift(with_literals(piece(slot, env), row), old, indent)
    if slot.many and nodes and not nodes[-1].is_named and isinstance(following, bytes):
        mark = following.lstrip()[:1]
        if mark in (b",", b";") and text.data.endswith(mark):  # not twice (M-8)
            return cut(text, 0, len(text.data) - 1)
    return text
