"""Elixir."""

from astedit.language.brackets import Brackets
from astedit.language.facts import END, Facts, Spelling
from astedit.language.traits import Traits

_CONTEXTS = """
a clause | case x do … end
an entry of a map | %{ … }
an argument | f(…)
a block | f do … end
"""
_GROUPED = """
    access_call anonymous_function binary_operator bitstring call float integer list map
    string tuple unary_operator
"""

LANGUAGE = Traits(
    facts=Facts.of("string charlist sigil", "#"),
    contexts=_CONTEXTS,
    spelling=Spelling(bodies=END),
    brackets=Brackets.around(_GROUPED),
)
