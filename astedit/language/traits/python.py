"""Python."""

import re
import sys
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING

from astedit.language.brackets import Brackets
from astedit.language.facts import Barred, Facts, Naming, Respelling, Spelling
from astedit.language.traits import Compiler, CompilerCheck, Traits

if TYPE_CHECKING:
    from tree_sitter import Node

VERSION = f"{sys.version_info[0]}.{sys.version_info[1]}"
_WIDE = re.compile(
    rb"\b(?:async|from|import|nonlocal|global|except|case|lambda|def|class)\b"
    rb"|\b(?:[fF][rR]?|[rR][fF])[\"']"
)
_FLOW = re.compile(rb"\b(?:await|yield|return|break|continue)\b|:=")
_STAR = re.compile(
    rb"(?:^|[=:]|\b(?:in|assert|raise|return|yield|await))\s*\*|(?<![\w)\]\s])\s*\(\s*\*"
)
_KEYWORD = re.compile(rb"[(,]\s*(\w+)\s*=(?!=)")  # of an argument or a parameter
_PLAIN = """
    assert_statement assignment attribute binary_operator boolean_operator call
    comparison_operator conditional_expression not_operator raise_statement return_statement
    subscript unary_operator
"""
_BOUND = re.compile(rb"\bnonlocal\b|\bimport\s*\*|__future__")


def _whole(source: str) -> None:
    compile(source, "", "exec", dont_inherit=True)


def _statements(source: str) -> None:
    from symtable import symtable  # a third quicker than compiling, and no trees are made

    symtable(source, "", "exec")


def _refusal(ask: Callable[[str], None]) -> CompilerCheck:
    """Memory and the stack may not do for what is nested deeply: that says nothing."""

    def refusal(text: bytes) -> str | None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                ask(text.decode("utf-8-sig"))
            except SyntaxError as error:
                return error.msg
            except (ValueError, RecursionError, MemoryError, OverflowError):
                return None
        return None

    return refusal


INTERPRETER = Compiler(
    name="Python",
    version=VERSION,
    statements=_refusal(_statements),
    whole=_refusal(_whole),
    wide=_WIDE,
    flow=_FLOW,
    spread=_STAR,
    keyword=_KEYWORD,
    bound=_BOUND,
    distant=b"nonlocal",
    plain=frozenset(_PLAIN.split()),
    placeholder=b"pass\n",
    nest=b"if 1:\n",
)

_CONTEXTS = """
a keyword argument | f(…)
an entry of a dict | { … }
a clause of a try | try:\\n    pass\\n…
a clause of an if | if a:\\n    pass\\n…
a case of a match | match x:\\n    …
a decorator | …\\ndef f(): pass
a parameter | def f(…): pass
a type | x: …
an element of a subscript | x[…]
a comprehension's clause | [x …]
an item of a with | with …: pass
a name of an import | from m import …
"""
_DEFINITIONS = """
(function_definition name: (identifier) @name body: (block) @body) @function
(class_definition name: (identifier) @name body: (block) @body) @class
(assignment left: (identifier) @name) @variable
(assignment left: [(pattern_list) (tuple_pattern) (list_pattern)] @targets) @variable
(assignment left: (attribute object: (identifier) @self attribute: (identifier) @name)) @attribute
(for_statement left: (_) @targets) @variable
(as_pattern alias: (as_pattern_target (_) @targets)) @variable
(named_expression name: (identifier) @name) @variable
(type_alias_statement left: (type (identifier) @name)) @variable
(parameters [
  (identifier) @name
  (typed_parameter [(identifier) @name (list_splat_pattern (identifier) @name)
                    (dictionary_splat_pattern (identifier) @name)])
  (default_parameter name: (identifier) @name)
  (typed_default_parameter name: (identifier) @name)
  (list_splat_pattern (identifier) @name)
  (dictionary_splat_pattern (identifier) @name)]) @variable
(global_statement) @global
(nonlocal_statement) @global
"""
_GROUPED = """
    attribute await binary_operator boolean_operator call comparison_operator
    concatenated_string dictionary dictionary_comprehension float integer lambda list
    list_comprehension not_operator set set_comprehension string subscript tuple unary_operator
    yield
"""
_OPERATORS = """
    attribute await binary_operator boolean_operator call comparison_operator
    conditional_expression lambda not_operator subscript unary_operator
"""
_LOOSER = "boolean_operator comparison_operator conditional_expression lambda not_operator"
_APART = {
    "named_expression": f"{_OPERATORS} interpolation",
    "lambda": "interpolation",
    **dict.fromkeys(("binary_operator", "unary_operator"), "await"),
    "list_splat": _OPERATORS.replace("subscript", ""),
}


def _is_with_items(node: "Node") -> bool:
    """Is a tuple all that a `with` opens? Python takes its brackets for those of the items."""
    item = node.parent
    clause = item and item.parent
    return (
        node.type == "tuple"
        and clause is not None
        and clause.type == "with_clause"
        and clause.child_count == 1
    )


def _is_named_choice(node: "Node") -> bool:
    """Is it `f"{a := b if c else d}"`? Python reads `= b if …` there as a format.

    The grammar takes such a choice for one whose first branch has a name.
    """
    if node.parent is None or node.parent.type != "interpolation":
        return False
    first = node
    while first.type == "conditional_expression":
        first = first.children[0]
    return first is not node and first.type == "named_expression"


def _is_in_union(node: "Node") -> bool:
    """Is it an operand of `x: list[int] | …` that binds less than the bar does?

    The grammar has a node of its own for such a type, which takes any expression: `b | c` in
    `list[int] | b | c | d` is no operand in Python.
    """
    is_bar = _is_bar(node)
    if not is_bar and node.type not in _LOOSER.split():
        return False
    while is_bar and node.parent is not None and _is_bar(node.parent):
        if node.parent.children[0] != node:
            return False
        node = node.parent
    place = node.parent
    union = place and place.parent
    if place is None or place.type != "type" or union is None or union.type != "union_type":
        return False
    return not is_bar or place != union.children[0]


def _is_bar(node: "Node") -> bool:
    return node.type == "binary_operator" and node.children[1].type == "|"


def _lacks_brackets(node: "Node") -> bool:
    return _is_with_items(node) or _is_named_choice(node) or _is_in_union(node)


LANGUAGE = Traits(
    facts=Facts.of(
        "string",
        "#",
        blocks="block",
        placeholder="pass",
        dotted="dotted_name",
        words="None True False __debug__",
        keywords="""
            as_pattern assert_statement await boolean_operator:and|or break_statement case_clause
            class_definition conditional_expression:if continue_statement
            delete_statement:del elif_clause else_clause except_clause finally_clause
            for_in_clause for_statement function_definition:def global_statement if_clause
            if_statement import_from_statement import_statement lambda match_statement
            nonlocal_statement not_operator pass_statement raise_statement return_statement
            try_statement while_statement with_statement yield decorator:@ dictionary_splat:**
            list_splat:* named_expression::=
        """,
        statements="""
            assert_statement class_definition decorated_definition delete_statement
            expression_statement for_statement function_definition if_statement
            raise_statement return_statement while_statement with_statement
        """,
        code_in_literals="interpolation",  # before Python 3.12
        plain_holes=True,
        proved_by_shape=True,
        tuples="expression_list expression_statement subscript tuple",
        types="generic_type member_type union_type",
    ),
    contexts=_CONTEXTS,
    spelling=Spelling(wider=(Respelling("With a return type", r"\)\s*:", ") -> $TYPE:"),)),
    definitions=Naming(_DEFINITIONS, by_path=True, wrappers=frozenset({"decorated_definition"})),
    brackets=Brackets.around(
        _GROUPED,
        _APART,
        bare="expression_list pattern_list",
        lacking=_lacks_brackets,
        missed="binary_operator list_splat tuple " + _LOOSER,
        # It takes `*f` for what is called in `[*f() + a]`, and `n := a` for a part of a condition.
        operations="list_splat named_expression",
        postfix="""
            attribute.object binary_operator.left boolean_operator.left call.function
            comparison_operator.first conditional_expression.first subscript.value
        """,
        same={"generic_type": "union_type"},  # `list[int] | a` is one, and `(list[int]) | a` none
    ),
    barred=Barred.of(
        functions="function_definition lambda",
        bound={"yield": "", "await": "async"},
        jumps={
            "return_statement": "function_definition lambda",
            **dict.fromkeys(
                ("break_statement", "continue_statement"),
                "for_statement while_statement function_definition class_definition lambda",
            ),
        },
        is_checked=False,  # the interpreter does that
    ),
    compiler=INTERPRETER,
)
