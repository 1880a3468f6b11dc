"""Moves and signature changes that nobody chose: drawn by a seed from what a package defines."""

import ast
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

NEW_MODULE = "moved_here"
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_NEW_SHARE = 0.25  # of the moves that go to a module which is not there yet


@dataclass(frozen=True, slots=True)
class Move:
    """One definition that goes to another module, which may be new."""

    path: str
    name: str
    dest: str

    def __str__(self) -> str:
        return f"move {self.path}::{self.name} {self.dest}"


@dataclass(frozen=True, slots=True)
class Signature:
    """One change of the parameters of a function; `options` are those of the command."""

    path: str
    name: str
    kind: str
    options: Mapping[str, Sequence[str] | str]

    def __str__(self) -> str:
        words = (f"{key}={value}" for key, value in self.options.items())
        return f"signature {self.path}::{self.name} {' '.join(words)}"


def moves(root: Path, modules: Sequence[str], chance: random.Random) -> Iterator[Move]:
    """Every definition at the top of a module, in a drawn order, each with a drawn place."""
    every = [(path, name) for path in modules for name in sorted(_top_names(root / path))]
    chance.shuffle(every)
    for path, name in every:
        folder = PurePosixPath(path).parent
        others = [module for module in modules if module != path]
        is_new = not others or chance.random() < _NEW_SHARE
        dest = str(folder / f"{NEW_MODULE}.py") if is_new else chance.choice(others)
        yield Move(path, name, dest)


def signatures(root: Path, modules: Sequence[str], chance: random.Random) -> Iterator[Signature]:
    """Every kind of change in turn, each of a function that is drawn among those it fits."""
    every = [(path, *each) for path in modules for each in _functions(_tree(root / path))]
    kinds = {
        kind: [(path, name, options) for path, name, node in every if (options := make(node))]
        for kind, make in _KINDS.items()
    }
    for fitting in kinds.values():
        chance.shuffle(fitting)
    while any(kinds.values()):
        for kind, fitting in kinds.items():
            if fitting:
                path, name, choices = fitting.pop()
                yield Signature(path, name, kind, chance.choice(choices))


def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_bytes())


def _top_names(path: Path) -> set[str]:
    names = set()
    for node in _tree(path).body:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                names.add(node.name)
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                names.add(name)
    return {name for name in names if not name.startswith("__")}


_Function = ast.FunctionDef | ast.AsyncFunctionDef
_Options = dict[str, Sequence[str] | str]


def _functions(tree: ast.Module) -> Iterator[tuple[str, _Function]]:
    """Functions, methods and constructors, by their names; not those within functions."""
    for node in tree.body:
        if isinstance(node, _FUNCTIONS):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            for inner in node.body:
                is_special = isinstance(inner, _FUNCTIONS) and inner.name.startswith("__")
                if isinstance(inner, _FUNCTIONS) and (not is_special or inner.name == "__init__"):
                    yield f"{node.name}.{inner.name}", inner


def _plain(node: _Function) -> list[str]:
    return [each.arg for each in node.args.args if each.arg not in ("self", "cls")]


def _added(_: _Function) -> list[_Options]:
    return [{"add": ["extra=None"]}]


def _renamed(node: _Function) -> list[_Options]:
    return [{"rename": [f"{name}={name}_2"]} for name in _plain(node)]


def _reordered(node: _Function) -> list[_Options]:
    """The last two that no default divides, in the other order."""
    names, plain = [each.arg for each in node.args.args], _plain(node)
    if len(plain) < 2 or len(node.args.defaults) == 1 or node.args.posonlyargs:
        return []
    return [{"reorder": ",".join([*names[:-2], names[-1], names[-2]])}]


def _keyword_only(node: _Function) -> list[_Options]:
    return [{"keyword_only": [name]} for name in _plain(node)[-1:]]


def _removed(node: _Function) -> list[_Options]:
    """Parameters that the body never names."""
    body = [inner for statement in node.body for inner in ast.walk(statement)]
    used = {each.id for each in body if isinstance(each, ast.Name)}
    return [{"remove": [name]} for name in _plain(node) if name not in used]


_KINDS = {
    "add": _added,
    "rename": _renamed,
    "reorder": _reordered,
    "keyword-only": _keyword_only,
    "remove": _removed,
}
