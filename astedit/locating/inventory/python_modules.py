"""Python modules of a tree, found by the names that imports give them."""

import posixpath

from astedit.locating.inventory.source_roots import SourceRoots


class PythonModules:
    """Python modules of a tree by their full names."""

    def __init__(self, roots: SourceRoots, files: list[str]) -> None:
        self._roots = roots
        self._paths: dict[str, list[str]] = {}
        self._below: dict[str, list[str]] = {}  # by their names from the workspace down
        for path in files:
            if path.endswith((".py", ".pyi")):
                name = ".".join(roots.module(path, "python"))
                self._paths.setdefault(name, []).append(path)
                self._below.setdefault(_dotted(path), []).append(path)

    def paths(self, module: str) -> list[str]:
        """The files of a module: several roots may have one of this name.

        Programs are also started in the workspace itself, whatever its roots are.
        """
        return self._paths.get(module) or self._below.get(module, [])

    def absolute(self, path: str, dots: int, module: str) -> str:
        """The full name of a module that the file at `path` imports."""
        if not dots:
            return module
        here = list(self._roots.module(path, "python"))
        package = posixpath.basename(path).startswith("__init__.")
        outer = here[: len(here) - dots + package] if dots - package > 0 else here
        return ".".join([*outer, module]) if module else ".".join(outer)


def _dotted(path: str) -> str:
    return path[: path.rindex(".")].removesuffix("/__init__").replace("/", ".")
