"""Which file an import means, judged by paths alone: nothing is imported to find out."""

import posixpath
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice


class ModulePaths:
    """The Python files of a workspace as modules. A directory of some is written `pkg/`."""

    def __init__(self, files: Iterable[str], roots: Iterable[str] = ()) -> None:
        """Takes paths relative to the root, of `.py` and `.pyi` files, and the configured roots."""
        self._roots = ["" if root == "." else root for root in roots]
        self._files = frozenset(files)
        self._directories: set[str] = set()
        self._named: dict[str, list[str]] = defaultdict(list)
        self._memo: dict[tuple[str, int, str], str | None] = {}
        for path in sorted(self._files):
            self._named[posixpath.basename(stem_of(path))].append(path)
            above = posixpath.dirname(path)
            while above and above not in self._directories:
                self._directories.add(above)
                above = posixpath.dirname(above)

    def has(self, path: str) -> bool:
        """Whether this is one of the files."""
        return path in self._files

    def is_alone(self, directory: str) -> bool:
        """Whether one file lies below a directory, and directly in it."""
        below = [path for path in self._files if path.startswith(f"{directory}/")]
        return len(below) == 1 and posixpath.dirname(below[0]) == directory

    def find(self, importer: str, level: int, module: str) -> str | None:
        """The file (or `directory/`) that `module` means in `importer`.

        `level` counts the dots of a relative import. None: it lies outside the workspace,
        or several files could be meant.
        """
        key = (posixpath.dirname(importer), level, module)
        if key not in self._memo:
            self._memo[key] = self._find(importer, level, module)
        return self._memo[key]

    def _find(self, importer: str, level: int, module: str) -> str | None:
        parts = module.split(".") if module else []
        if level:
            return self._relative(importer, level, parts)
        for base in (*self._bases(importer), *self._roots):
            if (path := self.at(base, parts)) is not None:
                return path
        return self._anywhere(parts)

    def at(self, base: str, parts: Sequence[str]) -> str | None:
        """The module of these names below a directory."""
        place = posixpath.join(base, *parts)
        for ending in (".py", "/__init__.py", ".pyi", "/__init__.pyi"):
            if (path := f"{place}{ending}".removeprefix("/")) in self._files:
                return path
        return f"{place}/" if place in self._directories else None

    def inside(self, module: str, name: str) -> str | None:
        """A module's submodule; None if it is no package or has none of this name."""
        if module.endswith("/"):
            return self.at(module[:-1], [name])
        directory, _, file = module.rpartition("/")
        return self.at(directory, [name]) if file in ("__init__.py", "__init__.pyi") else None

    def twin(self, path: str) -> str | None:
        """The stub of a module, or the module of a stub."""
        other = path[:-1] if path.endswith(".pyi") else f"{path}i"
        return other if other in self._files else None

    def _relative(self, importer: str, level: int, parts: Sequence[str]) -> str | None:
        base = next(islice(folders_above(importer), level - 1, None), None)
        return None if base is None else self.at(base, parts)

    def _bases(self, importer: str) -> Iterator[str]:
        """Where a file's absolute imports may begin, the nearest first."""
        for base in folders_above(importer):
            if not self._is_package(base):
                yield base
            yield posixpath.join(base, "src")

    def _is_package(self, directory: str) -> bool:
        return f"{directory}/__init__.py" in self._files

    def _anywhere(self, parts: Sequence[str]) -> str | None:
        """A module of these names, if a root could be in only one place.

        A file elsewhere with the name of a module of Python's library is not what is meant.
        """
        if parts and parts[0] in sys.stdlib_module_names:
            return None
        modules = set()
        tail = "/".join(parts)
        for path in self._named.get(parts[-1], ()) if parts else ():
            stem = stem_of(path)
            if stem == tail or stem.endswith(f"/{tail}"):
                base = stem[: len(stem) - len(tail)].rstrip("/")
                if not self._is_package(base):
                    modules.add(self.at(base, parts))
        return modules.pop() if len(modules) == 1 else None


def folders_above(path: str) -> Iterator[str]:
    """The directories around a file, the nearest first; the last one, "", is the workspace."""
    while True:
        path = posixpath.dirname(path)
        yield path
        if not path:
            return


def stem_of(path: str) -> str:
    """A module's path without its suffix; of a package that of its directory."""
    place, _ = posixpath.splitext(path)
    return posixpath.dirname(place) if posixpath.basename(place) == "__init__" else place
