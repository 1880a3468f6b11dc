"""SQL."""

from astedit.language.brackets import Brackets
from astedit.language.facts import Facts, Spelling
from astedit.language.traits import Traits

_CONTEXTS = """
a value | SELECT …;
a condition | SELECT a FROM t WHERE …;
a clause of a select | SELECT a FROM t …;
a column of a table | CREATE TABLE t (…);
"""
_GROUPED = """
    between_expression binary_expression case cast exists invocation literal
    unary_expression
"""

LANGUAGE = Traits(
    facts=Facts.of("literal string", "--"),
    contexts=_CONTEXTS,
    spelling=Spelling(semicolons=True),
    brackets=Brackets.around(_GROUPED),
)
