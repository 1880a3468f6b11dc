"""CSS and SCSS."""

from astedit.language.facts import Facts, Spelling
from astedit.language.traits import Traits

_CONTEXTS = """
a declaration | a { …; }
a declaration | a { … }
a value | a { color: … }
a selector | … { }
a media query | @media … { }
"""

LANGUAGE = Traits(
    facts=Facts.of("string_value"), contexts=_CONTEXTS, spelling=Spelling(semicolons=True)
)
