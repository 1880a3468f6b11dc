"""Leaves of known text: from the few places where it stands up to the nodes that hold it.

A query looks at every node of a file, which costs a third of parsing it; a search for
bytes costs next to nothing.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tree_sitter import Node

from astedit.pattern.compile import ERROR_KIND, Goal, Pattern, Tag
from astedit.pattern.dotted import DottedName, dotted_names, is_whole
from astedit.pattern.listed import Kinds, Listed
from astedit.pattern.required_text import Literal, spans, stands

FEW = 128  # places up to which going to each beats a query
_RARE = 4  # places that are few enough not to look for fewer


@dataclass(frozen=True, slots=True)
class Anchor:
    """A node of this text, and of this kind unless None, so many levels below every match.

    One with a `name` never begins or ends amid letters: the lexer takes all of a word.
    """

    text: bytes
    kind: int | None
    depth: int
    name: DottedName | None = None


def anchors(pattern: Pattern) -> Iterator[Anchor]:
    """The leaves of a pattern that can be anchors. They are as deep in each match as here."""
    names = dotted_names(pattern)
    stack: list[tuple[Goal, int]] = [(pattern.goal, 0)]
    while stack:
        goal, depth = stack.pop()
        stack.extend((child, depth + 1) for child in goal.children)
        if goal.spelled:
            yield token_anchor(goal.kind, goal.text, depth)
        is_leaf = goal.tag == Tag.TERMINAL and goal.named and goal.kind != ERROR_KIND
        if is_leaf and goal.text.strip():
            yield Anchor(goal.text, goal.kind, depth, names.get(id(goal)))


def token_anchor(kind: int, text: bytes, depth: int) -> Anchor:
    """The anchor of a token that is a keyword or a sign."""
    return Anchor(text, kind, depth, DottedName((text,)) if text.isalpha() else None)


def named(choices: Iterable[Iterable[Anchor]]) -> tuple[frozenset[DottedName], ...]:
    """The names that a text with a match holds, as alternatives."""
    found = {frozenset(one.name for one in choice if one.name) for choice in choices}
    return tuple(found) if frozenset() not in found else (frozenset(),)


def may_match(
    source: bytes, literals: Iterable[Iterable[Literal]], names: Iterable[Iterable[DottedName]]
) -> bool:
    """The prefilter: False only if the text cannot hold a match. One alternative each is enough."""
    held = any(all(stands(literal, source) for literal in each) for each in literals)
    return held and any(all(name.stands(source) for name in each) for each in names)


def longest_first(choice: Iterable[Anchor]) -> tuple[Anchor, ...]:
    """Sorts texts such that `rarest` is quick: long words tend to be rare."""
    return tuple(sorted(choice, key=lambda anchor: len(anchor.text), reverse=True))


def rarest(choice: Iterable[Anchor], listed: Listed) -> tuple[int, Anchor | None]:
    """The rarest of some texts in the source, and how often it stands there."""
    best: tuple[int, Anchor | None] = (FEW + 1, None)
    for anchor in choice:
        count = listed.count(anchor.text)
        if count < best[0]:
            best = (count, anchor)
            if count <= _RARE:
                break
    return best


def above(anchor: Anchor, listed: Listed, kinds: Kinds | None) -> Iterator[Node]:
    """The nodes so far above every place where the anchor stands as a node of its own.

    Only those of the `kinds`, if they are known; some perhaps more than once.
    """
    source, root, text, kind = listed.source, listed.root, anchor.text, anchor.kind
    size, levels, name = len(text), anchor.depth, anchor.name is not None
    at = source.find(text)
    while at >= 0:
        end = at + size
        node = None
        if not name or is_whole(source, at, end):
            node = root.descendant_for_byte_range(at, end)
        while node is not None and node.start_byte == at and node.end_byte == end:
            parent = node.parent  # which takes a walk from the root: asked for once
            if kind is None or node.kind_id == kind:
                top = _ancestor(parent, levels - 1) if levels else node
                if top is not None and (kinds is None or top.kind_id in kinds):
                    yield top
            node = parent
        at = source.find(text, at + 1)


def around(literal: Literal, listed: Listed, kinds: Kinds | None) -> Iterator[Node]:
    """The nodes that hold the text, wherever it stands: leaves and all that is above them.

    Only those of the `kinds`, if they are known; some more than once.
    """
    root, seen = listed.root, 0
    for start, end in spans(literal, listed.source):
        leaf = root.descendant_for_byte_range(start, end)
        if end <= seen or leaf is None:
            continue
        node: Node | None = root
        while node is not None and node.id != leaf.id:
            if kinds is None or node.kind_id in kinds:
                yield node
            node = node.child_with_descendant(leaf)
        if kinds is None or leaf.kind_id in kinds:
            yield leaf
        if not leaf.child_count:
            seen = leaf.end_byte  # what else stands in it is above no other nodes


def _ancestor(node: Node | None, levels: int) -> Node | None:
    while levels and node is not None:
        node = node.parent
        levels -= 1
    return node
