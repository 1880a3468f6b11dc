"""Zig."""

from astedit.language.brackets import Brackets
from astedit.language.facts import Facts, Spelling
from astedit.language.traits import Traits

_CONTEXTS = """
an expression in a function | fn f() void { …; }
a statement in a function | fn f() void { … }
a value | const x = …;
a field of a struct | const S = struct { … };
a prong of a switch | const x = switch (y) { … };
a type | const x: … = 1;
"""
_GROUPED = """
    anonymous_struct_initializer await_expression binary_expression builtin_function
    call_expression catch_expression comptime_expression dereference_expression
    field_expression float if_expression index_expression integer null_coercion_expression
    return_expression string struct_initializer switch_expression try_expression
    unary_expression
"""

LANGUAGE = Traits(
    facts=Facts.of(),
    contexts=_CONTEXTS,
    spelling=Spelling(semicolons=True),
    brackets=Brackets.around(_GROUPED),
)
