"""C#."""

import re
from typing import TYPE_CHECKING

from astedit.language.brackets import Brackets, place_without_brackets
from astedit.language.facts import TYPE_ARGUMENTS, Barred, Facts, Naming, Respelling, Spelling
from astedit.language.traits import Traits
from astedit.language.traits.c import may_join_cast

if TYPE_CHECKING:
    from tree_sitter import Node

_CONTEXTS = """
a class member | class A { … }
an expression in a method | class A { void F() { …; } }
a statement in a method | class A { void F() { … } }
a value | class A { void F() { x = …; } }
a member of an interface | interface A { … }
a member of an enum | enum A { … }
an accessor of a property | class A { int P { … } }
a case of a switch | class A { void F() { switch (x) { … } } }
a catch clause | class A { void F() { try {} … } }
a parameter | class A { void F(…) {} }
a type | class A { … x; }
an attribute | class A { … void F() {} }
"""
_DEFINITIONS = """
(file_scoped_namespace_declaration name: (_) @prefix)
(namespace_declaration name: (_) @name body: (_) @body) @scope
(class_declaration name: (_) @name body: (_)? @body) @class
(struct_declaration name: (_) @name body: (_)? @body) @class
(interface_declaration name: (_) @name body: (_)? @body) @class
(record_declaration name: (_) @name body: (_)? @body) @class
(enum_declaration name: (_) @name body: (_)? @body) @class
(delegate_declaration name: (_) @name) @class
(method_declaration name: (_) @name body: (_)? @body) @function
(local_function_statement name: (_) @name body: (_)? @body) @function
(constructor_declaration name: (_) @constructor body: (_)? @body) @function
(property_declaration name: (_) @name) @variable
(event_declaration name: (_) @name) @variable
(enum_member_declaration name: (_) @name) @variable
(field_declaration (variable_declaration (variable_declarator name: (_) @name))) @variable
(event_field_declaration (variable_declaration (variable_declarator name: (_) @name))) @variable
(local_declaration_statement
  (variable_declaration (variable_declarator name: (_) @name))) @variable
"""

_OPERANDS = """
    as_expression await_expression binary_expression cast_expression conditional_access_expression
    conditional_expression.condition is_expression is_pattern_expression prefix_unary_expression
    range_expression switch_expression with_expression
"""
_BEHIND = """
    conditional_access_expression element_access_expression.expression
    invocation_expression.function member_access_expression.expression postfix_unary_expression
"""
_TESTS = ("as_expression", "is_expression", "is_pattern_expression")
_APART = {  # the grammar takes `-a = b` for a sign before an assignment
    "assignment_expression": _OPERANDS,
    "conditional_expression": f"{_OPERANDS} interpolation",  # in which a `:` begins a format
    "lambda_expression": _OPERANDS.replace("cast_expression", ""),
    "query_expression": _OPERANDS,
    "switch_expression": f"{_BEHIND} range_expression",
    "with_expression": f"{_BEHIND} range_expression",
    **dict.fromkeys(_TESTS, f"{_BEHIND} range_expression switch_expression with_expression"),
}
_TIGHTER = " ".join(
    f"binary_expression:{sign}.left" for sign in ("+", "-", "*", "/", "%", "<<", ">>", "<")
)
# The grammar takes all of `a ?? b` for the operand in `a ?? b?.c`.
_CHAIN = "conditional_access_expression"
_LAST = dict.fromkeys(
    ("await_expression", "binary_expression", "cast_expression", "prefix_unary_expression"), _CHAIN
) | dict.fromkeys(_TESTS, f"{_CHAIN} {_TIGHTER}")
# Without it `x => { $$$B }` is a list of values in the grammar.
_STATEMENTS = Respelling("The hole as a statement", r"(\$\$\$\w*)\s*\}", r"\1; }")
_LOOSE = f"""
    {_CHAIN} as_expression await_expression binary_expression cast_expression
    element_access_expression.expression invocation_expression.function is_pattern_expression
    member_access_expression.expression prefix_unary_expression
"""
_THROWN = """
    only:arrow_expression_clause only:binary_expression:?? only:conditional_expression
    only:lambda_expression only:switch_expression_arm
"""
_ACTS = """
    assignment_expression await_expression conditional_access_expression invocation_expression
    object_creation_expression postfix_unary_expression prefix_unary_expression
"""
_DECLARATIONS = ("local_declaration_statement", "local_function_statement")
_EMBEDDED = """
    do_statement.body fixed_statement for_statement.body foreach_statement.body
    if_statement.alternative if_statement.consequence lock_statement using_statement.body
    while_statement.body
"""
_FUNCTIONS = """
    anonymous_method_expression lambda_expression local_function_statement method_declaration
"""
_LOOPS = f"{_FUNCTIONS} do_statement for_statement foreach_statement while_statement"
_JUMPS = {
    **dict.fromkeys(("return_statement", "yield_statement"), _FUNCTIONS),
    "break_statement": f"{_LOOPS} switch_statement",
    "continue_statement": _LOOPS,
}


def _refuses(node: "Node") -> bool:
    """Is it a call that one is added to?"""
    if node.type != "invocation_expression":
        return False
    _, outer = place_without_brackets(node)
    return outer is not None and any(child.type in ("++", "--") for child in outer.children)


LANGUAGE = Traits(
    facts=Facts.of(
        "string_literal verbatim_string_literal raw_string_literal interpolated_string_expression",
        plain_holes=True,
        calls_only=re.compile(  # not in `($A; $B; $C)`, as of a `for`
            r"\((?:[^(){}]|\([^(){}]*\))*\)"
            r"|((?:(?<=[{};)\n])|\A)\s*\$+(?:[A-Z_][A-Z0-9_]*)?)(?:\s*;|(?=\s*(?:[}\n]|\Z)))"
        ),
    ),
    contexts=_CONTEXTS,
    spelling=Spelling(semicolons=True, wider=(TYPE_ARGUMENTS, _STATEMENTS)),
    definitions=Naming(_DEFINITIONS),
    brackets=Brackets.around(
        "tuple_expression",
        _APART,
        last=_LAST,
        loose=_LOOSE,
        joined="/* && ++ --",
        lacking=lambda node: may_join_cast(node, ("predefined_type",)),
    ),
    barred=Barred.of(
        {"throw_expression": _THROWN} | dict.fromkeys(_DECLARATIONS, _EMBEDDED),
        {"expression_statement": _ACTS},
        functions=_FUNCTIONS,
        bound={"await_expression": "async"},
        jumps=_JUMPS,
        is_checked=False,
        refuses=_refuses,
    ),
)
