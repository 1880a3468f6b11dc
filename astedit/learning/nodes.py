"""What is known about a node by itself: its role, whether it may vary, what its name means."""

from collections.abc import Iterator, Sequence

from tree_sitter import Node

from astedit.learning.difference import BLOCKS, is_comment, text_of, tokens
from astedit.python.scopes import Scopes

NAMED_ITEMS = frozenset(
    {"keyword_argument", "named_argument", "pair", "labeled_argument", "default_parameter"}
)
_FIXED_FIELDS = frozenset({"function", "attribute", "property", "field", "method", "constructor"})
NAME_FIELDS = _FIXED_FIELDS | {"name", "module_name", "key"}
_SPREADS = frozenset({"list_splat", "dictionary_splat", "spread_element"})
_NAMES = ("identifier", "attribute")


def role(node: Node) -> str | None:
    """The field that a node is of its parent."""
    parent = node.parent
    if parent is None:
        return None
    for at, child in enumerate(parent.children):
        if child.id == node.id:
            return parent.field_name_for_child(at)
    return None


def says_little(node: Node) -> bool:
    """Whether a node by itself is no place that a rule may be about: a value, a lone list."""
    if node.child_count and "string" not in node.type:
        return "argument" in node.type or node.type in ("parameters", "pair")
    return role(node) not in ("function", "constructor")


def code_of(node: Node) -> bytes:
    """A node as code, whatever its layout."""
    return b" ".join(tokens([node]))


def key_of(nodes: Sequence[Node]) -> tuple[object, ...]:
    """What makes two rows of nodes the same."""
    return tuple(map(code_of, nodes))


def named_nodes(top: Node) -> Iterator[Node]:
    """The nodes of a tree that have names, comments and the insides of strings left out."""
    stack = [top]
    while stack:
        node = stack.pop()
        if node.is_named and not is_comment(node):
            yield node
            if "string" not in node.type:
                stack += node.children


def may_vary(node: Node) -> bool:
    """Whether code that is copied may be other code elsewhere: not the names of things."""
    if (
        role(node) in NAME_FIELDS
        or not is_value(node)
        or "argument" in node.type
        or node.type in NAMED_ITEMS
    ):
        return False
    text = text_of(node)
    if node.child_count or not text[:1].isalpha():
        return True
    return "type" not in node.type


def is_statement(node: Node) -> bool:
    """Whether a node is a statement, or a part of one that is no value."""
    return node.type.endswith(("_statement", "_definition", "_clause", "_declaration"))


def is_value(node: Node) -> bool:
    """Whether a capture may stand for a node."""
    words = ("argument_list", "arguments", "parameters", "decorator", "interpolation")
    if not node.is_named or is_statement(node) or node.type in BLOCKS:
        return False
    return node.type not in words and node.type not in NAMED_ITEMS


def items_of(node: Node) -> list[Node] | None:
    """The items of a list; None for a node that is none."""
    children = [child for child in node.children if not is_comment(child)]
    if node.type in BLOCKS:
        return None
    middle = [child for child in children if not child.is_named]
    is_list = len(middle) >= 2 and text_of(middle[0]) in (b"(", b"[", b"{")
    if not is_list or any(text_of(child) != b"," for child in middle[1:-1]):
        return None
    if "parenthesized" in node.type or "subscript" in node.type:
        return None
    return [child for child in children if child.is_named]


def slot_of(item: Node) -> object:
    """What an item of a list is known by: its name, or None for one that is at its place."""
    if item.type in NAMED_ITEMS:
        name = item.child_by_field_name("name") or item.child_by_field_name("key")
        if name is not None:
            return item.type, text_of(name)
    return (item.type,) if item.type in _SPREADS else None


def framed(node: Node, parts: Sequence[str]) -> str:
    """The text of a list with other items."""
    plain = [child for child in node.children if not child.is_named]
    end = text_of(plain[-1]).decode()
    if node.type == "tuple" and len(parts) == 1 and not parts[0].startswith("$$$"):
        end = f",{end}"
    return text_of(plain[0]).decode() + ", ".join(parts) + end


def shown(node: Node) -> str:
    """The text of a node."""
    return text_of(node).decode("utf-8", "replace")


def spliced(node: Node, parts: Sequence[tuple[Node, str]]) -> str:
    """The text of a node with other texts in the place of its children."""
    source, start = text_of(node), node.start_byte
    text, at = "", 0
    for child, part in parts:
        gap = source[at : child.start_byte - start].decode("utf-8", "replace")
        text += ("" if at == 0 else _gap(gap, node)) + part
        at = child.end_byte - start
    return text


def _gap(gap: str, node: Node) -> str:
    """What stands between two children; inside an expression it is on one line."""
    if "\n" not in gap or is_statement(node) or node.type in BLOCKS:
        return gap if "#" not in gap else " "
    return "" if node.type in ("parenthesized_expression", "attribute", "call") else " "


class Meanings:
    """The qualified names of names, however they were imported; one table for each tree."""

    def __init__(self) -> None:
        self._scopes: dict[int, tuple[Node, Scopes | None]] = {}

    def known(self, node: Node) -> bool:
        """Whether there are qualified names in this tree."""
        return self._of_root(node) is not None

    def of(self, node: Node) -> str:
        """What a name or an attribute stands for; "" if that is nothing that was imported."""
        if node.type not in _NAMES:
            return ""
        scopes = self._of_root(node)
        names = scopes.qualified(node) if scopes is not None else ()
        name = next(iter(names)) if len(names) == 1 else ""
        return name if name.split(".")[0] in self._roots(node) else ""

    def of_call(self, node: Node) -> str:
        """What the function of a call means: of this one, or of the nearest around it."""
        call: Node | None = node
        while call is not None and call.type != "call":
            call = call.parent
        function = call.child_by_field_name("function") if call is not None else None
        return self.of(function) if function is not None else ""

    def _roots(self, node: Node) -> set[str]:
        """The packages that names of this tree may come from."""
        scopes = self._of_root(node)
        lines = [line for line in scopes.root.children if "import" in line.type] if scopes else []
        words = [(line.text or b"").decode("utf-8", "replace").split() for line in lines]
        return {"builtins", *(part.split(".")[0] for row in words for part in row[1:])}

    def _of_root(self, node: Node) -> Scopes | None:
        root = node
        while root.parent is not None:
            root = root.parent
        if root.id not in self._scopes:
            self._scopes[root.id] = root, Scopes(root) if root.type == "module" else None
        return self._scopes[root.id][1]
