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
    that of `import a = require("a")`, "" where the module is only run. `bound` is the name
    that the file sees; `is_type` that it is imported with `type`.
    """

    module: str
    name: str
    bound: str
    is_type: bool = False

    def is_met_by(self, present: "JavaScriptImport") -> bool:
        """Whether a file with this import needs the other no more."""
        if not self.name:
            return present.module == self.module and not present.is_type
        same = (present.module, present.name, present.bound) == (self.module, self.name, self.bound)
        return same and (self.is_type or not present.is_type)

    def __str__(self) -> str:
        return ImportStyle('"', "", " ").line([self]).decode()


class ImportStyle(NamedTuple):
    """How a file writes its imports; `word` is that before a `require`, "" of imports."""

    quote: str
    end: str
    pad: str
    word: str = ""

    def line(self, group: Sequence[JavaScriptImport]) -> bytes:
        """A statement for imports of one module: a default, a namespace, or names in braces."""
        module = f"{self.quote}{group[0].module}{self.quote}{self.end}"
        if self.word:
            call = f"require({module.removesuffix(self.end)}){self.end}"
            return (
                f"{self.word} {self.clause(group)} = {call}" if group[0].name else call
            ).encode()
        if not group[0].name:
            return f"import {module}".encode()
        word = "import type" if group[0].is_type else "import"
        return f"{word} {self.clause(group)} from {module}".encode()

    def clause(self, group: Sequence[JavaScriptImport]) -> str:
        """What stands between `import` and `from`."""
        parts = [new.bound for new in group if new.name == "default"]
        parts += [f"{'' if self.word else '* as '}{new.bound}" for new in group if new.name == "*"]
        listed = [new for new in group if new.name not in ("default", "*")]
        return ", ".join(parts + ([self.braces(listed)] if listed else []))

    def item(self, new: JavaScriptImport) -> str:
        """What a list in braces has for an import."""
        sign = ": " if self.word else " as "
        return new.name if new.name == new.bound else f"{new.name}{sign}{new.bound}"

    def braces(self, listed: Sequence[JavaScriptImport]) -> str:
        """Names in braces."""
        return f"{{{self.pad}{', '.join(map(self.item, listed))}{self.pad}}}"


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


def parts_of(statement: Node) -> dict[str, Node]:
    """The parts of what stands between `import` and `from`, by their kinds."""
    clause = clause_of(statement)
    return {node.type: node for node in clause.named_children} if clause is not None else {}


def clause_of(statement: Node) -> Node | None:
    """What stands between `import` and `from`."""
    return next((node for node in statement.named_children if node.type == "import_clause"), None)


def is_of_types(node: Node) -> bool:
    """Whether a statement or a part of it says `type`."""
    return any(child.type in ("type", "typeof") for child in node.children)


def _items(statement: Node) -> Iterator[Item]:
    module, is_type = module_of(statement), is_of_types(statement)
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
                yield JavaScriptImport(module, name, local, is_type or is_of_types(part)), part
