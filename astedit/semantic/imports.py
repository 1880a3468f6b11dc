"""Imports added and removed with the edit that needs them, for Python.

Works on the text alone and changes nothing but import statements of the module's top
level. An import is written as in code: `import a.b as c`, `from a import b`.
"""

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from tree_sitter import Node

from astedit.errors import RequestError
from astedit.language import load, named
from astedit.text.source import end_of_line
from astedit.text.splice import Change

_WORD = r"[^\W\d]\w*"
_DOTTED = rf"\.*{_WORD}(?:\.{_WORD})*|\.+"
_WRITTEN = re.compile(
    rf"(?:from\s+({_DOTTED})\s+)?import\s+({_WORD}(?:\.{_WORD})*)(?:\s+as\s+({_WORD}))?"
)
_IMPORTS = ("import_statement", "import_from_statement")
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
        found = _WRITTEN.fullmatch(text.strip())
        if found is None or (found[1] and "." in found[2]):
            raise RequestError(
                f"{text!r} is not an import of one name.",
                hint="Like `import logging` or `from os import path as p`.",
                code="bad_import",
            )
        alias = found[3] if found[3] != found[2] else None
        return cls(found[1], found[2], alias)

    @property
    def bound(self) -> str:
        """The name that the rest of the module sees."""
        return self.alias or (self.name if self.module else self.name.partition(".")[0])

    @property
    def item(self) -> str:
        return f"{self.name} as {self.alias}" if self.alias else self.name

    def __str__(self) -> str:
        return f"from {self.module} import {self.item}" if self.module else f"import {self.item}"

    @property
    def section(self) -> int:
        source = self.module or self.name
        if source == "__future__":
            return _FUTURE
        if source.startswith("."):
            return _LOCAL
        return _STANDARD if source.partition(".")[0] in sys.stdlib_module_names else _OTHER

    @property
    def order(self) -> tuple[bool, str]:
        return self.module is not None, (self.module or self.name).lower()


@dataclass(slots=True)
class _Statement:
    """An import statement of the top level, with the imports in it and their nodes."""

    node: Node
    imports: list[tuple[Import, Node]]

    def without(self, gone: set[Import]) -> "_Statement":
        """The statement as it will be, for what is added to it."""
        return _Statement(self.node, [pair for pair in self.imports if pair[0] not in gone])


def import_edits(source: bytes, wanted: Sequence[str], unused: Sequence[str] = ()) -> list[Change]:
    """Edits of `source` (UTF-8) that add the `wanted` imports and remove the `unused` ones.

    What is there already is not added again; what is bound to another name there is left
    to the caller. An unused import stays if the module still mentions its name. The
    changes are sorted and do not overlap. Raises `RequestError` for a malformed import.
    """
    row = named("python")
    assert row is not None
    root = load(row).parser().parse(source).root_node
    statements = [_statement(node, source) for node in _top(root)]
    present = {one for statement in statements for one, _ in statement.imports}
    every = [Import.parse(one) for one in dict.fromkeys(wanted)]
    adding = [one for one in every if one not in present]
    doomed = {one for one in map(Import.parse, unused) if not _mentioned(root, one.bound, source)}
    doomed -= set(every)
    staying = [statement.without(doomed) for statement in statements]
    changes = _added(adding, staying, root, source)
    for statement in statements:
        changes += _removed(statement, doomed, source)
    return _merged(changes)


def _top(root: Node) -> list[Node]:
    kinds = (*_IMPORTS, "future_import_statement")
    return [node for node in root.named_children if node.type in kinds]


def _statement(node: Node, source: bytes) -> _Statement:
    module = None
    if node.type == "import_from_statement":
        module = _text(node.child_by_field_name("module_name"), source)
    elif node.type == "future_import_statement":
        module = "__future__"
    found = []
    for child in node.children_by_field_name("name"):
        name, alias = child, None
        if child.type == "aliased_import":
            name = child.child_by_field_name("name") or child
            alias = _text(child.child_by_field_name("alias"), source)
        text = _text(name, source)
        found.append((Import(module, text, alias if alias != text else None), child))
    return _Statement(node, found)


def _text(node: Node | None, source: bytes) -> str:
    return source[node.start_byte : node.end_byte].decode("utf-8") if node is not None else ""


def _mentioned(root: Node, name: str, source: bytes) -> bool:
    """Whether code outside of imports, or a string such as those of `__all__`, has the name."""
    word = name.encode()
    stack = [root]
    while stack:
        node = stack.pop()
        if node.type in _IMPORTS:
            continue
        if node.type in ("identifier", "string_content") and not node.child_count:
            if re.search(rb"\b" + word + rb"\b", source[node.start_byte : node.end_byte]):
                return True
        else:
            stack += node.children
    return False


def _added(
    adding: Sequence[Import], statements: Sequence[_Statement], root: Node, source: bytes
) -> list[Change]:
    """The changes that bring imports: into statements of their modules, or as lines."""
    changes = []
    sections: dict[int, list[Import]] = {}
    for one in sorted(adding, key=lambda one: (one.section, one.order)):
        same = [s for s in statements if any(o.module == one.module for o, _ in s.imports)]
        if one.module and same:
            changes.append(_joined(one, same[0], source))
        else:
            sections.setdefault(one.section, []).append(one)
    eol = end_of_line(source)
    if sections and not statements:
        lines = eol.join(_lines(group, eol) for group in sections.values())
        return [_first(root, source, lines, eol)]
    for section, group in sections.items():
        changes += _in_section(section, group, statements, source)
    return changes


def _lines(group: Sequence[Import], eol: bytes) -> bytes:
    return b"".join(str(one).encode() + eol for one in group)


def _in_section(
    section: int, group: Sequence[Import], statements: Sequence[_Statement], source: bytes
) -> list[Change]:
    """Each in order where the section is there, else all of them as a block of their own."""
    eol = end_of_line(source)
    alike = [s for s in statements if s.imports and s.imports[0][0].section == section]
    if alike:
        block = _block(alike, statements, source)
        return [_in_block(one, block, source) for one in group]
    before = [s for s in statements if s.imports and s.imports[0][0].section < section]
    lines = _lines(group, eol)
    if before:
        return [_after(before[-1].node, source, eol + lines, eol)]
    at = _line_start(source, statements[0].node.start_byte)
    return [(at, at, lines + (eol if statements[0].imports else b""))]  # else in its place


def _in_block(one: Import, block: Sequence[_Statement], source: bytes) -> Change:
    eol = end_of_line(source)
    behind = [s for s in block if s.imports[0][0].order > one.order]
    if not behind:
        return _after(block[-1].node, source, _lines([one], eol), eol)
    at = _line_start(source, behind[0].node.start_byte)
    return at, at, _lines([one], eol)


def _block(
    alike: Sequence[_Statement], statements: Sequence[_Statement], source: bytes
) -> list[_Statement]:
    """The last run of statements of one section with no blank line in it."""
    block = [alike[-1]]
    for statement in reversed(alike[:-1]):
        between = source[statement.node.end_byte : block[0].node.start_byte]
        if between.strip() or between.count(b"\n") > 1:
            break
        block.insert(0, statement)
    return block


def _joined(one: Import, statement: _Statement, source: bytes) -> Change:
    """Among the names of a statement, in order; on a line of its own where they have one."""
    nodes = [node for _, node in statement.imports]
    later = [node for other, node in statement.imports if other.item > one.item]
    split = len(nodes) > 1 and source.count(b"\n", nodes[0].start_byte, nodes[1].start_byte)
    gap = b" "
    if split:
        low = source.rfind(b"\n", 0, nodes[1].start_byte) + 1
        gap = end_of_line(source) + source[low : nodes[1].start_byte]
    item = one.item.encode()
    if later:
        at = later[0].start_byte
        return at, at, item + b"," + gap
    at = nodes[-1].end_byte
    return at, at, b"," + gap + item


def _after(node: Node, source: bytes, line: bytes, eol: bytes) -> Change:
    """On the line behind a statement, comments at its end included."""
    at = source.find(b"\n", node.end_byte) + 1
    if at:
        return at, at, line
    return len(source), len(source), eol + line.removesuffix(eol)


def _first(root: Node, source: bytes, line: bytes, eol: bytes) -> Change:
    """Behind the opening comments and the docstring of a module without imports."""
    last = None
    for node in root.named_children:
        inside = node.named_children[:1]
        is_string = node.type == "expression_statement" and inside and inside[0].type == "string"
        if node.type != "comment" and not is_string:
            break
        last = node
        if is_string:
            break
    if last is None:
        mark = 3 if source.startswith(b"\xef\xbb\xbf") else 0
        rest = source[mark:].strip()
        return mark, mark, line + (eol if rest else b"")
    start, end, text = _after(last, source, eol + line, eol)
    following = source[end:].lstrip(b" \t")
    spaced = not following or following.startswith((b"\n", b"\r"))
    return start, end, text if spaced else text + eol


def _removed(statement: _Statement, doomed: set[Import], source: bytes) -> list[Change]:
    gone = [index for index, (one, _) in enumerate(statement.imports) if one in doomed]
    if not gone:
        return []
    if len(gone) == len(statement.imports):
        return _whole(statement.node, source)
    nodes = [node for _, node in statement.imports]
    last = max(set(range(len(nodes))) - set(gone))
    inner = [(nodes[at].start_byte, nodes[at + 1].start_byte, b"") for at in gone if at < last]
    tail = [(nodes[last].end_byte, nodes[-1].end_byte, b"")] if gone[-1] > last else []
    return inner + tail


def _whole(node: Node, source: bytes) -> list[Change]:
    """The statement's lines; nothing if it shares one with another statement."""
    start = _line_start(source, node.start_byte)
    end = source.find(b"\n", node.end_byte) + 1 or len(source)
    rest = source[start : node.start_byte] + source[node.end_byte : end].partition(b"#")[0]
    return [] if rest.strip() else [(start, end, b"")]


def _line_start(source: bytes, at: int) -> int:
    return source.rfind(b"\n", 0, at) + 1


def _merged(changes: Sequence[Change]) -> list[Change]:
    """Sorted; insertions at one place become one, in the order of what they say."""
    merged: list[Change] = []
    for start, end, new in sorted(changes):
        if merged and (start, end) == merged[-1][:2]:
            merged[-1] = (start, end, merged[-1][2] + new)
        else:
            merged.append((start, end, new))
    return merged
