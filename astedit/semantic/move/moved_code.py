"""The code that moves: whole lines with the comments above them, and where they come to stand."""

import ast
import re
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple

from astedit.semantic.move.module_code import ModuleCode, names_bound, refused
from astedit.text.source import end_of_line
from astedit.text.splice import Change, splice

_SIMPLE: tuple[type[ast.stmt], ...] = (
    ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign, ast.AugAssign,
)  # fmt: skip
if sys.version_info >= (3, 12):
    _SIMPLE += (ast.TypeAlias,)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFINITIONS = (*_FUNCTIONS, ast.ClassDef)
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
    return {name for item in declared for name in item.names}


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


def insertion(
    dest: ModuleCode, pieces: Sequence[MovedPiece], names: Collection[str], needed: Collection[str]
) -> Change:
    """The change that brings the pieces, each with the blank lines that stood before it.

    They come to the end, or before the first statement that needs them while the module is
    imported, or before a closing `if __name__ == …`. Raises `PreconditionError` where what
    they need on import themselves stands further down.
    """
    body, code = dest.tree.body, dest.code
    eol = end_of_line(code or pieces[0].code)
    index = _index(dest, names)
    _check_order(dest, index, {*needed} - {*names})
    following = lines_with_gap(dest, body[index]) if index < len(body) else None
    at = _end_of_text(code) if following is None else following.gap
    text = b"" if not at or code[:at].endswith(b"\n") else eol
    blanks = _blank_lines(body[index - 1] if index else None)
    for piece in pieces:
        least = 0 if piece.follows else max(blanks, 2 if piece.definition else 0)
        text += eol * (max(piece.blanks, least) if at or text else 0)
        text += _with_ends(piece.code, eol)
        blanks = 2 if piece.definition else 0
    if following is not None:
        have = code.count(b"\n", following.gap, following.start)
        text += eol * max(0, max(blanks, 2 if following.definition else 0) - have)
    return at, at, text


def _end_of_text(code: bytes) -> int:
    """Where the line behind the last one begins that is not blank."""
    last = len(code.rstrip())
    return code.find(b"\n", last) + 1 or len(code)


def _with_ends(code: bytes, eol: bytes) -> bytes:
    lines = code.replace(b"\r\n", b"\n").replace(b"\n", eol)
    return lines if lines.endswith(eol) else lines + eol


def _blank_lines(before: ast.stmt | None) -> int:
    """The blank lines that PEP 8 wants behind a statement."""
    if isinstance(before, _DEFINITIONS):
        return 2
    return 0 if before is None or isinstance(before, ast.Assign | ast.AnnAssign) else 1


def _index(dest: ModuleCode, names: Collection[str]) -> int:
    """Before which statement the code comes; the number of all of them for the end."""
    body = dest.tree.body
    for index, node in enumerate(body):
        if not names_on_import(dest, node).isdisjoint(names):
            return index
    return len(body) - 1 if body and _is_main(body[-1]) else len(body)


def _is_main(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and "__name__" in {
        inner.id for inner in ast.walk(node.test) if isinstance(inner, ast.Name)
    }


def _check_order(dest: ModuleCode, index: int, needed: set[str]) -> None:
    for node in dest.tree.body[index:]:
        late = names_bound(node) & needed
        if late and not isinstance(node, ast.Import | ast.ImportFrom):
            place = f"{dest.path}:{node.lineno}:"
            raise refused(place, f"{min(late)} would be needed before it is there", "order")


def names_on_import(module: ModuleCode, node: ast.stmt) -> set[str]:
    """The names that a statement needs when its module is imported.

    Where it calls anything, those that functions of the module need are among them.
    """
    parts = list(_at_once(node, has_lazy_annotations(module)))
    names = _loaded(parts)
    if any(isinstance(inner, ast.Call) for part in parts for inner in ast.walk(part)) or (
        getattr(node, "decorator_list", None)
    ):
        functions = {
            statement.name: statement
            for statement in module.tree.body
            if isinstance(statement, _DEFINITIONS)
        }
        waiting = list(names)
        while waiting:
            called = functions.pop(waiting.pop(), None)
            more = _loaded([called]) - names if called is not None else set()
            names |= more
            waiting += more
    return names


def _loaded(parts: Sequence[ast.AST]) -> set[str]:
    walked = (inner for part in parts for inner in ast.walk(part))
    return {item.id for item in walked if isinstance(item, ast.Name)}


def has_lazy_annotations(module: ModuleCode) -> bool:
    """Whether a module never evaluates its annotations by itself."""
    return any(
        isinstance(node, ast.ImportFrom)
        and node.module == "__future__"
        and any(alias.name == "annotations" for alias in node.names)
        for node in module.tree.body
    )


def has_annotations(module: ModuleCode) -> bool:
    """Whether anything in a module is annotated."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.AnnAssign) or (
            isinstance(node, _FUNCTIONS) and [*_annotations(node)]
        ):
            return True
    return False


def _at_once(node: ast.stmt, lazy: bool) -> Iterator[ast.AST]:
    """The parts of a statement that are evaluated when it is reached."""
    if isinstance(node, _FUNCTIONS):
        yield from node.decorator_list
        yield from node.args.defaults
        yield from (value for value in node.args.kw_defaults if value is not None)
        if not lazy:
            yield from _annotations(node)
    elif isinstance(node, ast.ClassDef):
        yield from (*node.decorator_list, *node.bases, *node.keywords)
        for inner in node.body:
            yield from _at_once(inner, lazy)
    elif isinstance(node, ast.AnnAssign) and lazy:
        yield from (part for part in (node.target, node.value) if part is not None)
    elif _blocks(node):
        yield from _of_blocks(node, lambda inner: _at_once(inner, lazy))
    else:
        yield node


def _annotations(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.expr]:
    every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    every += [item for item in (node.args.vararg, node.args.kwarg) if item is not None]
    annotations = [*(item.annotation for item in every), node.returns]
    yield from (annotation for annotation in annotations if annotation is not None)


def _blocks(node: ast.stmt) -> bool:
    return isinstance(node, ast.If | ast.For | ast.While | ast.With | ast.Try | ast.Match)


def _of_blocks(node: ast.stmt, parts: Callable[[ast.stmt], Iterator[ast.AST]]) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            yield from parts(child)
        elif isinstance(child, ast.ExceptHandler | ast.match_case):
            for inner in child.body:
                yield from parts(inner)
        else:
            yield child
