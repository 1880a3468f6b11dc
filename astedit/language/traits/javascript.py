"""JavaScript, and what TypeScript shares with it."""

from astedit.language.brackets import Brackets
from astedit.language.definitions import Naming
from astedit.language.facts import Facts
from astedit.language.spelling import Respelling, Spelling
from astedit.language.traits import Traits

CONTEXTS = """
an entry of an object | x = { … };
a class member | class A { … }
a value | x = …;
a statement in an async function | async function f() { … }
a statement in a generator | function* f() { … }
a case of a switch | switch (x) { … }
an attribute of a JSX element | <a … />
a catch or finally clause | try {} …
a parameter | function f(…) {}
a name of an import | import { … } from "m";
"""
KEYWORDS = """
    await_expression break_statement class class_declaration continue_statement debugger_statement
    do_statement else_clause catch_clause export_statement finally_clause for_in_statement
    for_statement function_declaration function_expression if_statement import_statement
    new_expression return_statement switch_case:case switch_default:default switch_statement
    throw_statement try_statement variable_declaration:var while_statement with_statement
    yield_expression arrow_function:=> spread_element:... template_substitution:${ regex:/
"""
DEFINITIONS = """
(class_declaration name: (_) @name body: (_) @body) @class
(variable_declarator name: (identifier) @name value: (class body: (_) @body)) @class
(function_declaration name: (_) @name body: (_) @body) @function
(generator_function_declaration name: (_) @name body: (_) @body) @function
(variable_declarator name: (identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)
          (generator_function body: (_) @body)]) @function
(method_definition name: [(property_identifier) (private_property_identifier)] @name
  body: (_) @body) @function
(pair key: (property_identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @function
(assignment_expression left: (member_expression property: (property_identifier) @name)
  right: [(function_expression body: (_) @body) (arrow_function body: (_) @body)]) @function
(variable_declarator name: (identifier) @name) @variable
"""
_FIELD = """
(field_definition property: [(property_identifier) (private_property_identifier)] @name) @variable
"""
WIDER = (
    Respelling("With optional chaining", r"\(", "?.("),
    Respelling("With optional chaining", r"\.", "?."),
    Respelling("As a generator", r"\bfunction ", "function* "),
)
WRAPPERS = frozenset({"export_statement", "lexical_declaration", "variable_declaration"})
GROUPED = """
    array arrow_function assignment_expression augmented_assignment_expression
    await_expression binary_expression call_expression class function_expression
    generator_function member_expression new_expression number object regex
    sequence_expression string subscript_expression template_string ternary_expression
    unary_expression update_expression yield_expression
"""
_OPERANDS = """
    binary_expression unary_expression await_expression update_expression
    ternary_expression.condition member_expression.object subscript_expression.object
    call_expression.function new_expression.constructor
"""
_CHAINED = """
    member_expression.object subscript_expression.object call_expression.function
    new_expression.constructor
"""
_COMPARED = " ".join(f"binary_expression:{sign}.right" for sign in ("<", ">", "<=", ">="))
APART = {
    **dict.fromkeys(
        ("assignment_expression", "augmented_assignment_expression", "arrow_function"), _OPERANDS
    ),
    "yield_expression": _OPERANDS,
    "binary_expression:??": "binary_expression:|| binary_expression:&&",
    "binary_expression:||": "binary_expression:??",
    "binary_expression:&&": "binary_expression:??",
    "unary_expression": "binary_expression:**.left",
    **{f"binary_expression:{sign}": _COMPARED for sign in ("<", ">", "<=", ">=")},
    "await_expression": f"binary_expression:**.left {_CHAINED}",
    "optional_chain": _CHAINED,
    "update_expression": _CHAINED,
    "binary_expression:in": "for_statement.initializer",
}
FIRST = {
    "object": "expression_statement arrow_function.body",
    **dict.fromkeys(
        ("function_expression", "generator_function", "class"),
        "expression_statement export_statement",
    ),
}
_PLACES = (
    "assignment_expression.left augmented_assignment_expression.left update_expression.argument"
)
_VALUES = """
    arrow_function await_expression binary_expression call_expression new_expression number string
    template_string ternary_expression unary_expression
"""
RESERVED = "case class const delete else if in instanceof new return super switch throw typeof void"
BARRED = (
    dict.fromkeys(_VALUES.split(), _PLACES)
    | dict.fromkeys(
        ("lexical_declaration", "class_declaration"),
        """
    if_statement.consequence else_clause while_statement.body for_statement.body
    for_in_statement.body do_statement.body labeled_statement
    """,
    )
    | {
        "super": "only:member_expression.object only:subscript_expression.object "
        "only:call_expression.function"
    }
)
MISREAD = {b"await": "await_expression"}
JSX = " jsx_element jsx_self_closing_element"

LANGUAGE = Traits(
    facts=Facts.of(
        "string template_string", "// <!-- #!", dotted="", keywords=KEYWORDS, plain_holes=True
    ),
    contexts=CONTEXTS,
    spelling=Spelling(semicolons=True, wider=WIDER),
    definitions=Naming(DEFINITIONS + _FIELD, by_path=True, wrappers=WRAPPERS),
    brackets=Brackets.around(
        GROUPED + JSX, APART, FIRST, MISREAD, barred=BARRED, reserved=RESERVED
    ),
)
