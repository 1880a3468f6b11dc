"""Lines that come and go: where a new import stands, and what is left of one that goes."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from tree_sitter import Node

from astedit.text.source import ByteRange, Change, end_of_line, line_end, line_start

_COMMENT = re.compile(rb"\A[ \t]*(?:#|//).*")  # at the end of a line
_NEW_LINE = re.compile(rb"^(?=\S)", re.MULTILINE)


class Placed(NamedTuple):
    """A statement and what the language sorts it by."""

    order: tuple[object, ...]
    node: Node


def after(node: Node, source: bytes, lines: bytes) -> Change:
    """On the lines behind a node, comments at its end included."""
    eol = end_of_line(source)
    at = source.find(b"\n", node.end_byte) + 1
    if at:
        return at, at, lines
    return len(source), len(source), eol + lines.removesuffix(eol)


def into_block(
    order: tuple[object, ...], line: bytes, block: Sequence[Placed], source: bytes
) -> Change:
    """In order among the lines of a block; at its end if the block has no order."""
    eol = end_of_line(source)
    if (following := _following(order, block)) is None:
        return after(block[-1].node, source, line + eol)
    at = line_start(source, following.start_byte)
    return at, at, line + eol


def into_list(
    order: tuple[object, ...], item: bytes, items: Sequence[Placed], source: bytes
) -> Change:
    """In order among the items of a list; at its end if they have no order.

    It has a line of its own where the others have one.
    """
    first, last = items[0].node, items[-1].node
    indent = source[line_start(source, last.start_byte) : last.start_byte]
    beside = len(items) > 1 and first.end_point.row == items[1].node.start_point.row
    gap = b" " if beside or indent.strip() or not indent else end_of_line(source) + indent
    if (following := _following(order, items)) is None:
        return last.end_byte, last.end_byte, b"," + gap + item
    return following.start_byte, following.start_byte, item + b"," + gap


def _following(order: tuple[object, ...], every: Sequence[Placed]) -> Node | None:
    """The first that something new comes before; None for the end, or where there is no order."""
    orders = [placed.order for placed in every]
    behind = (placed.node for placed in every if placed.order > order)
    return next(behind, None) if orders == sorted(orders) else None


def blocks(nodes: Sequence[Node], source: bytes) -> list[list[Node]]:
    """The nodes in runs with no blank line, and nothing else than white space, between them."""
    runs: list[list[Node]] = []
    for node in nodes:
        between = source[runs[-1][-1].end_byte : node.start_byte] if runs else b""
        if runs and not _COMMENT.sub(b"", between).strip() and between.count(b"\n") <= 1:
            runs[-1].append(node)
        else:
            runs.append([node])
    return runs


_HEADS = ("hash_bang_line", "package_declaration")
# a comment about all of a file, and not about the next line
_ABOUT = re.compile(
    rb"(?i)copyright|licen[sc]e|spdx|@(?:file|flow|format|jsx|ts-(?:no)?check)|istanbul ignore file"
    rb"|eslint(?!-disable-(?:next-)?line)|prettier(?!-ignore)"
)


def is_about_file(comment: Node) -> bool:
    """Whether a comment is about its file, whatever stands below it."""
    return _ABOUT.search(comment.text or b"") is not None


def header(root: Node, source: bytes) -> Node | None:
    """The last of what a file begins with: comments that stand by themselves, directives."""
    last = None
    for node in root.named_children:
        inner = [child.type for child in node.named_children]
        if node.type.endswith("comment"):
            behind = node.next_named_sibling
            gap = source[node.end_byte : behind.start_byte if behind is not None else None]
            if is_about_file(node) or gap.count(b"\n") > 1 or behind is None:
                last = node
        elif node.type in _HEADS or (node.type == "expression_statement" and inner == ["string"]):
            last = node
        else:
            break
    return last


def opening(header: Node | None, source: bytes, lines: bytes) -> Change:
    """Behind what a file begins with, or first of all; set off by blank lines."""
    eol = end_of_line(source)
    if header is None:
        mark = 3 if source.startswith(b"\xef\xbb\xbf") else 0
        if not source[mark : line_end(source, mark)].strip():  # behind the tag that opens a part
            mark = line_end(source, mark)
        return mark, mark, lines + (eol if source[mark:].strip() else b"")
    start, end, text = after(header, source, eol + lines)
    following = source[end:].lstrip(b" \t")
    spaced = not following or following.startswith((b"\n", b"\r"))
    return start, end, text if spaced else text + eol


def without(nodes: Sequence[Node], source: bytes, mark: bytes) -> list[Change]:
    """The changes that take the lines of nodes away; `mark` begins a comment on a line.

    A node that shares its line with other code stays. Of the blank lines before and behind
    a run of such lines the fewer go as well, so that no gap doubles.
    """
    spans = []
    for node in nodes:
        start, end = line_start(source, node.start_byte), line_end(source, node.end_byte)
        rest = source[start : node.start_byte] + source[node.end_byte : end].partition(mark)[0]
        if not rest.strip(b" \t\r\n;"):
            spans.append((start, end))
    return without_lines(spans, source)


def without_lines(
    spans: Iterable[ByteRange], source: bytes, opens: Callable[[int], bool] = lambda _: False
) -> list[Change]:
    """The changes that take whole lines away; `opens` says of their start if a block begins."""
    runs = runs_of_lines(spans, source)
    return [(*with_gap(low, high, source, opens=opens(low)), b"") for low, high in runs]


def runs_of_lines(spans: Iterable[ByteRange], source: bytes) -> list[ByteRange]:
    """Whole lines as runs, with nothing but blank lines between those of one."""
    runs: list[ByteRange] = []
    for low, high in spans:
        if runs and not source[runs[-1][1] : low].strip():
            runs[-1] = (runs[-1][0], max(high, runs[-1][1]))
        else:
            runs.append((low, high))
    return runs


def with_gap(start: int, end: int, source: bytes, *, opens: bool = False) -> tuple[int, int]:
    """The lines and the blank ones before or behind them: the fewer; `opens`: those behind."""
    low, high = start, end
    while low > 0 and not source[line_start(source, low - 1) : low].strip():
        low = line_start(source, low - 1)
    while high < len(source) and not source[high : line_end(source, high)].strip():
        high = line_end(source, high)
    before, behind = source.count(b"\n", low, start), source.count(b"\n", end, high)
    opens |= not source[:low].strip(b"\xef\xbb\xbf") or source[:low].rstrip().endswith(b"(")
    closes = not source[high:].strip() or source[high:].startswith(b")")
    if opens or (behind <= before and not closes):
        return start, high
    return low, end


def indented(changes: Sequence[Change], root: Node, source: bytes) -> list[Change]:
    """The same changes with new lines as far in as the code, in a page it may be anywhere."""
    code = next((node for node in root.named_children if node.type != "comment"), root)
    indent = source[line_start(source, code.start_byte) : code.start_byte]
    if not indent or indent.strip():
        return list(changes)
    return [
        (start, end, _NEW_LINE.sub(indent, new) if start == line_start(source, start) else new)
        for start, end, new in changes
    ]


def merged(changes: Sequence[Change]) -> list[Change]:
    """Sorted; insertions at one place become one, in the order in which they were made."""
    result: list[Change] = []
    for start, end, new in sorted(changes, key=lambda change: change[:2]):
        if result and (start, end) == result[-1][:2]:
            result[-1] = (start, end, result[-1][2] + new)
        else:
            result.append((start, end, new))
    return result
