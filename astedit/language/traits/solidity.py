"""Solidity."""

from astedit.language.brackets import Brackets
from astedit.language.facts import Facts, Spelling
from astedit.language.traits import Traits

_CONTEXTS = """
a contract member | contract A { … }
an expression in a function | contract A { function f() { …; } }
a statement in a function | contract A { function f() { … } }
a value | contract A { function f() { x = …; } }
"""
_GROUPED = """
    array_access assignment_expression augmented_assignment_expression binary_expression
    call_expression expression new_expression number_literal ternary_expression
    unary_expression update_expression
"""

LANGUAGE = Traits(
    facts=Facts.of("string_literal string"),
    contexts=_CONTEXTS,
    spelling=Spelling(semicolons=True),
    brackets=Brackets.around(_GROUPED),
)
