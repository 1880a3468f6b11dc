"""Random templates as trees of `ast`, and trees with nodes in their holes."""

import ast
from random import Random
from typing import NamedTuple

from tests.support.meaning.real_code import is_call

HOLES = ("A", "B")
MANY = "M"  # takes all arguments
_BINARY = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Mod, ast.Pow, ast.BitOr, ast.BitAnd)
_SHIFTS = (ast.LShift, ast.MatMult, ast.FloorDiv, ast.BitXor)
_UNARY = (ast.USub, ast.Not, ast.Invert)
_COMPARE = (ast.Eq, ast.Lt, ast.In, ast.NotIn, ast.Is, ast.IsNot, ast.GtE)


def template(random: Random, depth: int) -> ast.expr:
    """A random expression over the holes."""
    if depth == 0 or random.random() < 0.15:
        if random.random() < 0.8:
            return ast.Name(random.choice(HOLES), ast.Load())
        return random.choice([ast.Name("k", ast.Load()), ast.Constant(1), ast.Constant("s")])

    def inner() -> ast.expr:
        return template(random, depth - 1)

    name = ast.Name("k", ast.Load())
    makers = [
        lambda: ast.BinOp(inner(), random.choice(_BINARY)(), inner()),
        lambda: ast.BinOp(inner(), random.choice(_BINARY + _SHIFTS)(), inner()),
        lambda: ast.UnaryOp(random.choice(_UNARY)(), inner()),
        lambda: ast.BoolOp(random.choice([ast.And, ast.Or])(), [inner(), inner()]),
        lambda: ast.Compare(inner(), [random.choice(_COMPARE)()], [inner()]),
        lambda: ast.Compare(inner(), [random.choice(_COMPARE)()], [inner()]),
        lambda: ast.IfExp(inner(), inner(), inner()),
        lambda: ast.Lambda(ast.parse("lambda k: 1", mode="eval").body.args, inner()),
        lambda: ast.Call(name, [inner(), inner()], []),
        lambda: ast.Call(name, [inner()], [ast.keyword("key", inner())]),
        lambda: ast.Call(name, [ast.Starred(inner(), ast.Load())], [ast.keyword(None, inner())]),
        lambda: ast.Call(inner(), [inner()], []),
        lambda: ast.Attribute(inner(), "attr", ast.Load()),
        lambda: ast.Subscript(inner(), inner(), ast.Load()),
        lambda: ast.Subscript(name, ast.Slice(inner(), inner()), ast.Load()),
        lambda: ast.List([inner(), inner()], ast.Load()),
        lambda: ast.Tuple([inner(), inner()], ast.Load()),
        lambda: ast.Dict([inner(), None], [inner(), inner()]),
        lambda: ast.Set([inner(), inner()]),
        lambda: ast.Await(inner()),
        lambda: ast.NamedExpr(ast.Name("y", ast.Store()), inner()),
        lambda: ast.Yield(inner()),
        lambda: _comprehension(ast.ListComp, inner(), inner(), inner()),
        lambda: _comprehension(ast.GeneratorExp, inner(), inner(), inner()),
        lambda: _formatted(inner(), random),
    ]
    return random.choice(makers)()


def _comprehension(kind: type, *inner: ast.expr) -> ast.expr:
    each = ast.comprehension(ast.Name("k", ast.Store()), inner[1], [inner[2]], 0)
    made: ast.expr = kind(inner[0], [each])
    return made


def _formatted(inner: ast.expr, random: Random) -> ast.expr:
    """A text with a place for a value."""
    return ast.JoinedStr(
        [
            *([ast.Constant("value ")] if random.random() < 0.5 else []),
            ast.FormattedValue(inner, random.choice([-1, -1, ord("r")])),
        ]
    )


def statement_template(random: Random, depth: int) -> ast.stmt:
    """A random statement over the holes."""

    def inner() -> ast.expr:
        return template(random, depth - 1)

    name = ast.Name("k", ast.Store())
    body: list[ast.stmt] = [ast.Pass()]
    return random.choice(
        [
            ast.Assert(ast.Compare(inner(), [ast.Eq()], [inner()]), None),
            ast.Assert(inner(), inner()),
            ast.Assign([name], inner(), lineno=1),
            ast.AnnAssign(name, inner(), inner(), 1),
            ast.AugAssign(name, ast.Add(), inner()),
            ast.Expr(inner()),
            ast.Raise(inner(), inner()),
            ast.If(inner(), body, []),
            ast.If(inner(), [ast.Expr(inner())], [ast.Expr(inner())]),
            ast.For(name, inner(), body, [], lineno=1),
            ast.With([ast.withitem(inner(), name)], body, lineno=1),
            ast.While(inner(), body, []),
        ]
    )


def many_template(random: Random) -> ast.expr:
    """A random list that takes what all arguments were."""
    extra = [ast.Constant(1), ast.Name("k", ast.Load()), ast.Starred(ast.Name("k", ast.Load()))]
    items = [
        *random.choices(extra, k=random.choice([0, 0, 1])),
        ast.Name(MANY, ast.Load()),
        *random.choices(extra, k=random.choice([0, 0, 1])),
    ]
    keywords = random.choices([ast.keyword("key", ast.Constant(1))], k=random.choice([0, 1]))
    makers = [
        lambda: ast.Call(ast.Name("k", ast.Load()), items, keywords),
        lambda: ast.Call(ast.Name("k", ast.Load()), items, keywords),
        lambda: ast.Call(ast.Attribute(ast.Name("k", ast.Load()), "attr"), items, keywords),
        lambda: ast.List(items, ast.Load()),
        lambda: ast.Tuple(items, ast.Load()),
        lambda: ast.Set(items),
    ]
    return random.choice(makers)()


class _Hole(NamedTuple):
    """What stands for a hole: arguments, and keywords if it takes all there are."""

    args: list[ast.expr]
    keywords: list[ast.keyword]


class Replaced(ast.NodeTransformer):
    """Puts a template in the place of the call."""

    def __init__(self, made: str, is_statement: bool, many: bool) -> None:
        self._made, self._is_statement, self._many = made, is_statement, many

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        if self._is_statement and is_call(node.value):
            (made,) = ast.parse(self._made).body
            assert isinstance(node.value, ast.Call)
            return self._filled(made, node.value)
        self.generic_visit(node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if self._is_statement or not is_call(node):
            self.generic_visit(node)
            return node
        return self._filled(ast.parse(f"({self._made})", mode="eval").body, node)

    def _filled(self, made: ast.AST, call: ast.Call) -> ast.AST:
        if self._many:
            holes = {MANY: _Hole(call.args, call.keywords)}
        else:
            holes = {name: _Hole([arg], []) for name, arg in zip(HOLES, call.args, strict=True)}
        filled: ast.AST = _Filled(holes).visit(made)
        return filled


class _Filled(ast.NodeTransformer):
    def __init__(self, holes: dict[str, _Hole]) -> None:
        self._holes = holes

    def visit_Name(self, node: ast.Name) -> ast.AST | list[ast.AST]:
        if (hole := self._holes.get(node.id)) is None:
            return node
        if node.id != MANY:
            return hole.args[0]
        return [*hole.args, *hole.keywords]  # keywords among values: nobody can write that

    def visit_Call(self, node: ast.Call) -> ast.AST:
        many = next((a for a in node.args if isinstance(a, ast.Name) and a.id == MANY), None)
        hole = self._holes.get(MANY)
        if many is not None and hole is not None:
            behind = node.args[node.args.index(many) + 1 :]
            stars = any(keyword.arg is None for keyword in hole.keywords)
            if all(isinstance(one, ast.Starred) and not stars for one in behind):
                node.keywords = [*hole.keywords, *node.keywords]
                self._holes = {**self._holes, MANY: _Hole(hole.args, [])}
        self.generic_visit(node)
        self._holes = {**self._holes, **({MANY: hole} if hole else {})}
        return node
