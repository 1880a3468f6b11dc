"""Whether modules would import each other in a circle that was none before."""

import ast
import warnings
from collections.abc import Callable, Iterator
from itertools import pairwise

from astedit.semantic.inference.module_paths import ModulePaths
from astedit.semantic.move.import_steps import ImportStep, statements
from astedit.semantic.move.module_code import names_bound
from astedit.semantic.move.module_names import stem_of

Reader = Callable[[str], bytes | None]


class ImportGraph:
    """Which modules each module imports while it is imported itself; read when asked."""

    def __init__(self, modules: ModulePaths, read: Reader) -> None:
        self._modules, self._read = modules, read
        self._known: dict[str, list[ImportStep]] = {}

    def steps(self, path: str) -> list[ImportStep]:
        """What the import of a module does, in order; nothing of one that cannot be read."""
        if path not in self._known:
            code = self._read(path)
            self._known[path] = [] if code is None else list(self._found(path, code))
        return self._known[path]

    def imports(self, path: str) -> dict[str, int]:
        """The modules of the workspace that a module imports, each with a line of it."""
        lines: dict[str, int] = {}
        for step in self.steps(path):
            for module in step.modules:
                if module != path:
                    lines.setdefault(module, step.line)
        return lines

    def circle(self, path: str) -> set[str]:
        """The modules that the import of the one at `path` needs and that need it, and itself.

        A module needs the packages that it is in, too.
        """
        reached = _reached(path, self._needs)
        users: dict[str, set[str]] = {}
        for user in reached:
            for module in self._needs(user):
                users.setdefault(module, set()).add(user)
        return _reached(path, lambda module: users.get(module, set()))

    def packages(self, path: str) -> list[str]:
        """The packages around a module, the outermost first: they are imported before it."""
        return self._packages("", path)

    def _needs(self, path: str) -> set[str]:
        return {*self.imports(path), *self.packages(path)}

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

    def _found(self, path: str, code: bytes) -> Iterator[ImportStep]:
        try:
            with warnings.catch_warnings(action="ignore"):
                tree = ast.parse(code.decode())
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return
        for node, guarded in statements(tree.body):
            names = frozenset(names_bound(node))
            if isinstance(node, ast.Import | ast.ImportFrom):
                yield self._import(path, node, names, guarded=guarded)
            elif names:
                yield ImportStep(node.lineno, names)

    def _import(
        self, path: str, node: ast.Import | ast.ImportFrom, names: frozenset[str], *, guarded: bool
    ) -> ImportStep:
        targets = list(self._targets(path, node))
        packages = (each for target in targets for each in (*self._packages(path, target), target))
        modules = tuple(dict.fromkeys(packages))
        if isinstance(node, ast.Import):
            return ImportStep(node.lineno, names, modules)
        source = self._modules.find(path, node.level, node.module or "")
        plain = [
            alias.name
            for alias in node.names
            if source is None or self._modules.inside(source, alias.name) is None
        ]
        return ImportStep(node.lineno, names, modules, source, tuple(plain), guarded)

    def _targets(self, path: str, node: ast.Import | ast.ImportFrom) -> Iterator[str]:
        if isinstance(node, ast.Import):
            found = [self._modules.find(path, 0, alias.name) for alias in node.names]
            yield from (target for target in found if target is not None)
            return
        module = self._modules.find(path, node.level, node.module or "")
        if module is None:
            return
        inner = [self._modules.inside(module, alias.name) for alias in node.names]
        if not all(inner) and not module.endswith("/"):
            yield module
        yield from (target for target in inner if target is not None)

    def _packages(self, path: str, target: str) -> list[str]:
        """The packages around a module but not around `path`, the outermost first."""
        folder = stem_of(target).rpartition("/")[0]
        packages = []
        while folder and not path.startswith(f"{folder}/"):
            package = self._modules.at(folder, ["__init__"])
            if package is not None:
                packages.append(package)
            folder = folder.rpartition("/")[0]
        return packages[::-1]


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


def _reached(start: str, following: Callable[[str], set[str]]) -> set[str]:
    reached, waiting = {start}, [start]
    while waiting:
        new = following(waiting.pop()) - reached
        reached |= new
        waiting += new
    return reached


def _unwound(came: dict[str, str | None], end: str) -> list[str]:
    way: list[str] = []
    at: str | None = end
    while at is not None:
        way.append(at)
        at = came[at]
    return way[::-1]
