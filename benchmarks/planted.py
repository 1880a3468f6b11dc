"""Wrong edits among right ones, planted by a program that knows nothing of how they are shown.

Each is one right edit whose result was changed as a careless author would: operands
swapped, another receiver, another number of arguments, a wrong literal. It works on the
syntax tree of the result, and keeps every byte outside the place that it changes.
"""

import ast
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from astedit.model.edit import Edit, FilePlan

Change = tuple[int, int, str]  # from, to, and what stands there instead
_NAMES = ("other", "self", "result", "value", "data", "cls", "config")


def plant(files: Sequence[FilePlan], count: int, seed: int) -> tuple[list[FilePlan], set[str]]:
    """The same files with `count` edits made wrong, and the ids of those."""
    chance = random.Random(seed)
    places = [(at, edit.id) for at, file in enumerate(files) for edit in file.edits]
    chance.shuffle(places)
    wrong: dict[str, Edit] = {}
    for at, name in places:
        if len(wrong) == count:
            break
        edit = next(edit for edit in files[at].edits if edit.id == name)
        mistake = MISTAKES[len(wrong) % len(MISTAKES)]
        text = spoiled(edit.whole_after, mistake, chance)
        if text is not None:
            wrong[name] = _with_result(edit, text)
    spoilt = [
        replace(file, edits=[wrong.get(edit.id, edit) for edit in file.edits]) for file in files
    ]
    return spoilt, set(wrong)


def spoiled(text: str, mistake: "Mistake", chance: random.Random) -> str | None:
    """The text with one such mistake; None where there is no place for it."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return None
    changes = [change for node in ast.walk(tree) for change in mistake(node, text, chance)]
    chance.shuffle(changes)
    for start, end, new in changes:
        result = text[:start] + new + text[end:]
        if "".join(result.split()) != "".join(text.split()):
            return result
    return None


def _with_result(edit: Edit, text: str) -> Edit:
    """The edit, replacing all of its match by this text."""
    match = edit.match
    if match is None:
        return replace(edit, after=text, new=text.encode())
    place = {name: getattr(match, name) for name in ("start", "end", "line", "column")}
    return replace(edit, **place, before=match.text, after=text, new=text.encode(), lead=0)


def swapped(node: ast.AST, text: str, chance: random.Random) -> Iterator[Change]:
    """Two operands, or two arguments beside each other, in the place of one another."""
    match node:
        case ast.BinOp(left=one, right=other) | ast.Compare(left=one, comparators=[other]):
            yield _exchanged(one, other, text)
        case ast.Call(args=[_, _, *_] as items):
            at = chance.randrange(len(items) - 1)
            yield _exchanged(items[at], items[at + 1], text)


def _exchanged(one: ast.expr, other: ast.expr, text: str) -> Change:
    (a, b), (c, d) = _span(one, text), _span(other, text)
    return a, d, text[c:d] + text[b:c] + text[a:b]


def other_receiver(node: ast.AST, text: str, chance: random.Random) -> Iterator[Change]:
    """The object of a method or the first argument is another one."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name() as name)):
            yield (*_span(name, text), chance.choice([n for n in _NAMES if n != name.id]))
        case ast.Call(func=ast.Name(), args=[ast.Name() as name, *_]):
            yield (*_span(name, text), chance.choice([n for n in _NAMES if n != name.id]))


def other_arity(node: ast.AST, text: str, chance: random.Random) -> Iterator[Change]:
    """An argument is missing, or there twice."""
    match node:
        case ast.Call(args=[*_, before, last], keywords=[]):
            yield _span(before, text)[1], _span(last, text)[1], ""
        case ast.Call(args=[last], keywords=[]):
            start, end = _span(last, text)
            yield end, end, f", {text[start:end]}"


def wrong_literal(node: ast.AST, text: str, chance: random.Random) -> Iterator[Change]:
    """A number, a string or a truth value is another one."""
    match node:
        case ast.Constant(value=bool(value)):
            yield (*_span(node, text), str(not value))
        case ast.Constant(value=int(value)):
            yield (*_span(node, text), str(value + chance.choice((1, 2, 10))))
        case ast.Constant(value=str(value)):
            yield (*_span(node, text), repr(value[:-1] if value else "x"))


def _span(node: ast.expr, text: str) -> tuple[int, int]:
    """Where a node stands, in characters."""
    assert node.end_lineno is not None and node.end_col_offset is not None
    return (
        _offset(text, node.lineno, node.col_offset),
        _offset(text, node.end_lineno, node.end_col_offset),
    )


def _offset(text: str, line: int, column: int) -> int:
    lines = text.split("\n")
    before = sum(len(each) + 1 for each in lines[: line - 1])
    return before + len(lines[line - 1].encode()[:column].decode())


Mistake = Callable[[ast.AST, str, random.Random], Iterator[Change]]
MISTAKES: tuple[Mistake, ...] = (swapped, other_receiver, other_arity, wrong_literal)
