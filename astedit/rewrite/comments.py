"""The comments of a text, and those that new text does not have any more."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tree_sitter import Node

from astedit.pattern.match import Found
from astedit.pattern.template import Slot
from astedit.text.splice import ByteRange, Change

# How comments begin in all languages; a text without any of these signs has none.
_SIGNS = re.compile(rb"#|//|/\*|--|<!--|\{-|=begin")
_KINDS = re.compile(r"(?<!keyword_)comment\Z|\Ahaddock\Z")


def comments_within(node: Node, low: int, high: int) -> Iterator[Node]:
    """The comments below a node that begin between two places, in order."""
    stack = [node]
    while stack:
        inner = stack.pop()
        if inner.end_byte <= low or inner.start_byte >= high:
            continue
        if _KINDS.search(inner.type):
            if inner.start_byte >= low and inner.start_byte < inner.end_byte:
                yield inner
        else:
            stack.extend(reversed(inner.children))


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
    for node in sorted(comments, key=_longest_first):
        words = map(re.escape, (node.text or b"").split())
        text, count = re.subn(rb"\s+".join(words), b"", text, count=1)
        if not count:
            gone.append(node)
    return sorted(gone, key=lambda node: node.start_byte)


def _longest_first(comment: Node) -> ByteRange:
    return comment.start_byte - comment.end_byte, comment.start_byte


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
            read.setdefault(slot, []).append(texts[name])
    lost: list[Node] = []
    for slot, made in read.items():
        if slot.name not in names:
            lost += missing(_captured(found, slot), b"\n".join(made))
    return sorted((node.start_byte, node.end_byte) for node in lost)


def _captured(found: Found, slot: Slot) -> list[Node]:
    """The comments in a capture."""
    single = found.single.get(slot.name)
    nodes = found.multi.get(slot.name, ()) if slot.many else [single] if single else ()
    return [
        comment
        for node in nodes
        for comment in comments_within(node, node.start_byte, node.end_byte)
    ]
