"""Imports as JavaScript and TypeScript write them."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from tree_sitter import Node

from astedit.python.evaluation import is_within
from astedit.python.syntax import parts_of, text_of
from astedit.rewrite.make.delete import cuts
from astedit.semantic.imports.javascript_import import (
    ImportStyle,
    JavaScriptImport,
    clause_of,
    import_statements,
)
from astedit.semantic.imports.javascript_layout import (
    added,
    declarators_of,
    require_statements,
    style_of,
    word_of,
)
from astedit.semantic.imports.local_names import LOCALS
from astedit.semantic.imports.statement import Statement, Syntax, Uses, placed, words
from astedit.text.source import Change

_SKIPPED = frozenset({"import_statement"})
_NAMES = ("identifier", "type_identifier", "shorthand_property_identifier")
_MEMBERS = {("nested_type_identifier", "name"), ("export_specifier", "alias")}
_ES_ENDINGS = (".mjs", ".mts")
_COMMON_ENDINGS = (".cjs", ".cts")
PlacedLeaf = tuple[Node, str | None, str]


class JavaScript(Syntax[JavaScriptImport]):
    """Imports of one of the three languages; `import type` is none in JavaScript."""

    example = """`import { join } from "path"` or `import fs from "fs"`"""
    style: ImportStyle | None = None  # of what is added, if not the file's own

    def parse(self, text: str) -> JavaScriptImport:
        """Reads one import as it is written in code; raises `RequestError`."""
        if (item := super().parse(text)).name == "=":
            raise self.malformed(text)
        return item

    def statements(self, root: Node) -> list[Statement[JavaScriptImport]]:
        """The import statements of the top level, and what stands there for `require`."""
        return [*import_statements(root), *require_statements(root)]

    def uses(self, root: Node) -> Uses:
        """The names that a file uses; one with JSX may use React without naming it."""
        code: set[str] = set()
        quoted: set[str] = set()
        for node, field, parent in _outside(placed(root, _SKIPPED), require_statements(root)):
            if parent.startswith("jsx_"):
                code.add("React")
            if node.type in _NAMES:
                if (parent, field) not in _MEMBERS:
                    code.add(text_of(node))
            elif node.type == "string_fragment" or _is_read(node):
                quoted |= words(node.text or b"")
        return Uses(frozenset(code), frozenset(quoted))

    def refusal(self, root: Node, path: str) -> str | None:
        """Why no import can be added: its ending says another kind of module than its code."""
        if path.endswith(_ES_ENDINGS) and is_common(root):
            return "the file calls `require`, which its ending rules out."
        if path.endswith(_COMMON_ENDINGS) and not is_common(root):
            return "the file is a CommonJS module, which an import statement would break."
        return None

    def satisfied(
        self, candidate: JavaScriptImport, root: Node, present: set[JavaScriptImport]
    ) -> bool:
        """Whether the file has this already; a value serves as a type too."""
        whole = replace(candidate, name="default") if candidate.name == "*" else candidate
        required = {imported for s in require_statements(root) for imported, _ in s.imports}
        return whole in required or any(candidate.is_met_by(imported) for imported in present)

    def clashes(
        self, candidate: JavaScriptImport, root: Node, present: set[JavaScriptImport]
    ) -> bool:
        """Whether the name is bound by another import, or declared by more than a `require`."""
        if any(imported.bound == candidate.bound for imported in present):
            return True
        required = [node for s in require_statements(root) for _, node in s.imports]
        declared = LOCALS[self.language].declarations(root, candidate.bound)
        return any(not any(is_within(leaf, node) for node in required) for leaf in declared)

    def added(self, adding: Sequence[JavaScriptImport], root: Node, source: bytes) -> list[Change]:
        """The changes that bring these imports, as the file has them."""
        style = self.style or style_of(root, source)
        if is_common(root):
            style = style._replace(word=word_of(root, source))
        return added(adding, root, source, style)

    def shortened(
        self, statement: Statement[JavaScriptImport], gone: set[int], source: bytes
    ) -> list[Change] | None:
        """What is left of a default, a namespace, braces, or a declaration by `require`."""
        clause = clause_of(statement.node)
        parts = parts_of(clause) if clause is not None else declarators_of(statement.node)
        numbered = list(enumerate(statement.imports))
        changes, whole = list[Change](), list[Node]()
        for part in parts:
            inside = [(at, node) for at, (_, node) in numbered if is_within(node, part)]
            some = [node for at, node in inside if at in gone]
            if inside and len(some) == len(inside):
                whole.append(part)
            elif some:
                changes += cuts(some, source)
        return None if len(whole) == len(parts) else cuts(whole, source) + changes


def _is_read(node: Node) -> bool:
    """Whether tools read the names in a comment: types in JSDoc, and what makes JSX."""
    text = node.text or b""
    return node.type == "comment" and (text.startswith(b"/**") or b"@jsx" in text)


def _outside(
    leaves: Iterable[PlacedLeaf], statements: Sequence[Statement[JavaScriptImport]]
) -> Iterator[PlacedLeaf]:
    """The leaves that are no part of what a `require` is bound by."""
    parts = [(n, s) for s in statements for n in declarators_of(s.node) or [s.node]]
    spans = [n.byte_range for n, s in parts if any(is_within(node, n) for _, node in s.imports)]
    for leaf in leaves:
        while spans and spans[0][1] <= leaf[0].start_byte:
            del spans[0]
        if not spans or leaf[0].start_byte < spans[0][0]:
            yield leaf


def is_common(root: Node) -> bool:
    """Whether the code requires or exports as CommonJS does, and as no other module."""
    if any(node.type in ("import_statement", "export_statement") for node in root.children):
        return False
    for node, field, parent in placed(root, _SKIPPED):
        if node.type != "identifier":
            continue
        name, above = text_of(node), node.parent
        if name == "require" and (parent, field) == ("call_expression", "function"):
            return True
        is_object = (parent, field) == ("member_expression", "object")
        whole = name == "exports" or re.fullmatch(r"module\s*\.\s*exports", text_of(above))
        if is_object and whole:
            return True
    return False
