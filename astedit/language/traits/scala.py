"""Scala."""

from astedit.language.brackets import Brackets
from astedit.language.facts import Facts, Respelling, Spelling
from astedit.language.traits import Traits

_CONTEXTS = """
a value | val x = …
a class member | class A { … }
a case of a match | x match { … }
a parameter | def f(…) = 1
a type | val x: … = 1
"""
_GROUPED = """
    ascription_expression assignment_expression block call_expression
    floating_point_literal for_expression if_expression infix_expression
    instance_expression integer_literal interpolated_string_expression lambda_expression
    match_expression postfix_expression prefix_expression return_expression string
    throw_expression try_expression tuple_expression
"""

LANGUAGE = Traits(
    facts=Facts.of(
        "string interpolated_string_expression xml_expression",
        blocks="indented_block",
        placeholder="()",
    ),
    contexts=_CONTEXTS,
    spelling=Spelling(wider=(Respelling("With type arguments", r"\(", "[$$$TYPES]("),)),
    brackets=Brackets.around(_GROUPED),
)
