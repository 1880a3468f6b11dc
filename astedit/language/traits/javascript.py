"""JavaScript, and what TypeScript shares with it."""

from itertools import pairwise
from typing import TYPE_CHECKING

from astedit.language.brackets import Brackets, beyond, chain, is_optional, nearest, parents, words
from astedit.language.facts import LABELLED, Barred, Facts, Naming, Respelling, Spelling
from astedit.language.traits import Traits

if TYPE_CHECKING:
    from tree_sitter import Node

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
    array arrow_function class generator_function number object regex string template_string
"""
_OPERANDS = """
    binary_expression unary_expression await_expression update_expression
    ternary_expression.condition member_expression.object subscript_expression.object
    call_expression.function new_expression.constructor
"""
CHAINED = """
    member_expression.object subscript_expression.object call_expression.function
    new_expression.constructor
"""
_RELATIONS = ("<", ">", "<=", ">=", "in", "instanceof")
_COMPARED = " ".join(f"binary_expression:{sign}.right" for sign in _RELATIONS)
APART = {
    **dict.fromkeys(
        ("assignment_expression", "augmented_assignment_expression", "arrow_function"), _OPERANDS
    ),
    "yield_expression": _OPERANDS,
    "binary_expression:??": "binary_expression:|| binary_expression:&&",
    "binary_expression:||": "binary_expression:??",
    "binary_expression:&&": "binary_expression:??",
    "unary_expression": "binary_expression:**.left",
    "sequence_expression": "for_in_statement:of.right",
    **{f"binary_expression:{sign}": _COMPARED for sign in _RELATIONS},
    "await_expression": f"binary_expression:**.left {CHAINED}",
    "optional_chain": "new_expression.constructor",
    "update_expression": CHAINED,
}
BEHIND = f"{CHAINED} binary_expression:<.left"  # no element may stand there
JSX = "jsx_element jsx_self_closing_element"
APART |= dict.fromkeys(words(JSX), BEHIND)
# What a class extends is what a call may be of.
for _kind in words("""
    assignment_expression augmented_assignment_expression arrow_function await_expression
    binary_expression ternary_expression unary_expression update_expression yield_expression
    sequence_expression
"""):
    APART[_kind] = f"{APART.get(_kind, '')} class_heritage extends_clause.value"
# There it goes on; but not what was put in the place of something else.
ELSEWHERE = {"optional_chain": CHAINED.replace("new_expression.constructor", "")}
FIRST = {
    "object": "expression_statement arrow_function.body",
    **dict.fromkeys(
        ("function_expression", "generator_function", "class"),
        "expression_statement export_statement",
    ),
}
RESERVED = "case class const delete else if in instanceof new return super switch throw typeof void"
_LOOPED = "while_statement.body for_statement.body for_in_statement.body do_statement.body"
_LONE_BODIES = ("if_statement", "else_clause", "labeled_statement")
_BODIES = f"{_LOOPED} {' '.join(_LONE_BODIES)}"
BARRED = {
    **dict.fromkeys(
        ("lexical_declaration", "class_declaration", "generator_function_declaration"), _BODIES
    ),
    "function_declaration": _LOOPED,
    **dict.fromkeys(
        ("member_expression", "subscript_expression"),
        "formal_parameters required_parameter.pattern optional_parameter.pattern",
    ),
    "super": "only:member_expression.object only:subscript_expression.object "
    "only:call_expression.function",
}
_TARGETS = "identifier member_expression subscript_expression parenthesized_expression undefined"
TYPED_TARGETS = " as_expression non_null_expression satisfies_expression type_assertion"
TARGETS = {
    "assignment_expression.left": f"{_TARGETS} array_pattern object_pattern",
    "augmented_assignment_expression.left": _TARGETS,
    "update_expression.argument": _TARGETS,
}
FUNCTIONS = """
    arrow_function class_static_block field_definition function_declaration function_expression
    generator_function generator_function_declaration method_definition public_field_definition
"""
_LOOPS = "for_in_statement for_statement while_statement do_statement"
_OWN = FUNCTIONS.replace("arrow_function", "")
JUMPS = {
    "return_statement": FUNCTIONS,
    "break_statement": f"{FUNCTIONS} {_LOOPS} switch_statement",
    "continue_statement": f"{FUNCTIONS} {_LOOPS}",
    **dict.fromkeys(LABELLED, f"{FUNCTIONS} labeled_statement"),
    **dict.fromkeys(("super", "meta_property", "identifier:arguments"), _OWN),
    "this": f"{_OWN} class_body",
}
BOUND = {"await_expression": "async", "yield_expression": "*"}
_PLAIN = words(_OWN)
_ENCLOSED = words("""
    arguments array object parenthesized_expression statement_block subscript_expression
    template_substitution
""")
_LINKS = ("member_expression", "subscript_expression")
_PARTS = (*_LINKS, "call_expression", "non_null_expression")  # of a chain
_CALLED = _PLAIN | {"arrow_function"}
_METHODS = ("method_definition", "class_static_block", "field_definition")
_CLASSES = frozenset({"class", "class_declaration"})
_MODULE = ("import_statement", "export_statement")
_NO_DEFAULT = words("""
    lexical_declaration variable_declaration type_alias_declaration enum_declaration
""")


def lacks_brackets(node: "Node") -> bool:
    """Is it an `in` that a `for` would take for its own?"""
    operator = node.child_by_field_name("operator")
    if operator is None or operator.type != "in" or node.type != "binary_expression":
        return False
    node, outer = beyond(node, lambda one: one.type not in (*_ENCLOSED, "for_statement"))
    return outer is not None and outer.child_by_field_name("initializer") == node


def refuses(node: "Node") -> bool:
    """Is it a `super` in no method, a strict `delete x`, a module's `return`, a written `a?.b`?

    Or a `this` of a constructor before `super()` is done, a `const` for the default, or a call
    with a gap, as an array may have one: `f(, a)`. Or a `...a` in `import()` or of an attribute?
    Or TypeScript's mapped type in an interface, or a `[` of a type that begins a line?
    """
    if node.type == "index_signature" and node.parent and node.parent.type == "interface_body":
        return any(child.type == "mapped_type_clause" for child in node.children)
    if node.type in ("array_type", "lookup_type"):
        return node.children[0].end_point[0] < node.children[1].start_point[0]
    if node.type == "spread_element":
        outer = node.parent and node.parent.parent
        return outer is not None and (
            outer.type == "jsx_attribute" or outer.children[0].type == "import"
        )
    if node.type in _NO_DEFAULT:
        outer = node.parent if node.parent and node.parent.type == "export_statement" else None
        return outer is not None and any(child.type == "default" for child in outer.children)
    if node.type == "super":
        function, behind = nearest(node, _PLAIN), node.next_sibling
        is_chained = behind is not None and behind.type in ("optional_chain", "?.")
        return is_chained or function is None or not function.type.endswith(_METHODS)
    if node.type == "function_declaration" and node.children[0].type == "async":
        return node.parent is not None and node.parent.type in _LONE_BODIES
    if node.type == "this":
        function = nearest(node, _CALLED)
        body = function and function.child_by_field_name("body")
        calls = (one for one in body.children if b"super(" in (one.text or b"")) if body else ()
        return node.start_byte < next((call.end_byte for call in calls), 0)
    if node.type == "unary_expression" and node.children[0].type == "delete":
        operand = node.child_by_field_name("argument")
        while operand is not None and operand.type == "parenthesized_expression":
            operand = operand.named_child(0)
        return operand is not None and operand.type == "identifier" and _is_strict(node)
    if node.type == "return_statement":
        function = nearest(node, _CALLED)
        return _is_strict(node) if function is None else function.type == "class_static_block"
    if node.type == "arguments":
        signs = [child.type for child in node.children if not child.is_extra]
        return any(one in ("(", ",") and two == "," for one, two in pairwise(signs))
    return node.type in _LINKS and any(map(is_optional, chain(node))) and _is_written(node)


def _is_written(node: "Node") -> bool:
    """Is it a target of an assignment, or of a loop, or what a template or a `new` is for?"""
    for outer, link in parents(node):
        if outer.type == "new_expression" and link.type in _PARTS:
            return outer.child_by_field_name("constructor") == link
        if outer.type in _PARTS and link.type in _PARTS and outer.children[0] == link:
            if outer.children[-1].type == "template_string":
                return True
            continue
        if outer.type == "update_expression" or outer.type.endswith("assignment_expression"):
            target = outer.child_by_field_name("left") or outer.child_by_field_name("argument")
            return target is not None and target.id == link.id
        if outer.type in ("array_pattern", "object_assignment_pattern", "pair_pattern"):
            return True
        if outer.type == "for_in_statement":
            return outer.child_by_field_name("left") == link
        if outer.type != "parenthesized_expression":
            return False
    return False


def _is_strict(node: "Node") -> bool:
    """Is it in a class, in a module, or where a directive says so?"""
    for outer, _ in parents(node):
        if outer.type in _CLASSES:
            return True
        if outer.type in ("statement_block", "program"):
            first = next((child for child in outer.named_children if not child.is_extra), None)
            if first is not None and b"use strict" in (first.text or b"")[:12]:
                return True
        if outer.type == "program":
            return any(child.type in _MODULE for child in outer.named_children)
    return False


JOINED = "</ //"  # a tag, and a comment
MISREAD = {b"await": "await_expression"}
# The template's is a declaration, by itself; each is told by its own words.
SAME = dict.fromkeys(("function_expression", "generator_function", "class"), "")

LANGUAGE = Traits(
    facts=Facts.of(
        "string template_string",
        "// <!-- #!",
        dotted="",
        keywords=KEYWORDS,
        plain_holes=True,
        proved_by_shape=True,
    ),
    contexts=CONTEXTS,
    spelling=Spelling(semicolons=True, wider=WIDER),
    definitions=Naming(DEFINITIONS + _FIELD, by_path=True, wrappers=WRAPPERS),
    brackets=Brackets.around(
        f"{GROUPED} {JSX}",
        APART,
        FIRST,
        MISREAD,
        missed="await_expression",
        joined=JOINED,
        lacking=lacks_brackets,
        elsewhere=ELSEWHERE,
        same=SAME,
    ),
    barred=Barred.of(
        BARRED, TARGETS, RESERVED, functions=FUNCTIONS, bound=BOUND, jumps=JUMPS, refuses=refuses
    ),
)
