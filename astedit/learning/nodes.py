"""What is known about a node by itself: its role, whether it may vary, what its name means.

And what a small function of its text is.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from tree_sitter import Node

from astedit.learning.edits import BLOCKS, code_of, import_lines, imports_of, is_comment
from astedit.python.scopes import Scopes
from astedit.python.syntax import field_of, text_of
from astedit.text.indent import leading

NAMED_ITEMS = frozenset(
    {"keyword_argument", "named_argument", "pair", "labeled_argument", "default_parameter"}
)
# Where a name decides what the code means: as which field it stands, and right inside of what.
_NAME_FIELDS = ("function", "attribute", "property", "field", "method", "constructor", "name",
                "module_name", "key")  # fmt: skip
_NAME_HOLDERS = {"except_clause", "except_group_clause", "superclasses", "decorator", "dotted_name",
                 "class_heritage", "extends_clause", "implements_clause", "extends_type_clause",
                 "superclass", "super_interfaces", "catch_formal_parameter"}  # fmt: skip
_WRAPPERS = ("tuple", "as_pattern", "attribute", "member_expression", "subscript", "type_list",
             "keyword_argument", "parenthesized_expression", "catch_type")  # fmt: skip
NAME_KINDS = ("identifier", "attribute")
_APART = ("alias", "subscript")  # in a wrapper, and of another kind than it
_SPREADS = frozenset({"list_splat", "dictionary_splat", "spread_element"})
_PARTS = ("argument_list", "arguments", "parameters", "decorator", "interpolation")
_DEFINING = ("_definition", "_declaration", "_declarator", "_parameter")
_STATEMENTS = ("_statement", "_definition", "_clause", "_declaration")


class Openness(NamedTuple):
    """What may vary beyond what differs: what is copied, other list items, names by import."""

    copied: bool = False
    wide: bool = False
    names: bool = False


OPENNESS = (
    Openness(copied=True, wide=True, names=True),
    Openness(copied=True, wide=True),
    Openness(copied=True, names=True),
    Openness(copied=True),
    Openness(wide=True),
    Openness(),
)
MERGING = (OPENNESS[0], OPENNESS[3])


def is_decisive(node: Node) -> bool:
    """Whether a node names what the code means: a function, an exception, a base, a decorator."""
    if field_of(node) in _NAME_FIELDS and node.parent is not None:
        return field_of(node) != "name" or not node.parent.type.endswith(_DEFINING)
    while node.parent and node.parent.type in _WRAPPERS and field_of(node) not in _APART:
        node = node.parent
    if node.parent is None or field_of(node) in _APART or node.type in BLOCKS:
        return False
    return not _NAME_HOLDERS.isdisjoint((node.parent.type, field_of(node.parent)))


def is_leaf(node: Node) -> bool:
    """Whether nothing inside a node may be a hole."""
    return not node.child_count or "string" in node.type


def says_little(node: Node) -> bool:
    """Whether a node by itself is no place that a rule may be about: a value, a lone list."""
    if not is_leaf(node):
        return "argument" in node.type or node.type in ("parameters", "pair", "object")
    return field_of(node) not in ("function", "constructor")


def key_of(nodes: Sequence[Node]) -> tuple[bytes, ...]:
    """What makes two rows of nodes the same."""
    return tuple(map(code_of, nodes))


def named_nodes(tops: Sequence[Node]) -> Iterator[Node]:
    """The nodes of some trees that have names, comments and the insides of strings left out."""
    stack = list(tops)
    while stack:
        node = stack.pop()
        if node.is_named and not is_comment(node):
            yield node
            if "string" not in node.type:
                stack += node.children


def is_statement(node: Node) -> bool:
    """Whether a node is a statement, or a part of one that is no value."""
    return node.type.endswith(_STATEMENTS)


def is_value(node: Node) -> bool:
    """Whether a capture may stand for a node."""
    return (
        node.is_named
        and not is_statement(node)
        and node.type not in BLOCKS
        and node.type not in _PARTS
        and node.type not in NAMED_ITEMS
    )


def may_vary(node: Node) -> bool:
    """Whether code that is copied may be other code elsewhere: not the names of things."""
    if is_decisive(node) or not is_value(node) or "argument" in node.type:
        return False
    return bool(node.child_count) or not text_of(node)[:1].isalpha() or "type" not in node.type


def items_of(node: Node) -> list[Node] | None:
    """The items of a list; None for a node that is none."""
    if node.type in BLOCKS or "parenthesized" in node.type or "subscript" in node.type:
        return None
    children = [child for child in node.children if not is_comment(child)]
    signs = [text_of(child) for child in children if not child.is_named]
    items = [child for child in children if child.is_named]
    is_list = len(signs) > 1 and signs[0] in ("(", "[", "{") and set(signs[1:-1]) <= {","}
    return items if is_list and len(signs) - 2 >= len(items) - 1 else None


def slot_of(item: Node) -> object:
    """What an item of a list is known by: its name, or None for one that is at its place."""
    if item.type in NAMED_ITEMS:
        name = item.child_by_field_name("name") or item.child_by_field_name("key")
        if name is not None:
            return item.type, name.text
    return (item.type,) if item.type in _SPREADS else None


def framed(node: Node, parts: Sequence[str]) -> str:
    """The text of a list with other items."""
    plain = [child for child in node.children if not child.is_named]
    end = text_of(plain[-1])
    if node.type == "tuple" and len(parts) == 1 and not parts[0].startswith("$$$"):
        end = f",{end}"
    return text_of(plain[0]) + ", ".join(parts) + end


def spliced(node: Node, parts: Sequence[tuple[Node, str]], indent: int = 0) -> str:
    """The text of a node with other texts in the place of its children."""
    source, start = node.text or b"", node.start_byte
    text, at = "", 0
    for child, part in parts:
        gap = source[at : child.start_byte - start].decode("utf-8", "replace")
        text += ("" if at == 0 else _gap(gap, node, indent)) + part
        at = child.end_byte - start
    return text


def _gap(gap: str, node: Node, indent: int) -> str:
    """What stands between two children; inside an expression it is on one line."""
    if "\n" not in gap:
        return gap
    if is_statement(node) or node.type in BLOCKS:
        return " " if gap.strip() else gap.replace("\n" + " " * indent, "\n")
    return "" if node.type in ("parenthesized_expression", "attribute", "call") else " "


def root_of(node: Node) -> Node:
    """The root of the tree that a node is in."""
    while node.parent is not None:
        node = node.parent
    return node


def indent_of(node: Node) -> int:
    """The columns before the line on which a node starts."""
    return len(leading(root_of(node).text or b"", node.start_byte))


@lru_cache(maxsize=1_000)
def _names_of(root: Node) -> tuple[Scopes | None, set[str]]:
    """The names of a tree, and the packages that they may come from."""
    texts = imports_of(list(import_lines(root)))
    packages = {"builtins", *(text.split()[1].split(".")[0] for text in texts)}
    return Scopes(root) if root.type == "module" else None, packages


def meaning_of(node: Node | None) -> str:
    """What a name or an attribute stands for, however it was imported; "" if it was not."""
    if node is None or node.type not in NAME_KINDS:
        return ""
    scopes, packages = _names_of(root_of(node))
    names = scopes.qualified(node) if scopes is not None else ()
    name = next(iter(names)) if len(names) == 1 else ""
    package = name.split(".")[0]  # nothing, where it was imported from a neighbour
    return name if package and package in packages else ""


def forget_trees() -> None:
    """Lets go of the trees that are known: those of an example before."""
    code_of.cache_clear()
    _names_of.cache_clear()


# -- small functions -----------------------------------------------------------------------------

_MOST_ENDS = 12  # characters that are taken away at one end
_LOWER, _UPPER = {"convert": {"toCase": "lowerCase"}}, {"convert": {"toCase": "upperCase"}}
_DASHED = {"replace": {"replace": "_", "by": "-"}}
_FUNCTIONS: tuple[tuple[list[dict[str, Any]], Callable[[str], str]], ...] = (
    ([], str),
    ([_LOWER], str.lower),
    ([_UPPER], str.upper),
    ([_LOWER, _DASHED], lambda text: text.lower().replace("_", "-")),
    ([_DASHED], lambda text: text.replace("_", "-")),
)


class SmallFunction(NamedTuple):
    """Steps of a `transform`, what stands around the result, and what is cut off before."""

    steps: list[dict[str, Any]]
    lead: str
    end: str
    ends: tuple[str, str]


def function_of(captured: Sequence[str], wanted: Sequence[str]) -> SmallFunction | None:
    """The function that makes each wanted text of what was captured, if there is a small one."""
    least = 3 if len(set(captured)) == 1 else 1
    for head in range(_MOST_ENDS):
        for tail in range(_MOST_ENDS):
            cores = [text[head : len(text) - tail] for text in captured]
            if min(map(len, cores)) < least:
                break
            ends = [(text[:head], text[len(text) - tail :]) for text in captured]
            if len({("'", "'") if pair == ('"', '"') else pair for pair in ends}) > 1:
                continue
            cut = ({"startChar": head} if head else {}) | ({"endChar": -tail} if tail else {})
            for steps, function in _FUNCTIONS:
                core = function(cores[0])
                lead, _, end = wanted[0].partition(core)
                made = [lead + function(core) + end for core in cores]
                if core in wanted[0] and made == list(wanted):
                    changes = [{"substring": cut}] if cut else []
                    return SmallFunction([*changes, *steps], lead, end, ends[0])
    return None
