"""What names stand for in one Python module: imports, and constants that are texts."""

from collections.abc import Iterator, Sequence

from tree_sitter import Node

from astedit.locating.frameworks.ancestors import Ancestors
from astedit.locating.frameworks.constant_text import ConstantTexts
from astedit.locating.frameworks.syntax import nodes_of, text_of
from astedit.locating.frameworks.web_facts import ImportedName

_DEFINITIONS = ("function_definition", "class_definition")


class PythonScope(ConstantTexts):
    """The names of one module; `bindings` are kept for whoever asks what a name is set to."""

    text_kinds = ("string", "concatenated_string", "binary_operator")
    sum_kind = "binary_operator"

    def __init__(self, root: Node, imports: Sequence[ImportedName]) -> None:
        self._imports = {
            name.local: f"{name.module}.{name.name}" if name.name else name.module
            for name in imports
            if not name.dots
        }
        super().__init__()
        self._root = root
        self._around = Ancestors(nodes_of(root, "python", _DEFINITIONS))

    def bindings(self) -> Iterator[tuple[Node, str, Node]]:
        """Each assignment and `as` in source order: its node, the name, and the value.

        A constant can be read in texts from its binding on.
        """
        top = {node.id for statement in self._root.children for node in statement.children}
        for node in nodes_of(self._root, "python", ("assignment", "as_pattern")):
            name, value = _bound(node)
            if value is None or not name:
                continue
            if value.type in self.text_kinds and node.type == "assignment" and node.id in top:
                self.constants.setdefault(name, value)
            yield node, name, value

    def functions(self, node: Node) -> Iterator[int]:
        """The functions around a node, then the module, as keys."""
        around = self._around.of(node)
        yield from (outer.id for outer in around if outer.type == "function_definition")
        yield 0

    def enclosing(self, node: Node) -> str:
        """The names of the functions and classes around a node; `<module>` if there are none."""
        around = reversed(list(self._around.of(node)))
        names = [text_of(outer.child_by_field_name("name")) for outer in around]
        return ".".join(names) or "<module>"

    def full(self, node: Node | None) -> str:
        """The full name of a dotted expression, its head looked up among the imports."""
        head, dot, rest = text_of(node).partition(".")
        return self._imports.get(head, head) + dot + rest

    def string(self, node: Node, depth: int) -> str | None:
        if node.type == "string":
            return self._string(node, depth)
        if node.type == "concatenated_string":
            return "".join(self.text(part, depth + 1) for part in node.named_children)
        if node.type == "parenthesized_expression":
            return self.text(node.named_children[0], depth + 1)
        return None

    def _string(self, node: Node, depth: int) -> str:
        parts = []
        for part in node.children[1:-1]:
            if part.type == "interpolation":
                inner = part.child_by_field_name("expression")
                known = inner is not None and text_of(inner) in self.constants
                parts.append(self.text(inner, depth + 1) if known else f"{{{text_of(inner)}}}")
            else:
                parts.append(text_of(part))
        return "".join(parts)


def _bound(node: Node) -> tuple[str, Node | None]:
    """The name that an assignment or an `as` binds, and the value."""
    if node.type == "assignment":
        return text_of(node.child_by_field_name("left")), node.child_by_field_name("right")
    value = node.named_children[0] if node.named_children else None
    return text_of(node.child_by_field_name("alias")), value
