"""Values of statements, tuples without brackets among them, go whole into what is written.

`ast` is the oracle: in its tree of a module the value of each such statement is put into the
template's tree, and what astedit writes has to parse as that.
"""

import ast
import copy
from collections.abc import Collection
from pathlib import Path
from random import Random

import pytest

from tests.support.engine_edit import edited
from tests.support.lists import lists
from tests.support.meaning.real_code import compiles, parsed, sources

PATTERNS: dict[str, tuple[type[ast.stmt], str]] = {
    "return $V": (ast.Return, "value"),
    "for $T in $V: $$$B": (ast.For, "iter"),
    "self.$T = $V": (ast.Assign, "value"),
}
VALUES = lists(Path(__file__).with_suffix(".txt"))["values"]
MOST_BLOCKED = 0.02


class Into(ast.NodeTransformer):
    """Puts the values of the statements that a pattern matches into a template's tree."""

    def __init__(self, pattern: str, value: str, blocked: Collection[int]) -> None:
        self._kind, self._field = PATTERNS[pattern]
        self._template = ast.parse(value.replace("$V", "V_"), mode="eval").body
        self._blocked = blocked
        self.made = 0

    def generic_visit(self, node: ast.AST) -> ast.AST:
        node = super().generic_visit(node)
        if isinstance(node, self._kind) and self._is_matched(node):
            self.made += 1
            value = getattr(node, self._field)
            template = copy.deepcopy(self._template)
            setattr(node, self._field, Filled(value).visit(template))
        return node

    def _is_matched(self, node: ast.stmt) -> bool:
        if node.lineno in self._blocked or getattr(node, self._field) is None:
            return False
        match node:
            case ast.Assign(targets=[*_, ast.Attribute(value=ast.Name(id="self"))]):
                return True
            case ast.Assign():
                return False
        return True


class Filled(ast.NodeTransformer):
    def __init__(self, value: ast.expr) -> None:
        self._value = value

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return copy.deepcopy(self._value) if node.id == "V_" else node


def check(seed: int, files: int) -> tuple[int, int]:
    random = Random(seed)
    made = blocked = 0
    for text in sources(random, files):
        if (tree := parsed(text)) is None or not compiles(text):
            continue
        pattern, value = random.choice([*PATTERNS]), random.choice(VALUES)
        out = pattern.replace("$V", value)
        after, data = edited("python", text, (pattern, out))
        if data.blocked and pattern.startswith("self"):
            continue  # of `self.a = self.b = 1` either may be
        into = Into(pattern, value, {each.span.line for each in data.blocked})
        expected, result = into.visit(tree), parsed(after)
        assert result is not None and compiles(after), f"{pattern} -> {out}: {text[:200]}"
        assert ast.dump(result) == ast.dump(expected), (
            f"{pattern} -> {out}: {_differing(result, expected)}"
        )
        made += into.made
        blocked += len(data.blocked)
    return made, blocked


def _differing(result: ast.Module, expected: ast.AST) -> str:
    """The first statement that is another one."""
    assert isinstance(expected, ast.Module)
    pairs = zip(result.body, expected.body, strict=True)
    return next(ast.unparse(mine) for mine, other in pairs if ast.dump(mine) != ast.dump(other))


@pytest.mark.parametrize(("seed", "files"), [(1, 12), pytest.param(2, 400, marks=pytest.mark.slow)])
def test_values_of_statements_stay_whole(seed: int, files: int) -> None:
    made, blocked = check(seed, files)
    assert made > files / 5
    assert blocked <= 8 + MOST_BLOCKED * made
