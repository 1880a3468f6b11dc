"""Source roots: what a module's name is relative to."""

import posixpath
from collections.abc import Iterable, Sequence

from astedit.language import for_path
from astedit.python.module_paths import folders_above

_PROJECT = frozenset(
    [
        "pyproject.toml",
        "setup.py",
        "setup.cfg",
        "package.json",
        "go.mod",
        "Cargo.toml",
        "pom.xml",
        "build.gradle",
        "build.gradle.kts",
    ]
)
_MODULE_FILES = {"rust": ("mod", "lib", "main"), "javascript": ("index",), "typescript": ("index",)}


class SourceRoots:
    """The roots of a workspace's files, as paths below it; "." is the workspace itself."""

    def __init__(self, files: Sequence[str], configured: Iterable[str] = ()) -> None:
        """Takes every file of the workspace, and `[tool.astedit] roots`."""
        self.all = tuple(sorted(set(configured) or _projects(files) or _top_level(files))) or (".",)
        self._roots = set(self.all)
        self._of: dict[str, str] = {}

    def of(self, path: str) -> str:
        """The deepest root above a file; the workspace where there is none."""
        directory = posixpath.dirname(path)
        if directory not in self._of:
            every = (folder for folder in folders_above(path) if folder in self._roots)
            self._of[directory] = next(every, "") or "."
        return self._of[directory]

    def module(self, path: str, language: str) -> tuple[str, ...]:
        """The names a file's module has, from its root down.

        `pkg/__init__.py` is `pkg`, and `pkg/__main__.py` is `pkg.__main__`.
        """
        root = self.of(path)
        *folders, last = (path if root == "." else path[len(root) + 1 :]).split("/")
        stem = last[: last.rindex(".")] if "." in last else last
        if language == "python":
            names = [*folders] if stem == "__init__" else [*folders, stem]
        else:
            index = _MODULE_FILES.get(language, ("index",))
            dropped = stem in index and (folders or language == "rust")
            names = folders if dropped else [*folders, stem]
        return tuple(names)


def service(root: str, workspace: str) -> str:
    """What a root is called where a service is asked for: its last component."""
    return posixpath.basename(workspace if root == "." else root)


def _projects(files: Iterable[str]) -> set[str]:
    """Directories with a project file, and the `src` below such a one."""
    homes: set[str] = set()
    folders: set[str] = set()
    for path in files:
        folder, _, name = path.rpartition("/")
        folders.add(folder)
        if name in _PROJECT or name.endswith(".csproj"):
            homes.add(folder or ".")
    sources = {home if home == "." else f"{home}/" for home in homes}
    inner = {"src" if home == "." else f"{home}src" for home in sources}
    return homes | {
        root for root in inner if any(f"{folder}/".startswith(f"{root}/") for folder in folders)
    }


def _top_level(files: Iterable[str]) -> set[str]:
    """Top-level directories with source at any depth, unless they are packages themselves."""
    tops: set[str] = set()
    packages: set[str] = set()
    for path in files:
        top, slash, rest = path.partition("/")
        if not slash:
            continue
        if rest == "__init__.py":
            packages.add(top)
        if (row := for_path(path)) is not None and not row.markup:
            tops.add(top)
    return tops - packages
