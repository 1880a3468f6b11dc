"""Every scenario that the gate promises to hold in has tests, found here by name."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.support.lists import rows

SCENARIOS = rows(Path(__file__).with_suffix(".txt"))


def names_here() -> set[str]:
    """The names of all tests of this folder."""
    trees = [ast.parse(path.read_text()) for path in Path(__file__).parent.glob("test_*.py")]
    functions = [node for tree in trees for node in ast.walk(tree)]
    return {node.name for node in functions if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("scenarios", SCENARIOS.values(), ids=SCENARIOS)
def test_every_scenario_has_its_test(scenarios: list[tuple[str, str]]) -> None:
    found = names_here()
    assert {name for name, test in scenarios if f"test_{test}" not in found} == set()
