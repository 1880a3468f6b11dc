"""The statements that define a name, and the names that none does."""

import re

from tree_sitter import Node

from astedit.errors import PreconditionError
from astedit.python.syntax import text_of

DEFINITIONS = ("function_definition", "class_definition")


def definition_nodes(root: Node, name: str, prefix: str = "") -> list[Node]:
    """The statements that define `name`, qualified within the module, decorators included.

    Several are one name with its overloads, a property with its setter, or the same name in
    the branches of an `if` or a `try`. An assignment counts if that name is its one target.
    `prefix` is that of the names in `root`.
    """
    nodes = list[Node]()
    for node in root.named_children:
        inner = node.child_by_field_name("definition") or node
        if inner.type in DEFINITIONS:
            own = prefix + text_of(inner.child_by_field_name("name"))
            body = inner.child_by_field_name("body")
            if own == name:
                nodes.append(node)
            elif name.startswith(f"{own}.") and body is not None:
                nodes += definition_nodes(body, name, f"{own}.")
        elif node.type != "expression_statement":
            nodes += definition_nodes(node, name, prefix)
        elif prefix + _assigned(node) == name:
            nodes.append(node)
    return nodes


def _assigned(statement: Node) -> str:
    """The only name that a statement assigns to; "" if that is not all it does."""
    value = statement.named_children[0] if statement.named_child_count == 1 else None
    if value is None or value.type != "assignment":
        return ""
    left, right = value.child_by_field_name("left"), value.child_by_field_name("right")
    chained = right is not None and right.type == "assignment"
    return text_of(left) if left is not None and left.type == "identifier" and not chained else ""


SPECIAL = re.compile(r"__\w+__")  # names that Python itself looks for


def special(name: str) -> PreconditionError:
    """The refusal of a name that Python itself looks for."""
    return PreconditionError(
        f"{name} is Python's own name: what calls it would not find it.", code="special_name"
    )
