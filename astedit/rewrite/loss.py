"""Loss accounting: what a rewrite may remove, and what it must not. (rules F5, F13)"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from tree_sitter import Node

from astedit.language.brackets import words
from astedit.pattern.listed import outermost
from astedit.pattern.match import Found
from astedit.pattern.template import Slot
from astedit.rewrite.make.overlap import Rewrite
from astedit.text.source import ByteRange, Change, holds, united

# White space, separators, brackets, quotes and a line continuation: never code by themselves.
_PLAIN = re.compile(rb"(?:[\s,;()\[\]{}'\"`]|\\\r?\n)*")
# An empty list, object or string is nothing but brackets or quotes, and code.
_EMPTY = re.compile(rb"\[\s*\]|\{\s*\}|''|\"\"|``")
_BLANK = (b"", b" ")
_CLAUSES = words("elif_clause else_clause except_clause except_group_clause finally_clause")
_OPENER = re.compile(rb"[(\[{'\"`]")
_CLOSER = re.compile(rb"[)\]}'\"`](?=[\s,;]*\Z)")


def account(
    node: Node,
    trail: Iterable[tuple[int, int]],
    source: bytes,
    deleting: bool,
    staying: Callable[[], Iterable[tuple[int, int]]] = tuple,
) -> tuple[int, int, list[ByteRange]]:
    """The range from the first to the last matched token, and the bytes that would be lost.

    `node` is the one that was found, `trail` the bytes of what the pattern's tokens and holes
    stand for.
    A trailing `;` or `,` that the pattern does not name stays outside the range, so does
    a comment outside the matched tokens. Left-over siblings and modifiers are lost; so
    are comments between matched tokens, unless the match is deleted on purpose, or they
    are in one of the gaps that are `staying`.
    """
    spans = united(span for span in trail if span[0] < span[1])
    if not spans:
        last = next((one for one in reversed(node.children) if not one.is_extra), node)
        return node.start_byte, last.end_byte, []
    start, end = spans[0][0], spans[-1][1]
    head, tail = source[node.start_byte : start], source[end : node.end_byte]
    gaps = [source[left[1] : right[0]] for left, right in pairwise(spans)]
    if all(gap in _BLANK or _is_plain(gap) for gap in (head, tail, *gaps)):
        opener = _OPENER.search(head) if head else None
        closer = _CLOSER.search(tail) if tail else None
        if opener:
            start = node.start_byte + opener.start()
        if closer:
            end += closer.end()
        return start, end, []
    lost = [
        (low, high)
        for low, high, comment in _unmatched(node, spans)
        if not comment
        or (start < low < end and not deleting and not holds([*staying()], low, high))
    ]
    if lost:
        start, end = min(start, lost[0][0]), max(end, lost[-1][1])
    return start, end, lost


def _is_plain(gap: bytes) -> bool:
    return _PLAIN.fullmatch(gap) is not None and _EMPTY.search(gap) is None


def _unmatched(node: Node, spans: list[ByteRange]) -> list[tuple[int, int, bool]]:
    """The largest nodes that hold no matched token: start, end, is it a comment."""
    starts = [span[0] for span in spans]
    ends = [span[1] for span in spans]

    def is_beside(inner: Node) -> bool:
        return bisect_right(ends, inner.start_byte) >= bisect_left(starts, inner.end_byte)

    def is_beyond(inner: Node) -> bool:
        first = bisect_right(ends, inner.start_byte)  # the first span that ends behind its start
        return not holds(spans[first : first + 1], *inner.byte_range)

    pieces = outermost(node, is_beside, is_beyond)
    return [(*one.byte_range, one.is_extra) for one in pieces if not _is_plain(one.text or b"")]


# How comments begin in all languages; a text without any of these signs has none.
_SIGNS = re.compile(rb"#|//|/\*|--|<!--|\{-|=begin")
_KINDS = re.compile(r"(?<!keyword_)comment\Z|\Ahaddock\Z")


def comments_within(node: Node, low: int, high: int) -> Iterator[Node]:
    """The comments below a node that begin between two places, in order."""
    comments = outermost(
        node,
        lambda inner: _KINDS.search(inner.type) is not None,
        lambda inner: inner.end_byte > low and inner.start_byte < high,
    )
    return (one for one in comments if low <= one.start_byte < one.end_byte)


def dropped(root: Node, source: bytes, changes: Sequence[Change]) -> list[Node]:
    """The comments of the source that the changes of one match take away, in order.

    A comment that only moves stays: one of the changes has its text.
    """
    nodes: list[Node] = []
    for start, end, _ in changes:
        if _SIGNS.search(source, start, end):
            around = root.descendant_for_byte_range(start, end) or root
            nodes += comments_within(around, start, end)
    return missing(nodes, b"\n".join(new for _, _, new in changes)) if nodes else []


def missing(comments: Iterable[Node], text: bytes) -> list[Node]:
    """The comments of which the text has too few, whatever its indentation, in order."""
    gone: list[Node] = []
    for node in sorted(comments, key=lambda one: (one.start_byte - one.end_byte, one.start_byte)):
        words = map(re.escape, (node.text or b"").split())
        text, count = re.subn(rb"\s+".join(words), b"", text, count=1)
        if not count:
            gone.append(node)
    return sorted(gone, key=lambda node: node.start_byte)


def unsaid(
    found: Found, written: Iterable[Slot], made_of: Mapping[str, frozenset[Slot]]
) -> list[ByteRange]:
    """The comments that a match would lose on the way through its transforms.

    `made_of` says by the name of a transform which captures it is made of, `written` what
    the template uses. A capture that it uses itself keeps its comments, and one that none of
    its transforms reads is left out on purpose.
    """
    names = {slot.name for slot in written}
    texts = found.texts or {}
    read: dict[Slot, list[bytes]] = {}
    for name in sorted(names & made_of.keys() & texts.keys()):
        for slot in made_of[name]:
            read.setdefault(slot, []).append(texts[name].data)
    lost: list[Node] = []
    for slot, made in read.items():
        if slot.name not in names:
            nodes = found.nodes(*slot)
            every = (one for node in nodes for one in comments_within(node, *node.byte_range))
            lost += missing(every, b"\n".join(made))
    return sorted((node.start_byte, node.end_byte) for node in lost)


def clauses(op: Rewrite, found: Found) -> Iterator[ByteRange]:
    """The `else` and its like that the hole for a body took, too, if that is not written.

    Of Python these stand beside the body: `if $A: $$$B` takes them, and means the body.
    """
    if found.node.type.endswith(("statement", "definition", "clause", "block", "module")):
        names = {one.name for slot in op.slots for one in (slot, *op.made_of.get(slot.name, ()))}
        for goal, node in found.trail:
            hole = goal.hole
            if hole is not None and hole.many and hole.name not in names and node.type in _CLAUSES:
                yield node.byte_range
