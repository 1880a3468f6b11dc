"""What the place of a node is called: by its parent's kind, operator and field."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node


def place_names(node: "Node", parent: "Node") -> Iterator[str]:
    """The names of a child's place, from `call` to `binary_expression:**.left`."""
    kinds = [parent.type]
    operator = parent.child_by_field_name("operator")
    if operator is not None:
        kinds.append(f"{parent.type}:{operator.type}")
    yield from kinds
    cursor = parent.walk()  # which leaps over siblings: there may be thousands
    cursor.goto_first_child_for_byte(node.start_byte)
    while cursor.node != node and cursor.goto_next_sibling():
        pass
    if cursor.node == node and cursor.field_name is not None:
        yield from (f"{kind}.{cursor.field_name}" for kind in kinds)


def kind_names(node: "Node") -> Iterator[str]:
    """The kind of a node, and the same with its operator."""
    yield node.type
    operator = node.child_by_field_name("operator")
    if operator is not None:
        yield f"{node.type}:{operator.type}"


def words(text: str) -> frozenset[str]:
    """The words between the blanks of a language's table."""
    return frozenset(text.split())


def words_of(rules: "dict[str, str] | None") -> dict[str, frozenset[str]]:
    """Rules of a language's table, each written as words between blanks."""
    return {name: words(text) for name, text in (rules or {}).items()}


def around(node: "Node", kinds: frozenset[str]) -> "Node | None":
    """The nearest node of some kinds around a node."""
    outer = node.parent
    while outer is not None and outer.type not in kinds:
        outer = outer.parent
    return outer
