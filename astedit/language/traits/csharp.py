"""C#."""

from astedit.language.barred import Barred
from astedit.language.brackets import Brackets
from astedit.language.facts import TYPE_ARGUMENTS, Facts, Naming, Spelling
from astedit.language.traits import Traits

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
_GROUPED = """
    anonymous_method_expression anonymous_object_creation_expression
    array_creation_expression as_expression assignment_expression await_expression
    binary_expression cast_expression checked_expression conditional_access_expression
    conditional_expression default_expression element_access_expression
    implicit_array_creation_expression integer_literal interpolated_string_expression
    invocation_expression is_expression is_pattern_expression lambda_expression
    object_creation_expression postfix_unary_expression prefix_unary_expression
    query_expression range_expression real_literal string_literal switch_expression
    tuple_expression typeof_expression verbatim_string_literal with_expression
"""

LANGUAGE = Traits(
    facts=Facts.of(
        "string_literal verbatim_string_literal raw_string_literal interpolated_string_expression",
        plain_holes=True,
    ),
    contexts=_CONTEXTS,
    spelling=Spelling(semicolons=True, wider=(TYPE_ARGUMENTS,)),
    definitions=Naming(_DEFINITIONS),
    brackets=Brackets.around(_GROUPED),
    barred=Barred.of(
        functions="""
            anonymous_method_expression lambda_expression local_function_statement
            method_declaration
        """,
        bound={"await_expression": "async"},
        is_checked=False,
    ),
)
