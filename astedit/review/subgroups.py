"""What varies within a shape: the kinds of its captures, tests or source, who owns the file."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from astedit.model.shapes import SketchedEdit
from astedit.model.token_diff import Tokens

Owners = Callable[[str], Sequence[str]]
RARE = 2  # edits with a kind of capture that no others have are worth a look
LARGE = 50  # edits of a shape in which that is rare
_TEST_DIRECTORIES = frozenset({"test", "tests", "__tests__", "spec", "specs"})
_TEST_NAME = re.compile(r"(test_.*|.*[_.-](test|spec)|conftest|tests?|.*[a-z0-9]Tests?)\.\w+")


class EditTraits(NamedTuple):
    """What may vary among alike edits."""

    captures: tuple[str, ...]
    test: bool
    owners: tuple[str, ...]


def traits_of(members: Sequence[SketchedEdit], owners: Owners) -> list[EditTraits]:
    """The traits of each edit of a shape."""
    kinds: dict[int, tuple[str, ...]] = {}
    places: dict[str, tuple[bool, tuple[str, ...]]] = {}
    rows = []
    for path, _, sketch in members:
        place = places.get(path) or places.setdefault(path, (is_test(path), tuple(owners(path))))
        captures = kinds.get(id(sketch))
        if captures is None:
            runs = [part for part in sketch.old if part.run is not None]
            pieces = (sketch.before[part.start : part.end] for part in runs)
            captures = kinds[id(sketch)] = tuple(map(capture_kind, pieces))
        rows.append(EditTraits(captures, *place))
    return rows


def labels(rows: Sequence[EditTraits]) -> list[str]:
    """What tells each edit from the others, in words; the same for those of one sub-group."""
    captures = zip(*(row.captures for row in rows), strict=True)
    varying = [at for at, kinds in enumerate(captures) if len(set(kinds)) > 1]
    tests = len({row.test for row in rows}) > 1
    owners = len({row.owners for row in rows}) > 1
    return [_label(row, varying, tests, owners) for row in rows]


def _label(row: EditTraits, varying: Sequence[int], tests: bool, owners: bool) -> str:
    parts = [", ".join(row.captures[at] for at in varying)] if varying else []
    parts += [("tests" if row.test else "source")] if tests else []
    parts += [" ".join(row.owners) or "no owner"] if owners else []
    return "; ".join(parts)


def rare_kinds(rows: Sequence[EditTraits]) -> list[str]:
    """For each edit of a shape the kind of a capture that hardly any other has, or ''."""
    if len(rows) < LARGE:
        return [""] * len(rows)
    counts = [Counter(kinds) for kinds in zip(*(row.captures for row in rows), strict=True)]
    return [_rare(row, counts) for row in rows]


def _rare(row: EditTraits, counts: Sequence[Counter[str]]) -> str:
    kinds = zip(row.captures, counts, strict=True)
    return next((kind for kind, count in kinds if count[kind] <= RARE), "")


def is_test(path: str) -> bool:
    """Whether a file is one of tests, by its name or a directory's."""
    *directories, name = path.split("/")
    return not _TEST_DIRECTORIES.isdisjoint(directories) or bool(_TEST_NAME.fullmatch(name))


_NAME = re.compile(r"[^\W\d]\w*")
_DOTTED = frozenset({".", "?", ":", "->"})
_CONSTANTS = frozenset({"None", "True", "False", "null", "nil", "true", "false", "undefined"})
_FUNCTIONS = frozenset({"lambda", "function", "fn", "func"})
_DISPLAYS = {"(": "brackets", "[": "a list", "{": "a dict or set"}
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_LOOSE = frozenset(").,;:=")


def capture_kind(tokens: Tokens) -> str:
    """The kind in words: `a name`, `a call`, `several items`."""
    tokens = _bare(tokens)
    if not tokens:
        return "nothing"
    if tokens[0] in _FUNCTIONS:
        return "a function"
    if len(tokens) == 1:
        return _of_token(tokens[0])
    outer = [token for token, depth in _depths(tokens) if depth == 0]
    if "," in outer:
        return "several items"
    return _of_several(tokens, outer)


def _of_token(token: str) -> str:
    if token in _CONSTANTS:
        return "a constant"
    if token[0] in "\"'":
        return "a string"
    if token[0].isdigit():
        return "a number"
    return "a name" if _NAME.fullmatch(token) else "a sign"


def _of_several(tokens: Tokens, outer: list[str]) -> str:
    """Of tokens without a comma outside brackets; `outer` are those outside."""
    if any(
        not (token in _DOTTED or _NAME.fullmatch(token) or token in "()[]{}") for token in outer
    ):
        return "a string" if _quoted(tokens) else "an expression"
    if tokens[0] in _DISPLAYS and len(outer) == 2:
        return _DISPLAYS[tokens[0]]
    names = pairwise(outer)
    if any(_NAME.fullmatch(one) and _NAME.fullmatch(other) for one, other in names):
        return "an expression"  # `a if b else c`, `not a`
    return {")": "a call", "]": "an item", "}": "a block"}.get(tokens[-1], "a dotted name")


def _quoted(tokens: Tokens) -> bool:
    """Whether it is one string with a prefix, or strings side by side."""
    return all(token[0] in "\"'" or token in ("f", "r", "b", "rb", "u") for token in tokens)


def _bare(tokens: Tokens) -> Tokens:
    """Without what a list around it leaves: its brackets, or one of them, and commas."""
    start, end = 0, len(tokens)
    while start < end and tokens[start] in _LOOSE:
        start += 1
    while start < end and tokens[end - 1] in ",;:=":
        end -= 1
    inner = tokens[start:end]
    if inner and inner[0] == "(" and (inner[-1] == ")") and _encloses(inner):
        return inner[1:-1]
    surplus = inner.count(")") - inner.count("(")
    return inner[: len(inner) - surplus] if surplus > 0 and inner[-1] == ")" else inner


def _encloses(tokens: Tokens) -> bool:
    """Whether the first bracket is closed by the last token."""
    return all(depth > 0 for _, depth in list(_depths(tokens))[1:-1])


def _depths(tokens: Tokens) -> Iterator[tuple[str, int]]:
    """Each token, and how many brackets are open around it."""
    depth = 0
    for token in tokens:
        depth -= token in _CLOSING.values()
        yield token, depth
        depth += token in _CLOSING
