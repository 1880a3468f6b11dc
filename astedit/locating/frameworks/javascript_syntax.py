"""JavaScript calls and literals, as far as frameworks have to read them."""

from tree_sitter import Node

from astedit.locating.frameworks.syntax import is_long, text_of
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
