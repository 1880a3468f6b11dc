"""Every match of a pattern in a tree: candidates in C, verification in Python."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from tree_sitter import Node, Query, QueryCursor, QueryError

from astedit.pattern.compile import ERROR_KIND, Goal, Pattern, Tag
from astedit.pattern.match import Found, Matcher

_FEW = 128  # occurrences of a leaf's text up to which going to each beats a query


class Finder:
    """Finds one pattern in any number of trees of its language."""

    def __init__(self, pattern: Pattern) -> None:
        self.pattern = pattern
        self.matcher = Matcher(pattern)
        exact = pattern.strictness not in ("template", "signature")
        self._anchors = tuple(_anchors(pattern.goal)) if exact and _query_text(pattern) else ()
        self.literals = (frozenset(pattern.literals),)

    @cached_property
    def _query(self) -> Query | None:
        """Compiled when a file needs it: that takes as long as parsing a small file."""
        return _query(self.pattern)

    @property
    def gave_up(self) -> bool:
        """Whether, in the last tree, a match may have been missed."""
        return self.matcher.gave_up

    def may_match(self, source: bytes) -> bool:
        """The prefilter: False only if the bytes cannot hold a match."""
        return all(literal in source for literal in self.pattern.literals)

    def find(self, root: Node, source: bytes) -> list[Found]:
        """Matches in pre-order; `matcher.gave_up` then says whether all were looked for."""
        self.matcher.gave_up = False
        match = self.matcher.match
        matches = []
        for node in self._likely(root, source):
            found = match(node)
            if found is not None:
                matches.append(found)
        if self._query is not None:
            matches.sort(key=_position)
        return matches

    def _likely(self, root: Node, source: bytes) -> Iterable[Node]:
        return holding(self._candidates(root, source), source, self.pattern.literals)

    def _candidates(self, root: Node, source: bytes) -> Iterable[Node]:
        if self._query is None:
            return _walk(root)
        if (few := self.anchored(root, source)) is not None:
            return few
        nodes = QueryCursor(self._query).captures(root).get("m", [])
        return {node.id: node for node in nodes}.values()  # once, however often it is captured

    @property
    def has_anchors(self) -> bool:
        """Does every match hold a leaf of known text?"""
        return bool(self._anchors)

    def anchored(self, root: Node, source: bytes) -> Iterable[Node] | None:
        """The nodes above a leaf that every match has; None if it is not rare, or none is."""
        if not self._anchors:
            return None
        anchor = min(self._anchors, key=lambda anchor: source.count(anchor.text))
        return _above(root, source, anchor) if source.count(anchor.text) <= _FEW else None


def holding(nodes: Iterable[Node], source: bytes, literals: Iterable[bytes]) -> Iterable[Node]:
    """Those whose own bytes hold every literal."""
    for literal in literals:
        size = len(literal)
        nodes = [
            node
            for node in nodes
            if node.end_byte - node.start_byte >= size
            and source.find(literal, node.start_byte, node.end_byte) >= 0
        ]
    return nodes


@dataclass(frozen=True, slots=True)
class Anchor:
    """A leaf that every match holds, so many levels below the match's own node."""

    text: bytes
    kind: int
    depth: int


def _anchors(goal: Goal, depth: int = 0) -> Iterator[Anchor]:
    """Goals match children with children, so a leaf's depth in the pattern is its depth here."""
    if goal.tag == Tag.TERMINAL and goal.named and goal.kind != ERROR_KIND and goal.text.strip():
        yield Anchor(goal.text, goal.kind, depth)
    for child in goal.children:
        yield from _anchors(child, depth + 1)


def _above(root: Node, source: bytes, anchor: Anchor) -> Iterable[Node]:
    """The nodes above every place where the anchor stands as a leaf of its kind.

    A query looks at every node of the file, which costs a third of parsing it.
    """
    found: dict[int, Node] = {}
    size = len(anchor.text)
    at = source.find(anchor.text)
    while at >= 0:
        node = root.descendant_for_byte_range(at, at + size)
        while node is not None and node.start_byte == at and node.end_byte == at + size:
            if node.kind_id == anchor.kind:
                top = _ancestor(node, anchor.depth)
                if top is not None:
                    found[top.id] = top
            node = node.parent
        at = source.find(anchor.text, at + 1)
    return found.values()


def _ancestor(node: Node | None, levels: int) -> Node | None:
    while levels and node is not None:
        node = node.parent
        levels -= 1
    return node


def _position(found: Found) -> tuple[int, int, int]:
    """Pre-order: a query lists candidates in no order; equal spans differ in size."""
    node = found.node
    return node.start_byte, -node.end_byte, -node.descendant_count


def _query_text(pattern: Pattern) -> str | None:
    """Asks for nodes of the one kind a match can be of; None if it can be of any."""
    goal = pattern.goal
    if pattern.strictness == "template" or (goal.kind == ERROR_KIND and goal.children):
        return None
    if goal.hole is None:
        return _shape(goal, pattern.root_kind_name)
    return None if pattern.root_kind_name is None else f"({pattern.root_kind_name})"


def _query(pattern: Pattern) -> Query | None:
    text = _query_text(pattern)
    if text is None:
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


def _walk(root: Node) -> Iterator[Node]:
    """All nodes in pre-order, whatever the tree's depth."""
    cursor = root.walk()
    while True:
        node = cursor.node
        assert node is not None
        yield node
        if cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return


def captured(found: Found, name: str, many: bool) -> tuple[int, int] | None:
    """The bytes a capture spans: a node, or from the first to the last of many (M-7)."""
    if not many:
        node = found.single.get(name)
        return None if node is None else (node.start_byte, node.end_byte)
    nodes = found.multi.get(name)
    return (nodes[0].start_byte, nodes[-1].end_byte) if nodes else None
