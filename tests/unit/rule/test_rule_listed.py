"""What is listed by kind stands for a walk: the same nodes, in the same order."""

import pytest
from tree_sitter import Node

from astedit.language import load
from astedit.pattern.listed import Listed
from tests.support.rule_text import JAVASCRIPT, find

GRAMMAR = load(JAVASCRIPT)
SOURCE = b"f(g(h(1)), [2, [3]]);\n((x)); a = () => { f(4); if (y) { g() } }\n" * 3


def descendants(node: Node) -> list[Node]:
    return [one for child in node.children for one in (child, *descendants(child))]


@pytest.mark.parametrize(
    "kinds", [("call_expression",), ("number", "array"), ("parenthesized_expression", "identifier")]
)
def test_below_gives_what_a_walk_meets(kinds: tuple[str, ...]) -> None:
    root = GRAMMAR.parser().parse(SOURCE).root_node
    listed = Listed(GRAMMAR, root, SOURCE)
    ids = frozenset(GRAMMAR.language.id_for_node_kind(kind, True) or 0 for kind in kinds)
    for node in (root, *descendants(root)):
        below = listed.below(node, ids)
        assert below is not None
        assert [one.id for one in below] == [
            one.id for one in descendants(node) if one.kind_id in ids
        ]


def test_a_small_node_is_walked_unless_the_kinds_are_listed() -> None:
    root = GRAMMAR.parser().parse(SOURCE).root_node
    listed = Listed(GRAMMAR, root, SOURCE)
    number = frozenset({GRAMMAR.language.id_for_node_kind("number", True) or 0})
    small = root.children[0]
    assert listed.below(small, number) is None
    assert listed.below(root, number)
    assert len(listed.below(small, number) or ()) == 3


def test_below_leaves_empty_nodes_to_a_walk() -> None:
    source = SOURCE + b"f(`a${}b`); x = ("
    root = GRAMMAR.parser().parse(source).root_node
    empty = {one.kind_id for one in descendants(root) if one.start_byte == one.end_byte}
    assert empty
    assert Listed(GRAMMAR, root, source).below(root, frozenset(empty)) is None


def test_r3_the_first_below_binds_however_it_is_found() -> None:
    rule = (
        "rule: {kind: expression_statement, has: {kind: call_expression, pattern: $C, stopBy: end}}"
    )
    assert find(rule, "[f(g(1)), h(2)];") == ["[f(g(1)), h(2)]; C=f(g(1))"]
    nested = "rule: {kind: call_expression, has: {kind: call_expression, pattern: $C, stopBy: end}}"
    assert find(nested, "f(g(h(1)))") == ["f(g(h(1))) C=g(h(1))", "g(h(1)) C=h(1)"]
