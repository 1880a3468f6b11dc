"""JavaScript calls and literals, as far as frameworks have to read them."""

from tree_sitter import Node

from astedit.locating.frameworks.syntax import Ancestors, ConstantTexts, is_long, nodes_of, text_of
from astedit.locating.frameworks.web_facts import NO_TEXT, PathText

VERBS = frozenset({"get", "post", "put", "delete", "patch", "head", "options", "del"})
FUNCTIONS = frozenset({"arrow_function", "function_expression", "function"})


def callee_of(node: Node) -> Node | None:
    """What a call or a `new` calls."""
    return node.child_by_field_name("function") or node.child_by_field_name("constructor")


def owner_of(call: Node) -> Node | None:
    """`app` of the call `app.get()`."""
    function = callee_of(call)
    return function.child_by_field_name("object") if function is not None else None


def arguments_of(call: Node) -> list[Node]:
    """The arguments of a call."""
    arguments = call.child_by_field_name("arguments")
    if arguments is None:
        return []
    return [node for node in arguments.named_children if node.type != "comment"]


def argument(call: Node, index: int) -> Node | None:
    """The argument with this index."""
    arguments = arguments_of(call)
    return arguments[index] if index < len(arguments) else None


def option(node: Node | None, *names: str) -> Node | None:
    """The value of the first of these keys in an object literal."""
    for pair in node.named_children if node is not None and node.type == "object" else ():
        if pair.type == "pair" and text_of(pair.child_by_field_name("key")).strip("'\"") in names:
            return pair.child_by_field_name("value")
    return None


def literal(node: Node | None) -> PathText:
    """What a string without holes says, and where that text stands."""
    if node is None or node.type not in ("string", "template_string") or is_long(node):
        return NO_TEXT
    if any(part.type == "template_substitution" for part in node.named_children):
        return NO_TEXT
    return PathText(text_of(node)[1:-1], (node.start_byte + 1, node.end_byte - 1))


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
