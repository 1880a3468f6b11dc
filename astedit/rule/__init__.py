"""The rule language: ast-grep's YAML rules, read, checked, compiled and matched.

`read_rules` turns YAML text into documents, `compile_document` a document into a
`RuleFinder` for one language, which stands where the engine holds a pattern's finder.
Importing this package imports neither the YAML reader nor the regular expressions.
"""

from astedit.rule.document import Document, read_rules, read_utilities
from astedit.rule.failure import RuleError
from astedit.rule.match.find import RuleFinder, compile_document, compile_globals
from astedit.rule.match.utility import Globals

__all__ = [
    "Document",
    "Globals",
    "RuleError",
    "RuleFinder",
    "compile_document",
    "compile_globals",
    "read_rules",
    "read_utilities",
]
