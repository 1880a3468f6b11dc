"""The statements that edits touch, as a text of their own.

In some languages a statement is the same wherever it stands. There a text of these alone
says whether edits that keep to their statements are right, and it parses in a tenth of the
time that all of the text takes.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tree_sitter import Node

from astedit.language.facts import Facts
from astedit.rewrite.compiled import body_of
from astedit.text.splice import Change

_SPARSE = 400  # bytes of the text for each edit, below which an excerpt is no gain


@dataclass(slots=True)
class Excerpted:
    """A statement, and where the excerpt has it: bytes `start` to `end`, its line break last.

    Of what governs a body only its `head` is there, with a statement in the body's place.
    `last` is where in the source a change may end that keeps to it.
    """

    node: Node
    last: int
    start: int
    end: int
    has_body: bool

    @property
    def by(self) -> int:
        """How far what stands in it is from its place in the source."""
        return self.start - self.node.start_byte


class Excerpt:
    """Statements one below another; `moves` says of each change how far it moves into them."""

    def __init__(self) -> None:
        self.source = b""
        self.statements: list[Excerpted] = []
        self.moves: list[int] = []

    def is_read_alike(self, root: Node) -> bool:
        """Does it parse as the same statements that it was taken from?"""
        nodes = [node for node in root.children if not node.is_extra]
        return (
            not root.has_error
            and len(nodes) == len(self.statements)
            and all(
                node.kind_id == one.node.kind_id
                and node.start_byte == one.start
                and (one.has_body or node.descendant_count == one.node.descendant_count)
                for node, one in zip(nodes, self.statements, strict=True)
            )
        )

    def is_kept(self, root: Node, changes: Sequence[Change], facts: Facts) -> bool:
        """Does its result still consist of as many statements, each in its place?"""
        nodes = [node for node in root.children if not node.is_extra]
        if root.has_error or len(nodes) != len(self.statements):
            return False
        shift = place = 0
        for node, one in zip(nodes, self.statements, strict=True):
            if node.start_byte != one.start + shift or not _is_alike(node, one, facts):
                return False
            while place < len(changes) and changes[place][1] <= one.end:
                low, high, new = changes[place]
                shift += len(new) - (high - low)
                place += 1
        return True


def _is_alike(node: Node, statement: Excerpted, facts: Facts) -> bool:
    """Does a statement of a result still govern a body, or none, as it did before?"""
    body = body_of(node)
    if statement.has_body:
        return (
            node.kind_id == statement.node.kind_id
            and body is not None
            and sum(not child.is_extra for child in body.children) == 1
        )
    return body is None and node.type in facts.statements


def excerpt_of(
    root: Node, source: bytes, spans: Sequence[tuple[int, int]], facts: Facts
) -> Excerpt | None:
    """The statements that hold these spans, which are sorted; None if that is no gain.

    It is none either where a span is not within one statement that has its lines to itself.
    """
    if not facts.statements or root.has_error or len(spans) * _SPARSE > len(source):
        return None
    excerpt = Excerpt()
    parts: list[bytes] = []
    statement: Excerpted | None = None
    for start, end in spans:
        if statement is None or start > statement.last:
            at = 0 if statement is None else statement.end
            node = _statement(root, start, end, facts)
            part = None if node is None else _part(node, source, facts)
            if node is None or part is None:
                return None
            text, last, has_body = part
            statement = Excerpted(node, last, at, at + len(text), has_body)
            excerpt.statements.append(statement)
            parts.append(text)
        if not statement.node.start_byte <= start <= end <= statement.last:
            return None
        excerpt.moves.append(statement.by)
    excerpt.source = b"".join(parts)
    return excerpt


def _statement(root: Node, start: int, end: int, facts: Facts) -> Node | None:
    """The smallest statement that holds these bytes."""
    node = root.descendant_for_byte_range(start, max(start, end - 1))
    while node is not None and (parent := node.parent) is not None:
        if parent.id == root.id or parent.type in facts.blocks:
            return node
        node = parent
    return None


def _part(node: Node, source: bytes, facts: Facts) -> tuple[bytes, int, bool] | None:
    """A statement's text, where a change in it may end, and whether it is a head alone."""
    start = node.start_byte
    if source[source.rfind(b"\n", 0, start) + 1 : start].strip(b" \t"):
        return None
    if node.type not in facts.statements:
        return None
    body = body_of(node)
    if body is not None:
        stands_in = (facts.placeholder or "").encode() + b"\n"
        return source[start : body.start_byte] + stands_in, body.start_byte - 1, True
    end = source.find(b"\n", node.end_byte)
    end = end if end >= 0 else len(source)
    behind = source[node.end_byte : end].strip()
    if behind and not behind.startswith(facts.comments):
        return None
    return source[start:end] + b"\n", node.end_byte, False
