"""Imports added and removed with the edit that needs them, for Python.

Works on the text alone and changes nothing but import statements of the module's top
level. An import is written as in code: `import a.b as c`, `from a import b`.
"""

import re
from collections.abc import Sequence

from tree_sitter import Node

from astedit.language import load, named
from astedit.semantic.import_statement import (
    IMPORTS,
    Import,
    ImportStatement,
    import_statements,
)
from astedit.text.source import end_of_line
from astedit.text.splice import Change


def import_edits(source: bytes, wanted: Sequence[str], unused: Sequence[str] = ()) -> list[Change]:
    """Edits of `source` (UTF-8) that add the `wanted` imports and remove the `unused` ones.

    What is there already is not added again; what is bound to another name there is left
    to the caller. An unused import stays if the module still mentions its name. The
    changes are sorted and do not overlap. Raises `RequestError` for a malformed import.
    """
    row = named("python")
    assert row is not None
    root = load(row).parser().parse(source).root_node
    statements = import_statements(root, source)
    present = {item.imported for statement in statements for item in statement.items}
    needed = [Import.parse(text) for text in dict.fromkeys(wanted)]
    missing = [each for each in needed if each not in present]
    unneeded = set(map(Import.parse, unused)) - set(needed)
    doomed = {each for each in unneeded if not _mentioned(root, each.bound, source)}
    staying = [statement.without(doomed) for statement in statements]
    changes = _added(missing, staying, root, source)
    for statement in statements:
        changes += _removed(statement, doomed, source)
    return _merged(changes)


def _mentioned(root: Node, name: str, source: bytes) -> bool:
    """Whether code outside of imports, or a string such as those of `__all__`, has the name."""
    word = name.encode()
    stack = [root]
    while stack:
        node = stack.pop()
        if node.type in IMPORTS:
            continue
        if node.type in ("identifier", "string_content") and not node.child_count:
            if re.search(rb"\b" + word + rb"\b", source[node.start_byte : node.end_byte]):
                return True
        else:
            stack += node.children
    return False


def _added(
    missing: Sequence[Import], statements: Sequence[ImportStatement], root: Node, source: bytes
) -> list[Change]:
    """The changes that bring imports: into statements of their modules, or as lines."""
    changes = []
    sections: dict[int, list[Import]] = {}
    for new in sorted(missing, key=lambda each: (each.section, each.order)):
        same = [s for s in statements if any(i.imported.module == new.module for i in s.items)]
        if new.module and same:
            changes.append(_joined(new, same[0], source))
        else:
            sections.setdefault(new.section, []).append(new)
    eol = end_of_line(source)
    if sections and not statements:
        lines = eol.join(_lines(group, eol) for group in sections.values())
        return [_first(root, source, lines, eol)]
    for section, group in sections.items():
        changes += _in_section(section, group, statements, source)
    return changes


def _lines(group: Sequence[Import], eol: bytes) -> bytes:
    return b"".join(str(each).encode() + eol for each in group)


def _in_section(
    section: int, group: Sequence[Import], statements: Sequence[ImportStatement], source: bytes
) -> list[Change]:
    """Each in order where the section is there, else all of them as a block of their own."""
    eol = end_of_line(source)
    alike = [s for s in statements if s.section == section]
    if alike:
        block = _block(alike, statements, source)
        return [_in_block(new, block, source) for new in group]
    before = [s for s in statements if s.section is not None and s.section < section]
    lines = _lines(group, eol)
    if before:
        return [_after(before[-1].node, source, eol + lines, eol)]
    at = _line_start(source, statements[0].node.start_byte)
    return [(at, at, lines + (eol if statements[0].items else b""))]  # else in its place


def _in_block(new: Import, block: Sequence[ImportStatement], source: bytes) -> Change:
    eol = end_of_line(source)
    behind = [s for s in block if s.items[0].imported.order > new.order]
    if not behind:
        return _after(block[-1].node, source, _lines([new], eol), eol)
    at = _line_start(source, behind[0].node.start_byte)
    return at, at, _lines([new], eol)


def _block(
    alike: Sequence[ImportStatement], statements: Sequence[ImportStatement], source: bytes
) -> list[ImportStatement]:
    """The last run of statements of a section with no blank line in it."""
    block = [alike[-1]]
    for statement in reversed(alike[:-1]):
        between = source[statement.node.end_byte : block[0].node.start_byte]
        if between.strip() or between.count(b"\n") > 1:
            break
        block.insert(0, statement)
    return block


def _joined(new: Import, statement: ImportStatement, source: bytes) -> Change:
    """Among the names of a statement, in order; on a line of its own where they have one."""
    nodes = [item.node for item in statement.items]
    later = [item.node for item in statement.items if item.imported.item > new.item]
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


def _removed(statement: ImportStatement, doomed: set[Import], source: bytes) -> list[Change]:
    gone = [index for index, item in enumerate(statement.items) if item.imported in doomed]
    if not gone:
        return []
    if len(gone) == len(statement.items):
        return _whole(statement.node, source)
    nodes = [item.node for item in statement.items]
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
