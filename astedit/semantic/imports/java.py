"""Imports as Java writes them: one name each, some of them static."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from astedit.python.syntax import text_of
from astedit.semantic.imports.lines import Placed, after, blocks, header, into_block, opening
from astedit.semantic.imports.statement import Statement, Syntax, Uses, known, placed, words
from astedit.text.source import Change, alike_start, end_of_line

_SKIPPED = frozenset({"import_declaration", "package_declaration"})
_MEMBERS = {("field_access", "field"), ("method_declaration", "name")}


@dataclass(frozen=True, slots=True)
class JavaImport:
    """`name` of the package or class `module`; `*` is every name in it."""

    module: str
    name: str
    static: bool = False

    @property
    def bound(self) -> str:
        """The name that the file sees; "" for all of them."""
        return "" if self.name == "*" else self.name

    @property
    def path(self) -> str:
        """The whole name, by which imports are sorted."""
        return f"{self.module}.{self.name}"

    def __str__(self) -> str:
        return f"import {'static ' if self.static else ''}{self.path};"


class Java(Syntax[JavaImport]):
    """Imports of Java."""

    example = "`import java.util.List;` or `import static java.lang.Math.max;`"

    def statements(self, root: Node) -> list[Statement[JavaImport]]:
        """The import declarations, in order."""
        nodes = [node for node in root.named_children if node.type == "import_declaration"]
        return [Statement(node, list(_items(node))) for node in nodes]

    def uses(self, root: Node) -> Uses:
        """Types, values and static methods; a Javadoc comment names types as well."""
        code: set[str] = set()
        quoted: set[str] = set()
        for node, field, parent in placed(root, _SKIPPED):
            if node.type in ("identifier", "type_identifier"):
                if not _is_member(node, field, parent):
                    code.add(text_of(node))
            elif node.type == "string_fragment" or (node.text or b"").startswith(b"/**"):
                quoted |= words(node.text or b"")
        return Uses(frozenset(code), frozenset(quoted))

    def satisfied(self, candidate: JavaImport, root: Node, present: set[JavaImport]) -> bool:
        """Whether it is there, itself or by `*`, or in what every file sees anyway."""
        everything = JavaImport(candidate.module, "*", candidate.static)
        if candidate in present or everything in present:
            return True
        seen = {"java.lang", _package(root)}
        return not candidate.static and candidate.module in seen

    def clashes(self, candidate: JavaImport, root: Node, present: set[JavaImport]) -> bool:
        """Whether a type of the name is imported from elsewhere, or is the file's own."""
        if candidate.static:
            return False  # methods of one name from several classes are overloads
        return super().clashes(candidate, root, {item for item in present if not item.static})

    def added(self, adding: Sequence[JavaImport], root: Node, source: bytes) -> list[Change]:
        """Each in order beside those that it has most in common with."""
        statements = self.statements(root)
        ordered = sorted(adding, key=lambda new: (new.static, new.path))
        eol = end_of_line(source)
        if not statements:
            lines = b"".join(str(new).encode() + eol for new in ordered)
            return [opening(header(root, source), source, lines)]
        return [_placed(new, statements, source) for new in ordered]

    def missing(self, names: Sequence[str], root: Node) -> list[str]:
        """The imports of the best known types of Java's library."""
        every = known("java").items()
        paths = {name: f"{package}.{name}" for package, listed in every for name in listed.split()}
        whole = {item.module for item in self.present(root) if item.name == "*"}
        listed = (paths[name] for name in self.absent(names, root) if name in paths)
        return [f"import {path};" for path in listed if path.rpartition(".")[0] not in whole]


def _items(declaration: Node) -> Iterator[tuple[JavaImport, Node]]:
    """What a declaration imports; nothing if it has a comment in it."""
    parts = [child for child in declaration.children if child.type not in ("import", "static", ";")]
    path = "".join(text_of(part) for part in parts)
    module, dot, name = "".join(path.split()).rpartition(".")
    if dot and "/" not in path:
        yield JavaImport(module, name, declaration.children[1].type == "static"), declaration


def _is_member(node: Node, field: str | None, parent: str) -> bool:
    """Whether the name is one of a type or value before it, or of a method that is declared."""
    if parent == "scoped_type_identifier":
        return node.prev_sibling is not None
    if (parent, field) == ("method_invocation", "name"):
        above = node.parent
        return above is not None and above.child_by_field_name("object") is not None
    return (parent, field) in _MEMBERS


def _package(root: Node) -> str:
    named = (node for node in root.named_children if node.type == "package_declaration")
    return next((text_of(node.named_children[-1]) for node in named), "")


def _placed(new: JavaImport, statements: Sequence[Statement[JavaImport]], source: bytes) -> Change:
    imports = {s.node.start_byte: s.imports[0][0] for s in statements if s.imports}
    nodes = [s.node for s in statements if s.imports]
    alike = [node for node in nodes if imports[node.start_byte].static == new.static]
    line, eol = str(new).encode(), end_of_line(source)
    if not alike:
        return after(statements[-1].node, source, eol + line + eol)
    runs = blocks(alike, source)
    names = new.path.split(".")
    shared = [
        max(alike_start(names, imports[node.start_byte].path.split(".")) for node in run)
        for run in runs
    ]
    run = runs[len(runs) - 1 - shared[::-1].index(max(shared))]
    block = [Placed((imports[node.start_byte].path,), node) for node in run]
    return into_block((new.path,), line, block, source)
