"""PHP."""

from astedit.language.brackets import Brackets
from astedit.language.definitions import Naming
from astedit.language.facts import Facts
from astedit.language.spelling import Spelling
from astedit.language.traits import Traits

_CONTEXTS = """
a class member | class A { … }
an expression | …;
a statement | function f() { … }
a value | $x = …;
an entry of an array | $x = [ … ];
an arm of a match | $x = match ($y) { … };
a case of a switch | switch ($x) { … }
a catch clause | try {} …
a parameter | function f(…) {}
an attribute | … function f() {}
"""
_DEFINITIONS = """
(namespace_definition name: (_) @prefix !body)
(namespace_definition name: (_) @name body: (_) @body) @scope
(class_declaration name: (_) @name body: (_) @body) @class
(interface_declaration name: (_) @name body: (_) @body) @class
(trait_declaration name: (_) @name body: (_) @body) @class
(enum_declaration name: (_) @name body: (_) @body) @class
(function_definition name: (_) @name body: (_) @body) @function
(method_declaration name: (_) @name body: (_)? @body) @function
(property_declaration (property_element name: (variable_name (name) @name))) @variable
(const_declaration (const_element . (name) @name)) @variable
(enum_case name: (_) @name) @variable
(assignment_expression left: (variable_name (name) @name)) @variable
"""
_GROUPED = """
    anonymous_function array_creation_expression arrow_function assignment_expression
    augmented_assignment_expression binary_expression cast_expression
    class_constant_access_expression clone_expression conditional_expression
    encapsed_string error_suppression_expression float function_call_expression
    include_expression integer match_expression member_access_expression
    member_call_expression nullsafe_member_access_expression
    nullsafe_member_call_expression object_creation_expression print_intrinsic
    require_expression scoped_call_expression scoped_property_access_expression string
    subscript_expression throw_expression unary_op_expression update_expression
    yield_expression
"""
_EQUAL = ("==", "!=", "<>", "===", "!==", "<=>")
_ORDERED = ("<", "<=", ">", ">=")
_APART = {  # operators of which no two may stand in a row
    f"binary_expression:{sign}": " ".join(f"binary_expression:{other}" for other in alike)
    for alike in (_EQUAL, _ORDERED)
    for sign in alike
} | {"conditional_expression": "conditional_expression.condition"}
_BARRED = {
    "member_call_expression": "assignment_expression.left augmented_assignment_expression.left",
    "function_call_expression": "assignment_expression.left augmented_assignment_expression.left",
    "throw_expression": "reference_assignment_expression",
    "unary_op_expression": "reference_assignment_expression",
    "binary_expression": "reference_assignment_expression",
}

LANGUAGE = Traits(
    facts=Facts.of(
        "string encapsed_string heredoc nowdoc shell_command_expression", "// #", plain_holes=True
    ),
    contexts=_CONTEXTS,
    spelling=Spelling(semicolons=True, sigils=True, named_variables=True),
    definitions=Naming(_DEFINITIONS),
    brackets=Brackets.around(_GROUPED, _APART, barred=_BARRED),
)
