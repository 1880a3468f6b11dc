"""Real Python: expressions by kind, statements with a place for one, and calls as they stand."""

import ast
import re
import sysconfig
import textwrap
import warnings
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random

CALL = "qq"
_STATEMENTS = (ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Assert)
_LONGEST = 160
_MOST = 6000  # statements, and calls, that are kept


@dataclass(frozen=True)
class Context:
    """A statement with a call in it: what stands before its name and behind its brackets.

    `whole` says that the call is all of it. `arguments` are the brackets of a real call
    and what is in them; empty where a call is yet to be made. `count` is how many plain
    arguments those are, -1 where keywords are among them.
    """

    before: str
    behind: str
    whole: bool
    arguments: str = ""
    count: int = 0


@dataclass
class Pool:
    """What some real files hold."""

    expressions: dict[str, list[str]] = field(default_factory=dict)
    statements: list[Context] = field(default_factory=list)
    calls: list[Context] = field(default_factory=list)


def pool_of(random: Random, count: int) -> Pool:
    """What `count` real files hold."""
    pool = Pool()
    for text in sources(random, count):
        if (tree := parsed(text)) is not None and "\f" not in text:
            _gather(pool, tree, text, random)
    return pool


def sources(random: Random, count: int) -> Iterator[str]:
    """Files of the standard library and of the packages installed beside the tests."""
    files = _files()
    for file in random.sample(files, min(count, len(files))):
        try:
            yield file.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue


@cache
def _files() -> list[Path]:
    places = [Path(sysconfig.get_path(name)) for name in ("stdlib", "purelib")]
    return sorted({file for place in places for file in place.rglob("*.py")})


def parsed(text: str) -> ast.Module | None:
    """The tree of a text; None if it has none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def compiles(text: str) -> bool:
    """Whether Python takes it, which is more than having a tree."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(text, "a", "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True


def is_call(node: ast.AST) -> bool:
    """Is it the call that a trial puts a template in the place of?"""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == CALL


def _gather(pool: Pool, tree: ast.Module, text: str, random: Random) -> None:
    lines = [line.encode() for line in text.splitlines(keepends=True)]
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
    if not piece or len(piece) > _LONGEST or CALL in piece:
        return ""
    if isinstance(node, ast.Yield | ast.YieldFrom):
        piece = f"({piece})"
    again = parsed(f"{CALL}({piece}, 1)")
    if again is None or not isinstance(again.body[0], ast.Expr):
        return ""
    call = again.body[0].value
    if not is_call(call) or not isinstance(call, ast.Call):
        return ""
    return piece if len(call.args) == 2 and shape(call.args[0]) == shape(node) else ""


def _gather_statement(pool: Pool, node: ast.stmt, lines: list[bytes], random: Random) -> None:
    piece = _piece(node, lines)
    if not piece or len(piece) > 4 * _LONGEST or CALL in piece:
        return
    padded = textwrap.dedent(" " * node.col_offset + piece)
    if (again := parsed(padded)) is None or len(again.body) != 1:
        return
    inner = [one for one in ast.walk(again.body[0]) if isinstance(one, ast.expr)]
    load = [one for one in inner if isinstance(getattr(one, "ctx", ast.Load()), ast.Load)]
    calls = [one for one in load if isinstance(one, ast.Call) and (one.args or one.keywords)]
    if load and len(pool.statements) < _MOST:
        _gather_context(pool.statements, padded, random.choice(load))
    if calls and len(pool.calls) < _MOST:
        _gather_context(pool.calls, padded, random.choice(calls), real=True)


def _gather_context(
    contexts: list[Context], statement: str, chosen: ast.expr, real: bool = False
) -> None:
    low, high = _span(chosen, statement)
    raw = statement.encode()
    before, behind = raw[:low].decode(), raw[high:].decode()
    arguments, count = "", 0
    if real and isinstance(chosen, ast.Call):
        arguments = raw[_span(chosen.func, statement)[1] : high].decode().lstrip(" ")
        count = -1 if chosen.keywords else len(chosen.args)
        if not arguments.startswith("("):
            return
    again = parsed(f"{before}{CALL}{arguments or '(1, 2)'}{behind}")
    if again is not None and sum(map(is_call, ast.walk(again))) == 1 and len(again.body) == 1:
        made = again.body[0]
        whole = isinstance(made, ast.Expr) and is_call(made.value)
        contexts.append(Context(before, behind, whole, arguments, count))


def _span(node: ast.expr, text: str) -> tuple[int, int]:
    lines = [0]
    for line in text.splitlines(keepends=True):
        lines.append(lines[-1] + len(line.encode()))
    assert node.end_lineno is not None and node.end_col_offset is not None
    return lines[node.lineno - 1] + node.col_offset, lines[
        node.end_lineno - 1
    ] + node.end_col_offset


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

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.JoinedStr:
        """Two texts in a row are one."""
        self.generic_visit(node)
        values: list[ast.expr] = []
        for value in node.values:
            last = values[-1] if values else None
            if _is_text(value) and _is_text(last):
                values[-1] = ast.Constant(last.value + value.value)
            else:
                values.append(value)
        return ast.JoinedStr(values)


def _is_text(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def shape(node: ast.AST) -> str:
    """A tree as text; whether a name is read or written follows from its place."""
    return re.sub(r", ctx=\w+\(\)", "", ast.dump(_Flat().visit(deepcopy(node))))
