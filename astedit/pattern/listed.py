"""One parsed text: its nodes by kind, and how often words stand in it, each asked once."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence

from tree_sitter import Node, Query, QueryCursor, QueryError

from astedit.language import Grammar
from astedit.pattern.required_text import Literal, count

Kinds = frozenset[int]

_SMALL = 96  # nodes that are looked at sooner than all of a text is listed


class Listed:
    """What several patterns and rules ask about one tree.

    `wanted` names all kinds that may be asked for, as soon as one is: they are listed in one
    pass over the tree, which costs hardly more than for one.
    """

    def __init__(
        self,
        grammar: Grammar,
        root: Node,
        source: bytes,
        wanted: "Callable[[Listed], Kinds]" = lambda _: Kinds(),
    ) -> None:
        self.root = root
        self.source = source
        self._grammar = grammar
        self._wanted = wanted
        self._counts: dict[Literal, int] = {}
        self._nodes: dict[int, list[Node]] = {}
        self._sorted: dict[Kinds, tuple[list[int], list[Node]] | None] = {}
        self._outermost: dict[Kinds, tuple[list[int], list[int]]] = {}

    def count(self, text: Literal) -> int:
        """How often the text stands in the source, without overlaps."""
        if (found := self._counts.get(text)) is None:
            found = self._counts[text] = count(text, self.source)
        return found

    def below(self, node: Node, kinds: Kinds) -> Sequence[Node] | None:
        """The descendants of these kinds in pre-order, or None if a walk is quicker.

        A walk must tell where one of them is empty. It is quicker where the node is small and
        nobody else has asked.
        """
        size = node.descendant_count
        if size <= _SMALL and kinds not in self._sorted:
            return None
        found = self._ordered(kinds)
        if found is None:
            return None
        starts, nodes = found
        low, high = bisect_left(starts, node.start_byte), bisect_left(starts, node.end_byte)
        if low == high:
            return ()
        return [  # who has the same bytes may be an ancestor
            one for one in nodes[low:high] if one.descendant_count < size
        ]

    def occur(self, kinds: Kinds) -> bool:
        """Whether the tree has a node of one of these kinds."""
        self._ensure(kinds)
        return any(map(self._nodes.__getitem__, kinds))

    def having(self, nodes: Iterable[Node], kinds: Kinds) -> Iterable[Node]:
        """The nodes that may have a node of these kinds below them; all others have none."""
        if (found := self._ordered(kinds)) is None:
            return nodes
        starts = found[0]
        return [
            node
            for node in nodes
            if bisect_left(starts, node.start_byte) < bisect_left(starts, node.end_byte)
        ]

    def inside(self, nodes: Iterable[Node], kinds: Kinds) -> Iterable[Node]:
        """The nodes that may lie in a node of these kinds; all others do not."""
        starts, ends = self._spans(kinds)
        return [
            node
            for node in nodes
            if (at := bisect_right(starts, node.start_byte)) and node.end_byte <= ends[at - 1]
        ]

    def of(self, kinds: Kinds | None) -> Iterable[Node]:
        """All nodes of these kinds, in no order; None: every node of the tree."""
        if kinds is None:
            return walk(self.root)
        self._ensure(kinds)
        if len(kinds) == 1:
            return self._nodes[next(iter(kinds))]
        return [node for kind in kinds for node in self._nodes[kind]]

    def _spans(self, kinds: Kinds) -> tuple[list[int], list[int]]:
        """Where the outermost nodes of these kinds start and end, in order."""
        found = self._outermost.get(kinds)
        if found is None:
            found = self._outermost[kinds] = ([], [])
            starts, ends = found
            for node in sorted(self.of(kinds), key=place):
                if not ends or node.end_byte > ends[-1]:
                    starts.append(node.start_byte)
                    ends.append(node.end_byte)
        return found

    def _ordered(self, kinds: Kinds) -> tuple[list[int], list[Node]] | None:
        if kinds not in self._sorted:
            self._sorted[kinds] = self._in_order(kinds)
        return self._sorted[kinds]

    def _in_order(self, kinds: Kinds) -> tuple[list[int], list[Node]] | None:
        nodes = sorted(self.of(kinds), key=place)
        if any(node.start_byte == node.end_byte for node in nodes):
            return None  # it may lie in the node before, too
        return [node.start_byte for node in nodes], nodes

    def _ensure(self, kinds: Kinds) -> None:
        if missing := kinds.difference(self._nodes):
            self._list(missing | self._wanted(self).difference(self._nodes))

    def _list(self, kinds: Kinds) -> None:
        self._nodes.update((kind, []) for kind in kinds)
        if (query := _query(kinds, self._grammar)) is None:
            for node in walk(self.root):
                if node.kind_id in kinds:
                    self._nodes[node.kind_id].append(node)
            return
        for name, nodes in QueryCursor(query).captures(self.root).items():
            self._nodes[int(name[1:])] = nodes


def place(node: Node) -> tuple[int, int, int]:
    """A node's place in pre-order; of nodes with the same bytes the outer one comes first."""
    return node.start_byte, -node.end_byte, -node.descendant_count


def walk(root: Node) -> Iterator[Node]:
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


def outermost(
    root: Node, is_one: Callable[[Node], bool], may_hold: Callable[[Node], bool] = lambda _: True
) -> Iterator[Node]:
    """Of the nodes in what may hold one, the outermost of which something is true, in order."""
    stack = [root]
    while stack:
        node = stack.pop()
        if may_hold(node):
            if is_one(node):
                yield node
            else:
                stack.extend(reversed(node.children))


def flaws(root: Node) -> Iterator[Node]:
    """ERROR and MISSING nodes in order, and nodes that hold a MISSING leaf which is hidden.

    A hidden leaf (`_newline` in Python) is no child of its node: nothing but `has_error`
    tells of it.
    """
    stack = [root] if root.has_error else []
    while stack:
        node = stack.pop()
        inner = [child for child in node.children if child.has_error]
        if node.is_error or node.is_missing or not inner:
            yield node
        stack.extend(reversed(inner))


_QUERIES: dict[tuple[str, Kinds], Query | None] = {}
_MOST = 256  # queries kept; compiling one costs as much as running it a few times


def _query(kinds: Kinds, grammar: Grammar) -> Query | None:
    """The query that lists the nodes of each kind; None if a kind has no name in queries."""
    key = (grammar.name, kinds)
    if key not in _QUERIES:
        if len(_QUERIES) >= _MOST:
            _QUERIES.clear()
        _QUERIES[key] = _new_query(kinds, grammar)
    return _QUERIES[key]


def _new_query(kinds: Kinds, grammar: Grammar) -> Query | None:
    language = grammar.language
    names = {kind: language.node_kind_for_id(kind) for kind in sorted(kinds)}
    if not all(
        name and language.id_for_node_kind(name, True) == kind for kind, name in names.items()
    ):
        return None  # another kind has the same name
    try:
        return Query(language, " ".join(f"({name}) @k{kind}" for kind, name in names.items()))
    except QueryError:
        return None
