"""What a module is called: by an importer, by the person who names a place, after a move."""

import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence

from astedit.python.module_paths import ModulePaths
from astedit.semantic.module_code import refused


class ModuleNames:
    """Names modules as imports do. `bases` are the directories where absolute names begin."""

    def __init__(self, modules: ModulePaths, bases: Iterable[str] = ()) -> None:
        self._modules = modules
        self._bases = list(dict.fromkeys("" if base == "." else base for base in bases))

    def written(self, importer: str, target: str, *, relative: bool, levels: int = 0) -> str:
        """The name of the module `target` in an import of `importer`.

        It is relative if that is asked and can be; `levels` dots can be in any case. Raises
        `PreconditionError` where no name would be read as that module.
        """
        near = self.relative(importer, target, levels)
        far = self.absolute(importer, target)
        name = near or far if relative else far or near
        if name is None:
            raise refused(importer, f"has no way to import {target}", "no_module_name")
        return name

    def absolute(self, importer: str, target: str) -> str | None:
        """The dotted name of a module; None if it has none that leads there."""
        stem = stem_of(target)
        for base in self._places(importer, stem):
            name = posixpath.relpath(stem, base or ".") if stem != base else ""
            dotted = name.replace("/", ".")
            spelled = name and all(part.isidentifier() for part in dotted.split("."))
            if spelled and self._modules.find(importer, 0, dotted) == target:
                return dotted
        return None

    def _places(self, importer: str, stem: str) -> Iterator[str]:
        """The directories above a module where its name may begin, the likeliest first."""
        above = [base for base in self._bases if not base or stem.startswith(f"{base}/")]
        yield from above
        base, home = self._root_of(stem), self._root_of(importer)
        below = not home or base.startswith(f"{home}/")
        if base and base != home and below and self._modules.is_alone(base):
            yield home  # a new directory, which is none that a path leads to
        yield base

    def _root_of(self, path: str) -> str:
        """The nearest directory above a path that is no package."""
        base = posixpath.dirname(path)
        while base and self._is_package(base):
            base = posixpath.dirname(base)
        return base

    def relative(self, importer: str, target: str, levels: int = 0) -> str | None:
        """The name of a module with dots in front; None if they are in no common package."""
        stem, base, dots = stem_of(target), posixpath.dirname(importer), "."
        while base:
            if not (self._is_package(base) or len(dots) <= levels):
                return None
            if stem == base or stem.startswith(f"{base}/"):
                return dots + stem[len(base) + 1 :].replace("/", ".")
            base, dots = posixpath.dirname(base), f"{dots}."
        return None

    def _is_package(self, directory: str) -> bool:
        return self._modules.at(directory, ["__init__"]) is not None


def stem_of(path: str) -> str:
    """A module's path without its suffix; of a package that of its directory."""
    place, _ = posixpath.splitext(path)
    return posixpath.dirname(place) if posixpath.basename(place) == "__init__" else place


def base_of(path: str, dotted: str) -> str | None:
    """The directory where an absolute name of the module at `path` begins."""
    stem, tail = stem_of(path), dotted.replace(".", "/")
    if stem == tail:
        return ""
    return stem.removesuffix(f"/{tail}") if stem.endswith(f"/{tail}") else None


def split_level(module: str) -> tuple[int, str]:
    """`..shop.cart` as 2 and `shop.cart`."""
    name = module.lstrip(".")
    return len(module) - len(name), name


def destination(written: str, source: str, modules: ModulePaths) -> str:
    """The path that a person means by `shop/prices.py`, `shop/` or `shop.prices`.

    Raises `PreconditionError` for what cannot be a module of Python.
    """
    if "/" not in written and not written.endswith(".py"):
        return _by_name(written, source, modules)
    path = posixpath.normpath(written)
    if not path.endswith(".py"):
        package = modules.at(path, ["__init__"])
        if package is None and modules.at(path, []) is not None:
            return f"{path}/{posixpath.basename(source)}"
        if package is None:
            raise refused(path, "is no Python module", "no_module", "Name a `.py` file.")
        return package
    if not posixpath.basename(path)[:-3].isidentifier():
        raise refused(path, "cannot be imported by its name", "no_module")
    return path


def _by_name(dotted: str, source: str, modules: ModulePaths) -> str:
    module = modules.find(source, 0, dotted)
    if module is not None:  # a directory is no package: the file keeps its name there
        return module if module.endswith(".py") else module + posixpath.basename(source)
    package, _, last = dotted.rpartition(".")
    above = modules.find(source, 0, package) if package else None
    if above is None or not above.endswith("/__init__.py") or not last.isidentifier():
        hint = "Give the path of the file, such as `shop/prices.py`."
        raise refused(dotted, "is no module of this workspace", "no_module", hint)
    return f"{posixpath.dirname(above)}/{last}.py"


class Relocation:
    """The modules `before` and `after` the files of `moves` (new paths by old ones) have gone."""

    def __init__(
        self, files: Sequence[str], moves: Mapping[str, str], roots: Sequence[str]
    ) -> None:
        self.moves = moves
        self.before = ModulePaths(files, roots)
        self.after = ModulePaths([moves.get(path, path) for path in files], roots)

    def there(self, module: str) -> str:
        """Where a module (or `directory/`) is afterwards."""
        if not module.endswith("/"):
            return self.moves.get(module, module)
        inside = [path for path in self.moves if path.startswith(module)]
        if not inside or any(path.startswith(module) for path in self.moves.values()):
            return module
        old = inside[0]
        tail = old[len(module) :]
        new = self.moves[old]
        return new[: len(new) - len(tail)] if new.endswith(f"/{tail}") else module
