"""Imports of Python, one at a time: as they are asked for, and as statements hold them."""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from tree_sitter import Node

from astedit.errors import RequestError

_WORD = r"[^\W\d]\w*"
_DOTTED = rf"\.*{_WORD}(?:\.{_WORD})*|\.+"
_WRITTEN = re.compile(
    rf"(?:from\s+({_DOTTED})\s+)?import\s+({_WORD}(?:\.{_WORD})*)(?:\s+as\s+({_WORD}))?"
)
IMPORTS = ("import_statement", "import_from_statement")
_FUTURE, _STANDARD, _OTHER, _LOCAL = range(4)


@dataclass(frozen=True, slots=True)
class Import:
    """`name` of `module` (None: the module `name` itself), bound as `alias` if there is one."""

    module: str | None
    name: str
    alias: str | None = None

    @classmethod
    def parse(cls, text: str) -> "Import":
        """Reads one import of one name; raises `RequestError`."""
        parts = _WRITTEN.fullmatch(text.strip())
        if parts is None or (parts[1] and "." in parts[2]):
            raise RequestError(
                f"{text!r} is not an import of one name.",
                hint="Like `import logging` or `from os import path as p`.",
                code="bad_import",
            )
        alias = parts[3] if parts[3] != parts[2] else None
        return cls(parts[1], parts[2], alias)

    @property
    def bound(self) -> str:
        """The name that the rest of the module sees."""
        return self.alias or (self.name if self.module else self.name.partition(".")[0])

    @property
    def item(self) -> str:
        """What a statement that imports it from its module lists."""
        return f"{self.name} as {self.alias}" if self.alias else self.name

    def __str__(self) -> str:
        return f"from {self.module} import {self.item}" if self.module else f"import {self.item}"

    @property
    def section(self) -> int:
        """In which block of imports it stands, from the top: a number to compare."""
        source = self.module or self.name
        if source == "__future__":
            return _FUTURE
        if source.startswith("."):
            return _LOCAL
        return _STANDARD if source.partition(".")[0] in sys.stdlib_module_names else _OTHER

    @property
    def order(self) -> tuple[bool, str]:
        """By what it is sorted within its section."""
        return self.module is not None, (self.module or self.name).lower()


class ImportItem(NamedTuple):
    """An import, and the node in a statement that names it."""

    imported: Import
    node: Node


@dataclass(slots=True)
class ImportStatement:
    """An import statement of the top level, and what it imports."""

    node: Node
    items: list[ImportItem]

    @property
    def section(self) -> int | None:
        """The section of its first import; None if it has none, as `from a import *`."""
        return self.items[0].imported.section if self.items else None

    def without(self, removed: set[Import]) -> "ImportStatement":
        """The statement as it will be, for what is added to it."""
        kept = [item for item in self.items if item.imported not in removed]
        return ImportStatement(self.node, kept)


def import_statements(root: Node, source: bytes) -> list[ImportStatement]:
    """The import statements of a module's top level, in order."""
    kinds = (*IMPORTS, "future_import_statement")
    nodes = [node for node in root.named_children if node.type in kinds]
    return [ImportStatement(node, list(_items(node, source))) for node in nodes]


def _items(node: Node, source: bytes) -> Iterator[ImportItem]:
    module = None
    if node.type == "import_from_statement":
        module = _text(node.child_by_field_name("module_name"), source)
    elif node.type == "future_import_statement":
        module = "__future__"
    for child in node.children_by_field_name("name"):
        name, alias = child, None
        if child.type == "aliased_import":
            name = child.child_by_field_name("name") or child
            alias = _text(child.child_by_field_name("alias"), source)
        text = _text(name, source)
        yield ImportItem(Import(module, text, alias if alias != text else None), child)


def _text(node: Node | None, source: bytes) -> str:
    return source[node.start_byte : node.end_byte].decode("utf-8") if node is not None else ""
