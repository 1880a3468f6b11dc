"""Python modules as code, with what they bind, and what they are called by importers."""

import posixpath
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Generic, Protocol, TypeVar

from tree_sitter import Node

from astedit.errors import PreconditionError
from astedit.language.brackets import parents
from astedit.python.facts import SpelledUse
from astedit.python.module_paths import ModulePaths, folders_above, stem_of
from astedit.python.scopes import Scopes
from astedit.python.syntax import first_error, parsed, parts_of
from astedit.semantic.imports.lines import merged
from astedit.semantic.library import Library
from astedit.text.source import Change, compose, splice


def refused(
    path: str, why: str, code: str, hint: str | None = None, *, at: Node | int | None = None
) -> PreconditionError:
    """The error about a change of a file that cannot be made as a whole, `at` a node or a line."""
    line = at.start_point.row + 1 if isinstance(at, Node) else at
    place = path if line is None else f"{path}:{line}:"
    return PreconditionError(f"{place} {why}; nothing was staged.", path=path, code=code, hint=hint)


PRIVATE = re.compile(r"__\w*[^\W_]_?")  # what Python reads as a name of the class alone
_WORD = re.compile(rb"[\w\x80-\xff]+")


class ModuleCode:
    """The UTF-8 view of a module without its mark. Raises `PreconditionError` if it is no code."""

    def __init__(self, path: str, code: bytes) -> None:
        self.path, self.code = path, code
        if re.search(rb"\r(?!\n)", code):
            raise refused(path, "has lines that end in CR alone", "not_movable")
        if self.root.has_error:
            line = first_error(self.root).start_point.row + 1
            raise refused(path, f"cannot be read as Python (line {line})", "parse_error")

    @cached_property
    def root(self) -> Node:
        """The syntax tree in which every byte has its place."""
        return parsed(self.code)

    @cached_property
    def scopes(self) -> Scopes:
        """What binds the names of the module."""
        try:
            return Scopes(self.root)
        except RecursionError as error:
            raise refused(self.path, "is nested too deeply", "too_deep") from error

    @cached_property
    def statements(self) -> list[tuple[Node, set[str]]]:
        """The statements of the top level, in order, each with the names that it binds there."""
        nodes = parts_of(self.root)
        starts, names = [node.start_byte for node in nodes], [set[str]() for _ in nodes]
        for name, bindings in self.scopes.module.bindings.items():
            for binding in bindings:
                if binding.scope is self.scopes.module and "." not in name:
                    names[bisect_right(starts, binding.node.start_byte) - 1].add(name)
        return [*zip(nodes, names, strict=True)]

    def at(self, use: SpelledUse) -> Node:
        """The node that a use of a name is."""
        node = self.root.descendant_for_byte_range(use.start, use.end)
        assert node is not None
        return node

    def word_at(self, start: int) -> str:
        """The name that begins at a byte."""
        word = _WORD.match(self.code, start)
        return word[0].decode() if word else ""

    @cached_property
    def reads(self) -> list[Node]:
        """The names that are read, in order."""
        return sorted(self.scopes.reads, key=lambda word: word.start_byte)

    def read_in(self, node: Node) -> list[Node]:
        """The names that a node reads."""
        low, high = (
            bisect_left(self.reads, at, key=lambda word: word.start_byte) for at in node.byte_range
        )
        return self.reads[low:high]

    @cached_property
    def bound(self) -> frozenset[str]:
        """The names that the module has: bound at its top, or in a function that says `global`."""
        return frozenset(name for name in self.scopes.module.bindings if "." not in name)

    @cached_property
    def rebound(self) -> frozenset[str]:
        """The names of the module that a function binds when it runs."""
        module = self.scopes.module
        return frozenset(
            name
            for name, bindings in module.bindings.items()
            if any(binding.scope is not module for binding in bindings)
        )

    def line_of(self, name: str) -> int:
        """The line of the first statement at the top that binds a name; 1 if there is none."""
        return next((line_at(node) for node, names in self.statements if name in names), 1)


def top_of(node: Node) -> Node:
    """The statement of the top level around a node."""
    return next((part for above, part in parents(node) if above.parent is None), node)


def line_at(node: Node) -> int:
    """The line of a statement, below its decorators."""
    return (node.child_by_field_name("definition") or node).start_point.row + 1


class WorkspaceCode:
    """Reads modules through a library. `modules` know the files, `created` among them."""

    def __init__(self, library: Library, created: str | None = None) -> None:
        self.library = library
        new = [created] if created is not None else []
        self.modules = ModulePaths([*library.files, *new], library.asked.run.roots)
        self._memo: dict[str, ModuleCode | None] = {}
        if created is not None:
            self._memo[created] = ModuleCode(created, b"")

    def code(self, path: str) -> ModuleCode | None:
        """A module; None if it cannot be read."""
        if path not in self._memo:
            text = self.bytes(path)
            try:
                self._memo[path] = None if text is None else ModuleCode(path, text)
            except PreconditionError:
                self._memo[path] = None
        return self._memo[path]

    def needed(self, path: str) -> ModuleCode:
        """A module; raises `PreconditionError` with the reason if it cannot be read."""
        if (module := self.code(path)) is not None:
            return module
        text = self.library.text(path)
        if text is None:
            raise refused(path, "cannot be read", "unreadable")
        return ModuleCode(path, text.code)

    def hides(self, target: str) -> bool:
        """Whether the package around a module calls something else by the module's name."""
        stem = stem_of(target)
        package = self.modules.at(posixpath.dirname(stem), ["__init__"])
        code = self.code(package) if package is not None else None
        if package is None or code is None:
            return False
        bound = code.scopes.module.bindings.get(posixpath.basename(stem), ())
        for source in (binding.source for binding in bound):
            home = self.modules.find(package, source.level, source.module) if source else None
            if not (home and source and self.modules.inside(home, source.name or "") == target):
                return True
        return False

    def bytes(self, path: str) -> bytes | None:
        """The text of a module; None if it has none."""
        if path in self._memo:
            module = self._memo[path]
            return None if module is None else module.code
        text = None if path.endswith("/") else self.library.text(path)
        return None if text is None else text.code


class CodeFile(Protocol):
    """A file with its tree, made of its path and its code."""

    path: str
    code: bytes

    def __init__(self, path: str, code: bytes) -> None: ...


File = TypeVar("File", bound=CodeFile)


class ChangedFile(Generic[File]):
    """`before`, and the `changes` that were made to it; `code` is what it is by now."""

    def __init__(self, before: File) -> None:
        self.before, self.code = before, before
        self.changes: list[Change] = []

    def make(self, more: Sequence[Change]) -> None:
        """Makes changes of the code as it is by now; they do not overlap."""
        if more:
            self.changes = [
                change for change, _, _ in compose(self.before.code, self.changes, merged(more))
            ]
            self.code = type(self.before)(self.before.path, splice(self.before.code, self.changes))


ChangedModule = ChangedFile[ModuleCode]


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
        yield from (base for base in self._bases if not base or stem.startswith(f"{base}/"))
        base, home = self._root_of(stem), self._root_of(importer)
        below = not home or base.startswith(f"{home}/")
        if base and base != home and self._is_package(posixpath.dirname(base)):
            yield self._root_of(base)  # of a package with a directory that has no `__init__.py`
        elif base and base != home and below and self._modules.is_alone(base):
            yield home  # a new directory, which is none that a path leads to
        yield base

    def _root_of(self, path: str) -> str:
        """The nearest directory above a path that is no package."""
        return next(f for f in folders_above(path) if not (f and self._is_package(f)))

    def relative(self, importer: str, target: str, levels: int = 0) -> str | None:
        """The name of a module with dots in front; None if they are in no common package."""
        stem = stem_of(target)
        for level, base in enumerate(folders_above(importer), 1):
            if not base or not (self._is_package(base) or level <= levels):
                break
            if stem == base or stem.startswith(f"{base}/"):
                return "." * level + stem[len(base) + 1 :].replace("/", ".")
        return None

    def _is_package(self, directory: str) -> bool:
        return self._modules.at(directory, ["__init__"]) is not None


def base_of(path: str, dotted: str) -> str | None:
    """The directory where an absolute name of the module at `path` begins."""
    stem, tail = stem_of(path), dotted.replace(".", "/")
    if stem == tail:
        return ""
    return stem.removesuffix(f"/{tail}") if stem.endswith(f"/{tail}") else None


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
