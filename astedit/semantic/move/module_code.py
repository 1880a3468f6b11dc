"""Python modules as code: statements with their bytes, names that they bind, and changes."""

import ast
import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from functools import cached_property

from tree_sitter import Node

from astedit.engine.run_context import Run
from astedit.errors import PreconditionError
from astedit.python.module_paths import ModulePaths
from astedit.python.scopes import Scopes
from astedit.python.syntax import parsed
from astedit.semantic.imports.lines import merged
from astedit.semantic.library import Library
from astedit.text.splice import ByteRange, Change, compose, splice

_INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"
_LATER = "Where it is code of a later Python, run astedit with that version."
_LINE_END = re.compile(rb"\n")


def refused(path: str, why: str, code: str, hint: str | None = None) -> PreconditionError:
    """The error about a move that cannot be made as a whole."""
    return PreconditionError(f"{path} {why}; nothing was staged.", path=path, code=code, hint=hint)


class ModuleCode:
    """The UTF-8 view of a module without its mark. Raises `PreconditionError` if it is no code."""

    def __init__(self, path: str, code: bytes) -> None:
        self.path, self.code = path, code
        if re.search(rb"\r(?!\n)", code):
            raise refused(path, "has lines that end in CR alone", "not_movable")
        try:
            with warnings.catch_warnings(action="ignore"):  # of escapes in a stranger's text
                self.tree = ast.parse(code.decode())
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            why = f"cannot be read as Python {_VERSION} ({error})"
            raise refused(path, why, "parse_error", _LATER) from error
        self._starts = [0, *(end.end() for end in _LINE_END.finditer(code)), len(code)]

    @cached_property
    def root(self) -> Node:
        """The syntax tree in which every byte has its place."""
        return parsed(self.code)

    @cached_property
    def scopes(self) -> Scopes:
        """What binds the names of the module."""
        return Scopes(self.root)

    def start_of(self, line: int) -> int:
        """Where a line begins; lines are counted from 1."""
        return self._starts[line - 1]

    def span(self, node: ast.stmt) -> ByteRange:
        """The bytes of a statement; decorators are part of it."""
        first = [item.lineno for item in getattr(node, "decorator_list", ())]
        if first:
            start = self.start_of(min(first))
        else:
            start = self.start_of(node.lineno) + node.col_offset
        assert node.end_lineno is not None and node.end_col_offset is not None
        return start, self.start_of(node.end_lineno) + node.end_col_offset

    def lines_of(self, node: ast.stmt) -> ByteRange:
        """The whole lines of a statement, with what ends the last."""
        start, _ = self.span(node)
        assert node.end_lineno is not None
        line = max(number for number, at in enumerate(self._starts, 1) if at <= start)
        return self.start_of(line), self._starts[min(node.end_lineno, len(self._starts) - 1)]

    @cached_property
    def bound(self) -> frozenset[str]:
        """The names that the module has: bound at its top, or in a function that says `global`."""
        return frozenset(name for name in self.scopes.module.bindings if "." not in name)

    @cached_property
    def rebound(self) -> frozenset[str]:
        """The names of the module that a function binds when it runs."""
        module = self.scopes.module
        every = module.bindings.items()
        return frozenset(
            name
            for name, bindings in every
            if any(binding.scope is not module for binding in bindings)
        )

    @cached_property
    def bound_inside(self) -> frozenset[str]:
        """The names that a class or a function binds for itself."""
        return frozenset(name for scope in self.scopes.all[1:] for name in scope.bindings)

    @cached_property
    def bound_otherwise(self) -> frozenset[str]:
        """The names that some scope binds by more than imports."""
        every = (item for scope in self.scopes.all for item in scope.bindings.items())
        others = (name for name, bindings in every if all(b.kind != "import" for b in bindings))
        return self.rebound.union(others)

    def line_of(self, name: str) -> int:
        """The line of the first statement at the top that binds a name; 1 if there is none."""
        lines = (node.lineno for node in self.tree.body if name in names_bound(node))
        return next(lines, 1)


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


class WorkspaceCode:
    """Reads modules through a library. `modules` know the files, `created` among them."""

    def __init__(self, library: Library, run: Run, created: str | None = None) -> None:
        self.library = library
        new = [created] if created is not None else []
        self.modules = ModulePaths([*library.files, *new], run.roots)
        self._memo: dict[str, ModuleCode | None] = {}
        if created is not None:
            self._memo[created] = ModuleCode(created, b"")

    def code(self, path: str) -> ModuleCode | None:
        """A module; None if it cannot be read."""
        if path not in self._memo:
            text = None if path.endswith("/") else self.library.text(path)
            try:
                self._memo[path] = None if text is None else ModuleCode(path, text.code)
            except PreconditionError:
                self._memo[path] = None
        return self._memo[path]

    def needed(self, path: str) -> ModuleCode:
        """A module; raises `PreconditionError` with the reason if it cannot be read."""
        module = self.code(path)
        if module is not None:
            return module
        text = self.library.text(path)
        if text is None:
            raise refused(path, "cannot be read", "unreadable")
        return ModuleCode(path, text.code)

    def bytes(self, path: str) -> bytes | None:
        """The text of a module; None if it has none."""
        if path in self._memo:
            module = self._memo[path]
            return None if module is None else module.code
        text = None if path.endswith("/") else self.library.text(path)
        return None if text is None else text.code

    def marked(self, path: str, changes: list[Change]) -> list[Change]:
        """The changes of a file whose text begins with a mark that the code does not have."""
        text = self.library.text(path)
        shift = text.mark if text is not None else 0
        return [(start + shift, end + shift, new) for start, end, new in changes]


class ChangedModule:
    """`before`, and the `changes` that were made to it; `code` is what it is by now."""

    def __init__(self, before: ModuleCode) -> None:
        self.before, self.code = before, before
        self.changes: list[Change] = []

    def make(self, more: Sequence[Change]) -> None:
        """Makes changes of the code as it is by now; they do not overlap."""
        if more:
            second = merged(more)
            self.changes = [
                change for change, _, _ in compose(self.before.code, self.changes, second)
            ]
            self.code = ModuleCode(self.before.path, splice(self.before.code, self.changes))
