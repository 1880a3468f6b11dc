"""A name that a module only passes on: where it is defined."""

from astedit.engine.inline_limits import is_shallow
from astedit.language import load, named
from astedit.locating.frameworks.python_imports import STAR, imported
from astedit.locating.inventory.inventory import Inventory
from astedit.locating.inventory.python_modules import PythonModules
from astedit.locating.inventory.symbol_prefilter import may_define

_HOPS = 20  # re-exports followed before giving up; a cycle ends at the first repetition
_STARS = 50  # modules looked into because of `from m import *`


def reexported(inventory: Inventory, name: tuple[str, ...]) -> str | None:
    """A sentence that names the definition behind a re-exported Python name."""
    modules = PythonModules(inventory.roots, inventory.files)
    for count in range(len(name) - 1, 0, -1):
        if modules.paths(".".join(name[:count])):
            home = _Trail(inventory, modules).follow(".".join(name[:count]), name[count])
            if home is not None:
                full = ".".join([home, *name[count + 1 :]])
                return f"It is re-exported there: its definition is {full}."
    return None


class _Trail:
    """One name followed through modules that import it."""

    def __init__(self, inventory: Inventory, modules: PythonModules) -> None:
        self._inventory = inventory
        self._modules = modules
        self._seen: set[tuple[str, str]] = set()

    def follow(self, module: str, name: str) -> str | None:
        """The full name of the definition; None in a cycle or at a dead end."""
        queue = [(module, name, 0)]
        while queue and len(self._seen) < _STARS:
            module, name, hops = queue.pop(0)
            if (module, name) in self._seen or hops > _HOPS:
                continue
            self._seen.add((module, name))
            if hops and self._defines(module, name):
                return f"{module}.{name}"
            for origin, original in self._origins(module, name):
                queue.append((origin, original, hops + 1))
        return None

    def _defines(self, module: str, name: str) -> bool:
        paths = self._modules.paths(module)
        test = may_define(self._inventory.roots, (name,))
        look = self._inventory.look(test, name, False, paths)
        defined = (definition for file in look.files for definition in file.facts.defined())
        return any(definition.names == (name,) for definition in defined)

    def _origins(self, module: str, name: str) -> list[tuple[str, str]]:
        """Where the module may have the name from: that very import first, then stars."""
        named_so: list[tuple[str, str]] = []
        stars: list[tuple[str, str]] = []
        for path in self._modules.paths(module):
            raw = self._inventory.bytes_of(path)
            row = named("python")
            if raw is None or row is None or b"import" not in raw or not is_shallow(raw):
                continue
            for local, dots, source, original in imported(load(row).parser().parse(raw).root_node):
                origin = self._modules.absolute(path, dots, source)
                if local == name and original:
                    named_so.append((origin, original))
                elif local == STAR:
                    stars.append((origin, name))
        return named_so + stars
