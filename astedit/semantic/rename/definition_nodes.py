"""The statements that define a name, and whether a text reads it from their module."""

import posixpath
import re
from collections.abc import Iterator

from tree_sitter import Node

from astedit.python.syntax import text_of

DEFINITIONS = ("function_definition", "class_definition")


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
            own = prefix + text_of(inner.child_by_field_name("name"))
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
    return text_of(left) if left is not None and left.type == "identifier" and not chained else ""


def module_stem(path: str) -> str:
    """The last part of a module's name."""
    return posixpath.splitext(path)[0].removesuffix("/__init__").rpartition("/")[2]


def reads(code: bytes, stem: str, name: str) -> bool:
    """Whether another module's text may read `name` of a module, however it imports that."""
    if name.encode() not in code or stem.encode() not in code:
        return False
    text = code.decode("utf-8", "replace")
    if any(re.search(rf"\b{item}\s*\.\s*{name}\b", text) for item in _called(text, stem)):
        return True
    brought = rf"\bfrom\s+[.\w]*\b{stem}\s+import\s+(\([^)]*\)|(?:\\\n|[^\n])*)"
    parts = [match[1] for match in re.finditer(brought, text)]
    return any("*" in part or re.search(rf"\b{name}\b", part) for part in parts)


def _called(text: str, stem: str) -> Iterator[str]:
    """What a text calls a module: its own name, and those after `as`."""
    yield stem
    for match in re.finditer(rf"\bimport\s[^\n]*\b{stem}\s+as\s+(\w+)", text):
        yield match[1]
