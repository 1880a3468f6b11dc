"""Go."""

import re
from typing import TYPE_CHECKING

from astedit.language.brackets import Brackets, place_without_brackets, words
from astedit.language.facts import LABELLED, Barred, Facts, Naming
from astedit.language.traits import Traits

if TYPE_CHECKING:
    from tree_sitter import Node

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

_HEADED = words("""
    expression_switch_statement for_statement if_statement type_switch_statement
""")
_INDEXED = ("index_expression", "slice_expression")
_SINGLE = (*_INDEXED, "parenthesized_expression")
_INNER = re.compile("block|parenthesized|arguments?|_value|literal$|_case$")
_TYPE_NAMES = ("generic_type", "qualified_type", "type_identifier")


def _is_in_header(node: "Node") -> bool:
    """Has it a `T{…}` before the block of a statement, in no brackets? The block begins there."""
    if b"{" not in (node.text or b"") or not _has_literal(node):
        return False
    inner, outer = node, node.parent
    while outer is not None and outer.type not in _HEADED:
        if _INNER.search(outer.type) or _is_index(inner, outer):
            return False
        inner, outer = outer, outer.parent
    return outer is not None


def _has_literal(node: "Node") -> bool:
    if node.type == "composite_literal":
        return node.children[0].type in _TYPE_NAMES
    if _INNER.search(node.type):
        return False
    return any(_has_literal(child) for child in node.children if not _is_index(child, node))


def _is_index(node: "Node", outer: "Node") -> bool:
    return outer.type in _INDEXED and outer.children[0] != node


_ASSIGNABLE = words("identifier index_expression selector_expression")


def _is_no_target(node: "Node") -> bool:
    """Is it assigned to though it is a value, or declared though it is no name?"""
    inner, listing = place_without_brackets(node)
    outer = listing.parent if listing is not None and listing.type == "expression_list" else None
    if outer is None or not node.is_named:
        return False
    is_left = outer.child_by_field_name("left") == listing
    if outer.child_by_field_name("alias") == listing or (
        is_left and any(sign.type == ":=" for sign in outer.children)
    ):
        return inner.type != "identifier"
    is_pointer = (node.text or b"").startswith(b"*")
    return is_left and inner == node and node.type not in _ASSIGNABLE and not is_pointer


def _refuses(node: "Node") -> bool:
    """Is it such a literal, no target, or a value that ends its line where no comma may follow?"""
    if _is_no_target(node):
        return True
    if node.type in _SINGLE and node.children[-1].type in (")", "]"):
        last, closing = node.children[-2:]
        return last.end_point[0] < closing.start_point[0]
    return _is_in_header(node)


_FUNCTIONS = "func_literal function_declaration method_declaration"
_ADDRESSED = """
    identifier index_expression parenthesized_expression selector_expression unary_expression:*
"""

LANGUAGE = Traits(
    facts=Facts.of(
        "raw_string_literal",
        dotted="",
        plain_holes=True,
        ends_lines=True,
        types="generic_type pointer_type qualified_type",
        bare="statement_list",
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
        "", lists="expression_list", joined="-- ++ && &^ <- << /* // != :=", lacking=_is_in_header
    ),
    barred=Barred.of(
        functions=_FUNCTIONS,
        jumps={
            "return_statement": _FUNCTIONS,
            "continue_statement": f"{_FUNCTIONS} for_statement",
            **dict.fromkeys(LABELLED, f"{_FUNCTIONS} labeled_statement"),
            "break_statement": f"""
                {_FUNCTIONS} for_statement expression_switch_statement select_statement
                type_switch_statement
            """,
        },
        places={
            "go_statement": "call_expression",
            **dict.fromkeys(("inc_statement", "dec_statement"), _ADDRESSED),
            "unary_expression:&.operand": f"{_ADDRESSED} composite_literal unary_expression",
            "type_instantiation_expression.type": "generic_type qualified_type type_identifier",
            "defer_statement": "call_expression",
            "expression_statement": "call_expression unary_expression:<- parenthesized_expression",
        },
        refuses=_refuses,  # also what a template has in it
        lined="argument_list literal_value",
        ranks="variadic_argument",
        lists="argument_list",
    ),
)
