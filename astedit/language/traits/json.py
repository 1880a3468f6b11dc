"""JSON."""

from astedit.language.facts import Facts, Respelling, Spelling
from astedit.language.traits import Traits

_CONTEXTS = """
an entry of an object | { … }
a value | [ … ]
"""

LANGUAGE = Traits(
    facts=Facts.of(),
    contexts=_CONTEXTS,
    spelling=Spelling(
        bodies=(),
        required=(
            Respelling(
                "JSON has no bare words, so a hole stands inside quotes",
                r'(?<!["$\w])(\$[A-Z_][A-Z0-9_]*)(?!["\w])',
                '"\\1"',
            ),
        ),
    ),
)
