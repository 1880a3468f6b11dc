"""Whether modules would import each other in a circle that was none before."""

import ast
import warnings
from collections.abc import Callable, Iterator
from itertools import pairwise

from astedit.semantic.inference.module_paths import ModulePaths
from astedit.semantic.move.module_names import stem_of

Reader = Callable[[str], bytes | None]


class ImportGraph:
    """Which modules each module imports while it is imported itself; read when asked."""

    def __init__(self, modules: ModulePaths, read: Reader) -> None:
        self._modules, self._read = modules, read
        self._known: dict[str, dict[str, int]] = {}

    def imports(self, path: str) -> dict[str, int]:
        """The modules of the workspace that a module imports, each with a line of it."""
        if path not in self._known:
            code = self._read(path)
            self._known[path] = {} if code is None else self._found(path, code)
        return self._known[path]

    def way(self, start: str, end: str) -> list[str] | None:
        """The modules of a shortest chain of imports, both ends included."""
        came: dict[str, str | None] = {start: None}
        waiting = [start]
        for path in waiting:
            if path == end:
                return _unwound(came, end)
            for target in self.imports(path):
                if target not in came:
                    came[target] = path
                    waiting.append(target)
        return None

    def _found(self, path: str, code: bytes) -> dict[str, int]:
        try:
            with warnings.catch_warnings(action="ignore"):
                tree = ast.parse(code.decode())
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return {}
        lines: dict[str, int] = {}
        for node in _on_import(tree.body):
            for target in self._targets(path, node):
                for module in (*self._packages(path, target), target):
                    if module != path:
                        lines.setdefault(module, node.lineno)
        return lines

    def _targets(self, path: str, node: ast.Import | ast.ImportFrom) -> Iterator[str]:
        if isinstance(node, ast.Import):
            found = [self._modules.find(path, 0, alias.name) for alias in node.names]
            yield from (target for target in found if target is not None)
            return
        module = self._modules.find(path, node.level, node.module or "")
        if module is None:
            return
        inner = [self._modules.inside(module, alias.name) for alias in node.names]
        yield from (target for target in inner if target is not None)
        if not all(inner) and not module.endswith("/"):
            yield module

    def _packages(self, path: str, target: str) -> Iterator[str]:
        """The packages around a module that are imported first; those around `path` are."""
        folder = stem_of(target).rpartition("/")[0]
        while folder and not path.startswith(f"{folder}/"):
            package = self._modules.at(folder, ["__init__"])
            if package is not None:
                yield package
            folder = folder.rpartition("/")[0]


def new_circle(before: ImportGraph, after: ImportGraph, path: str) -> list[str] | None:
    """A circle of imports that begins with a new import of the module at `path`, or None."""
    for target in sorted(after.imports(path).keys() - before.imports(path).keys()):
        way = after.way(target, path)
        if way and not (before.way(target, path) and before.way(path, target)):
            return [path, *way]
    return None


def shown(circle: list[str], graph: ImportGraph) -> str:
    """`a.py:3 -> b.py:1 -> a.py`: each with the line that imports the next."""
    steps = [f"{a}:{graph.imports(a)[b]}" for a, b in pairwise(circle)]
    return " -> ".join([*steps, circle[-1]])


def _unwound(came: dict[str, str | None], end: str) -> list[str]:
    way: list[str] = []
    at: str | None = end
    while at is not None:
        way.append(at)
        at = came[at]
    return way[::-1]


def _on_import(body: list[ast.stmt]) -> Iterator[ast.Import | ast.ImportFrom]:
    """The imports that run when a module is imported: not those of functions or for types."""
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            yield from _on_import(node.orelse)
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for name in ("body", "orelse", "finalbody"):
                yield from _on_import(getattr(node, name, []))
            for inner in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
                yield from _on_import(inner.body)
