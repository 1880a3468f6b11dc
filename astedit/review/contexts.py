"""What an edit stands in, as it must be again for a decision about it to hold.

A mark is of the edit's own bytes, of the tokens of its lines and of the statement around it,
of the heads of all that this stands in (`if x:`), and of the definition that encloses it.
White space is not part of it. What cannot be read has no marks, and then nothing is carried.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from typing import Any, Self

from tree_sitter import Node

from astedit.engine.inline_limits import is_shallow
from astedit.language import for_path, load
from astedit.language.traits import traits
from astedit.locating.inventory.definitions import definitions
from astedit.model.edit import Edit, FilePlan
from astedit.text.source import NotDecodable, source_of

_TOKEN = re.compile(rb"\w+|[^\w\s]")
# What holds statements side by side, of which only one is looked at.
_CONTAINER = re.compile(
    r"(module|program|source_file|translation_unit|compilation_unit|document|stylesheet|chunk"
    r"|block|body|suite|statement_list|declaration_list|member_list|field_declaration_list"
    r"|compound_statement|body_statement|statements)$"
)
_BODIES = frozenset({"body", "consequence", "alternative", "then", "else", "block"})


@dataclass(frozen=True, slots=True)
class FileContexts:
    """The marks of the edits of one file, by id; only those that no two edits there share.

    `homes` says which definition each of them is in, and `definitions` lists all of the file
    in their order; two of one name count as none. `beside` marks the statements before and
    behind that of an edit; contexts that an earlier version kept have none.
    """

    marks: Mapping[str, str]
    homes: Mapping[str, str]
    definitions: tuple[str, ...]
    beside: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """What is stored of it."""
        return asdict(self)

    @classmethod
    def of_json(cls, body: Mapping[str, Any]) -> Self:
        """Reads it back."""
        beside = body.get("beside", {})
        return cls(body["marks"], body["homes"], tuple(body["definitions"]), beside)

    def alike(self, edit_id: str, other: Self, other_id: str) -> bool:
        """Whether a statement beside the edit is the same in the other; else it was moved."""
        own, others = self.beside.get(edit_id), other.beside.get(other_id)
        pairs = zip(own, others, strict=True) if own and others else [("", "")]
        return any(here == there for here, there in pairs)


def contexts_of(file: FilePlan, content: bytes) -> FileContexts | None:
    """The contexts of a file's edits within its content; None for what cannot be read."""
    row = for_path(file.path)
    if row is None or not is_shallow(content):
        return None
    try:
        if source_of(content, row.name).text != content:
            return None  # offsets are of the bytes
    except NotDecodable:
        return None
    grammar = load(row)
    root = grammar.parser().parse(content).root_node
    rules = traits(row.name).definitions
    defined = [] if rules is None else definitions(root, content, grammar, rules)[1]
    spans = sorted((*each.span, ".".join(each.names)) for each in defined)
    marks: dict[str, str] = {}
    homes: dict[str, str] = {}
    beside: dict[str, Sequence[str]] = {}
    for edit in file.edits:
        start, end = edit.start, edit.end
        if edit.match is not None:
            start, end = edit.match.start, edit.match.end
        home = _home(start, end, spans)
        marks[edit.id], homes[edit.id] = _mark(edit, root, content, start, end, home), home
        beside[edit.id] = _beside(root, content, start, end)
    counts = Counter(marks.values())
    unique = {edit_id: mark for edit_id, mark in marks.items() if counts[mark] == 1}
    named = Counter(name for _, _, name in spans)
    order = tuple(name for _, _, name in spans if named[name] == 1)
    kept = {each: homes[each] for each in unique}
    return FileContexts(unique, kept, order, {each: beside[each] for each in unique})


def _home(start: int, end: int, spans: list[tuple[int, int, str]]) -> str:
    """The innermost definition around a span; "" for none."""
    last = bisect_right(spans, start, key=lambda span: span[0])
    return next((name for _, stop, name in reversed(spans[:last]) if end <= stop), "")


def _mark(edit: Edit, root: Node, text: bytes, start: int, end: int, home: str) -> str:
    parts = [str(edit.op), str(edit.rule_id), edit.whole_before, edit.whole_after, home]
    digest = sha256("\0".join(parts).encode("utf-8", "surrogateescape"))
    for token in (*_lines(text, start, end), *_around(root, text, start, end)):
        digest.update(b"\0" + token)
    return digest.hexdigest()[:24]


def _lines(text: bytes, start: int, end: int) -> list[bytes]:
    """The tokens of the whole lines of an edit: a comment at their end is not of the statement."""
    last = text.find(b"\n", end)
    return _TOKEN.findall(text[text.rfind(b"\n", 0, start) + 1 : len(text) if last < 0 else last])


def _around(root: Node, text: bytes, start: int, end: int) -> Iterator[bytes]:
    """The tokens of the statement around a span, then those of what it stands in."""
    place = root.named_descendant_for_byte_range(start, end) or root
    node = _statement(place)
    yield from _tokens(node, text, place)
    while node.parent is not None:
        outer = node.parent
        if not _CONTAINER.search(outer.type):
            yield outer.type.encode()
            yield from _head(outer, text, node)
        node = outer


def _statement(node: Node) -> Node:
    """The statement around a node: what stands in a list of such."""
    while node.parent is not None and not _CONTAINER.search(node.parent.type):
        node = node.parent
    return node


def _beside(root: Node, text: bytes, start: int, end: int) -> tuple[str, str]:
    """Marks of the statements before and behind that of a span, "" where there is none."""
    node = _statement(root.named_descendant_for_byte_range(start, end) or root)
    before, behind = (
        "" if each is None else _shortened(text[each.start_byte : each.end_byte])
        for each in (node.prev_named_sibling, node.next_named_sibling)
    )
    return before, behind


def _shortened(text: bytes) -> str:
    return sha256(b"\0".join(_TOKEN.findall(text))).hexdigest()[:12]


def _tokens(node: Node, text: bytes, place: Node) -> Iterator[bytes]:
    """The tokens of a statement, without a body that the place is not in."""
    for index, child in enumerate(node.children):
        apart = node.field_name_for_child(index) in _BODIES
        if not apart or _within(place, child):
            yield from _TOKEN.findall(text[child.start_byte : child.end_byte])
    if not node.child_count:
        yield from _TOKEN.findall(text[node.start_byte : node.end_byte])


def _head(node: Node, text: bytes, inner: Node) -> Iterator[bytes]:
    """What a node is besides its bodies: of a definition the name, which is its own."""
    name = node.child_by_field_name("name")
    if name is not None and node.child_by_field_name("body") is not None:
        yield from _TOKEN.findall(text[name.start_byte : name.end_byte])
        return
    for index, child in enumerate(node.children):
        inside = child.start_byte <= inner.start_byte and inner.end_byte <= child.end_byte
        if inside:
            yield f"[{node.field_name_for_child(index)}]".encode()
        elif node.field_name_for_child(index) not in _BODIES:
            yield from _TOKEN.findall(text[child.start_byte : child.end_byte])


def _within(place: Node, node: Node) -> bool:
    return node.start_byte <= place.start_byte and place.end_byte <= node.end_byte
