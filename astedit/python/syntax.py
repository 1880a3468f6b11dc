"""Nodes of Python's tree: brackets, arguments, parameters, strings, and what imports bind."""

import ast
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from itertools import takewhile
from string import ascii_letters, digits
from typing import Literal, NamedTuple

from tree_sitter import Node

from astedit.language import grammar_of, root_of
from astedit.python.expression import Imported

_WRAPPERS = ("parenthesized_expression", "type", "case_pattern", "as_pattern_target")
_STARS = {
    "list_splat": "*",
    "list_splat_pattern": "*",
    "dictionary_splat": "**",
    "dictionary_splat_pattern": "**",
}
SEQUENCES = ("tuple", "list", "expression_list", "pattern_list", "tuple_pattern", "list_pattern")
TUPLES = ("tuple", "expression_list", "pattern_list", "tuple_pattern")
SUBSCRIPTS = ("subscript", "generic_type")
_OF_NAMES = f"{ascii_letters}{digits}_.".encode() + bytes(range(128, 256))
_DOCUMENTED = ("module", "function_definition", "class_definition")
COMPREHENSIONS = (
    *("list_comprehension", "set_comprehension"),
    *("dictionary_comprehension", "generator_expression"),
)


class Argument(NamedTuple):
    """An argument of a call: `star` is "*", "**" or ""; `keyword` the node of its name."""

    value: Node
    keyword: Node | None = None
    star: str = ""


ParameterKind = Literal["positional-only", "plain", "varargs", "keyword-only", "kwargs"]
_SPREAD: dict[str, ParameterKind] = {"*": "varargs", "**": "kwargs"}


class PythonParameter(NamedTuple):
    """A parameter: the node of its name, its annotation and its default, and that of all of it."""

    name: Node
    annotation: Node | None
    default: Node | None
    star: str
    node: Node
    kind: ParameterKind


def parsed(code: bytes) -> Node:
    """The tree of a Python module."""
    return root_of("python", code)


@cache
def expression_kinds() -> frozenset[str]:
    """The kinds of nodes that are expressions wherever one may stand."""
    language = grammar_of("python").language
    below = {
        language.node_kind_for_id(kind): language.subtypes(kind) for kind in language.supertypes
    }
    every = (*below["expression"], *below["primary_expression"])
    kinds = {str(language.node_kind_for_id(kind)) for kind in every}
    return frozenset(kinds - {"as_pattern", "list_splat", "named_expression"} | {"expression_list"})


def first_error(node: Node) -> Node:
    """Where a tree with errors has the first of them."""
    while not (node.is_error or node.is_missing):
        node = next(child for child in node.children if child.has_error or child.is_missing)
    return node


def text_of(node: Node | None) -> str:
    """The code of a node; "" for none."""
    return (node.text or b"").decode("utf-8", "replace") if node is not None else ""


def child_of(node: Node, field: str) -> Node:
    """The child in a field that such a node always has."""
    child = node.child_by_field_name(field)
    assert child is not None, node.type
    return child


def parts_of(node: Node | None) -> list[Node]:
    """The named children of a node, comments and line ends with a backslash aside; none of none."""
    return [c for c in node.named_children if not c.is_extra] if node is not None else []


def field_of(node: Node) -> str:
    """The field that a node is of its parent; "" for none."""
    above = node.parent
    for at, child in enumerate(above.children if above is not None else ()):
        if child == node and above is not None:
            return above.field_name_for_child(at) or ""
    return ""


def every_node(node: Node, closed: Collection[str] = ()) -> Iterator[Node]:
    """A node and all named ones below it, in order and however deep, but for those in `closed`."""
    stack = [node]
    while stack:
        inner = stack.pop()
        yield inner
        if inner.type not in closed:
            stack += reversed(inner.named_children)


def words(node: Node) -> Iterator[Node]:
    """The identifiers in a node."""
    return (inner for inner in every_node(node) if inner.type == "identifier")


def plain(node: Node) -> Node:
    """A node without the brackets and the like around it."""
    while node.type in _WRAPPERS:
        inner = parts_of(node)
        if len(inner) != 1:
            break
        node = inner[0]
    return node


def starred(node: Node) -> tuple[Node, str]:
    """What a `*` or `**` spreads, and the stars; the node itself without them."""
    stars = _STARS.get(node.type, "")
    return (plain(parts_of(node)[0]), stars) if stars else (plain(node), "")


def dotted_start(code: bytes, end: int) -> int:
    """Where the dotted name begins that ends at this byte, in code or in a text."""
    return len(code[:end].rstrip(_OF_NAMES))


def dotted(node: Node | None, passed: Sequence[str] = ("call",)) -> str:
    """`a.b.c` of a name or attribute, and of what stands in front in the kinds `passed`; or ""."""
    node = plain(node) if node is not None else None
    if node is None:
        return ""
    if node.type == "identifier":
        return text_of(node)
    if node.type == "dotted_name":
        return ".".join(text_of(part) for part in parts_of(node))
    if node.type == "attribute":
        head = dotted(node.child_by_field_name("object"), passed)
        return f"{head}.{text_of(node.child_by_field_name('attribute'))}" if head else ""
    return dotted(parts_of(node)[0], passed) if node.type in passed else ""


def last_name(node: Node | None) -> str:
    """The last part of a dotted name."""
    return dotted(node).rpartition(".")[2]


def arguments(call: Node) -> list[Argument]:
    """The arguments of a call, or the bases of a class, in order."""
    listing = call.child_by_field_name("arguments") or call.child_by_field_name("superclasses")
    if listing is None:
        return []
    if listing.type != "argument_list":
        return [Argument(listing)]  # a generator without brackets of its own
    return [_argument(node) for node in parts_of(listing)]


def _argument(node: Node) -> Argument:
    if node.type == "keyword_argument":
        return Argument(plain(child_of(node, "value")), node.child_by_field_name("name"))
    value, star = starred(node)
    return Argument(value, None, star)


def argument(call: Node, place: int | None, *names: str) -> Node | None:
    """The argument with one of these names, or at this place; None if it is not written out."""
    every = arguments(call)
    named = {text_of(item.keyword): item.value for item in every if item.keyword is not None}
    plain_ones = [*takewhile(lambda item: not (item.star or item.keyword), every)]
    at = plain_ones[place].value if place is not None and place < len(plain_ones) else None
    return next((named[name] for name in names if name in named), at)


def parameters(listing: Node | None) -> list[PythonParameter]:
    """The parameters of a function or a lambda, in order."""
    every = list[PythonParameter]()
    usual: ParameterKind = "plain"
    for node in parts_of(listing):
        if node.type == "positional_separator":
            every = [item._replace(kind="positional-only") for item in every]
            continue
        if node.type == "keyword_separator":
            usual = "keyword-only"
            continue
        name = node.child_by_field_name("name") or node
        if node.type == "typed_parameter":
            name = parts_of(node)[0]
        inner, star = starred(name)
        kind, default = node.child_by_field_name("type"), node.child_by_field_name("value")
        every.append(PythonParameter(inner, kind, default, star, node, _SPREAD.get(star, usual)))
        usual = "keyword-only" if star == "*" else usual
    return every


def inside(node: Node) -> list[Node]:
    """What stands in the brackets of a subscript, slices aside."""
    if node.type == "generic_type":
        listing = parts_of(node)[1]
        return [plain(part) for part in parts_of(listing)]
    parts = node.children_by_field_name("subscript")
    return [plain(part) for part in parts if part.type != "slice"]


def subject_of(node: Node) -> Node:
    """What stands before the brackets of a subscript."""
    return node.child_by_field_name("value") or parts_of(node)[0]


def is_string(node: Node) -> bool:
    """Whether a node is one string without expressions in it."""
    return node.type == "string" and "f" not in text_of(node.children[0]).lower().rstrip("\"'")


def evaluated(node: Node) -> str | bytes | None:
    """What a string, or several side by side, evaluate to; None for anything else.

    Raises `SyntaxError` for a string that Python would refuse.
    """
    strings = parts_of(node) if node.type == "concatenated_string" else [node]
    if not all(is_string(string) for string in strings):
        return None
    values = [ast.literal_eval(text_of(string)) for string in strings]
    first = values[0]
    if not all(isinstance(value, type(first)) for value in values):
        return None
    assert isinstance(first, str | bytes)
    return type(first)().join(values)


def docstring_of(body: Node | None) -> Node | None:
    """The text that documents a module, or what has this block for its body."""
    above = body.parent if body is not None and body.type == "block" else body
    first = next(iter(parts_of(body)), None)
    if above is None or above.type not in _DOCUMENTED or first is None:
        return None
    inner = plain(parts_of(first)[0]) if first.type == "expression_statement" else first
    strings = parts_of(inner) if inner.type == "concatenated_string" else [inner]
    return inner if all(map(is_string, strings)) else None


STAR = "*"
IMPORTS = frozenset(("import_statement", "import_from_statement", "future_import_statement"))


def imports_of(node: Node) -> Iterator[tuple[str, Imported]]:
    """What an import statement binds: each name, `a.b` of `import a.b`, `*`, with its source."""
    level, module = module_of(node)
    if any(child.type == "wildcard_import" for child in node.named_children):
        yield STAR, Imported(level, module, STAR)
    for item in node.children_by_field_name("name"):
        name, alias = alias_of(item)
        written, bound = dotted(name), text_of(alias) if alias is not None else ""
        if node.type == "import_statement":
            yield bound or written, Imported(0, written, None)
        else:
            yield bound or written, Imported(level, module, written)


def alias_of(item: Node) -> tuple[Node, Node | None]:
    """The name of what an import lists, and its alias."""
    name = child_of(item, "name") if item.type == "aliased_import" else item
    return name, item.child_by_field_name("alias")


def module_of(node: Node) -> tuple[int, str]:
    """The module that a `from` import names: its leading dots, and the rest."""
    if node.type == "future_import_statement":
        return 0, "__future__"
    return split_level("".join(text_of(node.child_by_field_name("module_name")).split()))


def split_level(module: str) -> tuple[int, str]:
    """`..shop.cart` as 2 and `shop.cart`."""
    name = module.lstrip(".")
    return len(module) - len(name), name
