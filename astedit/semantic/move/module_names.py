"""How an importer writes the name of a module: `pkg.shop.cart`, `.cart`, `..shop.cart`."""

import posixpath
from collections.abc import Iterable, Iterator

from astedit.semantic.inference.module_paths import ModulePaths
from astedit.semantic.move.module_code import refused


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
        for base in self._places(stem):
            name = posixpath.relpath(stem, base or ".") if stem != base else ""
            dotted = name.replace("/", ".")
            spelled = name and all(part.isidentifier() for part in dotted.split("."))
            if spelled and self._modules.find(importer, 0, dotted) == target:
                return dotted
        return None

    def _places(self, stem: str) -> Iterator[str]:
        """The directories above a module where its name may begin, the likeliest first."""
        above = [base for base in self._bases if not base or stem.startswith(f"{base}/")]
        yield from above
        base = posixpath.dirname(stem)
        while base and self._is_package(base):
            base = posixpath.dirname(base)
        yield base

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
