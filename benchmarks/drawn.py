"""Patterns that nobody tuned for: drawn by a seed from a corpus itself."""

import ast
import random
from collections.abc import Iterator
from pathlib import Path

from benchmarks.commands import Pair

SEED, COUNT = 15, 10


def drawn(root: Path) -> list[Pair]:
    """Ten patterns of code that stands in the Python files of a tree, as dense as it comes.

    Each is made of one piece of code: its names stay, its operands become holes.
    """
    chance = random.Random(SEED)
    files = sorted(root.rglob("*.py"))
    pairs: dict[str, Pair] = {}
    while len(pairs) < COUNT:
        if shapes := list(_shapes(chance.choice(files).read_text("utf-8"))):
            pat, out = chance.choice(shapes)
            pairs[pat] = Pair(pat, out)
    return list(pairs.values())


def _shapes(text: str) -> Iterator[tuple[str, str]]:
    try:
        tree = ast.parse(text)
    except SyntaxError:  # newer than this interpreter
        return
    for node in ast.walk(tree):
        if (pat := _pattern(node)) is not None:
            yield pat, pat.replace("$V", "($V)") if "$V" in pat else f"drawn({pat})"


def _pattern(node: ast.AST) -> str | None:
    match node:
        case ast.Call(func=ast.Name() | ast.Attribute() as func) if _is_dotted(func):
            return f"{ast.unparse(func)}($$$A)"
        case ast.Compare(ops=[ast.Eq()]):
            return "$A == $B"
        case ast.Subscript(value=value) if _is_dotted(value):
            return f"{ast.unparse(value)}[$A]"
        case ast.Assign(targets=[ast.Attribute() as target]) if _is_dotted(target):
            return f"{ast.unparse(target)} = $V"
        case _:
            return None


def _is_dotted(node: ast.AST) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)
