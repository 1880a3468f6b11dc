"""What names stand for in one JavaScript file: constants that are texts, and what is around."""

from tree_sitter import Node

from astedit.locating.frameworks.ancestors import Ancestors
from astedit.locating.frameworks.syntax import nodes_of, text_of

_NAMED = ("function_declaration", "method_definition", "class_declaration",
          "generator_function_declaration", "function_expression")  # fmt: skip
_TEXTS = ("string", "template_string", "binary_expression")
_MOST = 8_192  # characters of a constant; one that is longer stands for itself
_DEEPEST = 8  # texts within texts


class JavaScriptScope:
    """The names of one file."""

    def __init__(self, root: Node, language: str) -> None:
        self._constants: dict[str, Node] = {}
        self._texts: dict[tuple[str, int], str] = {}
        self._around = Ancestors(nodes_of(root, language, _NAMED))

    def bind(self, name: str, value: Node) -> bool:
        """Keeps what a variable is set to; False if that is no text."""
        if value.type not in _TEXTS:
            return False
        self._constants.setdefault(name, value)
        return True

    def enclosing(self, node: Node) -> str:
        """The names of the functions and classes around a node; `<module>` if there are none."""
        around = [outer.child_by_field_name("name") for outer in self._around.of(node)]
        names = [text_of(name) for name in around if name is not None]
        return ".".join(reversed(names)) or "<module>"

    def text(self, node: Node | None, depth: int = 0) -> str:
        """A URL expression with `{expr}` for what is not known."""
        if node is None or depth > _DEEPEST:
            return "{?}"
        if node.type == "string":
            return text_of(node)[1:-1]
        if node.type == "template_string":
            return self._template(node, depth)
        operator = node.child_by_field_name("operator")
        if node.type == "binary_expression" and text_of(operator) == "+":
            sides = (node.child_by_field_name(name) for name in ("left", "right"))
            return "".join(self.text(side, depth + 1) for side in sides)
        if node.type == "identifier" and text_of(node) in self._constants:
            return self._constant(text_of(node), depth)
        return f"{{{text_of(node)}}}"

    def _constant(self, name: str, depth: int) -> str:
        """The text of a constant, worked out once: they may be made of one another."""
        if (name, depth) not in self._texts:
            text = self.text(self._constants[name], depth + 1)
            self._texts[name, depth] = text if len(text) <= _MOST else f"{{{name}}}"
        return self._texts[name, depth]

    def _template(self, node: Node, depth: int) -> str:
        parts = []
        for part in node.named_children:
            if part.type == "template_substitution":
                parts.append(self.text(part.named_children[0], depth + 1))
            else:
                parts.append(text_of(part))
        return "".join(parts)
