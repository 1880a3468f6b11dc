"""HTML."""

from astedit.language.facts import Facts
from astedit.language.traits import Traits

_CONTEXTS = """
an attribute | <a …></a>
"""

LANGUAGE = Traits(facts=Facts.of("raw_text quoted_attribute_value", ""), contexts=_CONTEXTS)
