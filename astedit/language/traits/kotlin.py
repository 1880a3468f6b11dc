"""Kotlin."""

from typing import TYPE_CHECKING

from astedit.language.brackets import Brackets, words
from astedit.language.facts import TYPE_ARGUMENTS, Barred, Facts, Naming, Spelling
from astedit.language.traits import Traits

if TYPE_CHECKING:
    from tree_sitter import Node

_CONTEXTS = """
a class member | class A { … }
a statement in a function | fun f() { … }
a value | val x = …
an argument | val x = f(…)
an entry of a when | val x = when (y) { … }
a catch clause | val x = try { } …
a parameter | fun f(…) {}
a type | val x: … = 1
"""
_DEFINITIONS = """
(package_header (qualified_identifier) @prefix)
(class_declaration name: (_) @name (class_body)? @body) @class
(object_declaration name: (_) @name (class_body)? @body) @class
(companion_object (class_body) @body) @scope
(type_alias type: (identifier) @name) @class
(function_declaration name: (_) @name (function_body)? @body) @function
(secondary_constructor (block) @body) @function
(property_declaration (variable_declaration (identifier) @name)) @variable
(enum_entry (identifier) @name) @variable
"""

# The grammar takes `-a` for what `-a.b` is of, and all of `a as B` for the operand of `!!`.
_BEHIND = """
    call_expression.first index_expression.first navigation_expression.first
    unary_expression.argument
"""
_TIGHTER = " ".join(
    f"binary_expression:{sign}.left" for sign in ("*", "/", "%", "+", "-", "?:", "<")
)
# Of `a + f<T>(b)` it takes `a + f` for what is called.
_OPERATIONS = """
    binary_expression in_expression infix_expression range_expression
    unary_expression:- unary_expression:+ unary_expression:!
"""
_KINDS = words(_OPERATIONS)
_LAST = {
    "is_expression": f"{_BEHIND} {_TIGHTER} as_expression infix_expression range_expression",
    "as_expression": f"{_BEHIND} binary_expression:<.left",
    **{f"unary_expression:{sign}": _BEHIND for sign in ("-", "+", "!", "++", "--")},
}
# `a < b < c` might have type arguments, so the grammar takes `b < c` first.
_APART = {
    "binary_expression:<": "binary_expression:<.right binary_expression:>.right"
    " binary_expression:<=.right binary_expression:>=.right",
    "return_expression": "unary_expression.argument",  # `return!!` returns `!!`
    "function_type": "nullable_type",
}
# There it is read as a block.
_FIRST = {"lambda_literal": "if_expression when_entry"}
_BODIES = "do_while_statement for_statement if_expression when_entry while_statement"


def _lacks_brackets(node: "Node") -> bool:
    """Is it `a::b` or `::b` right before arguments, which Kotlin keeps for later?

    Or an operation before type arguments, which the grammar takes for two comparisons?
    """
    if node.type in _KINDS:
        less = node.parent
        more = less.parent if less is not None else None
        signs = [at.children[1].type for at in (less, more) if at and at.child_count > 2]
        if more is not None and more.start_byte == node.start_byte and signs == ["<", ">"]:
            return more.children[2].type == "parenthesized_expression"
    second = node.child(1) if node.child_count > 2 else None
    is_reference = node.type == "callable_reference" or (second is not None and second.type == "::")
    outer = node.parent
    return is_reference and outer is not None and outer.type == "call_expression"


LANGUAGE = Traits(
    facts=Facts.of("multiline_string_literal string_literal", "// #!", plain_holes=True),
    contexts=_CONTEXTS,
    spelling=Spelling(wider=(TYPE_ARGUMENTS,)),
    definitions=Naming(_DEFINITIONS, constructor="constructor"),
    brackets=Brackets.around(
        "anonymous_function callable_reference function_type",
        _APART,
        last=_LAST,
        first=_FIRST,
        loose=_BEHIND,
        joined="-- ++ !!",
        same={"callable_reference": "navigation_expression"},  # the grammar has `A::b` for either
        missed=_OPERATIONS,
        lacking=_lacks_brackets,
        operations=_OPERATIONS,
        postfix=_BEHIND.replace("unary_expression.argument", ""),
        trailing="annotated_lambda",
    ),
    barred=Barred.of(
        {
            "property_declaration": _BODIES,
            "spread_expression": "only:value_argument",
            **dict.fromkeys(
                ("binary_expression", "call_expression", "number_literal", "string_literal"),
                "assignment.left unary_expression:++.argument unary_expression:--.argument",
            ),
        },
        jumps={"this_expression": "class_body"},
    ),
)
