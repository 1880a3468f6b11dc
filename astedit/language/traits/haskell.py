"""Haskell."""

from astedit.language.brackets import Brackets
from astedit.language.facts import Facts
from astedit.language.traits import Traits

_CONTEXTS = """
a statement of a do block | f y = do { … }
a value | f y = …
a type | f :: …
an alternative of a case | f y = case y of { … }
a class member | class A b where { … }
"""
_GROUPED = """
    apply case conditional do infix lambda lambda_case let_in list list_comprehension
    literal negation projection record signature tuple
"""

LANGUAGE = Traits(
    facts=Facts.of("quasiquote", "--", blocks="do", placeholder="pure ()"),
    contexts=_CONTEXTS,
    brackets=Brackets.around(_GROUPED),
)
