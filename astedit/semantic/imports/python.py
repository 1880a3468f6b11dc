"""Imports as Python writes them: what is there, where a new one comes, what goes."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from tree_sitter import Node

from astedit.python.syntax import IMPORTS, parsed
from astedit.semantic.imports.lines import after, blocks, line_start, opening, without
from astedit.semantic.imports.local_names import LOCALS
from astedit.semantic.imports.python_import import (
    FUTURE,
    STANDARD,
    PythonImport,
    import_statements,
    section_of,
)
from astedit.semantic.imports.statement import (
    Statement,
    Uses,
    binds,
    comma_changes,
    placed,
    text_of,
    words,
)
from astedit.text.source import end_of_line
from astedit.text.splice import Change

Order = tuple[bool, int, str, str]
Line = tuple[PythonImport, ...]  # the imports of one new statement, all of one module


def added(
    adding: Sequence[PythonImport],
    root: Node,
    source: bytes,
    *,
    single: bool = False,
    before: int | None = None,
) -> list[Change]:
    """The changes that bring imports: into statements of their modules, or as lines.

    Each name has a line of its own where that is the custom of the file; `single` says
    whether it is where the file does not show. They come `before` a byte, if it is given.
    """
    statements = import_statements(root)
    if before is not None:
        statements = [item for item in statements if item.node.start_byte < before]
    shown = any(len(s.imports) > 1 and s.imports[0][0].module for s in statements)
    single = is_single(statements) or (single and not shown)
    changes = []
    rest = []
    for new in sorted(adding, key=lambda new: (new.section, new.order, new.item)):
        same = None if single else _of_module(new, statements)
        if same is not None:
            changes.append(joined(new, same, source))
        else:
            rest.append(new)
    return changes + _stated(_lines(rest, single), statements, root, source)


def is_single(statements: Sequence[Statement[PythonImport]]) -> bool:
    """Does a file import each name of a module in a line of its own?"""
    modules = [s.imports[0][0].module for s in statements if s.imports and s.imports[0][0].module]
    return len(modules) > len({*modules}) and all(len(s.imports) < 2 for s in statements)


def _of_module(
    new: PythonImport, statements: Sequence[Statement[PythonImport]]
) -> Statement[PythonImport] | None:
    alike = (s for s in statements if any(old.module == new.module for old, _ in s.imports))
    return next(alike, None) if new.module else None


def _lines(adding: Sequence[PythonImport], single: bool) -> list[Line]:
    """What each new statement imports: names of one module go together."""
    if single:
        return [(new,) for new in adding]
    lines: list[Line] = []
    for module, group in groupby(adding, key=lambda new: new.module):
        names = tuple(group)
        lines += [names] if module else [(new,) for new in names]
    return lines


def _stated(
    lines: Sequence[Line], statements: Sequence[Statement[PythonImport]], root: Node, source: bytes
) -> list[Change]:
    """The changes that bring new statements, section by section."""
    eol = end_of_line(source)
    sections = [
        (section, list(group)) for section, group in groupby(lines, key=lambda new: new[0].section)
    ]
    if sections and not statements:
        text = eol.join(_text(group, eol) for _, group in sections)
        return [opening(_header(root), source, text)]
    changes = []
    for section, group in sections:
        changes += _in_section(section, group, statements, source)
    return changes


def _text(lines: Sequence[Line], eol: bytes) -> bytes:
    return b"".join(statement_text(line).encode() + eol for line in lines)


def statement_text(line: Line) -> str:
    """The statement that brings imports of one module."""
    first = line[0]
    if first.module is None:
        return str(first)
    return f"from {first.module} import {', '.join(new.item for new in line)}"


def _in_section(
    section: int,
    group: Sequence[Line],
    statements: Sequence[Statement[PythonImport]],
    source: bytes,
) -> list[Change]:
    """Each in order where the section is there, else all of them as a block of their own."""
    eol = end_of_line(source)
    alike = [s for s in statements if section_of(s) == section]
    if alike:
        run = blocks([s.node for s in alike], source)[-1]
        block = [s for s in alike if s.node in run]
        return [_in_block(line, block, source) for line in group]
    before = [s for s in statements if (at := section_of(s)) is not None and at < section]
    text = _text(group, eol)
    if before:
        return [after(before[-1].node, source, eol + text)]
    at = line_start(source, statements[0].node.start_byte)
    return [(at, at, text + eol)]


def _in_block(line: Line, block: Sequence[Statement[PythonImport]], source: bytes) -> Change:
    text = _text([line], end_of_line(source))
    order = order_of([s.imports[0][0] for s in block])
    place = order(line[0])
    behind = [s for s in block if order(s.imports[0][0]) > place]
    if not behind:
        return after(block[-1].node, source, text)
    at = line_start(source, behind[0].node.start_byte)
    return at, at, text


def order_of(imports: Sequence[PythonImport]) -> Callable[[PythonImport], Order]:
    """By what imports are in order, each the first of a statement; names by case, or not."""
    places = [_by_case(item) for item in imports]
    if places == sorted(places):
        return _by_case
    places = [_ignoring_case(item) for item in imports]
    return _ignoring_case if places == sorted(places) else _by_case


def _ignoring_case(imported: PythonImport) -> Order:
    return *imported.order, imported.item.lower()


def _by_case(imported: PythonImport) -> Order:
    return *imported.order, imported.item


def joined(new: PythonImport, statement: Statement[PythonImport], source: bytes) -> Change:
    """Among the names of a statement, in order; on a line of its own where they have one.

    Names that are in no order get it at their end.
    """
    nodes = [node for _, node in statement.imports]
    order = order_of([other for other, _ in statement.imports])
    places = [order(other) for other, _ in statement.imports]
    behind = [node for node, at in zip(nodes, places, strict=True) if at > order(new)]
    later = behind if places == sorted(places) else []
    own_line = source[line_start(source, nodes[-1].start_byte) : nodes[-1].start_byte]
    own_line = (
        b"" if len(nodes) > 1 and nodes[0].end_point.row == nodes[1].start_point.row else own_line
    )
    gap = end_of_line(source) + own_line if own_line and not own_line.strip() else b" "
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


_MEMBERS = {("attribute", "attribute"), ("keyword_argument", "name")}
_TRIED = ("try_statement", "except_clause", "else_clause", "finally_clause", "block")
_DOTTED = re.compile(rb"[\w.]*")
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
                quoted |= _quoted(node.text or b"")
            elif node.type in ("comment", "string_content"):
                for lines in _RUN.findall(node.text or b""):
                    quoted |= words(b" ".join(lines))
        return Uses(frozenset(code), frozenset(quoted))

    def refusal(self, root: Node, path: str) -> str | None:
        return None

    def satisfied(self, candidate: PythonImport, root: Node, present: set[PythonImport]) -> bool:
        return candidate in present or candidate in set(_tried(root))

    def clashes(self, candidate: PythonImport, root: Node, present: set[PythonImport]) -> bool:
        others = (old for old in present if old.bound == candidate.bound)
        if any(old.module or old.alias or candidate.module or candidate.alias for old in others):
            return True
        is_it = binds(self.parse, candidate)
        return LOCALS["python"].in_file(
            root, candidate.bound, lambda node: _is_of_the_file(node) or is_it(node)
        )

    def prunable(self, present: PythonImport, root: Node, path: str) -> bool:
        if present.section == FUTURE or present.repeated:
            return False
        return present.section == STANDARD or not path.endswith("__init__.py")

    def added(self, adding: Sequence[PythonImport], root: Node, source: bytes) -> list[Change]:
        return added(adding, root, source)

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


def _quoted(text: bytes) -> frozenset[str]:
    """The words of a string that may be read as code: not those of prose, or of a pattern."""
    if _DOTTED.fullmatch(text):
        return words(text)
    return frozenset() if parsed(text).has_error else words(text)


def _tried(node: Node) -> Iterator[PythonImport]:
    """What a module imports in `try` statements, whichever of their parts."""
    for child in node.named_children:
        if child.type in _TRIED:
            yield from _tried(child)
            for statement in import_statements(child):
                yield from (imported for imported, _ in statement.imports)


def _is_of_the_file(binding: Node) -> bool:
    """Is what binds a name an import statement of the top level?"""
    statement = binding.parent if binding.type == "aliased_import" else binding
    return (
        statement is not None
        and statement.type in IMPORTS
        and statement.parent is not None
        and statement.parent.type == "module"
    )
