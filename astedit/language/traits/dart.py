"""Dart."""

from astedit.language.brackets import Brackets
from astedit.language.facts import Facts, Spelling
from astedit.language.traits import Traits

_CONTEXTS = """
an expression in a function | void f() { …; }
a statement in a function | void f() { … }
a value | var x = …;
a class member | class A { … }
an argument | void f() { g(…); }
an entry of a map | var x = { … };
a case of a switch | void f() { switch (x) { … } }
a parameter | void f(…) {}
"""
_GROUPED = """
    additive_expression assignment_expression await_expression bitwise_and_expression
    bitwise_or_expression bitwise_xor_expression conditional_expression
    const_object_expression decimal_floating_point_literal decimal_integer_literal
    equality_expression function_expression if_null_expression list_literal
    logical_and_expression logical_or_expression multiplicative_expression new_expression
    postfix_expression relational_expression set_or_map_literal shift_expression
    string_literal throw_expression type_cast_expression type_test_expression
    unary_expression
"""

LANGUAGE = Traits(
    facts=Facts.of("string_literal", plain_holes=True),
    contexts=_CONTEXTS,
    spelling=Spelling(semicolons=True),
    brackets=Brackets.around(_GROUPED),
)
