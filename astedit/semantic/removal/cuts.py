"""What goes with statements that are removed: comments that belong to them, and blank lines."""

import re
from collections.abc import Iterable, Sequence

from tree_sitter import Node

from astedit.language.traits import traits
from astedit.rewrite.delete import removal, widen
from astedit.semantic.imports.lines import line_end, line_start, with_gap
from astedit.text.source import end_of_line
from astedit.text.splice import Change

# a comment of the file, whatever stands below it
_OF_FILE = re.compile(rb"#!|#.*coding[:=]|.*(?:copyright|license|spdx)", re.IGNORECASE)


def shares_line(node: Node, code: bytes) -> bool:
    """Whether a line of a statement has other code too."""
    before = code[line_start(code, node.start_byte) : node.start_byte]
    behind = code[node.end_byte : line_end(code, node.end_byte - 1)].partition(b"#")[0]
    return bool(before.strip() or behind.strip())


def statement_cuts(nodes: Sequence[Node], code: bytes) -> list[Change]:
    """The changes that take whole statements away, none of which shares a line.

    The comments directly above a statement go with it, and comments that are further in
    behind it. Of the blank lines around it the fewer go. A block that would be empty gets
    `pass`.
    """
    gone = {node.id for node in nodes}
    facts = traits("python").facts
    blocks = {node.parent.id: node.parent for node in nodes if node.parent is not None}
    empty = {each for block in blocks.values() for each in facts.sole_statements(block, gone)}
    changes = []
    for run in _runs(nodes, code):
        low, high = _top(run[0], code), _bottom(run[-1], code)
        start = line_start(code, run[0].start_byte)
        if run[0].id in empty:
            indent = code[start : run[0].start_byte]
            changes.append((low, high, indent + b"pass" + end_of_line(code)))
        else:
            changes.append((*with_gap(low, high, code, opens=_opens_block(run[0])), b""))
    return changes


def _runs(nodes: Iterable[Node], code: bytes) -> list[list[Node]]:
    """Statements with nothing between them but what goes with them."""
    runs: list[list[Node]] = []
    for node in nodes:
        if runs and not code[_bottom(runs[-1][-1], code) : _top(node, code)].strip():
            runs[-1].append(node)
        else:
            runs.append([node])
    return runs


def _top(node: Node, code: bytes) -> int:
    """Where the comments directly above a statement begin."""
    start = line_start(code, node.start_byte)
    indent = code[start : node.start_byte]
    while start > 0:
        above = line_start(code, start - 1)
        line = code[above:start]
        if not line.startswith(indent + b"#") or _OF_FILE.match(line.lstrip()):
            break
        start = above
    return start


def _bottom(node: Node, code: bytes) -> int:
    """Behind the comments at the end of a definition, which are further in than it is."""
    indent = node.start_byte - line_start(code, node.start_byte)
    end = at = line_end(code, node.end_byte - 1)
    while at < len(code):
        line = code[at : line_end(code, at)]
        text = line.lstrip(b" \t")
        if text.strip() and not (text.startswith(b"#") and len(line) - len(text) > indent):
            break
        at += len(line)
        end = at if text.strip() else end
    return end


def _opens_block(node: Node) -> bool:
    before = node.prev_named_sibling
    while before is not None and before.type == "comment":
        before = before.prev_named_sibling
    return before is None and node.parent is not None and node.parent.type == "block"


def item_cuts(strings: Sequence[Node], code: bytes) -> list[Change]:
    """The changes that take strings out of lists; a tuple of one keeps its comma."""
    facts = traits("python").facts
    removals = [removal(node, node.start_byte, node.end_byte, code, facts) for node in strings]
    changes = {(cut.start, cut.end, cut.kept) for cut in widen(removals, code)}
    lists = {node.parent.id: node.parent for node in strings if node.parent is not None}
    gone = {node.id for node in strings}
    for parent in lists.values():
        left = [each for each in parent.named_children if each.type != "comment"]
        left = [each for each in left if each.id not in gone]
        if parent.type == "tuple" and len(left) == 1:
            changes |= _comma_behind(left[0], changes)
    return sorted(changes)


def _comma_behind(node: Node, changes: Iterable[Change]) -> set[Change]:
    """A comma behind the last item of a tuple, unless there is one that stays."""
    comma = node.next_sibling
    stays = comma is not None and comma.type == ","
    if stays and comma is not None:
        stays = not any(low <= comma.start_byte < high for low, high, _ in changes)
    return set() if stays else {(node.end_byte, node.end_byte, b",")}
