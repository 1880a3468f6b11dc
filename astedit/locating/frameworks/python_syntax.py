"""Python calls and definitions, as far as frameworks have to read them."""

from tree_sitter import Node

from astedit.locating.frameworks.syntax import is_long, text_of
from astedit.locating.frameworks.web_facts import NO_TEXT, PathText


def argument(call: Node, index: int) -> Node | None:
    """The positional argument with this index."""
    arguments = call.child_by_field_name("arguments")
    if arguments is None:
        return None
    others = ("keyword_argument", "comment")
    plain = [node for node in arguments.named_children if node.type not in others]
    return plain[index] if index < len(plain) else None


def keyword(call: Node, name: str) -> Node | None:
    """The value of a keyword argument."""
    arguments = call.child_by_field_name("arguments")
    for node in arguments.named_children if arguments is not None else ():
        if node.type == "keyword_argument" and text_of(node.child_by_field_name("name")) == name:
            return node.child_by_field_name("value")
    return None


def literal(node: Node | None) -> PathText:
    """What a plain string says, and where that text stands."""
    if node is None or node.type != "string" or is_long(node):
        return NO_TEXT
    start, content = node.children[0], node.children[1:-1]
    if "f" in text_of(start).lower() or any(part.type == "interpolation" for part in content):
        return NO_TEXT
    place = (start.end_byte, node.children[-1].start_byte)
    return PathText("".join(text_of(part) for part in content), place)


def methods_of(call: Node) -> tuple[str, ...]:
    """The HTTP methods in `methods=["GET", "POST"]`."""
    listed = keyword(call, "methods")
    if listed is None or listed.type not in ("list", "tuple", "set"):
        return ()
    names = (literal(node).text for node in listed.named_children)
    return tuple(sorted({name.upper() for name in names if name}))


def owner_of(function: Node | None) -> str:
    """`app` of the function `app.route`; "" of a plain name."""
    return text_of(function.child_by_field_name("object")) if function is not None else ""


def last_name(function: Node | None) -> str:
    """`route` of the function `app.route`."""
    if function is None:
        return ""
    return text_of(function.child_by_field_name("attribute") or function)


def called(node: Node) -> str:
    """The last name of what a call calls; "" if the node is no call."""
    return last_name(node.child_by_field_name("function")) if node.type == "call" else ""


def handler_of(node: Node | None) -> str:
    """`views.detail`, or `DetailView` of `DetailView.as_view()`."""
    if node is not None and node.type == "call":
        return text_of(node.child_by_field_name("function")).removesuffix(".as_view")
    return text_of(node) if node is not None and node.type in ("identifier", "attribute") else ""


def parameter_names(function: Node) -> tuple[str, ...]:
    """The names of a function's parameters."""
    parameters = function.child_by_field_name("parameters")
    names = []
    for node in parameters.named_children if parameters is not None else ():
        name = node if node.type == "identifier" else node.child_by_field_name("name")
        names.append(text_of(name if name is not None else next(iter(node.named_children), None)))
    return tuple(names)
