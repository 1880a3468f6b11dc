"""Imports of JavaScript and TypeScript, one at a time, and the statements that hold them."""

import posixpath
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tree_sitter import Node

from astedit.python.syntax import text_of
from astedit.semantic.imports.statement import Statement


@dataclass(frozen=True, slots=True)
class JavaScriptImport:
    """What a file has of a module.

    `name` is what the module exports (`default` too), `*` for all of it as one value, `=` for
    that of `import a = require("a")`, "" where the module is only run. `local` is the name
    that the file sees; `is_type` that it is imported with `type`.
    """

    module: str
    name: str
    local: str
    is_type: bool = False

    @property
    def bound(self) -> str:
        """The name that the rest of the file sees."""
        return self.local

    @property
    def item(self) -> str:
        """What a list in braces has for it."""
        return self.name if self.name == self.local else f"{self.name} as {self.local}"

    def is_met_by(self, present: "JavaScriptImport") -> bool:
        """Whether a file with this import needs the other no more."""
        if not self.name:
            return present.module == self.module and not present.is_type
        same = (present.module, present.name, present.local) == (self.module, self.name, self.local)
        return same and (self.is_type or not present.is_type)

    def __str__(self) -> str:
        return ImportStyle('"', "", " ").line([self]).decode()


class ImportStyle(NamedTuple):
    """How a file writes its imports."""

    quote: str
    end: str
    pad: str

    def line(self, group: Sequence[JavaScriptImport]) -> bytes:
        """A statement for imports of one module: a default, a namespace, or names in braces."""
        module = f"{self.quote}{group[0].module}{self.quote}{self.end}"
        if not group[0].name:
            return f"import {module}".encode()
        word = "import type" if group[0].is_type else "import"
        return f"{word} {self.clause(group)} from {module}".encode()

    def clause(self, group: Sequence[JavaScriptImport]) -> str:
        """What stands between `import` and `from`."""
        parts = [new.local for new in group if new.name == "default"]
        parts += [f"* as {new.local}" for new in group if new.name == "*"]
        listed = [new for new in group if new.name not in ("default", "*")]
        return ", ".join(parts + ([self.braces(listed)] if listed else []))

    def braces(self, listed: Sequence[JavaScriptImport]) -> str:
        """Names in braces."""
        return f"{{{self.pad}{', '.join(new.item for new in listed)}{self.pad}}}"


ENDINGS = (".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts")


def file_of(importer: str, module: str, has: Callable[[str], bool]) -> str | None:
    """The file that a relative module means; None if it is none of those that there are."""
    if not module.startswith("."):
        return None
    place = posixpath.normpath(posixpath.join(posixpath.dirname(importer), module))
    stem, ending = posixpath.splitext(place)
    stems = [place, stem] if ending in (".js", ".jsx", ".mjs", ".cjs") else [place]
    every = [place, *(s + end for s in stems for end in ENDINGS)]
    return next(filter(has, [*every, *(f"{place}/index{end}" for end in ENDINGS)]), None)


Item = tuple[JavaScriptImport, Node]


class Parts(NamedTuple):
    """The parts of one statement, each with its node, as far as it has them."""

    is_type: bool
    default: Item | None
    namespace: Item | None
    braces: Node | None
    listed: list[Item]


def import_statements(root: Node) -> list[Statement[JavaScriptImport]]:
    """The import statements of the top level, in order."""
    nodes = [node for node in root.named_children if node.type == "import_statement"]
    return [Statement(node, list(_items(node))) for node in nodes]


def module_of(statement: Node) -> str:
    """What a statement imports from: the text within the quotes."""
    source = source_of(statement)
    return text_of(source)[1:-1] if source is not None else ""


def source_of(statement: Node) -> Node | None:
    """The string that names the module."""
    source = statement.child_by_field_name("source")
    clause = next((c for c in statement.named_children if c.type == "import_require_clause"), None)
    return source or (clause.child_by_field_name("source") if clause is not None else None)


def parts_of(statement: Statement[JavaScriptImport]) -> Parts:
    """What stands where in a statement."""
    by_name = {imported.name: (imported, node) for imported, node in statement.imports}
    clause = clause_of(statement.node)
    inner = clause.named_children if clause is not None else []
    braces = next((node for node in inner if node.type == "named_imports"), None)
    listed = [item for item in statement.imports if item[1].type == "import_specifier"]
    default = next((item for item in statement.imports if item[1].type == "identifier"), None)
    return Parts(_is_type(statement.node), default, by_name.get("*"), braces, listed)


def clause_of(statement: Node) -> Node | None:
    """What stands between `import` and `from`."""
    return next((node for node in statement.named_children if node.type == "import_clause"), None)


def _is_type(node: Node) -> bool:
    return any(child.type in ("type", "typeof") for child in node.children)


def _items(statement: Node) -> Iterator[Item]:
    module, is_type = module_of(statement), _is_type(statement)
    for node in statement.named_children:
        if node.type == "import_require_clause":
            yield JavaScriptImport(module, "=", text_of(node.named_children[0])), node
            return
    if (clause := clause_of(statement)) is None:
        yield JavaScriptImport(module, "", ""), statement
        return
    for node in clause.named_children:
        if node.type == "identifier":
            yield JavaScriptImport(module, "default", text_of(node), is_type), node
        elif node.type == "namespace_import":
            yield JavaScriptImport(module, "*", text_of(node.named_children[-1]), is_type), node
        elif node.type == "named_imports":
            for part in (n for n in node.named_children if n.type == "import_specifier"):
                name = text_of(part.child_by_field_name("name"))
                local = text_of(part.child_by_field_name("alias")) or name
                yield JavaScriptImport(module, name, local, is_type or _is_type(part)), part
