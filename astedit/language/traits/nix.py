"""Nix."""

from astedit.language.brackets import Brackets
from astedit.language.facts import Facts, Spelling
from astedit.language.traits import Traits

_CONTEXTS = """
an entry of a set | { … }
an entry of a let | let … in x
an element of a list | [ … ]
a function's argument | { … }: x
"""
_GROUPED = """
    apply_expression assert_expression attrset_expression binary_expression
    float_expression function_expression has_attr_expression if_expression
    indented_string_expression integer_expression let_expression list_expression
    path_expression rec_attrset_expression select_expression string_expression
    unary_expression with_expression
"""

LANGUAGE = Traits(
    facts=Facts.of(
        "string_expression indented_string_expression", "#", blank_lists="list_expression"
    ),
    contexts=_CONTEXTS,
    spelling=Spelling(semicolons=True),
    brackets=Brackets.around(_GROUPED),
)
