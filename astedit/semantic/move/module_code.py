"""Python modules as code: statements with their bytes, names that they bind, and changes."""

import ast
import re
import symtable
import sys
import warnings
from collections.abc import Iterator, Sequence
from functools import cached_property

from tree_sitter import Node

from astedit.engine.run_context import Run
from astedit.errors import PreconditionError
from astedit.language import load, named
from astedit.python.module_paths import ModulePaths
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
        row = named("python")
        assert row is not None
        return load(row).parser().parse(self.code).root_node

    @cached_property
    def table(self) -> symtable.SymbolTable:
        """The names of the module by scope."""
        return symtable.symtable(self.code.decode(), self.path, "exec")

    def start_of(self, line: int) -> int:
        """Where a line begins; lines are counted from 1."""
        return self._starts[line - 1]

    def span(self, node: ast.stmt) -> ByteRange:
        """The bytes of a statement; decorators are part of it."""
        first = [each.lineno for each in getattr(node, "decorator_list", ())]
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
        line = max(each for each, at in enumerate(self._starts, 1) if at <= start)
        return self.start_of(line), self._starts[min(node.end_lineno, len(self._starts) - 1)]

    @cached_property
    def bound(self) -> frozenset[str]:
        """The names that the module has: bound at its top, or in a function that says `global`."""
        names = {each.get_name() for each in self.table.get_symbols() if _binds(each)}
        return frozenset(names | self.rebound)

    @cached_property
    def rebound(self) -> frozenset[str]:
        """The names of the module that a function binds when it runs."""
        inner = [each for table in tables_below(self.table) for each in table.get_symbols()]
        return frozenset(
            each.get_name() for each in inner if each.is_declared_global() and _binds(each)
        )

    @cached_property
    def bound_inside(self) -> frozenset[str]:
        """The names that a class or a function binds for itself."""
        inner = [each for table in tables_below(self.table) for each in table.get_symbols()]
        return frozenset(each.get_name() for each in inner if each.is_local() and _binds(each))

    @cached_property
    def bound_otherwise(self) -> frozenset[str]:
        """The names that some scope binds by more than imports."""
        names = set(self.rebound)
        for table in (self.table, *tables_below(self.table)):
            names |= {each.get_name() for each in table.get_symbols() if _is_set(each)}
        return frozenset(names)

    def line_of(self, name: str) -> int:
        """The line of the first statement at the top that binds a name; 1 if there is none."""
        lines = (node.lineno for node in self.tree.body if name in names_bound(node))
        return next(lines, 1)


def tables_below(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    """The scopes within a scope, at any depth."""
    for child in table.get_children():
        yield child
        yield from tables_below(child)


def _binds(symbol: symtable.Symbol) -> bool:
    return symbol.is_assigned() or symbol.is_imported() or symbol.is_parameter()


def _is_set(symbol: symtable.Symbol) -> bool:
    return symbol.is_parameter() or (symbol.is_assigned() and not symbol.is_imported())


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
        self._known: dict[str, ModuleCode | None] = {}
        if created is not None:
            self._known[created] = ModuleCode(created, b"")

    def code(self, path: str) -> ModuleCode | None:
        """A module; None if it cannot be read."""
        if path not in self._known:
            text = None if path.endswith("/") else self.library.text(path)
            try:
                self._known[path] = None if text is None else ModuleCode(path, text.code)
            except PreconditionError:
                self._known[path] = None
        return self._known[path]

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
        if path in self._known:
            module = self._known[path]
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
