"""TOML."""

from astedit.language.facts import Facts, Spelling
from astedit.language.traits import Traits

_CONTEXTS = """
a value | x = …
"""

LANGUAGE = Traits(facts=Facts.of("string", "#"), contexts=_CONTEXTS, spelling=Spelling(bodies=()))
