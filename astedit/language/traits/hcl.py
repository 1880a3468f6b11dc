"""HCL: the language of Terraform and Nomad."""

from astedit.language.brackets import Brackets
from astedit.language.facts import Facts
from astedit.language.traits import Traits

_CONTEXTS = """
a value | x = …
an entry of an object | x = { … }
"""
_GROUPED = """
    binary_operation collection_value conditional expression for_expr function_call
    literal_value operation unary_operation
"""

LANGUAGE = Traits(
    facts=Facts.of("heredoc_template", "# //"),
    contexts=_CONTEXTS,
    brackets=Brackets.around(_GROUPED),
)
