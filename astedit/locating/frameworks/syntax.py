"""Nodes of one file: those of some kinds, and their text."""

import functools

from tree_sitter import Node, Query, QueryCursor

from astedit.language import load, named

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


def span_of(node: Node) -> tuple[int, int]:
    """The bytes of a node."""
    return node.start_byte, node.end_byte


def nodes_of(root: Node, language: str, kinds: tuple[str, ...]) -> list[Node]:
    """All nodes of these kinds, in source order, the outer one first."""
    cursor = QueryCursor(_query(language, kinds))
    captured = cursor.captures(root).get("it", [])
    return sorted(captured, key=lambda node: (node.start_byte, -node.end_byte))


@functools.cache
def _query(language: str, kinds: tuple[str, ...]) -> Query:
    row = named(language)
    assert row is not None, language
    return Query(load(row).language, f"[{' '.join(f'({kind})' for kind in kinds)}] @it")
