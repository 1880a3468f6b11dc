"""Swift."""

from astedit.language.brackets import Brackets, words
from astedit.language.facts import Facts
from astedit.language.traits import Traits

_CONTEXTS = """
a class member | class A { … }
a statement in a function | func f() { … }
a value | let x = …
a case of a switch | switch x { … }
a parameter | func f(…) {}
a type | let x: … = 1
"""
_GROUPED = """
    additive_expression array_literal as_expression await_expression bitwise_operation
    call_expression check_expression comparison_expression conjunction_expression
    dictionary_literal disjunction_expression equality_expression infix_expression
    integer_literal lambda_literal line_string_literal
    multiplicative_expression navigation_expression nil_coalescing_expression
    postfix_expression prefix_expression range_expression real_literal ternary_expression
    try_expression
"""
# The grammar takes all of `a + b` for the operand of `!`, and `-a` for what `-a[0]` is of.
_INFIX = words("""
    additive_expression as_expression bitwise_operation check_expression comparison_expression
    conjunction_expression disjunction_expression equality_expression infix_expression
    multiplicative_expression nil_coalescing_expression range_expression ternary_expression
""")
_APART = dict.fromkeys(_INFIX, "prefix_expression") | {
    "prefix_expression": "call_expression.first navigation_expression postfix_expression"
}
# `!(a + b)` is a call of `!` in the grammar.
_SAME = {"call_expression": "prefix_expression"}

LANGUAGE = Traits(
    facts=Facts.of(
        "multi_line_string_literal raw_string_literal", "// #!", plain_holes=True, bare="statements"
    ),
    contexts=_CONTEXTS,
    brackets=Brackets.around(_GROUPED, _APART, same=_SAME),
)
