"""The ways a pattern can be read: its text, put into each usual place of its language.

A reading is only returned once it has been compiled from the very context and selector it
recommends, and gave the intended node, without an error node, with every hole a hole.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from astedit.language import Grammar, Row
from astedit.language.contexts import PLACE, contexts
from astedit.pattern.compile import Goal, Pattern, PatternError, Tag, compile_pattern
from astedit.pattern.metavariable import stand_in


@dataclass(slots=True)
class Reading:
    """A context and a selector that make the pattern's text parse as `title`."""

    title: str
    context: str
    selector: str
    pattern: Pattern


def readings(text: str, row: Row, grammar: Grammar, strictness: str) -> Iterator[Reading]:
    """Every place where `text` parses as one node, each kind of node once."""
    seen = set()
    text = text.strip()
    for title, template in contexts(row.name):
        before, after = template.split(PLACE)
        found = _read(text, before, after, row, grammar, strictness)
        if found is None:
            continue
        selector, pattern = found
        if (key := shape(pattern.goal)) not in seen:
            seen.add(key)
            yield Reading(title, before + text + after, selector, pattern)


def _read(
    text: str, before: str, after: str, row: Row, grammar: Grammar, strictness: str
) -> tuple[str, Pattern] | None:
    context = before + text + after
    source, _ = stand_in(context, row.stand_in)
    start = len(before.encode())
    root = grammar.parser().parse(source).root_node
    if root.has_error:
        return None
    for node in _spanning(root, start, len(source) - len(after.encode())):
        try:
            pattern = compile_pattern(
                text, row, grammar, selector=node.type, context=context, strictness=strictness
            )
        except PatternError:
            continue
        if pattern.goal.text == node.text and holes(pattern.goal) == _expected(text, row):
            return node.type, pattern
    return None


def _expected(text: str, row: Row) -> int:
    return len(stand_in(text, row.stand_in)[1])


def holes(goal: Goal) -> int:
    """How many holes a goal has, its own included."""
    return (goal.hole is not None) + sum(map(holes, goal.children))


def _spanning(root: Node, start: int, end: int) -> list[Node]:
    """The named nodes that span exactly these bytes: the effective one, then outward."""
    node = root.descendant_for_byte_range(start, end)
    chain: list[Node] = []
    while node is not None and (node.start_byte, node.end_byte) == (start, end):
        if node.is_named:
            chain.append(node)
        node = node.parent
    # A lone leaf's parents say no more about it than the leaf does; they are tried last.
    return chain


def shape(goal: Goal) -> object:
    """A goal as plain data: two goals of one shape match the same nodes."""
    if goal.hole is not None:
        return (goal.tag, goal.hole)
    text = goal.text if goal.tag == Tag.TERMINAL else b""
    return (goal.kind, text, tuple(map(shape, goal.children)))
