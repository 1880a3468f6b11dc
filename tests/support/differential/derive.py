"""Patterns made from real code: a node of a file, with holes where some of its parts were.

Everything is drawn from one `random.Random`, so that a seed names a pattern for good.
"""

from itertools import pairwise
from random import Random

from tree_sitter import Node

from tests.support.differential.explain import preorder
from tests.support.differential.oracle import Query, Subject

SIZES = range(3, 300)  # bytes of the code a pattern is made from
LEVELS = ("smart",) * 4 + ("cst", "ast", "relaxed", "signature", "template")
BLOCK_COMMENTS = frozenset({"typescript", "javascript", "rust", "java", "go", "c"})

Piece = tuple[int, int, str]  # bytes start to end of the source become the text


class Deriver:
    """Makes any number of patterns from one subject."""

    def __init__(self, random: Random, subject: Subject) -> None:
        self._random = random
        self._subject = subject
        nodes = preorder(subject.tree.root_node)
        self._roots = [
            n for n in nodes if n.is_named and n.child_count and n.end_byte - n.start_byte in SIZES
        ]

    def query(self) -> Query | None:
        """The next pattern; None when the file has no node to make one of."""
        if not self._roots:
            return None
        node = self._random.choice(self._roots)
        level = self._random.choice(LEVELS)
        pieces = self._holes(node)
        if self._random.random() < 0.2:
            pieces = self._disturbed(node, pieces)
        text = _replaced(self._subject.source, node, pieces)
        around = node.parent
        if (
            around is not None
            and self._random.random() < 0.2
            and around.end_byte - around.start_byte < 600
        ):
            context = _replaced(self._subject.source, around, pieces)
            return Query(self._subject.language, text, level, node.type, context)
        return Query(self._subject.language, text, level)

    def _holes(self, node: Node) -> list[Piece]:
        """Up to three parts of the node, each replaced by a hole; equal parts may share a name."""
        inner = [n for n in preorder(node) if n.is_named and n.end_byte > n.start_byte][1:]
        pieces: list[Piece] = []
        names: dict[tuple[bool, bytes], str] = {}
        for _ in range(self._random.choice((0, 1, 1, 2, 2, 3)) if inner else 0):
            many = self._random.random() < 0.4
            start, end = self._part(self._random.choice(inner), many)
            if not any(start < high and low < end for low, high, _ in pieces):
                key = (many, self._subject.source[start:end])
                if key not in names or self._random.random() < 0.3:
                    names[key] = self._name(many, len(pieces))
                pieces.append((start, end, names[key]))
        return pieces

    def _part(self, node: Node, many: bool) -> tuple[int, int]:
        """A node, or for a many-hole a run of siblings from it on."""
        if not many or node.parent is None:
            return node.start_byte, node.end_byte
        behind = [n for n in node.parent.named_children if n.start_byte >= node.start_byte]
        return node.start_byte, self._random.choice(behind).end_byte

    def _name(self, many: bool, number: int) -> str:
        if many:
            return self._random.choice((f"$$$M{number}", f"$$$M{number}", "$$$", "$$$_REST"))
        return self._random.choice((*(f"$S{number}",) * 5, "$_", f"$$S{number}", "$_X"))

    def _disturbed(self, node: Node, pieces: list[Piece]) -> list[Piece]:
        """One part taken out, or a comment or a comma put in: near misses."""
        parts = [n for n in preorder(node) if n.end_byte > n.start_byte][1:]
        if not parts:
            return pieces
        part = self._random.choice(parts)
        start, end, text = part.start_byte, part.end_byte, ""
        kind = self._random.choice(("drop", "comment", "comma"))
        if kind == "comma":
            start, text = end, ","
        elif kind == "comment" and self._subject.language in BLOCK_COMMENTS:
            start, text = end, " /* here */ "
        if any(start < high and low < end for low, high, _ in pieces):
            return pieces
        return [*pieces, (start, end, text)]


def _replaced(source: bytes, node: Node, pieces: list[Piece]) -> str:
    """The node's text with the pieces put in."""
    parts, at = [], node.start_byte
    for start, end, text in sorted(pieces):
        parts += [source[at:start].decode(), text]
        at = end
    return "".join([*parts, source[at : node.end_byte].decode()])


def commented(random: Random, subject: Subject) -> Subject:
    """The same code with comments behind some of its commas and opening brackets."""
    if subject.language not in BLOCK_COMMENTS:
        return subject
    source = subject.source
    tokens = [n for n in preorder(subject.tree.root_node) if n.type in (",", "(", "{")]
    ends = sorted({n.end_byte for n in tokens if random.random() < 0.1})
    parts = [source[one:two] for one, two in pairwise([0, *ends, len(source)])]
    return Subject(subject.language, b" /* c */".join(parts))
