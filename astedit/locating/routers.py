"""Files put together: which router a name in another file is."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from astedit.limits import is_shallow
from astedit.locating.frameworks.web_facts import ImportedName, Mount, WebFacts
from astedit.locating.inventory.inventory import Inventory, Look, is_python
from astedit.workers.plain import restored

_HOPS = 8  # imports followed from one file to the next
_DEFAULT = ("default", "=", "module.exports")


class RouterName(NamedTuple):
    """A router by its file and its name in that file."""

    path: str
    name: str


class LinkedFacts:
    """The web facts of the files of a look, and what is mounted in which (`mounts`)."""

    def __init__(self, inventory: Inventory, look: Look) -> None:
        self.look = look
        self.facts = {
            file.path: restored(WebFacts, web) for file in look.files if (web := file.facts.web)
        }
        self.files = {file.path: file for file in look.files}
        self._inventory = inventory
        self._passing: dict[str, list[ImportedName]] = {}
        self.mounts: dict[RouterName, list[tuple[str, Mount]]] = defaultdict(list)
        for path, facts in sorted(self.facts.items()):
            for mount in facts.mounts:
                child = self.router(path, mount.child)
                if child is not None:
                    self.mounts[child].append((path, mount))

    def router(self, path: str, expression: str) -> RouterName | None:
        """The router that an expression in a file means."""
        if expression.startswith("'"):  # Django's include("app.urls"), or a file
            return self._included(path, expression[1:])
        router: RouterName | None = RouterName(path, expression)
        for _ in range(_HOPS):
            if router is None or self._is_router(router):
                return router
            router = self._imported(router)
        return None

    def _is_router(self, router: RouterName) -> bool:
        if (facts := self.facts.get(router.path)) is None:
            return False
        if facts.router(router.name) is not None:
            return True
        head = router.name.partition(".")[0]
        if any(name.local == head for name in facts.imports):
            return False
        return any(route.owner == router.name for route in facts.registrations)

    def _included(self, path: str, module: str) -> RouterName | None:
        if not is_python(path):
            file = self._script(path, module)
            return None if file is None else self._exported(file)
        found = self._inventory.modules.find(path, 0, module)
        return None if found is None else RouterName(found, "urlpatterns")

    def _imported(self, router: RouterName) -> RouterName | None:
        """One import on: where the first name of an expression comes from."""
        imports = self._imports(router.path)
        if is_python(router.path):
            return next(origins(self._inventory, router, imports), None)
        head, _, rest = router.name.partition(".")
        name = next((name for name in imports if name.local == head), None)
        return name and self._script_import(router.path, name.module, rest or name.name)

    def _imports(self, path: str) -> list[ImportedName]:
        """A file's imports, also of one that says nothing about routes itself."""
        if path in self.facts:
            return self.facts[path].imports
        if path not in self._passing:
            self._passing[path] = python_imports(self._inventory, path)
        return self._passing[path]

    def _script_import(self, path: str, module: str, name: str) -> RouterName | None:
        if (file := self._script(path, module)) is None:
            return None
        return self._exported(file) if name in _DEFAULT else RouterName(file, name)

    def _script(self, path: str, module: str) -> str | None:
        from astedit.semantic.imports.javascript_import import file_of  # what few trees need

        return file_of(path, module, self._inventory.has)

    def _exported(self, path: str) -> RouterName | None:
        """What a file exports by default: its only router, if nobody says otherwise."""
        if (facts := self.facts.get(path)) is None:
            return None
        exports = (name.name for name in facts.imports if name.local == "default")
        if (export := next(exports, None)) is not None:
            return RouterName(path, export)
        return RouterName(path, facts.routers[0].name) if len(facts.routers) == 1 else None


def origins(
    inventory: Inventory, name: RouterName, imports: Iterable[ImportedName]
) -> Iterator[RouterName]:
    """Where a Python module may have what a name means: that very import first, then stars."""
    head, _, rest = name.name.partition(".")
    stars = []
    for local, dots, module, original in imports:
        if local == "*" and (origin := inventory.modules.find(name.path, dots, module)):
            stars.append(RouterName(origin, name.name))
        parts = ".".join(filter(None, [module, original, rest])).split(".")
        for count in range(len(parts) - 1, -1 if dots else 0, -1) if local == head else ():
            origin = inventory.modules.find(name.path, dots, ".".join(parts[:count]))
            if origin is not None and is_python(origin):
                yield RouterName(origin, ".".join(parts[count:]))
                break
    yield from stars


def python_imports(inventory: Inventory, path: str) -> list[ImportedName]:
    """What a Python file imports; nothing of any other, and of what nests too deep to be read."""
    raw = inventory.bytes_of(path) if is_python(path) else None
    if raw is None or b"import" not in raw or not is_shallow(raw):
        return []
    from astedit.locating.frameworks.python_file import imported
    from astedit.python.syntax import parsed

    return imported(parsed(raw))
