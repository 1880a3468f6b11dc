"""Every match of a pattern in a tree: candidates in C, verification in Python."""

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from tree_sitter import Node, Query, QueryCursor, QueryError

from astedit.pattern.compile import ERROR_KIND, Goal, Pattern, Tag
from astedit.pattern.listed import Kinds, Listed, place, walk
from astedit.pattern.match import Found, Matcher
from astedit.pattern.required_text import (
    DottedName,
    Literal,
    dotted_names,
    is_whole,
    length,
    seeker,
    spans,
    stands,
)
from astedit.text.source import Spans, holds

FEW = 128  # places up to which going to each beats a query
_RARE = 4  # places that are few enough not to look for fewer


class Anchor(NamedTuple):
    """A node of this text, and of this kind unless None, so many levels below every match.

    One with a `name` never begins or ends amid letters: the lexer takes all of a word.
    """

    text: bytes
    kind: int | None
    depth: int
    name: DottedName | None = None


class Finder:
    """Finds one pattern in any number of trees of its language."""

    def __init__(self, pattern: Pattern) -> None:
        self.pattern = pattern
        self.matcher = Matcher(pattern)
        self.anchors = longest_first(sure_anchors(pattern))
        self._kinds = known_kinds(pattern)
        self.literals = (frozenset((*pattern.literals, *(one.text for one in self.anchors))),)
        self.names = named([self.anchors])
        self.joined = joined(self.anchors)

    @cached_property
    def _query(self) -> Query | None:
        """The query, compiled when a file needs it: that takes as long as parsing a small file."""
        return _query(self.pattern)

    def wanted(self, listed: Listed) -> Kinds:
        """None: this finder asks a query of its own."""
        return Kinds()

    @property
    def gave_up(self) -> bool:
        """Whether, in the last tree, a match may have been missed."""
        return self.matcher.gave_up

    def may_match(self, source: bytes) -> bool:
        """The prefilter: False only if the bytes cannot hold a match."""
        return may_match(source, self.literals, self.names)

    def find(self, root: Node, source: bytes, listed: Listed | None = None) -> list[Found]:
        """Matches in pre-order; `gave_up` then says whether all were looked for.

        `listed` is what others have asked about this very tree.
        """
        listed = listed or Listed(self.pattern.grammar, root, source)
        return self.among(self._candidates(listed), root, source)

    def among(self, nodes: Iterable[Node], root: Node, source: bytes) -> list[Found]:
        """The matches at these nodes, in pre-order, where no other node can be one."""
        self.matcher.gave_up = False
        match = self.matcher.match
        matches = [
            found
            for node in nodes
            if (found := match(node)) and stand(self.joined, node, root, source)
        ]
        matches.sort(key=lambda match: place(match.node))
        return matches

    def _candidates(self, listed: Listed) -> Iterable[Node]:
        _, anchor = rarest(self.anchors, listed)
        if anchor is not None:
            nodes = above(anchor, listed, self._kinds)
        elif self._query is None:
            nodes = walk(listed.root)
        else:
            nodes = iter(QueryCursor(self._query).captures(listed.root).get("m", []))
        once = {node.id: node for node in nodes}.values()  # a query may capture a node twice
        return holding(once, listed.source, self.pattern.literals)


def known_kinds(pattern: Pattern) -> Kinds | None:
    """The kinds that a match can be of; None if it can be of any."""
    if pattern.root_kind is not None:
        return Kinds({pattern.root_kind})
    goal = pattern.goal
    if pattern.strictness == "template" or goal.hole is not None or goal.kind == ERROR_KIND:
        return None
    return Kinds({goal.kind})


def sure_anchors(pattern: Pattern) -> frozenset[Anchor]:
    """The leaves of known text that every match holds."""
    exact = pattern.strictness not in ("template", "signature")
    return frozenset(anchors(pattern)) if exact and _query_text(pattern) else frozenset()


def joined(anchors: Iterable[Anchor]) -> tuple[DottedName, ...]:
    """The names of which more is known than that the matched leaves spell them."""
    names = {one.name for one in anchors if one.name is not None}
    return tuple(name for name in names if not name.is_word)


def stand(names: Iterable[DottedName], node: Node, root: Node, source: bytes) -> bool:
    """Whether the names stand in what a pattern matched.

    They always do in code that parses; where it does not, error recovery may have left out
    the dot before the match or a word within it, and the match would be another's member.
    """
    if not root.has_error:
        return True
    return all(name.stands(source, node.start_byte, node.end_byte) for name in names)


def holding(nodes: Iterable[Node], source: bytes, literals: Iterable[Literal]) -> Iterable[Node]:
    """The nodes whose own bytes hold every literal."""
    for literal in literals:
        size, seek = length(literal), seeker(literal, source)
        nodes = [
            node
            for node in nodes
            if node.end_byte - node.start_byte >= size and seek(node.start_byte, node.end_byte) >= 0
        ]
    return nodes


def _query_text(pattern: Pattern) -> str | None:
    """Asks for nodes of the one kind a match can be of; None if it can be of any."""
    goal = pattern.goal
    if pattern.strictness == "template" or (goal.kind == ERROR_KIND and goal.children):
        return None
    if goal.hole is None:
        return _shape(goal, pattern.root_kind_name)
    return None if pattern.root_kind_name is None else f"({pattern.root_kind_name})"


def _query(pattern: Pattern) -> Query | None:
    if (text := _query_text(pattern)) is None:
        return None
    try:
        query = Query(pattern.grammar.language, f"{text} @m")
    except QueryError:  # a kind the query syntax cannot name: every node is a candidate
        return None
    query.disable_capture("child")
    return query


def _shape(goal: Goal, kind: str | None = None) -> str:
    """A goal as query text: its kind, and below it that of one child no match can lack.

    At every level but `template` a match has, for each named goal, a child of its kind.
    Without the capture, tree-sitter looks no further than the first child of a kind that
    its tables say is always followed by the next step: `{ let a = 1; let b = g() }`.
    """
    if not goal.named:
        quoted = goal.kind_name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        return f'"{quoted}"'
    required = [c for c in goal.children if c.hole is None and c.named and c.kind != ERROR_KIND]
    child = max(required, key=lambda c: len(c.children), default=None)
    return f"({kind or goal.kind_name}{' ' + _shape(child) + ' @child' if child else ''})"


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
    source, root, kind = listed.source, listed.root, anchor.kind
    levels, name = anchor.depth, anchor.name is not None
    for at, end in spans(anchor.text, source):
        node = None
        if not name or is_whole(source, at, end):
            node = root.descendant_for_byte_range(at, end)
        while node is not None and node.start_byte == at and node.end_byte == end:
            parent = node.parent  # which takes a walk from the root: asked for once
            if kind is None or node.kind_id == kind:
                top = parent if levels else node
                for _ in range(levels - 1):
                    top = top and top.parent
                if top is not None and (kinds is None or top.kind_id in kinds):
                    yield top
            node = parent


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


def inside(matches: Iterable[Found], spans: Spans | None) -> list[Found]:
    """The matches that lie in one of the spans, from their first byte to their last."""
    return [match for match in matches if holds(spans, match.node.start_byte, match.node.end_byte)]
