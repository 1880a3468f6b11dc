"""Imports of Python, one at a time: as they are asked for, and as statements hold them."""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field

from tree_sitter import Node

from astedit.python.syntax import IMPORTS
from astedit.semantic.imports.statement import Statement, malformed, text_of

_WORD = r"[^\W\d]\w*"
_DOTTED = rf"\.*{_WORD}(?:\.{_WORD})*|\.+"
_WRITTEN = re.compile(
    rf"(?:from\s+({_DOTTED})\s+)?import\s+({_WORD}(?:\.{_WORD})*)(?:\s+as\s+({_WORD}))?"
)
FUTURE, STANDARD, _OTHER, _LOCAL = range(4)


@dataclass(frozen=True, slots=True)
class PythonImport:
    """`name` of `module` (None: the module `name` itself), bound as `alias` if there is one."""

    module: str | None
    name: str
    alias: str | None = None
    repeated: bool = field(default=False, compare=False)  # `a as a`, which marks a re-export

    @classmethod
    def parse(cls, text: str) -> "PythonImport":
        """Reads one import of one name; raises `RequestError`."""
        parts = _WRITTEN.fullmatch(text.strip())
        if parts is None or (parts[1] and "." in parts[2]):
            raise malformed(text, "`import logging` or `from os import path as p`")
        return cls.of(parts[1], parts[2], parts[3])

    @classmethod
    def of(cls, module: str | None, name: str, alias: str | None) -> "PythonImport":
        """The import; one that is bound as what it is called anyway has no alias."""
        return cls(module, name, None if alias == name else alias, alias == name)

    @property
    def bound(self) -> str:
        """The name that the rest of the module sees."""
        return self.alias or (self.name if self.module else self.name.partition(".")[0])

    @property
    def item(self) -> str:
        """What a statement that imports it from its module lists."""
        alias = self.name if self.repeated else self.alias
        return f"{self.name} as {alias}" if alias else self.name

    def __str__(self) -> str:
        return f"from {self.module} import {self.item}" if self.module else f"import {self.item}"

    @property
    def section(self) -> int:
        """In which block of imports it stands, from the top: a number to compare."""
        source = self.module or self.name
        if source == "__future__":
            return FUTURE
        if source.startswith("."):
            return _LOCAL
        return STANDARD if source.partition(".")[0] in sys.stdlib_module_names else _OTHER

    @property
    def order(self) -> tuple[bool, int, str]:
        """By what it is sorted within its section: `..` before `.`, as isort does it."""
        source = self.module or self.name
        name = source.lstrip(".")
        return self.module is not None, len(name) - len(source), name.lower()


def import_statements(root: Node) -> list[Statement[PythonImport]]:
    """The import statements of a module's top level, in order."""
    return [statement_of(node) for node in root.named_children if node.type in IMPORTS]


def statement_of(node: Node) -> Statement[PythonImport]:
    """An import statement with what it imports; a star import has nothing that it names."""
    return Statement(node, list(_items(node)))


def module_of(node: Node) -> str | None:
    """The module that a `from` import names, with its dots; None for any other statement."""
    name = node.child_by_field_name("module_name")
    return text_of(name) if node.type == "import_from_statement" else None


def section_of(statement: Statement[PythonImport]) -> int | None:
    """The section of its first import; None if it has none, as `from a import *`."""
    return statement.imports[0][0].section if statement.imports else None


def _items(node: Node) -> Iterator[tuple[PythonImport, Node]]:
    module = None
    if node.type == "import_from_statement":
        module = text_of(node.child_by_field_name("module_name"))
    elif node.type == "future_import_statement":
        module = "__future__"
    for child in node.children_by_field_name("name"):
        name, alias = child, None
        if child.type == "aliased_import":
            name = child.child_by_field_name("name") or child
            alias = text_of(child.child_by_field_name("alias"))
        yield PythonImport.of(module, text_of(name), alias), child
