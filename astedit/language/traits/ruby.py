"""Ruby."""

from astedit.language.brackets import Brackets
from astedit.language.definitions import Naming
from astedit.language.facts import Facts
from astedit.language.spelling import END, Spelling
from astedit.language.traits import Traits

_CONTEXTS = """
an entry of a hash | x = { … }
an argument | f(…)
a clause of a case | case x\\n…\\nend
a clause of a begin | begin\\n  a\\n…\\nend
a parameter | def f(…)\\nend
"""
_DEFINITIONS = """
(module name: (_) @name body: (_)? @body) @class
(class name: (_) @name body: (_)? @body) @class
(method name: (_) @name body: (_)? @body) @function
(singleton_method name: (_) @name body: (_)? @body) @function
(assignment left: [(identifier) (constant)] @name) @variable
(assignment left: [(instance_variable) (class_variable)] @member) @variable
"""
_GROUPED = """
    array assignment begin binary call case conditional element_reference float hash if
    if_modifier integer lambda operator_assignment range regex rescue_modifier
    simple_symbol string unary unless unless_modifier yield
"""

LANGUAGE = Traits(
    facts=Facts.of("string heredoc_body subshell regex delimited_symbol uninterpreted", "#"),
    contexts=_CONTEXTS,
    spelling=Spelling(bodies=END),
    definitions=Naming(_DEFINITIONS),
    brackets=Brackets.around(_GROUPED),
)
