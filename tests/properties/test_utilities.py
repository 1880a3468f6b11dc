"""Utilities that name each other anyhow are found everywhere they match."""

from collections.abc import Sequence
from random import Random
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from astedit.errors import RequestError
from astedit.language import load
from astedit.rule import RuleFinder, compile_document
from astedit.rule.document import rule_document
from astedit.rule.environment import Environment
from tests.support.differential.explain import preorder
from tests.support.rule_text import JAVASCRIPT

LEAVES: list[dict[str, Any]] = [
    {"pattern": "one($A)"},
    {"pattern": "two($A)"},
    {"pattern": "one"},
    {"kind": "call_expression"},
    {"kind": "number"},
    {"kind": "identifier", "regex": "^(one|two)$"},
    {"regex": "two"},
]
RELATIONS = ("has", "inside", "follows", "precedes")
STOPS: list[Any] = ["end", "neighbor", {"kind": "statement_block"}]


def rule_of(by: Random, names: list[str], depth: int = 3) -> dict[str, Any]:
    kind = by.random() if depth else 0.0
    if kind < 0.25:
        return by.choice(LEAVES)
    if kind < 0.55:
        return {"matches": by.choice(names)}
    if kind < 0.75:
        relation = {**rule_of(by, names, depth - 1), "stopBy": by.choice(STOPS)}
        return {**by.choice(LEAVES), by.choice(RELATIONS): relation}
    if kind < 0.8:
        return {"not": rule_of(by, names, depth - 1)}
    each = [rule_of(by, names, depth - 1) for _ in range(by.randint(1, 3))]
    return {by.choice(("any", "all")): each}


def finder_of(by: Random) -> RuleFinder | None:
    """A rule with utilities; None where one depends on itself."""
    names = [f"u{n}" for n in range(by.randint(1, 4))]
    utilities = {name: rule_of(by, names) for name in names}
    raw = {"id": "r", "language": "js", "rule": rule_of(by, names), "utils": utilities}
    if by.random() < 0.3:
        raw["constraints"] = {"A": rule_of(by, names)}
    try:
        return compile_document(rule_document(raw), JAVASCRIPT)
    except RequestError:
        return None


def code_of(by: Random, names: Sequence[str], depth: int = 4) -> str:
    name = by.choice(names)
    if not depth or by.random() < 0.3:
        return by.choice([name, "1"])
    return f"{name}({', '.join(code_of(by, names, depth - 1) for _ in range(by.randint(0, 2)))})"


@settings(max_examples=400, deadline=None)
@given(st.randoms(use_true_random=True))
@example(Random(54623147))  # candidates by two literals, of any kind
def test_what_is_passed_over_does_not_match(by: Random) -> None:
    if (finder := finder_of(by)) is None:
        return
    names = by.sample(["one", "two", "f"], by.randint(1, 2))  # a text that holds few literals
    source = ";\n".join(code_of(by, names) for _ in range(by.randint(1, 3))).encode()
    root = load(JAVASCRIPT).parser().parse(source).root_node
    expected = [
        (node.start_byte, node.end_byte, node.kind_id)
        for node in preorder(root)
        if finder.rule.match(node, Environment(root, source)) is not None
    ]
    assert finder.may_match(source) or not expected
    found = [match.node for match in finder.find(root, source)]
    assert [(node.start_byte, node.end_byte, node.kind_id) for node in found] == expected
