"""C."""

from astedit.language.brackets import Brackets
from astedit.language.facts import Facts, Spelling
from astedit.language.traits import Traits

CONTEXTS = """
an expression in a function | void f() { …; }
a statement in a function | void f() { … }
a value | int x = …;
a struct member | struct s { … };
a case of a switch | void f() { switch (x) { … } }
an entry of an initializer | int x[] = { … };
a parameter | void f(…);
a type | … x;
"""
GROUPED = """
    assignment_expression binary_expression call_expression cast_expression
    comma_expression compound_literal_expression conditional_expression field_expression
    number_literal pointer_expression sizeof_expression subscript_expression
    unary_expression update_expression
"""

# The grammar takes `-a = b` for a sign before an assignment.
OPERANDS = """
    binary_expression cast_expression conditional_expression.condition pointer_expression
    sizeof_expression unary_expression update_expression
"""
JOINED = "/* && ++ -- -> ->* .*"

LANGUAGE = Traits(
    facts=Facts.of(
        "string_literal",
        dotted="",
        tuples="comma_expression parenthesized_expression",
        keywords="""
            break_statement case_statement:case|default continue_statement do_statement
            else_clause enum_specifier for_statement goto_statement if_statement return_statement
            struct_specifier switch_statement type_definition:typedef union_specifier
            while_statement conditional_expression:?
        """,
    ),
    contexts=CONTEXTS,
    spelling=Spelling(semicolons=True),
    brackets=Brackets.around(
        GROUPED,
        {
            "assignment_expression": f"{OPERANDS} conditional_expression.alternative",
            "conditional_expression": "assignment_expression.left",
            "cast_expression": "sizeof_expression",
        },
        joined=JOINED,
    ),
)
