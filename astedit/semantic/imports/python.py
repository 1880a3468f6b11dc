"""Imports as Python writes them: what is there, where a new one comes, what goes."""

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from tree_sitter import Node

from astedit.python.scopes import Scopes
from astedit.python.syntax import IMPORTS, alias_of, parsed, text_of
from astedit.semantic.imports.lines import Placed, after, blocks, into_list, opening
from astedit.semantic.imports.statement import Statement, Syntax, Uses, binds, placed, words
from astedit.text.source import ByteRange, Change, end_of_line, line_start

FUTURE, STANDARD, _OTHER, _LOCAL = range(4)


@dataclass(frozen=True, slots=True)
class PythonImport:
    """`name` of `module` (None: the module `name` itself), bound as `alias` if there is one."""

    module: str | None
    name: str
    alias: str | None = None
    repeated: bool = field(default=False, compare=False)  # `a as a`, which marks a re-export

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


def _first(statement: Statement[PythonImport]) -> PythonImport:
    """The import by which a statement has its place."""
    if statement.imports:
        return statement.imports[0][0]
    return PythonImport(module_of(statement.node), "*")


def _items(node: Node) -> Iterator[tuple[PythonImport, Node]]:
    module = "__future__" if node.type == "future_import_statement" else module_of(node)
    for child in node.children_by_field_name("name"):
        name, alias = alias_of(child)
        if module is None or "." not in text_of(name):
            yield PythonImport.of(module, text_of(name), text_of(alias) or None), child


Order = tuple[bool, int, str, str]
Line = tuple[PythonImport, ...]  # the imports of one new statement, all of one module


def is_single(statements: Sequence[Statement[PythonImport]]) -> bool:
    """Does a file import each name of a module in a line of its own?"""
    modules = [s.imports[0][0].module for s in statements if s.imports and s.imports[0][0].module]
    return len(modules) > len({*modules}) and all(len(s.imports) < 2 for s in statements)


def _lines(adding: Sequence[PythonImport], single: bool) -> list[Line]:
    """What each new statement imports: names of one module go together."""
    if single:
        return [(new,) for new in adding]
    lines: list[Line] = []
    for module, group in groupby(adding, key=lambda new: new.module):
        names = tuple(group)
        lines += [names] if module else [(new,) for new in names]
    return lines


def statement_text(line: Line) -> str:
    """The statement that brings imports of one module."""
    first = line[0]
    if first.module is None:
        return str(first)
    return f"from {first.module} import {', '.join(new.item for new in line)}"


def run_of(near: Node, source: bytes) -> list[Statement[PythonImport]]:
    """The import statements with no blank line between them and this one."""
    nodes = [node for node in (near.parent or near).named_children if node.type in IMPORTS]
    return [statement_of(node) for run in blocks(nodes, source) if near in run for node in run]


def _in_section(
    lines: Sequence[Line], statements: Sequence[Statement[PythonImport]], source: bytes, gap: bytes
) -> Iterator[Change]:
    """Each in order where their section is there, else all of them as a block of their own."""
    section, eol = lines[0][0].section, end_of_line(source)
    texts = [statement_text(line).encode() + eol for line in lines]
    alike = [s for s in statements if _first(s).section == section]
    before = [s for s in statements if _first(s).section < section]
    if not alike and before:
        yield after(before[-1].node, source, gap + b"".join(texts))
    elif not alike:
        at = line_start(source, statements[0].node.start_byte)
        yield at, at, b"".join(texts) + gap
    for line, text in zip(lines, texts, strict=True) if alike else ():
        run = blocks([s.node for s in alike], source)[-1]
        block = [s for s in alike if s.node in run]
        order = order_of(list(map(_first, block)))
        behind = [s.node for s in block if order(_first(s)) > order(line[0])]
        at = line_start(source, behind[0].start_byte) if behind else 0
        yield (at, at, text) if behind else after(block[-1].node, source, text)


def order_of(imports: Sequence[PythonImport]) -> Callable[[PythonImport], Order]:
    """By what imports are in order, each the first of a statement; names by case, or not."""
    for key in (_by_case, _ignoring_case):
        if (places := [*map(key, imports)]) == sorted(places):
            return key
    return _by_case


def _ignoring_case(imported: PythonImport) -> Order:
    return *imported.order, imported.item.lower()


def _by_case(imported: PythonImport) -> Order:
    return *imported.order, imported.item


def joined(new: PythonImport, statement: Statement[PythonImport], source: bytes) -> Change:
    """Among the names of a statement, in order; on a line of its own where they have one.

    Names that are in no order get it at their end.
    """
    order = order_of([other for other, _ in statement.imports])
    items = [Placed(order(other), node) for other, node in statement.imports]
    return into_list(order(new), new.item.encode(), items, source)


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
_PATH = re.compile(rb"[\w.]*")
# what runs although it is no code: doctests, and the types that a comment names
_RUN = re.compile(rb"^\s*(?:>>>|\.\.\.)(.*)|#\s*type:(.*)", re.MULTILINE)


class Python(Syntax[PythonImport]):
    """Imports of Python."""

    example = "`import logging` or `from os import path as p`"
    mark = b"#"

    def statements(self, root: Node) -> list[Statement[PythonImport]]:
        """The import statements of a block, in order."""
        return import_statements(root)

    def uses(self, root: Node) -> Uses:
        """The names that code, strings that may be code, doctests and type comments use."""
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

    def satisfied(self, candidate: PythonImport, root: Node, present: set[PythonImport]) -> bool:
        """Whether it is there, be it in a `try`."""
        return candidate in present or candidate in set(_tried(root))

    def clashes(self, candidate: PythonImport, root: Node, present: set[PythonImport]) -> bool:
        """Whether anything but imports of the same package binds the name."""
        others = (old for old in present if old.bound == candidate.bound)
        if any(old.module or old.alias or candidate.module or candidate.alias for old in others):
            return True
        is_it, module = binds(self.parse, candidate), Scopes(root).module
        return any(
            scope is module and not (is_it(node) or (kind == "import" and node.parent == root))
            for node, kind, _, scope in module.bindings.get(candidate.bound, ())
        )

    def hidden(self, new: PythonImport, root: Node, places: Sequence[ByteRange]) -> set[int]:
        """The numbers of the places in which the name is another scope's, or a function's."""
        is_it, scopes, hidden = binds(self.parse, new), Scopes(root), list[int]()
        for word in (word for word in scopes.reads if text_of(word) == new.bound):
            holder = scopes.holder(word)
            bound = holder.bindings[new.bound] if holder is not None else ()
            local = (item for item in bound if item.scope is not scopes.module)
            if any(not is_it(item.node) for item in local):
                hidden.append(word.start_byte)
        return {n for n, (low, high) in enumerate(places) if any(low <= at < high for at in hidden)}

    def prunable(self, present: PythonImport, path: str) -> bool:
        """Whether nobody else can be meant to have it from here."""
        if present.section == FUTURE or present.repeated:
            return False
        return present.section == STANDARD or not path.endswith("__init__.py")

    def added(
        self,
        adding: Sequence[PythonImport],
        root: Node,
        source: bytes,
        *,
        single: bool = False,
        before: int | None = None,
        near: Node | None = None,
    ) -> list[Change]:
        """The changes that bring imports: into statements of their modules, or as lines.

        Each name has a line of its own where that is the custom of the file; `single` says
        whether it is where the file does not show. They come `before` a byte, if it is given,
        or on the lines around the statement `near`.
        """
        statements = import_statements(root) if near is None else run_of(near, source)
        if before is not None:
            statements = [item for item in statements if item.node.start_byte < before]
        shown = any(len(s.imports) > 1 and s.imports[0][0].module for s in statements)
        single = is_single(statements) or (single and not shown)
        changes, rest = list[Change](), list[PythonImport]()
        for new in sorted(adding, key=lambda new: (new.section, new.order, new.item)):
            alike = (s for s in statements if any(old.module == new.module for old, _ in s.imports))
            same = next(alike, None) if new.module and not single else None
            if same is not None:
                changes.append(joined(new, same, source))
            else:
                rest.append(new)
        groups = groupby(_lines(rest, single), key=lambda line: line[0].section)
        sections = [list(lines) for _, lines in groups]
        if sections and not statements:
            eol = end_of_line(source)
            texts = (b"".join(statement_text(n).encode() + eol for n in part) for part in sections)
            return [opening(_header(root), source, eol.join(texts))]
        places = [(_first(item).section, *_first(item).order) for item in statements]
        if near is not None and places != sorted(places):
            statements = [item for item in statements if item.node == near]
        gap = end_of_line(source) if near is None else b""
        placed = (_in_section(part, statements, source, gap) for part in sections)
        return [*changes, *(change for part in placed for change in part)]


def _is_docstring(content: Node) -> bool:
    """Whether a string is a statement by itself, which nothing reads as code."""
    string = content.parent
    above = string.parent if string is not None else None
    return above is not None and above.type == "expression_statement"


def _quoted(text: bytes) -> frozenset[str]:
    """The words of a string that may be read as code: not those of prose, or of a pattern."""
    if _PATH.fullmatch(text):
        return words(text)
    return frozenset() if parsed(text).has_error else words(text)


def _tried(node: Node) -> Iterator[PythonImport]:
    """What a module imports in `try` statements, whichever of their parts."""
    for child in node.named_children:
        if child.type in _TRIED:
            yield from _tried(child)
            for statement in import_statements(child):
                yield from (imported for imported, _ in statement.imports)
