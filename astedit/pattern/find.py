"""Every match of a pattern in a tree: candidates in C, verification in Python."""

from collections.abc import Iterable, Iterator

from tree_sitter import Node, Query, QueryCursor, QueryError

from astedit.pattern.compile import ERROR_KIND, Goal, Pattern
from astedit.pattern.match import Found, Matcher


class Finder:
    """Finds one pattern in any number of trees of its language."""

    def __init__(self, pattern: Pattern) -> None:
        self.pattern = pattern
        self.matcher = Matcher(pattern)
        self._query = _query(pattern)

    def may_match(self, source: bytes) -> bool:
        """The prefilter: False only if the bytes cannot hold a match."""
        return all(literal in source for literal in self.pattern.literals)

    def find(self, root: Node, source: bytes) -> list[Found]:
        """Matches in pre-order."""
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
        """Candidates whose own bytes hold every literal."""
        nodes = self._candidates(root)
        for literal in self.pattern.literals:
            size = len(literal)
            nodes = [
                node
                for node in nodes
                if node.end_byte - node.start_byte >= size
                and source.find(literal, node.start_byte, node.end_byte) >= 0
            ]
        return nodes

    def _candidates(self, root: Node) -> Iterable[Node]:
        if self._query is None:
            return _walk(root)
        nodes = QueryCursor(self._query).captures(root).get("m", [])
        return {node.id: node for node in nodes}.values()  # once, however often it is captured


def _position(found: Found) -> tuple[int, int, int]:
    """Pre-order: a query lists candidates in no order; equal spans differ in size."""
    node = found.node
    return node.start_byte, -node.end_byte, -node.descendant_count


def _query(pattern: Pattern) -> Query | None:
    """Lists nodes of the one kind a match can be of; None if it can be of any."""
    goal = pattern.goal
    if pattern.strictness == "template" or (goal.kind == ERROR_KIND and goal.children):
        return None
    if goal.hole is None:
        text = _shape(goal, pattern.root_kind_name)
    elif pattern.root_kind_name is not None:
        text = f"({pattern.root_kind_name})"
    else:
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
