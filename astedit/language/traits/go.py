"""Go."""

from astedit.language.brackets import Brackets
from astedit.language.definitions import Naming
from astedit.language.facts import Facts
from astedit.language.traits import Traits

_CONTEXTS = """
a statement in a function | func f() { … }
a value | var x = …
a struct field | type t struct { … }
a method of an interface | type t interface { … }
an entry of a composite literal | var x = T{ … }
a case of a switch | func f() { switch x { … } }
a case of a select | func f() { select { … } }
an import | import ( … )
a parameter | func f(…) {}
a type | var x …
"""
_DEFINITIONS = """
(package_clause (package_identifier) @prefix)
(function_declaration name: (_) @name body: (_)? @body) @function
(method_declaration receiver: (_) @receiver name: (_) @name body: (_)? @body) @function
(type_spec name: (_) @name type: (_) @body) @class
(type_alias name: (_) @name type: (_) @body) @class
(method_elem name: (_) @name) @function
(field_declaration name: (_) @name) @variable
(const_spec name: (identifier) @name) @variable
(var_spec name: (identifier) @name) @variable
(short_var_declaration left: (expression_list (identifier) @name)) @variable
"""
_GROUPED = """
    binary_expression call_expression composite_literal float_literal func_literal
    index_expression int_literal interpreted_string_literal raw_string_literal
    selector_expression slice_expression type_assertion_expression unary_expression
"""

LANGUAGE = Traits(
    facts=Facts.of(
        "raw_string_literal",
        dotted="",
        keywords="""
            break_statement channel_type:chan const_declaration continue_statement
            defer_statement expression_case:case expression_switch_statement:switch
            fallthrough_statement for_statement func_literal function_declaration:func
            function_type:func go_statement goto_statement if_statement import_declaration
            interface_type map_type method_declaration:func package_clause return_statement
            select_statement struct_type type_declaration type_switch_statement:switch
            var_declaration short_var_declaration::= send_statement:<-
        """,
    ),
    contexts=_CONTEXTS,
    definitions=Naming(
        _DEFINITIONS,
        wrappers=frozenset({"const_declaration", "type_declaration", "var_declaration"}),
    ),
    brackets=Brackets.around(
        _GROUPED,
        headers={
            "composite_literal": "if_statement for_statement expression_switch_statement "
            "type_switch_statement"
        },
        barred=dict.fromkeys(
            (*_GROUPED.replace("call_expression", "").split(), "identifier"),
            "go_statement defer_statement",
        ),
        lined="argument_list literal_value",
    ),
)
