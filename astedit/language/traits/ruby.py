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
_OPERANDS = """
    argument_list array assignment.right binary call.receiver conditional element_reference
    operator_assignment.right pair unary
"""
_CONDITIONS = "if.condition elsif.condition unless.condition while.condition until.condition"
_APART = {
    **dict.fromkeys(
        ("if_modifier", "unless_modifier", "while_modifier", "until_modifier", "rescue_modifier"),
        _OPERANDS + _CONDITIONS,
    ),
    "unary:not": _OPERANDS,
    "binary:and": "argument_list array conditional pair",
    "binary:or": "argument_list array conditional pair",
    **{
        f"binary:{sign}": " ".join(f"binary:{other}" for other in ("==", "!=", "=~", "<=>"))
        for sign in ("==", "!=", "=~", "<=>")
    },
}
_VALUES = """
    argument_list array assignment.right binary.left call.receiver conditional.condition
    element_reference if_modifier.condition operator_assignment.right pair right_assignment_list
    unary unless_modifier.condition until_modifier.condition while_modifier.condition yield
"""
_SIGNS = ("+", "-", "*", "/", "%", "**", "==", "!=", "<", ">", "<=", ">=", "<=>", "=~", "<<")
_RIGHT = " ".join(f"binary:{sign}.right" for sign in _SIGNS)
_BARRED = dict.fromkeys(
    ("return", "break", "next", "redo", "retry"), f"{_VALUES} {_CONDITIONS} {_RIGHT}"
)

LANGUAGE = Traits(
    facts=Facts.of(
        "string heredoc_body subshell regex delimited_symbol uninterpreted", "#", plain_holes=True
    ),
    contexts=_CONTEXTS,
    spelling=Spelling(bodies=END),
    definitions=Naming(_DEFINITIONS),
    brackets=Brackets.around(_GROUPED, _APART, barred=_BARRED),
)
