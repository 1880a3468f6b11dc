"""Imports as Go writes them: alone, or in groups between brackets."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from astedit.python.syntax import text_of
from astedit.semantic.imports.lines import Placed, after, blocks, into_block, opening, without
from astedit.semantic.imports.statement import Statement, Syntax, Uses, known, placed
from astedit.text.source import Change, end_of_line, line_end, line_start

_SKIPPED = frozenset({"import_declaration", "package_clause", "comment"})
_PACKAGES = {("selector_expression", "operand"), ("qualified_type", "package")}
_VERSION = re.compile(r"v\d+")


@dataclass(frozen=True, slots=True)
class GoImport:
    """The package at a path. `name` is what the file calls it: "" as it calls itself."""

    path: str
    name: str = ""

    @property
    def bound(self) -> str:
        """The name that the file sees, by the customs of paths; "" for `_` and `.`."""
        if self.name:
            return "" if self.name in ("_", ".") else self.name
        return "" if self.path == "C" else _package(self.path)

    @property
    def is_standard(self) -> bool:
        """Whether it is of the standard library, as goimports tells it."""
        return "." not in self.path.partition("/")[0]

    @property
    def spec(self) -> str:
        """What a group has for it."""
        return f'{self.name} "{self.path}"' if self.name else f'"{self.path}"'

    def __str__(self) -> str:
        return f"import {self.spec}"


def _package(path: str) -> str:
    """What a package at this path most probably calls itself."""
    parts = path.split("/")
    if len(parts) > 1 and _VERSION.fullmatch(parts[-1]):
        parts.pop()
    name = re.sub(r"\.v\d+$", "", parts[-1])
    return name.removeprefix("go-").removesuffix(".go").removesuffix("-go").replace("-", "_")


class Go(Syntax[GoImport]):
    """Imports of Go."""

    example = """`import "os"` or `import js "encoding/json"`"""
    head = b"package p\n"

    def parse(self, text: str) -> GoImport:
        """Reads `import "os"`, or what a group has for it; raises `RequestError`."""
        spec = text.strip()
        return super().parse(spec if spec.startswith("import") else f"import {spec}")

    def statements(self, root: Node) -> list[Statement[GoImport]]:
        """The import declarations, in order."""
        nodes = [node for node in root.named_children if node.type == "import_declaration"]
        return [Statement(node, list(_specs(node))) for node in nodes]

    def uses(self, root: Node) -> Uses:
        """The names in front of a dot; texts never name a package, and an unused one fails."""
        leaves = placed(root, _SKIPPED)
        names = (text_of(leaf) for leaf, field, parent in leaves if (parent, field) in _PACKAGES)
        return Uses(frozenset(names), frozenset())

    def refusal(self, root: Node, path: str) -> str | None:
        """Why no import can be added: what is no whole file has no place for it."""
        if any(node.type == "package_clause" for node in root.named_children):
            return None
        return "the file has no package clause."

    def satisfied(self, candidate: GoImport, root: Node, present: set[GoImport]) -> bool:
        """Whether the package is imported under the same name."""
        return any(old.path == candidate.path and old.bound == candidate.bound for old in present)

    def added(self, adding: Sequence[GoImport], root: Node, source: bytes) -> list[Change]:
        """Into a group if there is one, else beside single ones, else behind the package.

        A single import and a new one become a group, as goimports has it.
        """
        ordered = sorted(adding, key=lambda new: (not new.is_standard, new.path))
        # the comment of what cgo imports must stay right above it
        every = self.statements(root)
        statements = [s for s in every if not any(item.path == "C" for item, _ in s.imports)]
        group = next((s for s in statements if s.imports and _list_of(s.node) is not None), None)
        if group is not None:
            return list(_grouped(ordered, group, source))
        if len(statements) == 1 and statements[0].imports:
            bound = statements[0].imports[0][0].bound
            used = not bound or bound in self.uses(root).code  # else Go would not compile it
            if used or len(ordered) > 1:
                return [_beside(ordered, statements[0], used, source)]
        if statements:
            block = [Placed((s.imports[0][0].path,), s.node) for s in statements if s.imports]
            return [into_block((new.path,), str(new).encode(), block, source) for new in ordered]
        return [_first(ordered, root, source)]

    def shortened(
        self, statement: Statement[GoImport], gone: set[int], source: bytes
    ) -> list[Change] | None:
        """Each spec has a line of its own."""
        if len(gone) == len(statement.imports):
            return None
        return without([statement.imports[at][1] for at in sorted(gone)], source, self.mark)

    def missing(self, names: Sequence[str], root: Node) -> list[str]:
        """The imports of packages, those of the standard library with their paths."""
        table = known("go")
        paths = {_package(path): path for path in table["packages"].split()} | table["ambiguous"]
        absent = self.absent(names, root)
        return [f'import "{paths.get(name, f"…/{name}")}"' for name in absent]


def _specs(declaration: Node) -> Iterator[tuple[GoImport, Node]]:
    for node in (_list_of(declaration) or declaration).named_children:
        if node.type == "import_spec":
            path = text_of(node.child_by_field_name("path"))[1:-1]
            yield GoImport(path, text_of(node.child_by_field_name("name"))), node


def _list_of(declaration: Node) -> Node | None:
    nodes = declaration.named_children
    return next((node for node in nodes if node.type == "import_spec_list"), None)


def _grouped(
    adding: Sequence[GoImport], group: Statement[GoImport], source: bytes
) -> Iterator[Change]:
    """Specs in order among those of the standard library, or among the others."""
    specs = {node.start_byte: imported for imported, node in group.imports}
    nodes = [node for _, node in group.imports]
    runs = blocks(nodes, source)
    eol, standard = end_of_line(source), [new for new in adding if new.is_standard]
    for new in adding:
        alike = [
            run
            for run in runs
            if any(specs[node.start_byte].is_standard == new.is_standard for node in run)
        ]
        line = b"\t" + new.spec.encode()
        if alike:
            run = alike[0] if new.is_standard else alike[-1]
            block = [Placed((specs[node.start_byte].path,), node) for node in run]
            yield into_block((new.path,), line, block, source)
        elif new.is_standard:
            at = line_start(source, nodes[0].start_byte)
            yield at, at, line + eol + (eol if new is standard[-1] else b"")
        else:
            first = next(other for other in adding if not other.is_standard)
            yield after(nodes[-1], source, (eol if new is first else b"") + line + eol)


def _beside(
    adding: Sequence[GoImport], single: Statement[GoImport], used: bool, source: bytes
) -> Change:
    """One group in the place of a single import, or behind one that is going to leave."""
    eol = end_of_line(source)
    imported, node = single.imports[0]
    group = [(new, new.spec.encode()) for new in adding]
    end = line_end(source, node.end_byte)
    if not used:
        return end, end, _group(group, eol)
    group.append((imported, source[node.start_byte : end].rstrip()))
    return single.node.start_byte, end, _group(group, eol)


def _group(specs: Sequence[tuple[GoImport, bytes]], eol: bytes) -> bytes:
    """A declaration of several imports: those of the standard library, then the others."""
    ordered = sorted(specs, key=lambda spec: (not spec[0].is_standard, spec[0].path))
    lines = [b"\t" + text + eol for _, text in ordered]
    split = sum(imported.is_standard for imported, _ in ordered)
    if 0 < split < len(lines):
        lines.insert(split, eol)
    return b"import (" + eol + b"".join(lines) + b")" + eol


def _first(adding: Sequence[GoImport], root: Node, source: bytes) -> Change:
    """One statement for all, behind the package clause or what cgo imports."""
    eol = end_of_line(source)
    header = [node for node in root.named_children if node.type in _SKIPPED - {"comment"}][-1]
    if len(adding) == 1:
        return opening(header, source, str(adding[0]).encode() + eol)
    return opening(header, source, _group([(new, new.spec.encode()) for new in adding], eol))
