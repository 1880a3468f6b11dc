"""What evaluating an expression may do, when it is evaluated, and how its text stands elsewhere."""

from collections.abc import Iterator

from tree_sitter import Node

from astedit.python.scopes import NameScope, Scopes
from astedit.python.syntax import (
    COMPREHENSIONS,
    dotted,
    every_node,
    field_of,
    parts_of,
    text_of,
    words,
)
from astedit.text import shortened

LOOPS = ("for_statement", "while_statement")
LATE = ("function_definition", "lambda", "generator_expression", "class_definition")
_EFFECTS = ("call", "await", "yield", "named_expression")
_LITERALS = (
    *("integer", "float", "string", "concatenated_string", "true", "false", "none", "ellipsis"),
    *("unary_operator", "binary_operator", "not_operator", "tuple", "parenthesized_expression"),
    *("expression_list", "string_start", "string_content", "string_end", "escape_sequence"),
)
EACH = "for each element"
_LATER = {
    "lambda": "it would run now, and not when the lambda is called",
    "while_statement": "it would run once, and not each time around",
    "elif_clause": "it would run before the conditions above are known",
    "case_clause": "it would run before the case is known",
    "except_clause": "it would run whether or not there is an exception",
    "except_group_clause": "it would run whether or not there is an exception",
}
TARGETS = ("assignment", "augmented_assignment", "for_statement", "for_in_clause")
_HIDDEN = "it would run although what stands before it may say that it does not"
# the last part that is evaluated whatever the others are
_ALWAYS = {"comparison_operator": 1, "assert_statement": 0}
# of a list, which somebody may change before it is done again
_COMPUTED = (
    *("list_splat", "dictionary_splat", "interpolation", "binary_operator", "not_operator"),
    *("boolean_operator", "comparison_operator", "unary_operator"),
)
_ATOMS = (
    *("identifier", "integer", "float", "string", "true", "false", "none", "ellipsis", "call"),
    *("attribute", "subscript", "list", "tuple", "dictionary", "set", "parenthesized_expression"),
    *("list_comprehension", "set_comprehension", "dictionary_comprehension"),
)
_ROOMY = ("argument_list", "parenthesized_expression", "list", "tuple", "set", "keyword_argument",
          "return_statement", "expression_statement")  # fmt: skip
MUTABLE = ("list", "dictionary", "set", "list_comprehension", "set_comprehension",
            "dictionary_comprehension", "generator_expression", "lambda")  # fmt: skip


def not_constant(node: Node) -> str:
    """Why a value cannot be made once for all; "" if it can."""
    for inner in every_node(node):
        if inner.type not in _LITERALS:
            return f"{text_of(inner)[:40]} is not the same value each time, or can be changed"
    above = node.parent
    while above is not None and above.type not in ("block", "module"):
        if above.type in ("type", "case_pattern", "concatenated_string", "generic_type"):
            return "what stands there has to be written out"
        if above.type == "expression_statement" and parts_of(above) == [node]:
            return "it is a statement of its own"
        above = above.parent
    return ""


def not_at_once(node: Node) -> str:
    """Why an expression is not evaluated exactly once with its statement; "" if it is."""
    while (above := node.parent) is not None and above.type not in ("block", "module"):
        parts, field = parts_of(above), field_of(node)
        place = parts.index(node) if node in parts else 0
        if field in ("type", "return_type") or above.type in ("type", "case_pattern"):
            return "an annotation or a pattern has to be written out"
        if above.type in _LATER and not (above.type == "while_statement" and field == "body"):
            return _LATER[above.type]
        if above.type == "conditional_expression" and place != 1:
            return _HIDDEN
        if above.type == "boolean_operator" and field == "right":
            return _HIDDEN
        if place > _ALWAYS.get(above.type, place):
            return _HIDDEN
        is_target = field == "left" and above.type in TARGETS
        if is_target or above.type in ("delete_statement", "as_pattern_target"):
            return "it is what something is assigned to"
        if above.type == "for_in_clause" and not (field == "right" and _is_first(above)):
            return f"it would run once, and not {EACH}"
        if above.type in COMPREHENSIONS and node.type != "for_in_clause":
            return f"it would run once, and not {EACH}"
        if above.type == "generator_expression":
            return "it would run now, and not when the elements are asked for"
        if above.type == "with_item" and above.prev_named_sibling is not None:
            return "it would run before what stands before it is entered"
        if above.type == "concatenated_string":
            return "it is a part of a text"
        node = above
    return ""


def _is_first(clause: Node) -> bool:
    before = clause.prev_named_sibling
    return before is None or before.type != "for_in_clause"


def before_it(node: Node) -> Iterator[Node]:
    """What is evaluated before an expression in its statement, what it is passed to left out."""
    while (above := node.parent) is not None and above.type not in ("block", "module"):
        field = field_of(node)
        if above.type == "assignment" and field == "left":
            yield from above.children_by_field_name("right")
        is_target = above.type == "assignment" and field == "right"
        is_asked = above.type == "conditional_expression"
        is_iterated = above.type in ("for_statement", "for_in_clause", *COMPREHENSIONS)
        for part in parts_of(above) if not (is_target or is_asked or is_iterated) else ():
            if part.end_byte > node.start_byte:
                break
            if not (above.type == "call" and field_of(part) == "function" and dotted(part, ())):
                yield part
        node = above


def has_effects(node: Node) -> bool:
    """Whether to evaluate it may do something: it calls, waits, or binds."""
    return any(inner.type in _EFFECTS for inner in every_node(node, ("lambda",)))


def reads_state(node: Node) -> bool:
    """Whether its value may be another after something was done: it has attributes or items."""
    return any(inner.type in ("attribute", "subscript") for inner in every_node(node))


def may_change(node: Node, scopes: Scopes) -> bool:
    """Whether its value may be another after something was done, be it for what it computes."""
    computes = any(inner.type in _COMPUTED for inner in every_node(node)) and any(words(node))
    return computes or not is_stable(node, scopes)


def is_stable(node: Node, scopes: Scopes) -> bool:
    """Whether its value is the same whatever is done: literals, and names nobody else binds."""
    if has_effects(node) or reads_state(node):
        return False
    for word in words(node):
        holder = scopes.holder(word)
        if holder is not None and len(holder.bindings[text_of(word)]) > 1:
            return False
    return True


def reordered(node: Node, scopes: Scopes) -> str:
    earlier = list(before_it(node))
    busy = [part for part in earlier if has_effects(part)]
    if busy and not is_stable(node, scopes):
        return f"it would run before {_short(busy[0])}, which runs before it now"
    if has_effects(node):
        read = [part for part in earlier if may_change(part, scopes)]
        if read:
            return f"it would run before {_short(read[0])} is read"
    return ""


def _short(node: Node) -> str:
    return shortened(" ".join(text_of(node).split()), 40)


def is_within(node: Node, outer: Node) -> bool:
    return outer.start_byte <= node.start_byte and node.end_byte <= outer.end_byte


def fitting(text: bytes, node: Node, use: Node) -> bytes:
    """The text of an expression, in brackets where it would be read another way without."""
    above = use.parent
    kind = above.type if above is not None else ""
    is_value = kind == "assignment" and field_of(use) == "right"
    bare = ("expression_list", "named_expression")
    roomy = (kind in _ROOMY or is_value) and node.type not in bare
    number = node.type in ("integer", "float") and kind == "attribute"
    if b"\n" in text and kind not in _ROOMY[:6]:
        roomy = False
    return text if (node.type in _ATOMS and not number) or roomy else b"(" + text + b")"


def is_scope_of(scope: NameScope, scopes: Scopes, value: Node) -> bool:
    """Whether a scope is that of a lambda or a comprehension in an expression."""
    return any(scopes.inside(node) is scope for node in every_node(value))
