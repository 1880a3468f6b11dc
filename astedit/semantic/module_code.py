"""Python modules as code: statements with their bytes, names that they bind, and changes."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple, Protocol

from tree_sitter import Node

from astedit.errors import PreconditionError
from astedit.python.module_paths import ModulePaths
from astedit.python.scopes import Scopes
from astedit.python.syntax import first_error, parsed, parts_of
from astedit.semantic.imports.lines import merged
from astedit.semantic.library import Library
from astedit.text.splice import Change, compose, splice


def refused(path: str, why: str, code: str, hint: str | None = None) -> PreconditionError:
    """The error about a move that cannot be made as a whole."""
    return PreconditionError(f"{path} {why}; nothing was staged.", path=path, code=code, hint=hint)


class ByteUse(Protocol):
    """What stands at bytes of a module."""

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


class TopStatement(NamedTuple):
    """A statement of the top level, and the names that it binds there."""

    node: Node
    names: set[str]


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
    def statements(self) -> list[TopStatement]:
        """The statements of the top level, in order."""
        nodes = parts_of(self.root)
        starts, names = [node.start_byte for node in nodes], [set[str]() for _ in nodes]
        for name, bindings in self.scopes.module.bindings.items():
            for binding in bindings:
                if binding.scope is self.scopes.module and "." not in name:
                    names[bisect_right(starts, binding.node.start_byte) - 1].add(name)
        return list(map(TopStatement, nodes, names))

    def at(self, use: ByteUse) -> Node:
        """The node that a use of a name is."""
        node = self.root.descendant_for_byte_range(use.start, use.end)
        assert node is not None
        return node

    @cached_property
    def reads(self) -> list[Node]:
        """The names that are read, in order."""
        return sorted(self.scopes.reads, key=lambda word: word.start_byte)

    def read_in(self, node: Node) -> list[Node]:
        """The names that a node reads."""
        low, high = (
            bisect_left(self.reads, at, key=lambda word: word.start_byte)
            for at in (node.start_byte, node.end_byte)
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
        return next((line_at(node) for node, names in self.statements if name in names), 1)


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
