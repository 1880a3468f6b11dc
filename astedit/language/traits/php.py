"""PHP."""

import re
from typing import TYPE_CHECKING

from astedit.language.brackets import Brackets, nearest, place_names, place_without_brackets, words
from astedit.language.facts import Barred, Facts, Naming, Spelling
from astedit.language.traits import Traits

if TYPE_CHECKING:
    from tree_sitter import Node

_CONTEXTS = """
a class member | class A { … }
an expression | …;
a statement | function f() { … }
a value | $x = …;
an entry of an array | $x = [ … ];
an arm of a match | $x = match ($y) { … };
a case of a switch | switch ($x) { … }
a catch clause | try {} …
a parameter | function f(…) {}
an attribute | … function f() {}
"""
_DEFINITIONS = """
(namespace_definition name: (_) @prefix !body)
(namespace_definition name: (_) @name body: (_) @body) @scope
(class_declaration name: (_) @name body: (_) @body) @class
(interface_declaration name: (_) @name body: (_) @body) @class
(trait_declaration name: (_) @name body: (_) @body) @class
(enum_declaration name: (_) @name body: (_) @body) @class
(function_definition name: (_) @name body: (_) @body) @function
(method_declaration name: (_) @name body: (_)? @body) @function
(property_declaration (property_element name: (variable_name (name) @name))) @variable
(const_declaration (const_element . (name) @name)) @variable
(enum_case name: (_) @name) @variable
(assignment_expression left: (variable_name (name) @name)) @variable
"""
_GROUPED = """
    anonymous_function arrow_function boolean encapsed_string float integer null print_intrinsic
    string
"""
_EQUAL = ("==", "!=", "<>", "===", "!==", "<=>")
_ORDERED = ("<", "<=", ">", ">=")
_APART = {  # operators of which no two may stand in a row
    f"binary_expression:{sign}": " ".join(f"binary_expression:{other}" for other in alike)
    for alike in (_EQUAL, _ORDERED)
    for sign in alike
} | {
    "conditional_expression": "conditional_expression.condition",
    "print_intrinsic": "binary_expression:instanceof.left",
}
_SIGNED = ("cast_expression", "error_suppression_expression", "unary_op_expression")
_LAST = dict.fromkeys(_SIGNED, "binary_expression:**.left")
_FIRST = {
    "binary_expression:instanceof": """
        binary_expression:**.right cast_expression clone_expression error_suppression_expression
        unary_op_expression:- unary_op_expression:+ unary_op_expression:~
    """,
    **dict.fromkeys(
        ("binary_expression:and", "binary_expression:or", "binary_expression:xor"),
        "print_intrinsic yield_expression",
    ),
}
_VARIABLES = """
    dynamic_variable_name member_access_expression scoped_property_access_expression
    subscript_expression variable_name
"""
_CALLS = """
    function_call_expression member_call_expression nullsafe_member_call_expression
    scoped_call_expression
"""
_NO_CLASSES = """
    array_creation_expression boolean class_constant_access_expression float integer null
"""
_CLASS_PLACES = """
    class_constant_access_expression object_creation_expression scoped_call_expression.scope
    scoped_property_access_expression.scope binary_expression:instanceof.right
"""
_TARGETS = {
    "assignment_expression.left": f"{_VARIABLES} list_literal array_creation_expression",
    "augmented_assignment_expression.left": _VARIABLES,
    "reference_assignment_expression.left": _VARIABLES,
    "reference_assignment_expression.right": _VARIABLES + _CALLS,
    "by_ref": _VARIABLES,
    "update_expression": _VARIABLES,
    "unset_statement": _VARIABLES,
}
_LOOPED = words(f"{_VARIABLES} array_creation_expression by_ref list_literal pair")
_LINKS = frozenset(_VARIABLES.split()) - {"dynamic_variable_name", "variable_name"}
_LIKE_LINKS = ("nullsafe_member_access_expression", "parenthesized_expression")
_WRITTEN = frozenset((*_VARIABLES.split(), *_CALLS.split()))
_TEXTS = ("encapsed_string", "heredoc_body", "shell_command_expression")
_IN_TEXT = _WRITTEN | {"nullsafe_member_access_expression"}
_FUNCTIONS = words("anonymous_function arrow_function function_definition method_declaration")
_LOOPS = " ".join(
    (*_FUNCTIONS, "do_statement", "for_statement", "foreach_statement", "while_statement")
)
_CONSTANTS = words(
    "attribute class_declaration const_declaration property_declaration simple_parameter"
)
_MADE = words("""
    anonymous_function arrow_function assignment_expression clone_expression
    function_call_expression include_expression match_expression member_call_expression
    print_intrinsic require_expression scoped_call_expression
    throw_expression update_expression variable_name yield_expression
    """)
_NAMED = ("property_element", "simple_parameter")
_TESTS = (b"isset", b"empty", b"eval")  # are called like functions, and are none
_NEW = "object_creation_expression"
_AS_CLASS = words(_CLASS_PLACES + " function_call_expression.function")
_VALUES = words(
    "__CLASS__ __DIR__ __FILE__ __FUNCTION__ __LINE__ __METHOD__ __NAMESPACE__ FALSE NULL TRUE"
)
_GENERATORS = re.compile(rb"generator|iter|traversable|mixed|object", re.IGNORECASE)


def _calls(node: "Node | None", names: tuple[bytes, ...] = _TESTS) -> bool:
    """Is it read as a call of one of these?"""
    function = node and node.child_by_field_name("function")
    return function is not None and (function.text or b"").lower() in names


def _lacks_brackets(node: "Node") -> bool:
    """Is it `isset($a)` or `new A()` before `->`, `[` or `::`, or a `yield` read as a call?"""
    if _calls(node, (b"yield",)):  # behind a cast
        return True
    parent = node.parent
    if parent is None or parent.children[0].id != node.id:
        return False
    if node.type != _NEW and not _calls(node):
        return False
    return parent.type in _LINKS or parent.type.endswith(("access_expression", "call_expression"))


def _refuses(node: "Node") -> bool:
    parent = node.parent
    if parent is None or not node.is_named:
        return False
    if parent.type == "argument" and parent.parent and _calls(parent.parent.parent, (b"isset",)):
        return node.type not in _IN_TEXT or node.type.endswith("call_expression")
    if parent.type in _TEXTS and node.prev_sibling and node.prev_sibling.type == "{":
        return node.type not in _IN_TEXT or not (node.text or b"").startswith(b"$")
    if parent.type == "reference_assignment_expression" and _calls(node):
        return True
    if node.type == "cast_type":  # its brackets are part of a word
        closing = node.next_sibling
        return closing is not None and parent.start_point[0] != closing.start_point[0]
    if node.type == "name" and (node.text or b"").decode().upper() in _VALUES:
        return not _AS_CLASS.isdisjoint(place_names(node, parent))
    return _is_misreturned(node) or _is_made(node) or _is_not_writable(node)


def _is_misreturned(node: "Node") -> bool:
    """Does a function yield, or return a value, whose type says that it does not?"""
    if node.type not in ("return_statement", "yield_expression"):
        return False
    function = nearest(node, _FUNCTIONS)
    kind = function and function.child_by_field_name("return_type")
    if function is None or kind is None:
        return function is None and node.type == "yield_expression"
    text = (kind.text or b"").lower()
    if node.type == "yield_expression":
        return not _GENERATORS.search(text)
    return text == b"never" or (text == b"void" and node.named_child_count > 0)


def _is_declared(node: "Node") -> bool:
    """Is it the name of a parameter or a property, and not what that is at first?"""
    parent = node.parent
    value = parent and parent.child_by_field_name("default_value")
    return parent is not None and parent.type in _NAMED and (value is None or value.id != node.id)


def _is_made(node: "Node") -> bool:
    """Is it something that is made as the program runs, in what must be a constant?"""
    if node.type not in _MADE or (node.type == "variable_name" and _is_declared(node)):
        return False
    outer = nearest(node, _FUNCTIONS | _CONSTANTS)
    return outer is not None and outer.type in _CONSTANTS


def _writes(outer: "Node", target: "Node") -> bool:
    """Does an assignment, `++` or a loop write to that?"""
    if outer.type == "foreach_statement":
        before = target.prev_sibling
        return before is not None and before.type == "as"
    if outer.type in ("update_expression", "unset_statement"):
        return True
    if outer.type == "reference_assignment_expression":
        return target in (outer.child_by_field_name("left"), outer.child_by_field_name("right"))
    return "assignment" in outer.type and target == outer.child_by_field_name("left")


def _is_not_writable(node: "Node") -> bool:
    """Is it what `$a[1] = 2` would write to, and cannot be written to?"""
    inner, outer = node, node.parent
    while outer is not None and outer.type in (*_LINKS, *_LIKE_LINKS):
        if outer.type != "parenthesized_expression" and outer.children[0].id != inner.id:
            return False
        inner, outer = outer, outer.parent
    if outer is not None and outer.type == "return_statement":
        function = nearest(outer, _FUNCTIONS)
        kinds = {child.type for child in function.children} if function is not None else set()
        return node.type.startswith("nullsafe") and "reference_modifier" in kinds
    if outer is None or not _writes(outer, inner):
        return False
    if node.type.startswith("nullsafe_member_access"):
        return True
    if inner.id == node.id:
        return node.type not in _LOOPED and outer.type == "foreach_statement"
    _, link = place_without_brackets(node)
    if link is None or node.type in _WRITTEN or node.type == "parenthesized_expression":
        return False
    return link.type in ("member_access_expression", "subscript_expression")


LANGUAGE = Traits(
    facts=Facts.of(
        "string encapsed_string heredoc nowdoc shell_command_expression",
        "// #",
        plain_holes=True,
        output=re.compile(rb"\?>.*?<\?(?:php|=)", re.DOTALL),
        calls_only=re.compile(r"((?<=:)\s*\$+(?:[A-Z_][A-Z0-9_]*)?)(?=\s*(?:else|end))"),
    ),
    contexts=_CONTEXTS,
    spelling=Spelling(semicolons=True, sigils=True, named_variables=True),
    definitions=Naming(_DEFINITIONS),
    brackets=Brackets.around(
        _GROUPED, _APART, _FIRST, last=_LAST, joined=".0 0.", lacking=_lacks_brackets
    ),
    barred=Barred.of(
        dict.fromkeys(_NO_CLASSES.split(), _CLASS_PLACES),
        _TARGETS,
        functions=" ".join(_FUNCTIONS),
        jumps={
            **dict.fromkeys(("return_statement", "yield_expression"), " ".join(_FUNCTIONS)),
            "break_statement": f"{_LOOPS} switch_statement",
            "continue_statement": _LOOPS,
        },
        ranks="variadic_unpacking named",
        lists="arguments",
        leading=dict.fromkeys(
            ("declare_statement", "namespace_definition"), "declare_statement php_tag"
        ),
        refuses=_refuses,
    ),
)
