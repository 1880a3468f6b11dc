"""TSX: TypeScript with JSX, and all that TypeScript without it has too."""

from astedit.language.brackets import Brackets
from astedit.language.facts import TYPE_ARGUMENTS, Barred, Facts, Naming, Respelling, Spelling
from astedit.language.traits import Traits, javascript

_CONTEXTS = """
a member of an interface | interface A { … }
a type | type T = …;
a member of an enum | enum A { … }
a type parameter | type T<…> = 1;
"""
_KEYWORDS = """
    abstract_class_declaration:class as_expression enum_declaration interface_declaration
    satisfies_expression type_alias_declaration
"""
_DEFINITIONS = """
(abstract_class_declaration name: (_) @name body: (_) @body) @class
(interface_declaration name: (_) @name body: (_) @body) @class
(enum_declaration name: (_) @name body: (_) @body) @class
(internal_module name: (_) @name body: (_) @body) @scope
(module name: (_) @name body: (_) @body) @scope
(type_alias_declaration name: (_) @name value: (_) @body) @class
(function_signature name: (_) @name) @function
(method_signature name: (_) @name) @function
(abstract_method_signature name: (_) @name) @function
(property_signature name: (_) @name) @variable
(public_field_definition
  name: [(property_identifier) (private_property_identifier)] @name) @variable
(enum_assignment name: (_) @name) @variable
(enum_body (property_identifier) @name @variable)
"""
_WIDER = (
    *javascript.WIDER,
    TYPE_ARGUMENTS,
    Respelling("With a return type", r"\)\s*\{", "): $TYPE {"),
    Respelling("With a return type", r"\)\s*=>", "): $TYPE =>"),
)
BARRED = Barred.of(
    javascript.BARRED,
    {place: kinds + javascript.TYPED_TARGETS for place, kinds in javascript.TARGETS.items()}
    | {"readonly_type": "array_type tuple_type"},
    javascript.RESERVED,
    functions=javascript.FUNCTIONS,
    bound=javascript.BOUND,
    jumps=javascript.JUMPS,
    refuses=javascript.refuses,
)
_TYPED = " type_assertion as_expression satisfies_expression non_null_expression"
_OPEN = ("assignment_expression", "augmented_assignment_expression", "arrow_function")
APART = (
    javascript.APART
    | {kind: javascript.APART[kind] + _TYPED for kind in (*_OPEN, "yield_expression")}
    | dict.fromkeys(
        ("as_expression", "satisfies_expression"), f"{javascript.CHAINED} extends_clause.value"
    )
    | {"update_expression": f"{javascript.CHAINED} non_null_expression"}
    | dict.fromkeys(("constructor_type", "function_type"), "intersection_type union_type")
)
TYPES = "conditional_type constructor_type function_type index_type_query infer_type readonly_type"
TYPES += " intersection_type union_type"

# The grammar takes all of `a || b` for the operand in `a || b!`, and in `a || b as c`.
_LOW = ("==", "!=", "===", "!==", "&", "^", "|", "&&", "||", "??")
_BEHIND = f"{javascript.BEHIND} non_null_expression"
_TAKEN = ("binary_expression", "unary_expression", *_TYPED.split()[:3])
FIRST = javascript.FIRST | dict.fromkeys(
    ("as_expression", "satisfies_expression"), "await_expression binary_expression:**.right"
)
LAST = dict.fromkeys((*_TAKEN, "new_expression", "update_expression"), "non_null_expression") | {
    f"binary_expression:{sign}": "as_expression satisfies_expression" for sign in _LOW
}
LOOSE = f"{javascript.CHAINED} await_expression binary_expression unary_expression {_TYPED}"
# Of `a + f<T>(b)` it takes `a + f` for what is called.
OPERATIONS = "await_expression binary_expression unary_expression update_expression"
POSTFIX = f"{javascript.CHAINED} non_null_expression"
MISSED = "as_expression await_expression satisfies_expression"

LANGUAGE = Traits(
    facts=Facts.of(
        "string template_string template_literal_type",
        "// <!-- #!",
        dotted="",
        keywords=javascript.KEYWORDS + _KEYWORDS,
        plain_holes=True,
        proved_by_shape=True,
    ),
    contexts=javascript.CONTEXTS + _CONTEXTS,
    spelling=Spelling(semicolons=True, wider=_WIDER),
    definitions=Naming(
        javascript.DEFINITIONS + _DEFINITIONS, by_path=True, wrappers=javascript.WRAPPERS
    ),
    brackets=Brackets.around(
        f"{javascript.GROUPED} {javascript.JSX} {TYPES}",
        APART | dict.fromkeys(javascript.JSX.split(), _BEHIND),
        FIRST,
        javascript.MISREAD,
        last=LAST | dict.fromkeys(javascript.JSX.split(), "non_null_expression"),
        loose=LOOSE,
        missed=MISSED,
        joined=javascript.JOINED,
        lacking=javascript.lacks_brackets,
        elsewhere=javascript.ELSEWHERE,
        same=javascript.SAME,
        operations=OPERATIONS,
        postfix=POSTFIX,
    ),
    barred=BARRED,
)
