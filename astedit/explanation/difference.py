"""Near misses: code that holds all the pattern's texts and still does not match, and why.

The reason is found by trying the matcher on the parts of the pattern: the first part that
fails is the difference. Looking costs time only when nothing matched, and is bounded.
"""

import dataclasses
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from tree_sitter import Node

from astedit.pattern.compile import Goal, Pattern, Tag
from astedit.pattern.listed import walk
from astedit.pattern.match import Matcher
from astedit.text import shortened

OCCURRENCES = 20  # places looked at in one file
_NAME = re.compile(rb"[^\W\d]\w*")
LEVELS = 8  # ancestors of an occurrence looked at
WIDTH = 60  # characters of a code that is shown
NODES = 2_000  # nodes of one file looked at for a pattern without literals


def clip(text: bytes) -> str:
    """Text on one line, at most `WIDTH` characters of it."""
    return shortened(" ".join(text[: WIDTH * 8].decode("utf-8", "replace").split()), WIDTH)


class NearMiss(NamedTuple):
    """One place that all but matches. `line` and `column` are 1-based.

    `alike` says that the node is of the kind the pattern looks for.
    """

    path: str
    line: int
    column: int
    text: str
    reason: str
    alike: bool

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: `{self.text}`: {self.reason}"


def near_misses(
    patterns: Sequence[Pattern], path: str, source: bytes, root: Node
) -> Iterator[NearMiss]:
    """Places of one parsed file where every text of a pattern occurs, and why it differs.

    `patterns` are the readings of one pattern, the likeliest first: the first that meets a
    node of its own kind is the one compared; failing that, nodes of another kind count.
    """
    for pattern in patterns:
        alike = [node for node in _candidates(pattern, source, root) if _alike(pattern, node)]
        if any(map(_NAME.fullmatch, pattern.literals)):
            alike = [node for node in alike if _names(pattern, node)]
        if alike:
            yield from _misses(pattern, alike, path, source)
            return
    for pattern in patterns[:1]:
        nodes = [node for node in _candidates(pattern, source, root) if _names(pattern, node)]
        nodes = [node for node in nodes if node.start_point.row == node.end_point.row]
        yield from _misses(pattern, nodes, path, source)


def nearest(pattern: Pattern, path: str, source: bytes, root: Node) -> Iterator[NearMiss]:
    """Near misses also where up to half of the pattern's texts are not in the file at all."""
    there = tuple(text for text in pattern.literals if text in source)
    if there == pattern.literals:
        yield from near_misses([pattern], path, source, root)
    elif 2 * len(there) >= len(pattern.literals):
        part = dataclasses.replace(pattern, literals=there)
        yield from (miss for miss in near_misses([part], path, source, root) if miss.alike)


def _names(pattern: Pattern, node: Node) -> bool:
    """Whether a name of the pattern stands in some code, and not only as a part of another."""
    leaves = (inner for inner in walk(node) if inner.is_named and not inner.child_count)
    return not node.is_extra and any(leaf.text in pattern.literals for leaf in leaves)


def missed(
    pattern: Pattern, source: bytes, root: Node, start: int, end: int
) -> tuple[str, str] | None:
    """The code around one occurrence of a pattern's text, and why it does not match.

    None where no code that begins there, or is of the pattern's kind, holds all its texts.
    """
    node = root.named_descendant_for_byte_range(start, end)
    around = None if node is None else _enclosing(pattern, node, source)
    if around is None or not (_alike(pattern, around) or around.start_byte == start):
        return None
    reason = difference(pattern, pattern.goal, around)
    return None if reason is None else (_text(around), reason)


def _misses(
    pattern: Pattern, nodes: Sequence[Node], path: str, source: bytes
) -> Iterator[NearMiss]:
    for node in nodes:
        reason = difference(pattern, pattern.goal, node)
        if reason is not None:
            row, before = node.start_point
            head = source[node.start_byte - before : node.start_byte]
            column = len(head.decode("utf-8", "replace")) + 1
            yield NearMiss(path, row + 1, column, _text(node), reason, _alike(pattern, node))


def _alike(pattern: Pattern, node: Node) -> bool:
    kind = pattern.root_kind if pattern.root_kind is not None else pattern.goal.kind
    return pattern.goal.hole is not None or node.kind_id == kind


def _candidates(pattern: Pattern, source: bytes, root: Node) -> Iterator[Node]:
    seen: set[int] = set()
    first = (node for node in islice(walk(root), NODES) if _alike(pattern, node))
    for node in _around(pattern, source, root) if pattern.literals else first:
        if node.id not in seen:
            seen.add(node.id)
            yield node


def _around(pattern: Pattern, source: bytes, root: Node) -> Iterator[Node]:
    """For each occurrence of the longest literal: the node of the pattern's kind around it."""
    longest = pattern.literals[0]
    place = source.find(longest)
    for _ in range(OCCURRENCES):
        if place < 0:
            return
        node = root.named_descendant_for_byte_range(place, place + len(longest))
        if node is not None and (found := _enclosing(pattern, node, source)) is not None:
            yield found
        place = source.find(longest, place + 1)


def _enclosing(pattern: Pattern, node: Node, source: bytes) -> Node | None:
    """The nearest node of the pattern's kind; else the largest that starts where it does."""
    around: Node | None = None
    inner: Node | None = node
    for _ in range(LEVELS):
        if inner is None or inner.parent is None:
            break
        if all(source.find(t, inner.start_byte, inner.end_byte) >= 0 for t in pattern.literals):
            if _alike(pattern, inner):
                return inner
            if around is None or inner.start_byte == around.start_byte:
                around = inner
        inner = inner.parent
    while around is not None and around.child_count == 1:
        around = around.child(0)
    return around


def difference(pattern: Pattern, goal: Goal, node: Node) -> str | None:
    """Why `goal` does not match `node`, in one clause; None if it does."""
    if _agrees(pattern, goal, node):
        return None
    if goal.hole is not None:
        return f"`{_text(node)}` is no named node, which {goal.hole.spelling} needs"
    if goal.kind != node.kind_id:
        return f"this is {_a(node.type)}, the pattern is {_a(goal.kind_name)}"
    if goal.tag == Tag.TERMINAL:
        return f"`{_text(node)}` stands where the pattern has `{_written(pattern, goal)}`"
    return _in_order(pattern, goal, [child for child in node.children if not child.is_extra]) or (
        "the same metavariable stands for different code"
        if pattern.repeats
        else f"its parts are arranged otherwise under strictness {pattern.strictness}"
    )


def _in_order(pattern: Pattern, parent: Goal, nodes: list[Node]) -> str | None:
    """The first part that differs, from the left; behind a many-hole, from the right."""
    at = 0
    for index, goal in enumerate(parent.children):
        if goal.tag == Tag.MANY:
            return _behind(pattern, parent.children[index + 1 :], nodes[at:])
        while at < len(nodes) and not nodes[at].is_named and not _agrees(pattern, goal, nodes[at]):
            at += 1
        if at == len(nodes):
            return _missing(pattern, goal)
        if not _agrees(pattern, goal, nodes[at]):
            if any(_agrees(pattern, goal, later) for later in nodes[at + 1 :]):
                return _extra(nodes[at])
            if goal.trivial:
                return _missing(pattern, goal)
            return difference(pattern, goal, nodes[at])
        at += 1
    rest = [node for node in nodes[at:] if node.is_named]
    return _extra(rest[0]) if rest else None


def _behind(pattern: Pattern, goals: list[Goal], nodes: list[Node]) -> str | None:
    there = [node for node in nodes if node.is_named]
    for goal in reversed([goal for goal in goals if not goal.trivial]):
        if goal.tag == Tag.MANY:
            return None
        if not there:
            return _missing(pattern, goal)
        if (reason := difference(pattern, goal, there.pop())) is not None:
            return reason
    return None


def _missing(pattern: Pattern, goal: Goal) -> str:
    return f"nothing stands where the pattern has `{_written(pattern, goal)}`"


def _extra(node: Node) -> str:
    return f"`{_text(node)}` ({node.type}) is more than the pattern names"


def _written(pattern: Pattern, goal: Goal) -> str:
    if goal.hole is not None:
        return goal.hole.spelling
    char = pattern.row.stand_in
    return clip(goal.text.replace(char.encode(), b"$") if ord(char) > 127 else goal.text)


def _text(node: Node) -> str:
    return clip(node.text or b"")


def _agrees(pattern: Pattern, goal: Goal, node: Node) -> bool:
    part = dataclasses.replace(
        pattern, goal=goal, root_kind=pattern.root_kind if goal is pattern.goal else None
    )
    return Matcher(part).match(node) is not None


def _a(kind: str) -> str:
    return f"{'an' if kind[:1] in 'aeiou' else 'a'} {kind}"
