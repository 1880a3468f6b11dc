"""What belongs to a definition beside its own node: `export`, decorators, attributes."""

from collections import Counter
from collections.abc import Iterator

from tree_sitter import Node, Query, QueryCursor

from astedit.language import Grammar
from astedit.language.definitions import Naming


class Wrapping:
    """The wrappers and leading siblings in one tree, found from outside in.

    Nodes are not asked for their parents and siblings: each finds them from the root on.
    """

    def __init__(self, root: Node, grammar: Grammar, naming: Naming) -> None:
        self._wrapper: dict[int, Node] = {}
        self._leading: dict[int, Node] = {}
        for wrapper in _nodes(root, grammar, naming.wrappers):
            children = wrapper.named_children
            alike = Counter(child.type for child in children)
            self._wrapper |= {node.id: wrapper for node in children if alike[node.type] == 1}
        for note in _nodes(root, grammar, naming.leading):
            after = note.next_named_sibling
            if after is not None:
                self._leading[after.id] = note

    def span(self, node: Node) -> tuple[int, int]:
        """The region of a definition: of a wrapper, if that holds nothing else of its kind."""
        while (wrapper := self._wrapper.get(node.id)) is not None:
            node = wrapper
        first = node
        while (before := self._leading.get(first.id)) is not None:
            first = before
        return first.start_byte, node.end_byte


def _nodes(root: Node, grammar: Grammar, kinds: frozenset[str]) -> Iterator[Node]:
    """The nodes of those kinds that the grammar knows."""
    known = sorted(kind for kind in kinds if grammar.language.id_for_node_kind(kind, True))
    if known:
        query = Query(grammar.language, f"[{' '.join(f'({kind})' for kind in known)}] @it")
        yield from QueryCursor(query).captures(root).get("it", ())
