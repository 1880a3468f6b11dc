"""The statements of a Python module that define a name: all of them, wherever they stand."""

from collections.abc import Iterator

from tree_sitter import Node

from astedit.language import load, named

DEFINITIONS = ("function_definition", "class_definition")


def parsed(code: bytes) -> Node:
    """The tree of a Python module."""
    row = named("python")
    assert row is not None
    return load(row).parser().parse(code).root_node


def definition_nodes(root: Node, name: str) -> list[Node]:
    """The statements that define `name`, qualified within the module, decorators included.

    Several are one name with its overloads, a property with its setter, or the same name in
    the branches of an `if` or a `try`. An assignment counts if that name is its one target.
    """
    return list(_within(root, "", name))


def _within(scope: Node, prefix: str, name: str) -> Iterator[Node]:
    for node in scope.named_children:
        inner = node.child_by_field_name("definition") or node
        if inner.type in DEFINITIONS:
            own = prefix + _text(inner.child_by_field_name("name"))
            body = inner.child_by_field_name("body")
            if own == name:
                yield node
            elif name.startswith(f"{own}.") and body is not None:
                yield from _within(body, f"{own}.", name)
        elif node.type == "expression_statement":
            if prefix + _assigned(node) == name:
                yield node
        else:
            yield from _within(node, prefix, name)


def _assigned(statement: Node) -> str:
    """The only name that a statement assigns to; "" if that is not all it does."""
    value = statement.named_children[0] if statement.named_child_count == 1 else None
    if value is None or value.type != "assignment":
        return ""
    left, right = value.child_by_field_name("left"), value.child_by_field_name("right")
    chained = right is not None and right.type == "assignment"
    return _text(left) if left is not None and left.type == "identifier" and not chained else ""


def _text(node: Node | None) -> str:
    return (node.text or b"").decode() if node is not None else ""
