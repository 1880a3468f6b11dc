"""Java."""

from typing import TYPE_CHECKING

from astedit.language.brackets import Brackets, words
from astedit.language.facts import LABELLED, TYPE_ARGUMENTS, Barred, Facts, Naming, Spelling
from astedit.language.traits import Traits
from astedit.language.traits.c import may_join_cast

if TYPE_CHECKING:
    from tree_sitter import Node

_CONTEXTS = """
a class member | class A { … }
an expression in a method | class A { void f() { …; } }
a statement in a method | class A { void f() { … } }
a value | class A { void f() { x = …; } }
a member of an interface | interface A { … }
a case of a switch | class A { void f() { switch (x) { … } } }
a catch clause | class A { void f() { try {} … } }
an enum constant | enum A { … }
a parameter | class A { void f(…) {} }
a type | class A { … x; }
an annotation | … class A {}
"""
_DEFINITIONS = """
(package_declaration (_) @prefix)
(class_declaration name: (_) @name body: (_) @body) @class
(interface_declaration name: (_) @name body: (_) @body) @class
(enum_declaration name: (_) @name body: (_) @body) @class
(record_declaration name: (_) @name body: (_) @body) @class
(annotation_type_declaration name: (_) @name body: (_) @body) @class
(method_declaration name: (_) @name body: (_)? @body) @function
(constructor_declaration name: (_) @constructor body: (_) @body) @function
(compact_constructor_declaration name: (_) @constructor body: (_) @body) @function
(annotation_type_element_declaration name: (_) @name) @function
(field_declaration declarator: (variable_declarator name: (_) @name)) @variable
(constant_declaration declarator: (variable_declarator name: (_) @name)) @variable
(enum_constant name: (_) @name) @variable
(local_variable_declaration declarator: (variable_declarator name: (_) @name)) @variable
"""
_CAST = "cast_expression.value"
_OPERANDS = """
    binary_expression instanceof_expression.left ternary_expression.condition unary_expression
"""
_PRIMITIVE = ("boolean_type", "floating_point_type", "integral_type")
_NO_STATEMENTS = words("""
    array_access array_creation_expression binary_expression cast_expression character_literal
    class_literal decimal_floating_point_literal decimal_integer_literal false field_access
    identifier instanceof_expression lambda_expression method_reference null_literal
    parenthesized_expression string_literal ternary_expression this true unary_expression
""")
_BODIES = """
    if_statement.consequence if_statement.alternative while_statement.body for_statement.body
    enhanced_for_statement.body do_statement.body labeled_statement
"""
_BARRED = {"local_variable_declaration": _BODIES}

_ACTS = "assignment_expression method_invocation object_creation_expression update_expression"
_TARGETS = dict.fromkeys(
    ("assignment_expression.left", "update_expression"),
    "identifier field_access array_access parenthesized_expression",
) | {"for_statement.update": _ACTS, "for_statement.init": f"{_ACTS} local_variable_declaration"}


_FUNCTIONS = """
    lambda_expression method_declaration constructor_declaration compact_constructor_declaration
    static_initializer
"""
_LOOPS = f"{_FUNCTIONS} do_statement enhanced_for_statement for_statement while_statement"
_JUMPS = {
    "return_statement": _FUNCTIONS,
    "break_statement": f"{_LOOPS} switch_expression switch_statement",
    "continue_statement": _LOOPS,
    **dict.fromkeys(LABELLED, f"{_FUNCTIONS} labeled_statement"),
    "yield_statement": f"{_FUNCTIONS} switch_expression",
    "this": "class_body enum_body interface_body",
}


def _refuses(node: "Node") -> bool:
    """Is it a value as a statement, or a `<>` that stands for types which only `new` finds out?"""
    parent = node.parent
    if parent is not None and parent.type == "expression_statement":
        if node.type == "switch_expression":
            rules = [rule for body in node.named_children[-1:] for rule in body.named_children]
            return any(_is_value(part) for rule in rules for part in rule.named_children[-1:])
        return node.type in _NO_STATEMENTS and not _is_result(parent)
    types = node.children[-1] if node.type == "generic_type" else None
    if types is None or types.named_child_count or parent is None:
        return False
    return parent.type != "object_creation_expression"


def _is_value(result: "Node") -> bool:
    """Is what stands behind the arrow of a `switch` no statement?"""
    inner = result.named_children[0] if result.named_children else result
    return result.type == "expression_statement" and inner.type in _NO_STATEMENTS


def _is_result(statement: "Node") -> bool:
    """Is it what a `switch` that is a value has behind an arrow?"""
    rule = statement.parent
    if rule is None or rule.type != "switch_rule" or rule.parent is None:
        return False
    switch = rule.parent.parent
    outer = switch and switch.parent
    return outer is not None and outer.type not in ("block", "expression_statement")


LANGUAGE = Traits(
    facts=Facts.of(
        "string_literal",
        plain_holes=True,
        dotted="",
        keywords="""
            assert_statement break_statement catch_clause class_declaration continue_statement
            do_statement enhanced_for_statement:for enum_declaration finally_clause for_statement
            if_statement import_declaration instanceof_expression interface_declaration
            object_creation_expression:new package_declaration return_statement
            switch_expression synchronized_statement throw_statement try_statement
            try_with_resources_statement while_statement annotation:@ lambda_expression:->
            marker_annotation:@ method_reference::: ternary_expression:?
        """,
    ),
    contexts=_CONTEXTS,
    spelling=Spelling(semicolons=True, wider=(TYPE_ARGUMENTS,)),
    definitions=Naming(_DEFINITIONS),
    brackets=Brackets.around(
        "array_access method_invocation method_reference",
        {
            "instanceof_expression": "binary_expression:<.left",  # else types in `<`, `>` begin
            "assignment_expression": f"{_OPERANDS} {_CAST} ternary_expression.alternative",
            "lambda_expression": _OPERANDS,
            "ternary_expression": f"{_OPERANDS} {_CAST}",
            "decimal_integer_literal": "method_reference",  # `-1` is one as well
        },
        lacking=lambda node: may_join_cast(node, _PRIMITIVE),
    ),
    barred=Barred.of(_BARRED, _TARGETS, functions=_FUNCTIONS, jumps=_JUMPS, refuses=_refuses),
)
