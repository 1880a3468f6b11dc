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
        self._kind = _root_kind(pattern)
        self._query = _query(pattern, self._kind)

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
        return QueryCursor(self._query).captures(root).get("m", [])


def _position(found: Found) -> tuple[int, int, int]:
    """Pre-order: a query lists candidates in no order; equal spans differ in size."""
    node = found.node
    return node.start_byte, -node.end_byte, -node.descendant_count


def _root_kind(pattern: Pattern) -> tuple[str, bool] | None:
    """The one kind that a match's node can be of, or None for any."""
    if pattern.root_kind_name is not None:
        return pattern.root_kind_name, True
    goal: Goal = pattern.goal
    if goal.hole is not None or pattern.strictness == "template" or goal.kind == ERROR_KIND:
        return None
    return goal.kind_name, goal.named


def _query(pattern: Pattern, kind: tuple[str, bool] | None) -> Query | None:
    if kind is None:
        return None
    name, named = kind
    if named:
        text = f"({name}) @m"
    else:
        quoted = name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        text = f'"{quoted}" @m'
    try:
        return Query(pattern.grammar.language, text)
    except QueryError:  # a kind the query syntax cannot name: every node is a candidate
        return None


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
