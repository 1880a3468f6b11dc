"""Texts of several pieces of code, each of which is to stay whole in what is made of them."""

import re
from collections.abc import Iterable, Sequence

from astedit.pattern.template import Slot
from astedit.rule.environment import Environment
from astedit.rule.fixes.case import QUOTES
from astedit.text.indent import Mark, Text, join, leading, shift

_WORD = re.compile(rb"\w")
_PIECE = b"_"  # stands for one beside another


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
