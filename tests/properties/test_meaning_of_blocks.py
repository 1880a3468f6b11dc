"""Statements with a body become what a template says, with `ast` as the oracle.

Each case changes the nodes of `ast` that its pattern matches, but for those on lines with a
blocked match. What `$$$B` captures at the end of a statement holds its `else`, too.
"""

import ast
import copy
from collections.abc import Callable, Collection
from random import Random
from typing import NamedTuple

import pytest

from tests.support.engine_edit import edited
from tests.support.meaning.real_code import compiles, parsed, sources


def code(text: str) -> list[ast.stmt]:
    return ast.parse(text).body


def value(text: str, **filled: ast.expr) -> ast.expr:
    tree = ast.parse(text, mode="eval").body

    class Fill(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            return copy.deepcopy(filled[node.id]) if node.id in filled else node

    return Fill().visit(tree)


def loaded(target: ast.expr) -> ast.expr:
    copied = copy.deepcopy(target)
    for node in ast.walk(copied):
        if hasattr(node, "ctx"):
            node.ctx = ast.Load()
    return copied


def negated(node: ast.If) -> ast.stmt:
    node.test = value("not A_", A_=node.test)
    return node


def deeper(node: ast.If) -> ast.stmt:
    node.body, node.orelse = [ast.If(value("deep"), node.body, node.orelse)], []
    return node


def tried(node: ast.If) -> ast.stmt:
    handler = ast.ExceptHandler(ast.Name("E", ast.Load()), None, [ast.Pass()])
    return ast.Try([node], [handler], [], [])


def longer(node: ast.While) -> ast.stmt:
    node.body += code("tick()")
    return node


def nested(node: ast.For) -> ast.stmt:
    item = ast.withitem(value("ctx(T_)", T_=loaded(node.target)), None)
    node.body = [ast.With([item], node.body), *code("done()")]
    return node


def traced(node: ast.FunctionDef) -> ast.stmt:
    node.body = [*code("trace()"), *node.body]
    return node


def wrapped(node: ast.With) -> ast.stmt:
    node.items[0].context_expr = value("wrap(A_)", A_=node.items[0].context_expr)
    return node


def raised(node: ast.Assert) -> ast.stmt:
    error = value("AssertionError(M_)", M_=node.msg) if node.msg else value("AssertionError")
    return ast.If(value("not E_", E_=node.test), [ast.Raise(error, None)], [])


class Case(NamedTuple):
    pattern: str
    out: str
    kind: type[ast.stmt]
    change: Callable[..., ast.stmt]
    fits: Callable[..., object] = lambda node: True


CASES = [
    Case("if $A: $$$B", "if not $A: $$$B", ast.If, negated),
    Case("if $A: $$$B", "if $A:\n    if deep:\n        $$$B", ast.If, deeper),
    Case("if $A: $$$B", "try:\n    if $A:\n        $$$B\nexcept E:\n    pass", ast.If, tried),
    Case("if $A: $$$B", "if $A:\n    trace()\n    $$$B", ast.If, traced),
    Case("while $A: $$$B", "while $A:\n    $$$B\n    tick()", ast.While, longer),
    Case(
        "for $T in $V: $$$B",
        "for $T in $V:\n    with ctx($T):\n        $$$B\n    done()",
        ast.For,
        nested,
    ),
    Case(
        "def $F($$$P): $$$B",
        "def $F($$$P):\n    trace()\n    $$$B",
        ast.FunctionDef,
        traced,
        lambda node: node.returns is None,
    ),
    Case(
        "with $A: $$$B",
        "with wrap($A): $$$B",
        ast.With,
        wrapped,
        lambda node: len(node.items) == 1 and node.items[0].optional_vars is None,
    ),
    Case(
        "assert $E, $M",
        "if not $E:\n    raise AssertionError($M)",
        ast.Assert,
        raised,
        lambda node: node.msg,
    ),
    Case(
        "assert $E",
        "if not $E:\n    raise AssertionError",
        ast.Assert,
        raised,
        lambda node: not node.msg,
    ),
]


class Changed(ast.NodeTransformer):
    """What a case makes of a tree."""

    def __init__(self, case: Case, lines: list[str], blocked: Collection[int]) -> None:
        self._case, self._lines, self._blocked = case, lines, blocked
        self.made = 0

    def generic_visit(self, node: ast.AST) -> ast.AST:
        node = super().generic_visit(node)
        if not isinstance(node, self._case.kind) or node.lineno in self._blocked:
            return node
        if self._lines[node.lineno - 1].lstrip().startswith("elif") or not self._case.fits(node):
            return node
        self.made += 1
        return self._case.change(node)


@pytest.mark.parametrize(("seed", "files"), [(1, 25), pytest.param(2, 400, marks=pytest.mark.slow)])
def test_statements_with_bodies_become_what_the_template_says(seed: int, files: int) -> None:
    random = Random(seed)
    made = 0
    for text in sources(random, files):
        tree, case = parsed(text), random.choice(CASES)
        if tree is None or not compiles(text):
            continue
        after, data = edited("python", text, (case.pattern, case.out))
        changed = Changed(case, text.splitlines(), {each.span.line for each in data.blocked})
        expected, result = changed.visit(tree), parsed(after)
        assert result is not None and compiles(after), case.out
        assert ast.dump(result) == ast.dump(expected), case.out
        made += changed.made
    assert made > files / 5
