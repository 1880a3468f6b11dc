"""One file that is read for all frameworks at once: its nodes, constants, names, and calls.

A node finds its parent by walking down from the root: in code that nests ten thousand deep
asking for all parents of all nodes would take hours, so `Ancestors` never asks.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import ClassVar

from tree_sitter import Node

from astedit.language import grammar_of
from astedit.locating.frameworks.web_facts import ClientCall, ClientObject, WebFacts
from astedit.text.source import ByteRange

_LONGEST = 8_192  # bytes


def text_of(node: Node | None) -> str:
    """A node's text; "" for none, and for what is longer than any name or path."""
    if node is None or is_long(node) or node.text is None:
        return ""
    return node.text.decode("utf-8", "replace")


def is_long(node: Node) -> bool:
    """Whether a node is longer than names and paths are: copying them all would take hours."""
    return node.end_byte - node.start_byte > _LONGEST


def line_of(node: Node) -> int:
    """The line that a node begins in, counted from 1."""
    return node.start_point[0] + 1


class Ancestors:
    """Some nodes of a tree, outer ones first, and which of them lie around a place."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        """Takes nodes in the order of `Grammar.nodes`."""
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


_MOST = 8_192  # characters of a constant; one that is longer stands for itself
_DEEPEST = 8  # texts within texts


class WebFile:
    """The tree of one file, the facts read so far, and what frameworks ask about it.

    A language says which nodes have a name (`named_kinds`), what a constant may be set to
    (`text_kinds`), the kind of `left + right` (`sum_kind`), and how its strings are read.
    """

    named_kinds: ClassVar[tuple[str, ...]]
    text_kinds: ClassVar[tuple[str, ...]]
    sum_kind: ClassVar[str] = "binary_expression"

    def __init__(self, root: Node, source: bytes, language: str) -> None:
        self.root, self.source, self.language = root, source, language
        self.facts = WebFacts()
        self.constants: dict[str, Node] = {}
        self._texts: dict[tuple[str, int], str] = {}

    def nodes(self, *kinds: str) -> list[Node]:
        """All nodes of these kinds, in source order, the outer one first."""
        return grammar_of(self.language).nodes(self.root, kinds)

    @cached_property
    def around(self) -> Ancestors:
        """What has a name of its own."""
        return Ancestors(self.nodes(*self.named_kinds))

    def enclosing(self, node: Node) -> str:
        """The names of what is around a node, and its own; `<module>` if there are none."""
        around = [outer.child_by_field_name("name") for outer in self.around.of(node)]
        names = [text_of(name) for name in around if name is not None]
        return ".".join(reversed(names)) or "<module>"

    def add_call(self, call: Node, client: ClientObject, method: str, url: Node) -> None:
        """Adds a request that a client sends to what the expression `url` says."""
        self.facts.calls.append(
            ClientCall(
                library=client.library,
                method=method,
                url=self.text(url),
                base=client.base,
                target=None,
                enclosing=self.enclosing(call),
                line=line_of(call),
                literal=self.written(url),
                span=call.byte_range,
            )
        )

    def written(self, url: Node) -> ByteRange:
        """Where the text of an expression stands, if one string holds all of it."""
        raise NotImplementedError

    def string(self, node: Node, depth: int) -> str | None:
        """What a string says whose parts may be expressions; None for what is no string."""
        raise NotImplementedError

    def text(self, node: Node | None, depth: int = 0) -> str:
        """An expression with `{expr}` for what is not known; constants are put in."""
        if node is None or depth > _DEEPEST:
            return "{?}"
        if (string := self.string(node, depth)) is not None:
            return string
        if node.type == self.sum_kind and text_of(node.child_by_field_name("operator")) == "+":
            sides = (node.child_by_field_name(name) for name in ("left", "right"))
            return "".join(self.text(side, depth + 1) for side in sides)
        if node.type == "identifier" and text_of(node) in self.constants:
            return self._constant(text_of(node), depth)
        return f"{{{text_of(node)}}}"

    def _constant(self, name: str, depth: int) -> str:
        """The text of a constant, worked out once: they may be made of one another."""
        if (name, depth) not in self._texts:
            text = self.text(self.constants[name], depth + 1)
            self._texts[name, depth] = text if len(text) <= _MOST else f"{{{name}}}"
        return self._texts[name, depth]
