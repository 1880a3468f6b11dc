"""What names stand for in one JavaScript file: constants that are texts, and what is around."""

from tree_sitter import Node

from astedit.locating.frameworks.ancestors import Ancestors
from astedit.locating.frameworks.constant_text import ConstantTexts
from astedit.locating.frameworks.syntax import nodes_of, text_of

_NAMED = ("function_declaration", "method_definition", "class_declaration",
          "generator_function_declaration", "function_expression")  # fmt: skip


class JavaScriptScope(ConstantTexts):
    """The names of one file."""

    text_kinds = ("string", "template_string", "binary_expression")
    sum_kind = "binary_expression"

    def __init__(self, root: Node, language: str) -> None:
        super().__init__()
        self._around = Ancestors(nodes_of(root, language, _NAMED))

    def bind(self, name: str, value: Node) -> bool:
        """Keeps what a variable is set to; False if that is no text."""
        if value.type not in self.text_kinds:
            return False
        self.constants.setdefault(name, value)
        return True

    def enclosing(self, node: Node) -> str:
        """The names of the functions and classes around a node; `<module>` if there are none."""
        around = [outer.child_by_field_name("name") for outer in self._around.of(node)]
        names = [text_of(name) for name in around if name is not None]
        return ".".join(reversed(names)) or "<module>"

    def string(self, node: Node, depth: int) -> str | None:
        if node.type == "string":
            return text_of(node)[1:-1]
        return self._template(node, depth) if node.type == "template_string" else None

    def _template(self, node: Node, depth: int) -> str:
        parts = []
        for part in node.named_children:
            if part.type == "template_substitution":
                parts.append(self.text(part.named_children[0], depth + 1))
            else:
                parts.append(text_of(part))
        return "".join(parts)
