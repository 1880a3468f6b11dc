"""What is written in the place of a name: with brackets where it needs them, and what it holds."""

from collections.abc import Iterator, Sequence

from tree_sitter import Node

from astedit.python.scopes import NameScope, Scopes

_ATOMS = (
    *("identifier", "integer", "float", "string", "true", "false", "none", "ellipsis", "call"),
    *("attribute", "subscript", "list", "tuple", "dictionary", "set", "parenthesized_expression"),
    *("list_comprehension", "set_comprehension", "dictionary_comprehension"),
)
_ROOMY = ("argument_list", "parenthesized_expression", "list", "tuple", "set", "keyword_argument",
          "return_statement", "expression_statement")  # fmt: skip
MUTABLE = ("list", "dictionary", "set", "list_comprehension", "set_comprehension",
            "dictionary_comprehension", "generator_expression", "lambda")  # fmt: skip


def every_node(node: Node) -> Iterator[Node]:
    yield node
    for child in node.named_children:
        yield from every_node(child)


def nearest(node: Node, kinds: Sequence[str]) -> Node | None:
    """The nearest of these around a node, in the same or an outer function."""
    above = node.parent
    while above is not None and above.type not in kinds:
        above = above.parent
    return above


def is_within(node: Node, outer: Node) -> bool:
    return outer.start_byte <= node.start_byte and node.end_byte <= outer.end_byte


def is_own_scope(scope: NameScope, outer: NameScope, value: Node) -> bool:
    """Whether a scope is one of the value's own: of a lambda or a comprehension in it."""
    own: NameScope | None = scope
    while own is not None and own is not outer:
        own = own.parent
    return own is outer and scope is not outer


def fitting(text: bytes, node: Node, use: Node) -> bytes:
    """The text of an expression, in brackets where it would be read another way without."""
    above = use.parent
    kind = above.type if above is not None else ""
    is_value = kind == "assignment" and above is not None and (
        above.child_by_field_name("right") == use
    )  # fmt: skip
    roomy = (kind in _ROOMY or is_value) and node.type not in (
        "expression_list",
        "named_expression",
    )
    number = node.type in ("integer", "float") and kind == "attribute"
    if b"\n" in text and kind not in _ROOMY[:6]:
        roomy = False
    atom = node.type in _ATOMS and not number
    return text if atom or roomy else b"(" + text + b")"


def is_late_in(node: Node, value: Node) -> bool:
    late = nearest(node, ("lambda", "generator_expression"))
    return late is not None and is_within(late, value)


def is_scope_of(scope: NameScope, scopes: Scopes, value: Node) -> bool:
    """Whether a scope is that of a lambda or a comprehension in an expression."""
    return any(scopes.inside(node) is scope for node in every_node(value))
