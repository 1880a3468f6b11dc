"""C++."""

from astedit.language.brackets import Brackets
from astedit.language.facts import TYPE_ARGUMENTS, Barred, Facts, Naming, Spelling
from astedit.language.traits import Traits, c

_CONTEXTS = """
a class member | class A { … };
a namespace member | namespace n { … }
a catch clause | void f() { try {} … }
"""
_DEFINITIONS = """
(namespace_definition name: (_) @name body: (_) @body) @scope
(class_specifier name: (_) @name body: (_) @body) @class
(struct_specifier name: (_) @name body: (_) @body) @class
(union_specifier name: (_) @name body: (_) @body) @class
(enum_specifier name: (_) @name body: (_) @body) @class
(alias_declaration name: (_) @name type: (_) @body) @class
(function_definition declarator: (_) @declarator body: (_)? @body) @function
(enumerator name: (_) @name) @variable
(field_declaration declarator: (field_identifier) @name) @variable
(declaration declarator: (identifier) @name) @variable
(declaration declarator: (init_declarator declarator: (identifier) @name)) @variable
(preproc_def name: (_) @name) @variable
"""

_LAST = {"new_expression": " ".join(f"binary_expression:{sign}.left" for sign in ("*", "&", "&&"))}
_BEHIND_NEW = c.BEHIND.replace("update_expression", "")
_TIGHTER = f"""
    {_BEHIND_NEW} cast_expression.value co_await_expression delete_expression pointer_expression
    sizeof_expression unary_expression update_expression
"""
_APART = c.APART | {
    "assignment_expression": f"{c.OPERANDS} co_await_expression delete_expression",
    "new_expression": _BEHIND_NEW,
    **dict.fromkeys(("field_expression:.*", "field_expression:->*"), _TIGHTER),
    "throw": f"{c.OPERANDS} co_await_expression delete_expression",
}
_FUNCTIONS = "function_definition lambda_expression"
_FIRST = {"lambda_expression": "delete_expression"}  # whose brackets are those of an array

LANGUAGE = Traits(
    facts=Facts.of(
        "string_literal raw_string_literal",
        blocks="case_statement",
        placeholder=";",
        tuples="comma_expression parenthesized_expression",
    ),
    contexts=c.CONTEXTS + _CONTEXTS,
    spelling=Spelling(semicolons=True, wider=(TYPE_ARGUMENTS,)),
    definitions=Naming(_DEFINITIONS, wrappers=frozenset({"template_declaration"})),
    brackets=Brackets.around(
        "",
        _APART,
        _FIRST,
        {b"throw": "throw"},  # which the grammar takes for a call
        last=_LAST,
        missed=f"{c.MISSED} field_expression:.* field_expression:->*",
        lacking=c.lacks_brackets,
        same=c.SAME,
        joined=f"{c.JOINED} [[",
    ),
    barred=Barred.of(
        functions=_FUNCTIONS,
        jumps={
            **dict.fromkeys(("return_statement", "co_return_statement"), _FUNCTIONS),
            "break_statement": f"{_FUNCTIONS} {c.LOOPS} for_range_loop switch_statement",
            "continue_statement": f"{_FUNCTIONS} {c.LOOPS} for_range_loop",
        },
    ),
)
