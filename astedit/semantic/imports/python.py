"""Imports as Python writes them: `import a.b as c`, `from a import b`."""

import re
from collections.abc import Sequence

from tree_sitter import Node

from astedit.semantic.imports.lines import after, line_start, opening, without
from astedit.semantic.imports.python_import import (
    FUTURE,
    IMPORTS,
    STANDARD,
    PythonImport,
    import_statements,
    section_of,
)
from astedit.semantic.imports.statement import (
    Statement,
    Uses,
    comma_changes,
    placed,
    text_of,
    words,
)
from astedit.text.source import end_of_line
from astedit.text.splice import Change

_MEMBERS = {("attribute", "attribute"), ("keyword_argument", "name")}
# what runs although it is no code: doctests, and the types that a comment names
_RUN = re.compile(rb"^\s*(?:>>>|\.\.\.)(.*)|#\s*type:(.*)", re.MULTILINE)


class Python:
    """Imports as Python writes them."""

    def parse(self, text: str) -> PythonImport:
        return PythonImport.parse(text)

    def statements(self, root: Node) -> list[Statement[PythonImport]]:
        return import_statements(root)

    def uses(self, root: Node) -> Uses:
        code: set[str] = set()
        quoted: set[str] = set()
        for node, name, parent in placed(root, IMPORTS):
            if node.type == "identifier":
                if (parent, name) not in _MEMBERS:
                    code.add(text_of(node))
            elif node.type == "string_content" and not _is_docstring(node):
                quoted |= words(node.text or b"")
            elif node.type in ("comment", "string_content"):
                for lines in _RUN.findall(node.text or b""):
                    quoted |= words(b" ".join(lines))
        return Uses(frozenset(code), frozenset(quoted))

    def refusal(self, root: Node, path: str) -> str | None:
        return None

    def satisfied(self, wanted: PythonImport, root: Node, present: set[PythonImport]) -> bool:
        return wanted in present

    def clashes(self, wanted: PythonImport, root: Node, present: set[PythonImport]) -> bool:
        return False  # the later binding wins, which may be what is wanted

    def prunable(self, present: PythonImport, root: Node, path: str) -> bool:
        if present.section == FUTURE or present.repeated:
            return False
        return present.section == STANDARD or not path.endswith("__init__.py")

    def added(self, adding: Sequence[PythonImport], root: Node, source: bytes) -> list[Change]:
        return _added(adding, self.statements(root), root, source)

    def removed(self, doomed: set[PythonImport], root: Node, source: bytes) -> list[Change]:
        changes: list[Change] = []
        whole = []
        for statement in self.statements(root):
            gone = {at for at, (old, _) in enumerate(statement.imports) if old in doomed}
            if gone and len(gone) == len(statement.imports):
                whole.append(statement.node)
            elif gone:
                changes += comma_changes([node for _, node in statement.imports], gone)
        return changes + without(whole, source, b"#")


def syntax(language: str) -> Python:
    """How the language writes imports."""
    return Python()


def missing(names: Sequence[str], root: Node, uses: Uses) -> list[str]:
    """Nothing: in Python a name may come from anywhere."""
    return []


def _is_docstring(content: Node) -> bool:
    """Whether a string is a statement by itself, which nothing reads as code."""
    string = content.parent
    above = string.parent if string is not None else None
    return above is not None and above.type == "expression_statement"


def _added(
    adding: Sequence[PythonImport],
    statements: Sequence[Statement[PythonImport]],
    root: Node,
    source: bytes,
) -> list[Change]:
    """The changes that bring imports: into statements of their modules, or as lines."""
    changes = []
    sections: dict[int, list[PythonImport]] = {}
    for new in sorted(adding, key=lambda new: (new.section, new.order)):
        same = [s for s in statements if any(old.module == new.module for old, _ in s.imports)]
        if new.module and same:
            changes.append(_joined(new, same[0], source))
        else:
            sections.setdefault(new.section, []).append(new)
    eol = end_of_line(source)
    if sections and not statements:
        lines = eol.join(_lines(group, eol) for group in sections.values())
        return [opening(_header(root), source, lines)]
    for section, group in sections.items():
        changes += _in_section(section, group, statements, source)
    return changes


def _lines(group: Sequence[PythonImport], eol: bytes) -> bytes:
    return b"".join(str(new).encode() + eol for new in group)


def _in_section(
    section: int,
    group: Sequence[PythonImport],
    statements: Sequence[Statement[PythonImport]],
    source: bytes,
) -> list[Change]:
    """Each in order where the section is there, else all of them as a block of their own."""
    eol = end_of_line(source)
    alike = [s for s in statements if section_of(s) == section]
    if alike:
        block = _block(alike, statements, source)
        return [_in_block(new, block, source) for new in group]
    before = [s for s in statements if (at := section_of(s)) is not None and at < section]
    lines = _lines(group, eol)
    if before:
        return [after(before[-1].node, source, eol + lines)]
    at = line_start(source, statements[0].node.start_byte)
    return [(at, at, lines + eol)]


def _in_block(new: PythonImport, block: Sequence[Statement[PythonImport]], source: bytes) -> Change:
    eol = end_of_line(source)
    behind = [s for s in block if s.imports[0][0].order > new.order]
    if not behind:
        return after(block[-1].node, source, _lines([new], eol))
    at = line_start(source, behind[0].node.start_byte)
    return at, at, _lines([new], eol)


def _block(
    alike: Sequence[Statement[PythonImport]],
    statements: Sequence[Statement[PythonImport]],
    source: bytes,
) -> list[Statement[PythonImport]]:
    """The last run of statements of one section with no blank line in it."""
    block = [alike[-1]]
    for statement in reversed(alike[:-1]):
        between = source[statement.node.end_byte : block[0].node.start_byte]
        if between.strip() or between.count(b"\n") > 1:
            break
        block.insert(0, statement)
    return block


def _joined(new: PythonImport, statement: Statement[PythonImport], source: bytes) -> Change:
    """Among the names of a statement, in order; on a line of its own where they have one."""
    nodes = [node for _, node in statement.imports]
    later = [node for other, node in statement.imports if other.item > new.item]
    split = len(nodes) > 1 and source.count(b"\n", nodes[0].start_byte, nodes[1].start_byte)
    gap = b" "
    if split:
        low = source.rfind(b"\n", 0, nodes[1].start_byte) + 1
        gap = end_of_line(source) + source[low : nodes[1].start_byte]
    item = new.item.encode()
    if later:
        at = later[0].start_byte
        return at, at, item + b"," + gap
    at = nodes[-1].end_byte
    return at, at, b"," + gap + item


def _header(root: Node) -> Node | None:
    """The last of the opening comments and the docstring of a module, if it has any."""
    last = None
    for node in root.named_children:
        inside = node.named_children[:1]
        is_string = node.type == "expression_statement" and inside and inside[0].type == "string"
        if node.type != "comment" and not is_string:
            break
        last = node
        if is_string:
            break
    return last
