"""Rust."""

from typing import TYPE_CHECKING

from astedit.language.brackets import Brackets, beyond, place_without_brackets, words
from astedit.language.facts import Barred, Facts, Naming, Respelling, Spelling
from astedit.language.traits import Traits

if TYPE_CHECKING:
    from tree_sitter import Node

_CONTEXTS = """
an expression in a function | fn f() { …; }
a statement in a function | fn f() { … }
a value | fn f() { x = …; }
a struct field | struct S { … }
a field of a struct expression | fn f() { S { … }; }
an arm of a match | fn f() { match x { … } }
a pattern | fn f() { let … = x; }
an item of an impl | impl S { … }
a variant of an enum | enum E { … }
a type | type T = …;
a parameter | fn f(…) {}
"""
_DEFINITIONS = """
(mod_item name: (_) @name body: (_) @body) @scope
(impl_item type: (_) @name body: (_) @body) @scope
(struct_item name: (_) @name body: (_)? @body) @class
(enum_item name: (_) @name body: (_) @body) @class
(union_item name: (_) @name body: (_) @body) @class
(trait_item name: (_) @name body: (_) @body) @class
(type_item name: (_) @name type: (_) @body) @class
(function_item name: (_) @name body: (_) @body) @function
(function_signature_item name: (_) @name) @function
(macro_definition name: (_) @name) @function
(const_item name: (_) @name) @variable
(static_item name: (_) @name) @variable
(enum_variant name: (_) @name) @variable
(field_declaration name: (_) @name) @variable
(let_declaration pattern: (identifier) @name) @variable
"""
_GROUPED = """
    async_block block compound_assignment_expr macro_invocation tuple_expression unsafe_block
"""

_POSTFIX = """
    await_expression call_expression.function field_expression index_expression.first
    try_expression
"""
_ASSIGNED = "assignment_expression.left compound_assignment_expr.left"
_BEFORE = f"{_POSTFIX} {_ASSIGNED} binary_expression.left type_cast_expression range_expression"
_LET = "let_condition"  # whose value ends where `&&` begins
_APART = {
    "type_cast_expression": _POSTFIX,
    "range_expression": f"{_BEFORE} {_LET} binary_expression.right unary_expression",
    **dict.fromkeys(("assignment_expression", "compound_assignment_expr"), f"{_ASSIGNED} {_LET}"),
    **dict.fromkeys(("binary_expression:&&", "binary_expression:||"), _LET),
}
# At the beginning of a statement these are the statement, and what follows is another one.
_BLOCKS = words("""
    block const_block for_expression if_expression loop_expression match_expression
    unsafe_block while_expression
""")
_GOES_ON = ("await_expression", "field_expression", "try_expression")
_BINDING = ("let_declaration", "mut_pattern", "parameter")
_STATEMENTS = ("block", "expression_statement", "match_arm")


def _lacks_brackets(node: "Node") -> bool:
    """Is it `match a {}` that begins the statement `match a {} / 2`, or before an `else` `A {}` or
    `a || b`?"""
    outer = node.parent
    if outer is None:
        return False
    if outer.type == "let_declaration":
        is_value = outer.child_by_field_name("value") == node
        has_else = outer.child_by_field_name("alternative") is not None
        is_lazy = node.type == "binary_expression" and node.children[1].type in ("&&", "||")
        return is_value and has_else and (is_lazy or (node.text or b"").endswith(b"}"))
    if node.type not in _BLOCKS or outer.type in (*_GOES_ON, *_STATEMENTS):
        return False
    begin, ends = node.start_byte, _STATEMENTS
    place, outer = beyond(node, lambda one: one.start_byte == begin and one.type not in ends)
    if outer is None or outer.type not in _STATEMENTS:
        return False
    return outer.type != "match_arm" or outer.child_by_field_name("value") == place


def _refuses(node: "Node") -> bool:
    """Is it a `mut` before anything but a name, as in `let mut (a, b)`, a literal that is to be
    a name, or a call assigned to?

    What has a capital, `A(b) = c`, is a pattern.
    """
    if node.type == "call_expression":
        function = node.children[0].text or b""
        is_pattern = b"." not in function and function.rpartition(b":")[2][:1].isupper()
        place, outer = place_without_brackets(node)
        is_assigned = outer is not None and outer.type in _ASSIGNING and outer.children[0] == place
        return is_assigned and not is_pattern
    if node.type.endswith("_literal"):
        place, outer = beyond(node, lambda outer: outer.type == "tuple_pattern")
        if outer is None or outer.type == "closure_parameters":
            return outer is not None
        is_name = outer.type in (*_BINDING, "for_expression")
        return is_name and outer.child_by_field_name("pattern") == place
    outer, behind = node.parent, node.next_sibling
    if node.type != "mutable_specifier" or outer is None or behind is None:
        return False
    return outer.type in _BINDING and behind.type not in ("identifier", "self")


_FUNCTIONS = "async_block closure_expression function_item"
_JUMPS = {
    **dict.fromkeys(("return_expression", "try_expression"), _FUNCTIONS),
    **dict.fromkeys(
        ("break_expression", "continue_expression"),
        f"{_FUNCTIONS} for_expression loop_expression while_expression",
    ),
}
_ASSIGNING = ("assignment_expression", "compound_assignment_expr")

LANGUAGE = Traits(
    facts=Facts.of(
        "string_literal raw_string_literal",
        dotted="",
        plain_holes=True,
        keywords="""
            async_block await_expression break_expression const_item continue_expression
            else_clause enum_item for_expression function_item:fn if_expression impl_item
            let_declaration loop_expression match_expression mod_item return_expression
            static_item struct_item trait_item type_item unsafe_block use_declaration
            while_expression attribute_item:# macro_invocation:! range_expression:..|..=
            try_expression:?
        """,
    ),
    contexts=_CONTEXTS,
    spelling=Spelling(
        semicolons=True, wider=(Respelling("With type arguments", r"\(", "::<$$$TYPES>("),)
    ),
    definitions=Naming(_DEFINITIONS, by_path=True),
    brackets=Brackets.around(
        _GROUPED,
        _APART,
        {"block": "range_expression"},  # which ends before it in a condition
        last={
            "type_cast_expression": "binary_expression:<.left binary_expression:<<.left",
            **dict.fromkeys(("break_expression", "return_expression"), _BEFORE),
        },
        joined="/* <-",
        elsewhere={"field_expression": "call_expression.function generic_function.function"},
        lacking=_lacks_brackets,
    ),
    barred=Barred.of(
        dict.fromkeys(
            ("binary_expression", "float_literal", "integer_literal", "string_literal"), _ASSIGNED
        ),
        functions=_FUNCTIONS,
        bound={"await_expression": "async"},
        jumps=_JUMPS,
        is_checked=False,
        leading={"inner_attribute_item": "inner_attribute_item shebang"},
        refuses=_refuses,
    ),
)
