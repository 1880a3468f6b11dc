"""Swift."""

from typing import TYPE_CHECKING

from astedit.language.brackets import Brackets, place_without_brackets, words
from astedit.language.facts import Barred, Facts
from astedit.language.traits import Traits

if TYPE_CHECKING:
    from tree_sitter import Node

_CONTEXTS = """
a class member | class A { … }
a statement in a function | func f() { … }
a value | let x = …
a case of a switch | switch x { … }
a parameter | func f(…) {}
a type | let x: … = 1
"""
_LEVELS = """
    ternary_expression
    disjunction_expression
    conjunction_expression
    comparison_expression equality_expression
    nil_coalescing_expression
    as_expression check_expression
    range_expression
    additive_expression bitwise_operation:^ bitwise_operation:|
    multiplicative_expression bitwise_operation:&
    bitwise_operation:<< bitwise_operation:>>
"""
_CHAINED = """
    conjunction_expression disjunction_expression nil_coalescing_expression ternary_expression
"""
# The grammar takes all of `a + b` for the operand of `!`, and `-a` for what `-a[0]` is of.
_INFIX = words(f"{_LEVELS} bitwise_operation infix_expression")
_RIGHT = " ".join(f"{kind}.{field}" for kind in _INFIX for field in ("rhs", "if_nil", "end"))
# What is tried or awaited before an operator is all that follows.
_LEFT = " ".join(
    f"{kind}.{field}" for kind in _INFIX for field in ("lhs", "value", "start", "expr")
)
# The point of `.a(b)` is a sign in the grammar, too: it binds to the name.
_SIGNS = "-", "+", "~", "&", "bang", "++", "--", "custom_operator"
_SIGNED = [f"prefix_expression:{sign}" for sign in _SIGNS]
_APART = {
    **dict.fromkeys(_INFIX, "prefix_expression"),
    **dict.fromkeys(_SIGNED, "call_expression.first navigation_expression postfix_expression"),
    **dict.fromkeys(("await_expression", "try_expression"), f"prefix_expression {_LEFT} {_RIGHT}"),
}
# It also takes `!a.b` for what `{ }` is of in `!a.b { }`, and `if !a.b { }` for what `.c` is of.
_OPERATIONS = f"""
    {" ".join([*_INFIX, *_SIGNED])} try_expression await_expression
    if_statement guard_statement while_statement for_statement switch_statement
"""
_POSTFIX = """
    call_expression.first navigation_expression.target open_end_range_expression.start
    open_start_range_expression.end postfix_expression.target
"""
_BEHIND_CALLS = words("call_expression navigation_expression postfix_expression")
# `!(a + b)` is a call of `!` in the grammar.
_SAME = {"call_expression": "prefix_expression"}


_TYPES = words("existential_type function_type opaque_type protocol_composition_type")


def _lacks_brackets(node: "Node") -> bool:
    """Is it `-(a)` before what the sign is then of, too, or `any A` before a `!`?"""
    outer, behind = node.parent, node.next_sibling
    if behind is not None and behind.type == "!" and node.type in _TYPES:
        return True
    is_signed = node.type == "call_expression" and (node.text or b"")[:1] in (b"-", b"!", b"~")
    return is_signed and outer is not None and outer.type in _BEHIND_CALLS


def _refuses(node: "Node") -> bool:
    """Is it a value or a call that is assigned to? The grammar has an index for a call."""
    is_call = node.type == "call_expression" and (node.text or b"").endswith((b")", b"}"))
    if not (is_call or node.type in _INFIX or node.type.endswith("_literal")):
        return False
    _, outer = place_without_brackets(node)
    return outer is not None and outer.type == "directly_assignable_expression"


LANGUAGE = Traits(
    facts=Facts.of(
        "multi_line_string_literal raw_string_literal", "// #!", plain_holes=True, bare="statements"
    ),
    contexts=_CONTEXTS,
    brackets=Brackets.around(
        f"bitwise_operation {' '.join(_TYPES)}",
        _APART,
        same=_SAME,
        levels=_LEVELS,
        chained=_CHAINED,
        operations=_OPERATIONS,
        postfix=_POSTFIX,
        last={"ternary_expression": "ternary_expression.condition"},  # it nests to the right
        lacking=_lacks_brackets,
        missed="await_expression try_expression",
        trailing="call_suffix",
    ),
    barred=Barred.of(refuses=_refuses),
)
