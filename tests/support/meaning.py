"""An oracle for rewrites in Python that knows nothing of texts: nodes of `ast` put in place.

Real expressions are made arguments of calls in real statements. A template over them is
made at random. The tree of what the engine writes must be the tree in which the call's
node has become the template's, with the arguments' nodes in its holes.
"""

import ast
import copy
import re
import sysconfig
import textwrap
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from astedit.engine.compile_ops import compile_ops
from astedit.engine.file_edits import edit_file
from astedit.engine.outcome import FileData
from astedit.engine.request import request_of
from astedit.language import named
from astedit.text.source import Source
from astedit.text.splice import splice

CALL = "qq"
HOLES = ("A", "B")
_STATEMENTS = (ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Assert)
_LONGEST = 120
_BINARY = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Mod, ast.Pow, ast.BitOr, ast.BitAnd)
_SHIFTS = (ast.LShift, ast.MatMult, ast.FloorDiv, ast.BitXor)
_UNARY = (ast.USub, ast.Not, ast.Invert)
_COMPARE = (ast.Eq, ast.Lt, ast.In, ast.NotIn, ast.Is, ast.IsNot, ast.GtE)
_FUNCTION = re.compile(r"^(?=async def w\d+)", re.MULTILINE)


@dataclass
class Pool:
    """Real code: expressions by kind, and statements with a place for an expression."""

    expressions: dict[str, list[str]] = field(default_factory=dict)
    statements: list[tuple[str, str, str]] = field(default_factory=list)  # kind, before, behind


@dataclass
class Tally:
    """How many edits came out right, were blocked, or mean something else.

    `refused` are those blocked that no text could have stood for, such as `*a + 1`.
    """

    right: int = 0
    refused: int = 0
    blocked: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    @property
    def edits(self) -> int:
        return self.right + self.refused + len(self.blocked) + len(self.wrong)


def sources(random: Random, count: int) -> Iterator[str]:
    """Files of the standard library and of the packages installed beside the tests."""
    places = [Path(sysconfig.get_path(name)) for name in ("stdlib", "purelib")]
    files = sorted({file for place in places for file in place.rglob("*.py")})
    for file in random.sample(files, min(count, len(files))):
        try:
            yield file.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue


def pool_of(random: Random, count: int) -> Pool:
    """What `count` real files hold."""
    pool = Pool()
    for text in sources(random, count):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                tree = ast.parse(text)
            except (SyntaxError, ValueError):
                continue
            _gather(pool, tree, text, random)
    return pool


def _gather(pool: Pool, tree: ast.Module, text: str, random: Random) -> None:
    lines = [line.encode() for line in text.splitlines(keepends=True)]
    if "\f" in text:
        return
    for node in ast.walk(tree):
        if isinstance(node, _STATEMENTS):
            _gather_statement(pool, node, lines, random)
        elif isinstance(node, ast.expr):
            some = pool.expressions.setdefault(type(node).__name__, [])
            if len(some) < 400 and (piece := _expression(node, lines)):
                some.append(piece)


def _piece(node: ast.expr | ast.stmt, lines: list[bytes]) -> str:
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    if last - first > 6:
        return ""
    if first == last:
        return lines[first][node.col_offset : node.end_col_offset].decode()
    middle = b"".join(lines[first + 1 : last])
    head, tail = lines[first][node.col_offset :], lines[last][: node.end_col_offset]
    return (head + middle + tail).decode()


def _expression(node: ast.expr, lines: list[bytes]) -> str:
    """The source of an expression that may be an argument; else nothing."""
    piece = _piece(node, lines)
    if not piece or len(piece) > _LONGEST or CALL in piece or "#" in piece:
        return ""
    if isinstance(node, ast.Yield | ast.YieldFrom):
        piece = f"({piece})"
    try:
        (only,) = ast.parse(f"{CALL}({piece}, 1)").body[0].value.args[:-1]
    except (SyntaxError, ValueError):
        return ""
    return piece if shape(only) == shape(node) else ""


def _gather_statement(pool: Pool, node: ast.stmt, lines: list[bytes], random: Random) -> None:
    piece = _piece(node, lines)
    if not piece or len(piece) > 4 * _LONGEST or CALL in piece or len(pool.statements) > 6000:
        return
    padded = textwrap.dedent(" " * node.col_offset + piece)
    try:
        (again,) = ast.parse(padded).body
    except (SyntaxError, ValueError):
        return
    inner = [one for one in ast.walk(again) if isinstance(one, ast.expr)]
    load = [one for one in inner if isinstance(getattr(one, "ctx", ast.Load()), ast.Load)]
    if not load:
        return
    chosen = random.choice(load)
    data = [line.encode() for line in padded.splitlines(keepends=True)]
    old = _piece(chosen, data)
    if not old:
        return
    start = sum(map(len, data[: chosen.lineno - 1])) + chosen.col_offset
    raw = padded.encode()
    before, behind = raw[:start].decode(), raw[start + len(old.encode()) :].decode()
    try:
        (made,) = ast.parse(f"{before}{CALL}(1, 2){behind}").body
    except (SyntaxError, ValueError):
        return
    if sum(_is_call(one) for one in ast.walk(made)) == 1:
        whole = isinstance(made, ast.Expr) and _is_call(made.value)
        pool.statements.append(("whole" if whole else "part", before, behind))


def _is_call(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == CALL


class _Flat(ast.NodeTransformer):
    """Joins what is joined by the same word: `a or (b or c)` is `a or b or c`."""

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.BoolOp:
        self.generic_visit(node)
        values: list[ast.expr] = []
        for value in node.values:
            alike = isinstance(value, ast.BoolOp) and type(value.op) is type(node.op)
            values += value.values if alike else [value]
        return ast.BoolOp(node.op, values)

    def visit_Subscript(self, node: ast.Subscript) -> ast.Subscript:
        """`a[*b]` is written without the comma that makes it a tuple."""
        self.generic_visit(node)
        if isinstance(node.slice, ast.Starred):
            node.slice = ast.Tuple([node.slice], ast.Load())
        return node


def shape(node: ast.AST) -> str:
    """A tree as text; whether a name is read or written follows from its place."""
    return re.sub(r", ctx=\w+\(\)", "", ast.dump(_Flat().visit(copy.deepcopy(node))))


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
        lambda: ast.Call(name, [ast.Starred(inner(), ast.Load())], []),
        lambda: ast.Call(inner(), [inner()], []),
        lambda: ast.Attribute(inner(), "attr", ast.Load()),
        lambda: ast.Subscript(inner(), inner(), ast.Load()),
        lambda: ast.Subscript(name, ast.Slice(inner(), inner()), ast.Load()),
        lambda: ast.List([inner(), inner()], ast.Load()),
        lambda: ast.Tuple([inner(), inner()], ast.Load()),
        lambda: ast.Dict([inner()], [inner()]),
        lambda: ast.Set([inner(), inner()]),
        lambda: ast.Await(inner()),
        lambda: ast.NamedExpr(ast.Name("y", ast.Store()), inner()),
        lambda: ast.Yield(inner()),
        lambda: _comprehension(ast.ListComp, inner(), inner(), inner()),
        lambda: _comprehension(ast.GeneratorExp, inner(), inner(), inner()),
    ]
    return random.choice(makers)()


def _comprehension(kind: type, *inner: ast.expr) -> ast.expr:
    each = ast.comprehension(ast.Name("k", ast.Store()), inner[1], [inner[2]], 0)
    made: ast.expr = kind(inner[0], [each])
    return made


def statement_template(random: Random, depth: int) -> ast.stmt:
    """A random statement over the holes."""

    def inner() -> ast.expr:
        return template(random, depth - 1)

    name = ast.Name("k", ast.Store())
    return random.choice(
        [
            ast.Assert(ast.Compare(inner(), [ast.Eq()], [inner()]), None),
            ast.Assert(inner(), inner()),
            ast.Assign([name], inner(), lineno=1),
            ast.AugAssign(name, ast.Add(), inner()),
            ast.Expr(inner()),
            ast.Raise(inner(), None),
            ast.If(inner(), [ast.Pass()], []),
        ]
    )


class _Filled(ast.NodeTransformer):
    def __init__(self, nodes: dict[str, ast.expr]) -> None:
        self._nodes = nodes

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._nodes.get(node.id, node)


class _Replaced(ast.NodeTransformer):
    def __init__(self, made: str, is_statement: bool) -> None:
        self._made, self._is_statement = made, is_statement

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        if self._is_statement and _is_call(node.value):
            (made,) = ast.parse(self._made).body
            return self._filled(made, node.value)
        self.generic_visit(node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if self._is_statement or not _is_call(node):
            self.generic_visit(node)
            return node
        return self._filled(ast.parse(self._made, mode="eval").body, node)

    def _filled(self, made: ast.AST, call: ast.Call) -> ast.AST:
        return _Filled(dict(zip(HOLES, call.args, strict=True))).visit(made)


@dataclass
class Trial:
    """One template and a text with several calls to put it in the place of."""

    pattern: str
    out: str
    text: str
    expected: list[ast.AST]


def trial(pool: Pool, random: Random, count: int) -> Trial | None:
    """A random trial; None where Python refuses what was made up."""
    is_statement = random.random() < 0.2
    depth = random.choice([1, 1, 2])
    made = (statement_template if is_statement else template)(random, depth)
    out = ast.unparse(ast.fix_missing_locations(made))
    if not any(re.search(rf"\b{hole}\b", out) for hole in HOLES):
        return None
    try:
        ast.parse(out)
    except SyntaxError:
        return None
    contexts = [one for one in pool.statements if not is_statement or one[0] == "whole"]
    functions = []
    while len(functions) < count:
        _, before, behind = random.choice(contexts)
        arguments = ", ".join(_argument(pool, random) for _ in HOLES)
        body = textwrap.indent(f"{before}{CALL}({arguments}){behind}", "    ", lambda _: True)
        text = f"async def w{len(functions)}():\n{body}\n"
        if compiles(text):
            functions.append(text)
    expected = []
    for text in functions:
        tree = _Replaced(out, is_statement).visit(ast.parse(text))
        expected.append(ast.fix_missing_locations(tree))
    slots = re.sub(r"\b([AB])\b", r"$\1", out)
    return Trial(f"{CALL}($A, $B)", slots, "".join(functions), expected)


def _can_be_written(tree: ast.AST) -> bool:
    text = ast.unparse(tree)
    return compiles(text) and shape(ast.parse(text)) == shape(tree)


def compiles(text: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(text, "a", "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True


def _argument(pool: Pool, random: Random) -> str:
    while True:
        kind = random.choice(sorted(pool.expressions))
        if kind == "Starred" and random.random() < 0.8:
            continue
        some = pool.expressions[kind]
        if some:
            return random.choice(some)


def judge(trial: Trial, after: str, tally: Tally) -> None:
    """Compares function by function."""
    parts = _FUNCTION.split(after)[1:]
    before = _FUNCTION.split(trial.text)[1:]
    if len(parts) != len(before):
        tally.wrong += [f"{trial.out}\n{trial.text}\n=>\n{after}"] * len(before)
        return
    for old, new, expected in zip(before, parts, trial.expected, strict=True):
        if old == new and not _can_be_written(expected):
            tally.refused += 1
        elif old == new:
            tally.blocked.append(f"{trial.out}\n{old}\n=>\n{ast.unparse(expected)}")
        elif compiles(new) and shape(ast.parse(new)) == shape(expected):
            tally.right += 1
        else:
            tally.wrong.append(
                f"{'' if compiles(new) else 'DOES NOT COMPILE '}{trial.out}\n{old}\n=>\n{new}"
            )


def rewritten(trial: Trial, language: str = "python") -> str:
    """What the engine makes of a trial's text."""
    request = request_of({"ops": [{"pat": trial.pattern, "out": trial.out}], "paths": ["."]})
    row = named(language)
    assert row is not None
    program = compile_ops(request, row, rewriting=True)
    source, data = Source(trial.text.encode()), FileData()
    tree = program.grammar.parser().parse(source.text)
    edit_file("a", source, tree, program, request, False, data)
    return splice(source.raw, [edit.change for edit in data.edits]).decode()
