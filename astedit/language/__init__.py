"""Languages: which one a name or a file means, and its grammar.

The only package that names a grammar. Reading the table imports no grammar.
"""

from astedit.language.provider import Grammar, GrammarUnavailable, languages, load, root_of
from astedit.language.table import Row, for_path, named, rows

__all__ = [
    "Grammar",
    "GrammarUnavailable",
    "Row",
    "for_path",
    "languages",
    "load",
    "named",
    "root_of",
    "rows",
]
