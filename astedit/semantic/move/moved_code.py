"""The code that moves: whole lines of a module, with the comments directly above them."""

import ast
import re
import sys
from collections.abc import Sequence
from typing import NamedTuple

from astedit.semantic.move.module_code import ModuleCode, names_bound, refused
from astedit.text.splice import Change, splice

_SIMPLE: tuple[type[ast.stmt], ...] = (
    ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign, ast.AugAssign,
)  # fmt: skip
if sys.version_info >= (3, 12):
    _SIMPLE += (ast.TypeAlias,)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_FILE_COMMENT = re.compile(rb"#!|#.*coding[:=]")


class MovedLines(NamedTuple):
    """Bytes `start` to `end` of a module are whole lines that move.

    `gap` is where the blank lines before them begin. `definition` says that PEP 8 wants two
    of them.
    """

    gap: int
    start: int
    end: int
    definition: bool


class MovedPiece(NamedTuple):
    """Whole lines on their way, and how many blank lines stood before them.

    `follows` says that nothing else stood between them and the piece before.
    """

    follows: bool
    blanks: int
    definition: bool
    code: bytes


def moved_lines(module: ModuleCode, names: Sequence[str]) -> list[MovedLines]:
    """The lines of these definitions, in their order.

    Raises `PreconditionError` for a name that anything else binds as well, and for a statement
    that shares its lines or binds other names, too.
    """
    moving = []
    for node in module.tree.body:
        bound = names_bound(node)
        if bound.isdisjoint(names):
            continue
        if not isinstance(node, _SIMPLE):
            raise _cannot(module, node, "is bound within a statement", bound & {*names})
        if bound - {*names}:
            raise _cannot(module, node, f"is bound together with {min(bound - {*names})}", bound)
        moving.append(node)
    for name in names:
        if any(name in _global_in(node) for node in module.tree.body if node not in moving):
            why = f"has a function that says `global {name}`: it would bind another name"
            raise refused(module.path, why, "global_name")
        if not any(name in names_bound(node) for node in moving):
            raise refused(module.path, f"has no {name} at its top level", "not_found")
    return [lines_with_gap(module, node) for node in moving]


def _global_in(node: ast.stmt) -> set[str]:
    declared = (inner for inner in ast.walk(node) if isinstance(inner, ast.Global))
    return {name for each in declared for name in each.names}


def _cannot(module: ModuleCode, node: ast.stmt, why: str, names: set[str]) -> Exception:
    return refused(
        f"{module.path}:{node.lineno}:",
        f"{', '.join(sorted(names))} {why}, which cannot move as a whole",
        "not_movable",
    )


def lines_with_gap(module: ModuleCode, node: ast.stmt) -> MovedLines:
    code = module.code
    start, end = module.lines_of(node)
    first, last = module.span(node)
    rest = code[last:end].strip()
    if code[start:first].strip() or (rest and not rest.startswith(b"#")):
        raise _cannot(module, node, "shares its line with other code", names_bound(node))
    start = _with_comments(module, start)
    gap = start
    while gap and not (before := code[_line_before(code, gap) : gap]).strip():
        gap -= len(before)
    return MovedLines(gap, start, end, isinstance(node, _DEFINITIONS))


def _with_comments(module: ModuleCode, start: int) -> int:
    """Where the comment lines directly above begin, those about the file left out."""
    code, at = module.code, start
    while at and code[_line_before(code, at) : at].startswith(b"#"):
        at = _line_before(code, at)
    while at < start and at == 0 and _FILE_COMMENT.match(code):
        at = code.find(b"\n") + 1
        if _FILE_COMMENT.match(code[at:start]):
            at = code.find(b"\n", at) + 1
    return at


def _line_before(code: bytes, at: int) -> int:
    """Where the line begins that ends at this byte."""
    return code.rfind(b"\n", 0, at - 1) + 1


def removals(code: bytes, moving: Sequence[MovedLines]) -> list[Change]:
    """The changes that take the lines away; of the blank lines around them the more stay."""
    changes = []
    for gap, low, high in _runs(moving):
        end = high
        while end < len(code) and not (line := code[end : _line_behind(code, end)]).strip():
            end += len(line)
        if gap == 0:
            changes.append((0, end, b""))
        elif end == len(code) or end - high > low - gap:
            changes.append((gap, high, b""))
        else:
            changes.append((low, end, b""))
    return changes


def _runs(moving: Sequence[MovedLines]) -> list[tuple[int, int, int]]:
    """The gap, start and end of lines with nothing but blank lines between them."""
    runs: list[tuple[int, int, int]] = []
    for lines in moving:
        if runs and runs[-1][2] == lines.gap:
            runs[-1] = (*runs[-1][:2], lines.end)
        else:
            runs.append(lines[:3])
    return runs


def _line_behind(code: bytes, at: int) -> int:
    end = code.find(b"\n", at) + 1
    return end or len(code)


def pieces(code: bytes, moving: Sequence[MovedLines], inside: Sequence[Change]) -> list[MovedPiece]:
    """The lines with the changes that are made within them."""
    result = []
    last = -1
    for gap, start, end, definition in moving:
        own = [(low - start, high - start, new) for low, high, new in inside if start <= low < end]
        blanks = code.count(b"\n", gap, start)
        result.append(MovedPiece(last == gap, blanks, definition, splice(code[start:end], own)))
        last = end
    return result
