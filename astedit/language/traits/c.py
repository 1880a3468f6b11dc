"""C."""

from collections.abc import Collection
from typing import TYPE_CHECKING

from astedit.language.brackets import Brackets, place_names, words
from astedit.language.facts import Barred, Facts, Spelling
from astedit.language.traits import Traits

if TYPE_CHECKING:
    from tree_sitter import Node

CONTEXTS = """
an expression in a function | void f() { …; }
a statement in a function | void f() { … }
a value | int x = …;
a struct member | struct s { … };
a case of a switch | void f() { switch (x) { … } }
an entry of an initializer | int x[] = { … };
a parameter | void f(…);
a type | … x;
"""

# The grammar takes `-a = b` for a sign before an assignment.
OPERANDS = """
    binary_expression cast_expression conditional_expression.condition pointer_expression
    sizeof_expression unary_expression update_expression
"""
BEHIND = """
    call_expression.function field_expression.argument subscript_expression.argument
    update_expression
"""
APART = {
    "assignment_expression": f"{OPERANDS} conditional_expression.alternative",
    "conditional_expression": "assignment_expression.left",
    "cast_expression": "sizeof_expression update_expression",
    **dict.fromkeys(("alignof_expression", "sizeof_expression"), BEHIND),
    "unary_expression": "update_expression",  # the grammar takes `-a` for what `-a++` adds to
}
MISSED = "alignof_expression sizeof_expression"  # in `sizeof (p)->a`
_TIGHTER = words(BEHIND)
SAME = {"call_expression": "cast_expression"}  # `(T)(a)` may be a call
JOINED = "/* && ++ -- -> ->* .*"


LOOPS = "do_statement for_statement while_statement"
BARRED = Barred.of(
    dict.fromkeys(
        ("char_literal", "number_literal"),
        "assignment_expression.left pointer_expression:&.argument update_expression.argument",
    ),
    functions="function_definition",
    jumps={
        "break_statement": f"function_definition {LOOPS} switch_statement",
        "continue_statement": f"function_definition {LOOPS}",
    },
)


_BINDING = words("""
    await_expression binary_expression cast_expression pointer_expression prefix_unary_expression
    unary_expression
""")


def may_be_sum(node: "Node") -> bool:
    """Is it `(a) + b` beside another sign, which may be a sum as well as a cast of `+b`?"""
    if node.type != "cast_expression" or not node.parent or node.parent.type not in _BINDING:
        return False
    kind, value = map(node.child_by_field_name, ("type", "value"))
    if kind is None or value is None or value.child_count < 2:
        return False
    is_name = (kind.named_children or [kind])[0].type.endswith("identifier")
    return is_name and (value.text or b"")[:1] in (b"+", b"-", b"*", b"&")


_PREFIXES = ("+", "-", "*", "&", "++", "--")


def may_join_cast(node: "Node", primitive: Collection[str]) -> bool:
    """The same, or is it `-a` behind a cast to a class? `(A) -a` subtracts from `A`."""
    parent = node.parent
    if may_be_sum(node):
        return True
    if parent is None or parent.type != "cast_expression":
        return False
    kind = parent.child_by_field_name("type")
    is_prefixed = node.child_count > 1 and node.children[0].type in _PREFIXES
    return is_prefixed and kind is not None and kind.type not in primitive


def lacks_brackets(node: "Node") -> bool:
    """Is it `-1`, or a cast `(T)(a)`, which the grammar has for a call, before `[0]` or `++`?"""
    if may_be_sum(node):
        return True
    function = node.child_by_field_name("function")
    is_cast = function is not None and function.type == "parenthesized_expression"
    is_cast = is_cast and function is not None and function.named_children[0].type == "identifier"
    is_signed = node.type == "number_literal" and (node.text or b"")[:1] in (b"-", b"+")
    parent = node.parent if is_cast or is_signed else None
    return parent is not None and not _TIGHTER.isdisjoint(place_names(node, parent))


LANGUAGE = Traits(
    facts=Facts.of(
        "string_literal",
        blocks="case_statement",
        placeholder=";",
        dotted="",
        tuples="comma_expression parenthesized_expression",
        keywords="""
            break_statement case_statement:case|default continue_statement do_statement
            else_clause enum_specifier for_statement goto_statement if_statement return_statement
            struct_specifier switch_statement type_definition:typedef union_specifier
            while_statement conditional_expression:?
        """,
    ),
    contexts=CONTEXTS,
    spelling=Spelling(semicolons=True),
    brackets=Brackets.around(
        "", APART, missed=MISSED, joined=JOINED, lacking=lacks_brackets, same=SAME
    ),
    barred=BARRED,
)
