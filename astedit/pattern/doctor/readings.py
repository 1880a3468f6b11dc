"""The ways a pattern can be read: its text, put into each usual place of its language.

A reading is only returned once it has been compiled from the very context and selector it
recommends, and gave the intended node, without an error node, with every hole a hole.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from astedit.language import Grammar, Row
from astedit.language.contexts import PLACE, contexts
from astedit.language.traits import traits
from astedit.pattern.compile import (
    CLOSERS,
    ERROR_KIND,
    Goal,
    Pattern,
    PatternError,
    Tag,
    compile_pattern,
)
from astedit.pattern.metavariable import read_hole, stand_in

LONGEST = 4_096  # characters of a pattern that is tried in other places and spellings


@dataclass(slots=True)
class Reading:
    """A context and a selector that make the pattern's text parse as `title`."""

    title: str
    context: str
    selector: str
    pattern: Pattern


def readings(text: str, row: Row, grammar: Grammar, strictness: str) -> list[Reading]:
    """Every place where `text` parses as one node, each shape once, likeliest first."""
    text = text.strip()
    if len(text) > LONGEST:
        return []
    found: dict[object, Reading] = {}
    for title, template in contexts(traits(row.name).contexts):
        before, after = template.split(PLACE)
        if text.endswith(";") and after.startswith(";"):
            continue
        reading = _read(title, text, before, after, row, grammar, strictness)
        if reading is not None:
            found.setdefault(shape(reading.pattern.goal), reading)
    return sorted(found.values(), key=_unlikely)


def _unlikely(reading: Reading) -> tuple[int, int]:
    """`catch (e) {}` also reads as a method called `catch`: hardly what anyone means."""
    return errors(reading.pattern), _keywords_as_names(reading.pattern)


def _read(
    title: str, text: str, before: str, after: str, row: Row, grammar: Grammar, strictness: str
) -> Reading | None:
    context = before + text + after
    source, sigils = stand_in(context, row.stand_in)
    root = grammar.parser().parse(source, requested=True).root_node
    start, end = len(before.encode()), len(source) - len(after.encode())
    if not _clean(root, sigils, row.stand_in, end):
        return None
    for node in _spanning(root, start, end):
        try:
            pattern = compile_pattern(
                text, row, grammar, selector=node.type, context=context, strictness=strictness
            )
        except PatternError:
            continue
        if pattern.goal.text == node.text and sound(pattern, text):
            return Reading(title, context, node.type, pattern)
    return None


def _clean(root: Node, sigils: dict[int, int], char: str, end: int) -> bool:
    """No ERROR but holes, and no bracket or terminator of the context made up."""
    stack = [root] if root.has_error else []
    while stack:
        node = stack.pop()
        if read_hole(node.text or b"", node.start_byte, sigils, char) is not None:
            continue
        if node.is_error or (node.is_missing and (node.type in CLOSERS or node.start_byte >= end)):
            return False
        stack.extend(child for child in node.children if child.has_error or child.is_missing)
    return True


def _spanning(root: Node, start: int, end: int) -> list[Node]:
    """The named nodes that span exactly these bytes: the effective one, then outward."""
    node = root.descendant_for_byte_range(start, end)
    chain: list[Node] = []
    while node is not None and (node.start_byte, node.end_byte) == (start, end):
        if node.is_named:
            chain.append(node)
        node = node.parent
    return chain


def sound(pattern: Pattern, text: str) -> bool:
    """True when nothing was made up for the pattern and all its metavariables are holes."""
    made_up = any(flaw.startswith("MISSING") for flaw in pattern.flaws)
    return not (made_up or flawed(pattern.goal) or buried(pattern, text))


def errors(pattern: Pattern) -> int:
    """How many ERROR nodes the parsed pattern holds, those that are holes included."""
    stack, count = [pattern.grammar.parser().parse(pattern.source, requested=True).root_node], 0
    while stack:
        node = stack.pop()
        count += node.is_error
        stack.extend(child for child in node.children if child.has_error)
    return count


def buried(pattern: Pattern, text: str) -> int:
    """How many metavariables of `text` are no holes of the pattern compiled from it."""
    return len(stand_in(text, pattern.row.stand_in)[1]) - holes(pattern.goal)


def holes(goal: Goal) -> int:
    """How many holes a goal has, its own included."""
    return (goal.hole is not None) + sum(map(holes, goal.children))


def flawed(goal: Goal) -> bool:
    """True when part of the goal is an ERROR node that is not simply a hole."""
    return goal.kind == ERROR_KIND or any(map(flawed, goal.children))


def shape(goal: Goal) -> object:
    """A goal as plain data: two goals of one shape match the same nodes."""
    if goal.hole is not None:
        return (goal.tag, goal.hole)
    text = goal.text if goal.tag == Tag.TERMINAL else b""
    return (goal.kind, text, tuple(map(shape, goal.children)))


def leaves(goal: Goal) -> Iterator[Goal]:
    """The goals without goals below them, in order."""
    if not goal.children:
        yield goal
    for child in goal.children:
        yield from leaves(child)


def _keywords_as_names(pattern: Pattern) -> int:
    """How many names in the pattern are spelled like a keyword of the language."""
    language = pattern.grammar.language
    words = [leaf.text.decode("utf-8", "replace") for leaf in leaves(pattern.goal) if leaf.named]
    return sum(
        language.id_for_node_kind(word, False) is not None for word in words if word.isalpha()
    )
