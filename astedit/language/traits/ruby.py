"""Ruby."""

from itertools import pairwise
from typing import TYPE_CHECKING

from astedit.language.brackets import Brackets, nearest, place_names, words
from astedit.language.facts import END, Barred, Facts, Naming, Spelling
from astedit.language.traits import Traits

if TYPE_CHECKING:
    from tree_sitter import Node

_CONTEXTS = """
an entry of a hash | x = { … }
an argument | f(…)
a clause of a case | case x\\n…\\nend
a clause of a begin | begin\\n  a\\n…\\nend
a parameter | def f(…)\\nend
"""
_DEFINITIONS = """
(module name: (_) @name body: (_)? @body) @class
(class name: (_) @name body: (_)? @body) @class
(method name: (_) @name body: (_)? @body) @function
(singleton_method name: (_) @name body: (_)? @body) @function
(assignment left: [(identifier) (constant)] @name) @variable
(assignment left: [(instance_variable) (class_variable)] @member) @variable
"""
_GROUPED = """
    array assignment begin binary call case conditional element_reference float hash if
    if_modifier integer lambda operator_assignment range regex rescue_modifier simple_symbol
    string unary unless unless_modifier yield
"""
_OPERANDS = """
    argument_list array assignment.right binary call.receiver conditional element_reference
    operator_assignment.right pair unary
"""
_CONDITIONS = (
    "case.value if.condition elsif.condition unless.condition while.condition until.condition"
)
_PASSED = "block_argument keyword_parameter optional_parameter"
_EQUAL = ("==", "!=", "=~", "!~", "===", "<=>")
_APART = {
    **dict.fromkeys(
        ("if_modifier", "unless_modifier", "while_modifier", "until_modifier", "rescue_modifier"),
        _OPERANDS + _CONDITIONS,
    ),
    "unary:not": f"{_OPERANDS} pattern range rescue_modifier right_assignment_list splat_argument"
    f" {_PASSED}",
    "range": "range",
    **dict.fromkeys(
        ("binary:and", "binary:or", "test_pattern"),
        "argument_list array assignment.right call.receiver conditional element_reference pair "
        f"pattern range splat_argument {_PASSED}",
    ),
    **{f"binary:{sign}": " ".join(f"binary:{other}" for other in _EQUAL) for sign in _EQUAL},
}
_VALUES = """
    argument_list array assignment.right binary.left call.receiver conditional
    case.value element_reference if_modifier.condition operator_assignment.right pair
    right_assignment_list unary unless_modifier.condition until_modifier.condition
    while_modifier.condition yield
"""
_WHERE_VALUES_ARE = words(_VALUES + _CONDITIONS)
_SIGNS = ("+", "-", "*", "/", "%", "**", "==", "!=", "<", ">", "<=", ">=", "<=>", "=~", "<<")
_RIGHT = " ".join(f"binary:{sign}.right" for sign in _SIGNS)
_BARRED = dict.fromkeys(
    ("return", "break", "next", "redo", "retry"), f"{_VALUES} {_CONDITIONS} {_RIGHT} hash range"
) | {
    "pair": "only:argument_list only:array only:element_reference only:hash",
    **dict.fromkeys(("false", "nil", "self", "true"), "assignment.left operator_assignment.left"),
}

_OPEN = ("and", "or", "not", "!")  # operators that take what is called without brackets
_NO_OPERANDS = words("""
    argument_list array call.receiver conditional element_reference pair range splat_argument
    hash_splat_argument block_argument right_assignment_list when pattern optional_parameter
    keyword_parameter
    """)
_DEPTH = 100
_CALLED = ("call", "identifier", "super", "yield")
_MODIFIERS = ("if", "unless", "while", "until")
_WORDS = (b"do", b"then")
_LEAVING = frozenset({"return", "break", "next"})
_METHODS = frozenset({"method", "singleton_method"})
_CLASSES = frozenset({"class", "module", "singleton_class"})
_LISTS = words("argument_list array block_body body_statement hash parenthesized_statements")
_BLOCKS = frozenset({"block", "do_block", "lambda", "while", "until", "for"})


def _arguments(node: "Node") -> "Node | None":
    """The arguments of a call that are in no brackets."""
    listing = node.child_by_field_name("arguments")
    if listing is None and node.type in ("yield", *_LEAVING):
        listing = next((c for c in node.children if c.type == "argument_list"), None)
    return listing if listing is not None and listing.children[0].type != "(" else None


def _assigns_several(node: "Node") -> bool:
    sides = [node.child_by_field_name("left"), node.child_by_field_name("right")]
    kinds = [side.type for side in sides if side is not None]
    assigns = node.type == "assignment"
    return assigns and any(kind.endswith(("_list", "splat_argument")) for kind in kinds)


def _is_open(node: "Node") -> bool:
    """Does it end in a call without brackets, or is it an assignment of several values?

    What nobody writes, a hundred signs in a row, counts as one.
    """
    end: Node | None = node
    for _ in range(_DEPTH):
        if end is None or _assigns_several(end):
            return end is not None
        if end.type in ("assignment", "operator_assignment"):
            end = end.child_by_field_name("right")
        elif end.type == "unary":
            end = end.child_by_field_name("operand")
        elif end.type == "element_reference":  # in `a * b.c [d]` it is an argument
            object_, bracket = end.children[:2]
            return object_.type in _CALLED and object_.end_byte < bracket.start_byte
        else:
            return end.type in ("call", "yield") and _arguments(end) is not None
    return True


def _lacks_brackets(node: "Node") -> bool:
    """Is it a call without brackets as an operand, or a hash that is read as a block?"""
    if node.type == "hash" and _opens_arguments(node):
        return True
    parent = node.parent
    if parent is None:
        return False
    if parent.type == "optional_parameter" and node.type == "binary":
        return parent.parent is not None and parent.parent.type == "block_parameters"
    block = node.child_by_field_name("block")
    if block is not None and block.type == "do_block":
        listing = nearest(node, _LISTS)
        user = None if listing is None or listing.children[0].type == "(" else listing.parent
        if user is not None and user.type == "yield":
            return True
    if node.type in _MODIFIERS and "unary:not" in place_names(node, parent):
        return True  # after `not` they are read as those that stand behind a statement
    if not _is_open(node):
        return False
    if parent.type == "argument_list" and parent.named_child_count == 1:
        return node.type != "call" or node.child_by_field_name("block") is not None
    if parent.type == "parenthesized_statements" and parent.parent is not None:
        return "unary:defined?" in place_names(parent, parent.parent)
    places = frozenset(place_names(node, parent))
    if node.type.endswith("assignment"):
        return parent.type in ("binary", "unary") or not places.isdisjoint(_WHERE_VALUES_ARE)
    if parent.type in ("binary", "unary"):
        operator = parent.child_by_field_name("operator")
        return operator is not None and operator.type not in _OPEN
    return not _NO_OPERANDS.isdisjoint(places)


def _opens_arguments(node: "Node") -> bool:
    listing = nearest(node, ("argument_list",))
    if listing is None or listing.start_byte != node.start_byte or listing.parent is None:
        return False
    return listing.parent.type in ("call", "yield")


def _lacks_comma(listing: "Node") -> bool:
    """Does an item follow another one on a new line, as statements do?"""
    items = [child for child in listing.children if not child.is_extra]
    return any(one.is_named and two.is_named for one, two in pairwise(items))


def _opens_with_word(node: "Node") -> bool:
    """Does it begin with the `then` of a branch, which the grammar takes for a name?"""
    while node.child_count:
        node = node.children[0]
    if node.type != "identifier" or node.text not in _WORDS:
        return False
    before = node.prev_sibling
    return before is None or before.type not in (".", "&.", "::", "def")


def _ends_value(node: "Node", parent: "Node") -> bool:
    """Is it the last statement of a `begin` whose value is used?"""
    if parent.type != "begin" or parent.parent is None or parent.named_children[-1] != node:
        return False
    return not _WHERE_VALUES_ARE.isdisjoint(place_names(parent, parent.parent))


def _refuses(node: "Node") -> bool:
    parent = node.parent
    if parent is None:
        return False
    if _opens_with_word(node):
        return True
    if node.type == "comment":  # the only one that has to begin its line
        return (node.text or b"").startswith(b"=") and node.start_point[1] > 0
    if node.type == "block_argument":
        caller = parent.parent
        return parent.type != "argument_list" or caller is None or caller.type != "call"
    if node.type == "splat_argument" and parent.type == "assignment":
        return _lacks_brackets(parent)
    if node.type in ("array", "argument_list") and _lacks_comma(node):
        return True
    if node.type == "call" and node.children[0].text in (b"alias", b"undef"):
        return True
    if node.type == "yield":
        outer = nearest(node, _METHODS | _CLASSES)
        return outer is None or outer.type in _CLASSES
    if node.type in _LEAVING and _ends_value(node, parent):
        return True
    if node.type == "return":
        outer = nearest(node, _METHODS | _CLASSES | _BLOCKS)
        return outer is not None and outer.type in _CLASSES
    if node.type == "constant" and "assignment.left" in place_names(node, parent):
        outer = nearest(node, _METHODS | _CLASSES)
        return outer is not None and outer.type in _METHODS
    return False


LANGUAGE = Traits(
    facts=Facts.of(
        "string heredoc_body subshell regex delimited_symbol uninterpreted comment",
        "#",
        plain_holes=True,
        bare="body_statement then block_body",
    ),
    contexts=_CONTEXTS,
    spelling=Spelling(bodies=END),
    definitions=Naming(_DEFINITIONS),
    brackets=Brackets.around(
        _GROUPED,
        _APART,
        {"hash": "unary:not"},  # which is read as a block
        lists="call.argument_list",
        same={"unary": "unary"},  # `not (a)` is one by another rule of the grammar than `not a`
        joined="!~ && **",
        lacking=_lacks_brackets,
    ),
    barred=Barred.of(
        _BARRED,
        ranks="pair|hash_splat_argument block_argument",
        lists="argument_list array",
        refuses=_refuses,
    ),
)
