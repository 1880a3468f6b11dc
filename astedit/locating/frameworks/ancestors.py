"""What lies around a place in a tree, without asking nodes for their parents.

A node finds its parent by walking down from the root: in code that nests ten thousand deep
(a long chain of calls is enough) asking for all parents of all nodes would take hours.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from tree_sitter import Node


class Ancestors:
    """Some nodes of a tree, outer ones first, and which of them lie around a place."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        """Takes nodes in the order of `nodes_of`."""
        self._nodes = nodes
        self._starts = [node.start_byte for node in nodes]
        self._outer: list[int] = []
        around: list[int] = []
        for at, node in enumerate(nodes):
            while around and nodes[around[-1]].end_byte < node.end_byte:
                around.pop()
            self._outer.append(around[-1] if around else -1)
            around.append(at)

    def of(self, node: Node) -> Iterator[Node]:
        """The nodes that hold this one, the nearest first; itself, if it is one of them."""
        at = bisect_right(self._starts, node.start_byte) - 1
        while at >= 0:
            if self._nodes[at].end_byte >= node.end_byte:
                yield self._nodes[at]
            at = self._outer[at]
