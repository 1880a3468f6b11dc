"""What differs between two contents, by tokens of their language rather than by lines.

A change is what a person decides about. So what opens a bracket and what closes it are one,
and so are changes with no more than a token between them.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from tree_sitter import Node

from astedit.errors import LimitError
from astedit.language import for_path, load
from astedit.limits import INLINE_SECONDS, is_shallow, parsing_within
from astedit.pattern.listed import outermost
from astedit.text.diff import changed_lines, unlike
from astedit.text.source import Change, made_ranges, splice

_MOST = 250_000  # pairs of tokens to compare; more would take a second
_OPENING = {b"(": 1, b"[": 1, b"{": 1, b")": -1, b"]": -1, b"}": -1}
_APART = 2  # tokens between two changes that are two

Pieces = Sequence[bytes]


def token_changes(path: str, before: bytes, after: bytes) -> list[Change]:
    """Changes of tokens that turn `before` into `after`; of lines where no language is known."""
    changes = changed_lines(before, after)
    old, new = inline_root(path, before), inline_root(path, after)
    if old is None or new is None:
        return changes
    result: list[Change] = []
    for (start, end, _), made in zip(changes, made_ranges(changes), strict=True):
        gone = _tokens(old, before, start, end)
        result += _refined(start, gone, _tokens(new, after, *made))
    return result if splice(before, result) == after else changes


def inline_root(path: str, content: bytes) -> Node | None:
    """The tree of a content; None without a language, or where a parser might not end soon."""
    if (row := for_path(path)) is None or not is_shallow(content):
        return None
    try:
        with parsing_within(INLINE_SECONDS):
            return load(row).parser().parse(content).root_node
    except LimitError:
        return None


def _tokens(root: Node, content: bytes, start: int, end: int) -> list[bytes]:
    """The leaves of a tree in a part of its text, and what is between them."""
    leaves = outermost(
        root,
        lambda node: not node.child_count,
        lambda node: node.end_byte > start and node.start_byte < end,
    )
    borders = {at for leaf in leaves for at in leaf.byte_range if start < at < end}
    return [content[a:b] for a, b in pairwise(sorted({start, *borders, end}))]


def _refined(start: int, gone: Pieces, come: Pieces) -> Iterator[Change]:
    """The changes of one run of lines, in bytes of the file."""
    ends = [start]
    for token in gone:
        ends.append(ends[-1] + len(token))
    differing = [(0, len(gone), 0, len(come))]
    if gone and come and len(gone) * len(come) <= _MOST:
        differing = unlike(gone, come)
    for i, j, k, m in _grouped(differing, gone, come):
        yield ends[i], ends[j], b"".join(come[k:m])


def _grouped(
    changes: Sequence[tuple[int, int, int, int]], gone: Pieces, come: Pieces
) -> Iterator[tuple[int, int, int, int]]:
    """Joins changes that make no sense apart."""
    waiting: tuple[int, int, int, int] | None = None
    for i, j, k, m in changes:
        if waiting is None:
            waiting = (i, j, k, m)
            continue
        a, b, c, d = waiting
        between = [token for token in gone[b:i] if token.strip()]
        if len(between) < _APART or not (_closed(gone[a:b]) and _closed(come[c:d])):
            waiting = (a, j, c, m)
        else:
            yield waiting
            waiting = (i, j, k, m)
    if waiting is not None:
        yield waiting


def _closed(tokens: Pieces) -> bool:
    """Whether every bracket that these tokens open they close."""
    depth = 0
    for token in tokens:
        depth += _OPENING.get(token, 0)
        if depth < 0:
            return False
    return depth == 0
