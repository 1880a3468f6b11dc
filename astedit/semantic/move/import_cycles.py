"""Whether modules would import each other in a new circle, or too early in an old one.

A circle of imports works as long as every name is bound before another module takes it, and
that depends on which module is imported first. So the imports of the circle are followed as
Python runs them, once from each of its modules, before the change and after it.
"""

import ast
import hashlib
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, pairwise, takewhile
from typing import NamedTuple

from astedit.errors import PreconditionError
from astedit.facts.store import FactStore, key_of
from astedit.python.module_paths import ModulePaths, folders_above, stem_of


@dataclass(frozen=True, slots=True)
class ImportStep:
    """A statement that binds names when its module is imported, and what it imports for that.

    `modules` are imported before, in this order; `taken` are then read from `source`. A
    `guarded` import stands in a `try` that may expect it to fail.
    """

    line: int
    names: frozenset[str]
    modules: tuple[str, ...] = ()
    source: str | None = None
    taken: tuple[str, ...] = ()
    guarded: bool = False


def statements(body: list[ast.stmt], *, guarded: bool = False) -> Iterator[tuple[ast.stmt, bool]]:
    """The statements that run on import, those within others first; not code for types alone.

    Both branches of a condition count as run. With each: whether a `try` surrounds it.
    """
    for node in body:
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            yield from statements(node.orelse, guarded=guarded)
            continue
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            inside = guarded or isinstance(node, ast.Try | ast.TryStar)
            for name in ("body", "orelse", "finalbody"):
                yield from statements(getattr(node, name, []), guarded=inside)
            for inner in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
                yield from statements(inner.body, guarded=inside)
        yield node, guarded


_INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def names_bound(node: ast.AST) -> set[str]:
    """The names that a statement binds in the scope it stands in."""
    names = set()
    for inner in _in_scope(node):
        match inner:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                names.add(inner.name)
            case ast.Name(ctx=ast.Store() | ast.Del()):
                names.add(inner.id)
            case ast.alias():
                names.add(inner.asname or inner.name.partition(".")[0])
            case ast.ExceptHandler(name=str(name)) | ast.MatchStar(name=str(name)):
                names.add(name)
            case ast.MatchAs(name=str(name)) | ast.MatchMapping(rest=str(name)):
                names.add(name)
    return names


def _in_scope(node: ast.AST) -> Iterator[ast.AST]:
    """A node and what is below it, down to where another scope begins."""
    yield node
    if not isinstance(node, _INNER):
        for child in ast.iter_child_nodes(node):
            yield from _in_scope(child)


Reader = Callable[[str], bytes | None]
_FORMAT = 1  # of the statements of a module


class RawStep(NamedTuple):
    """A statement as the module writes it; `module` is None for `import a, b`."""

    line: int
    names: tuple[str, ...]
    imported: tuple[str, ...] = ()
    level: int = 0
    module: str | None = None
    guarded: bool = False


class RawSteps:
    """What the import of a module does, read off its code; kept in a store if there is one."""

    def __init__(self, store: FactStore | None) -> None:
        self._store = store
        self._memo: dict[str, list[RawStep]] = {}
        self._new: dict[str, list[tuple[object, ...]]] = {}

    def of(self, code: bytes) -> list[RawStep]:
        """The statements that bind names on import, in order; none of code that is no Python."""
        key = key_of(f"steps {_FORMAT}", "python", hashlib.sha256(code).hexdigest())
        if key not in self._memo:
            rows = self._store.known([key]).get(key) if self._store is not None else None
            if rows is None:
                self._memo[key] = list(_raw_steps(code))
                self._new[key] = [tuple(step) for step in self._memo[key]]
            else:
                self._memo[key] = [RawStep(*row) for row in rows]
        return self._memo[key]

    def keep(self) -> None:
        """Lets the next command have what was read."""
        if self._store is not None:
            self._store.keep(self._new)


def _raw_steps(code: bytes) -> Iterator[RawStep]:
    try:
        with warnings.catch_warnings(action="ignore"):
            tree = ast.parse(code.decode())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node, guarded in statements(tree.body):
        names = tuple(sorted(names_bound(node)))
        if isinstance(node, ast.Import):
            yield RawStep(node.lineno, names, tuple(alias.name for alias in node.names))
        elif isinstance(node, ast.ImportFrom):
            taken = tuple(alias.name for alias in node.names)
            yield RawStep(node.lineno, names, taken, node.level, node.module or "", guarded)
        elif names:
            yield RawStep(node.lineno, names)


class ImportGraph:
    """Which modules each module imports while it is imported itself; read when asked."""

    def __init__(self, modules: ModulePaths, read: Reader, raw: RawSteps) -> None:
        self._modules, self._read, self._raw = modules, read, raw
        self._memo: dict[str, list[ImportStep]] = {}

    def steps(self, path: str) -> list[ImportStep]:
        """What the import of a module does, in order; nothing of one that cannot be read."""
        if path not in self._memo:
            code = self._read(path)
            raw = [] if code is None else self._raw.of(code)
            self._memo[path] = [self._step(path, step) for step in raw]
        return self._memo[path]

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
        needed = reached([path], self._needs)
        users: dict[str, set[str]] = {}
        for user in needed:
            for module in self._needs(user):
                users.setdefault(module, set()).add(user)
        return reached([path], lambda module: users.get(module, set()))

    def _needs(self, path: str) -> set[str]:
        return {*self.imports(path), *self.packages(path)}

    def _step(self, path: str, raw: RawStep) -> ImportStep:
        names, find, inside = frozenset(raw.names), self._modules.find, self._modules.inside
        if raw.module is None:  # `import a, b`, or none
            targets = [find(path, 0, name) for name in raw.imported]
            return ImportStep(raw.line, names, self._imported(path, targets))
        source = find(path, raw.level, raw.module)
        inner = {name: source and inside(source, name) for name in raw.imported}
        is_read = source is not None and not all(inner.values()) and not source.endswith("/")
        modules = self._imported(path, [source if is_read else None, *inner.values()])
        plain = tuple(name for name, module in inner.items() if module is None)
        return ImportStep(raw.line, names, modules, source, plain, raw.guarded)

    def _imported(self, path: str, targets: Iterable[str | None]) -> tuple[str, ...]:
        """Modules with the packages around them, in the order in which they are imported."""
        every = ((*self.packages(target, path), target) for target in targets if target)
        return tuple(dict.fromkeys(chain.from_iterable(every)))

    def packages(self, target: str, path: str = "") -> list[str]:
        """The packages around a module but not around `path`, the outermost first.

        They are imported before the module.
        """
        every = folders_above(stem_of(target))
        around = takewhile(lambda folder: folder and not path.startswith(f"{folder}/"), every)
        packages = [self._modules.at(folder, ["__init__"]) for folder in around]
        return [*filter(None, packages)][::-1]


def new_circle(
    before: ImportGraph, after: ImportGraph, path: str, moves: Mapping[str, str]
) -> list[str] | None:
    """A circle of imports that begins with a new import of the module at `path`, or None.

    `moves` are the new paths of the modules that go elsewhere.
    """
    there, homes = moves.get(path, path), {new: old for old, new in moves.items()}
    earlier = {moves.get(target, target) for target in before.imports(path)}
    for target in sorted(after.imports(there).keys() - earlier):
        way, old = way_between(target, there, after.imports), homes.get(target, target)
        around = ((old, path), (path, old)) if way else ()
        if way and not all(way_between(*ends, before.imports) for ends in around):
            return [there, *way]
    return None


def refuse_circles(
    before: ImportGraph,
    after: ImportGraph,
    paths: Iterable[str],
    moves: Mapping[str, str],
    hint: str | None = None,
) -> None:
    """Raises `PreconditionError` if one of these modules would be in a new circle of imports."""
    for path in sorted(paths):
        circle = new_circle(before, after, path, moves)
        if circle is not None:
            steps = [f"{a}:{after.imports(a)[b]}" for a, b in pairwise(circle)]
            way = " -> ".join([*steps, circle[-1]])  # `a.py:3 -> b.py:1 -> a.py`
            message = f"The modules would import each other: {way}; nothing was staged."
            raise PreconditionError(message, path=path, code="import_cycle", hint=hint)


def reached(starts: Collection[str], following: Callable[[str], set[str]]) -> set[str]:
    """Everything that steps lead to, the starts included."""
    every, waiting = {*starts}, [*starts]
    while waiting:
        new = following(waiting.pop()) - every
        every |= new
        waiting += new
    return every


def way_between(
    start: str, end: str, following: Callable[[str], Iterable[str]]
) -> list[str] | None:
    """A shortest way from one to the other, both included; None if there is none."""
    ways = {start: [start]}
    waiting = [start]
    for path in waiting:
        if path == end:
            return ways[end]
        for target in following(path):
            if target not in ways:
                ways[target] = [*ways[path], target]
                waiting.append(target)
    return None


def too_early(before: ImportGraph, after: ImportGraph, path: str) -> str | None:
    """The first name that would be taken before it is bound, with its place; None if none is.

    Judged is the circle of the module at `path`, as it was and as it would be, with each module
    of it as the first import. What failed before the change may fail after it.
    """
    circle = before.circle(path) | after.circle(path)
    imported = set[str]()
    for first in sorted(circle, key=lambda item: (len(after.packages(item)), item)):
        if first in imported:
            continue
        start = _Importing(after, circle)
        why = start.of(first)
        if why is not None and _Importing(before, circle).of(first) is None:
            return f"{why} when {first} is imported first"
        if first.endswith("/__init__.py"):  # whatever is in it begins with the same imports
            imported |= {item for item in start.bound if first in after.packages(item)}
    return None


class _Importing:
    """The import of one module in a fresh interpreter, as far as a circle of modules goes.

    What lies outside the circle imports nothing of it, so it is not run.
    """

    def __init__(self, graph: ImportGraph, circle: Collection[str]) -> None:
        self._graph, self._circle = graph, circle
        self.bound: dict[str, set[str]] = {}
        self._running: set[str] = set()
        self._failure: str | None = None

    def of(self, first: str) -> str | None:
        """Why it fails; None if nothing is known to."""
        waiting = [iter([*self._graph.packages(first), first])]
        while waiting and self._failure is None:
            if (module := next(waiting[-1], None)) is None:
                waiting.pop()
            elif module in self._circle and module not in self.bound:
                waiting.append(self._run(module))
        return self._failure

    def _run(self, path: str) -> Iterator[str]:
        """Runs a module; yields what must have been imported before it goes on."""
        bound = self.bound[path] = set[str]()
        self._running.add(path)
        for step in self._graph.steps(path):
            yield from step.modules
            if step.source in self._running and not step.guarded:
                self._take(path, step, step.source)
            if "*" in step.taken:
                bound |= self.bound.get(step.source or "", set())
            bound |= step.names
        self._running.remove(path)

    def _take(self, path: str, step: ImportStep, source: str) -> None:
        missing = set(step.taken) - self.bound[source] - {"*"}
        for later in self._graph.steps(source):
            if "__getattr__" in later.names:
                return
            for name in sorted(missing & later.names):
                place = f"{path}:{step.line} would take {name} from {source}"
                self._failure = f"{place} before line {later.line} binds it"
                return
