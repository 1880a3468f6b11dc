"""Lua."""

from astedit.language.brackets import Brackets
from astedit.language.facts import END, Facts, Spelling
from astedit.language.traits import Traits

_CONTEXTS = """
a value | x = …
a field of a table | x = { … }
"""
_GROUPED = """
    binary_expression bracket_index_expression dot_index_expression function_definition
    number string table_constructor unary_expression
"""

LANGUAGE = Traits(
    facts=Facts.of("string", "--", long_comments="--[[ --[=", plain_holes=True),
    contexts=_CONTEXTS,
    spelling=Spelling(bodies=END),
    brackets=Brackets.around(_GROUPED),
)
