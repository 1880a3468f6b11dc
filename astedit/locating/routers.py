"""Files put together: which router a name in another file is."""

import posixpath
from collections import defaultdict

from astedit.engine.inline_limits import is_shallow
from astedit.language import load, named
from astedit.locating.frameworks.web_facts import Mounted, WebFacts
from astedit.locating.inventory.inventory import Found, Tree
from astedit.locating.inventory.python_imports import Modules, imported

_HOPS = 8  # imports followed from one file to the next
_SUFFIXES = ("", ".js", ".ts", ".mjs", ".cjs", ".tsx", ".jsx", "/index.js", "/index.ts")
_DEFAULT = ("default", "module.exports")


class Linked:
    """The web facts of a tree's files, and what is mounted where."""

    def __init__(self, tree: Tree, found: Found) -> None:
        self.facts = {path: WebFacts.restored(facts.web) for path, _, facts in found.files}
        self.languages = {path: language for path, language, _ in found.files}
        self.hashes = {path: facts.sha256 for path, _, facts in found.files}
        self._tree = tree
        self._passing: dict[str, list[tuple[str, int, str, str]]] = {}
        self._modules = Modules(tree.roots, tree.files)
        self._mounts: dict[tuple[str, str], list[tuple[str, Mounted]]] = defaultdict(list)
        for path, facts in sorted(self.facts.items()):
            for mount in facts.mounts:
                child = self.router(path, mount.child)
                if child is not None:
                    self._mounts[child].append((path, mount))

    def mounts_of(self, path: str, owner: str) -> list[tuple[str, Mounted]]:
        """Where what `owner` of the file at `path` names is mounted, and in which files."""
        return self._mounts.get((path, owner), [])

    def router(self, path: str, expression: str) -> tuple[str, str] | None:
        """The file and name of the router that an expression in a file means."""
        if expression.startswith("'"):  # Django's include("app.urls"), or a file
            return self._included(path, expression[1:])
        for _ in range(_HOPS):
            if self._is_known(path, expression):
                return path, expression
            step = self._step(path, expression)
            if step is None:
                return None
            path, expression = step
        return None

    def _is_known(self, path: str, name: str) -> bool:
        facts = self.facts.get(path)
        if facts is None:
            return False
        if any(one.name == name for one in facts.routers):
            return True
        imports = any(local == name.partition(".")[0] for local, *_ in facts.imports)
        return not imports and any(one.owner == name for one in facts.registrations)

    def _included(self, path: str, module: str) -> tuple[str, str] | None:
        if self.languages.get(path) != "python":
            place = self._file(path, module)
            return None if place is None else self._exported(place)
        for known in self._modules.paths(module):
            return known, "urlpatterns"
        return None

    def _step(self, path: str, expression: str) -> tuple[str, str] | None:
        """One import on: where the first name of an expression comes from."""
        head, _, rest = expression.partition(".")
        for local, dots, module, name in self._imports(path):
            if local == head:
                if not path.endswith((".py", ".pyi")):
                    return self._script_step(path, module, rest or name)
                full = self._modules.absolute(path, dots, module)
                return self._named(".".join(filter(None, [full, name, rest])))
        return None

    def _imports(self, path: str) -> list[tuple[str, int, str, str]]:
        """A file's imports, also of one that says nothing about routes itself."""
        if path in self.facts:
            return self.facts[path].imports
        if path not in self._passing:
            raw = self._tree.bytes_of(path, Found()) if path.endswith((".py", ".pyi")) else None
            row = named("python")
            if raw is None or row is None or not is_shallow(raw):
                self._passing[path] = []
            else:
                self._passing[path] = imported(load(row).parser().parse(raw).root_node)
        return self._passing[path]

    def _named(self, full: str) -> tuple[str, str] | None:
        """A dotted name as the file of its module and the name in it."""
        parts = full.split(".")
        for count in range(len(parts) - 1, 0, -1):
            for path in self._modules.paths(".".join(parts[:count])):
                return path, ".".join(parts[count:])
        return None

    def _script_step(self, path: str, module: str, name: str) -> tuple[str, str] | None:
        place = self._file(path, module)
        if place is None:
            return None
        return self._exported(place) if name in _DEFAULT else (place, name)

    def _file(self, path: str, module: str) -> str | None:
        """The file that a relative import of JavaScript means."""
        if not module.startswith("."):
            return None
        stem = posixpath.normpath(posixpath.join(posixpath.dirname(path), module))
        stems = (stem, stem.removesuffix(".js"))
        tried = (one + suffix for one in stems for suffix in _SUFFIXES)
        return next((one for one in tried if self._tree.has(one)), None)

    def _exported(self, path: str) -> tuple[str, str] | None:
        """What a file exports by default: its only router, if nobody says otherwise."""
        facts = self.facts.get(path)
        if facts is None:
            return None
        said = next((name for local, _, _, name in facts.imports if local == "default"), None)
        if said is not None:
            return path, said
        return (path, facts.routers[0].name) if len(facts.routers) == 1 else None
