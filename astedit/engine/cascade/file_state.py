"""One file in a cascade: its text of now, regions around new code, and its outcome."""

import hashlib
import re
from collections.abc import Iterator

from tree_sitter import Node, Tree

from astedit.engine.cascade.places import Accepted, Moves, NetEdit, joined
from astedit.engine.files.editable import moved, spans_of
from astedit.engine.files.edits import first_error
from astedit.engine.files.outcome import EditData, FileData, LostData, SpanData
from astedit.engine.run.jobs import Job
from astedit.errors import PreconditionError
from astedit.language import Grammar
from astedit.model.request import EditRequest
from astedit.text.source import UNKNOWN, NotEncodable, Source
from astedit.text.splice import Lines, splice

Event = tuple[NetEdit, int, int]
_NOTHING_LEFT = re.compile(r"import|using|package|include|comment|future|hash_bang|export_clause")


class CascadedFile:
    """The text of one file as the cascade changes it; `data` becomes the outcome."""

    def __init__(
        self, job: Job, source: Source, mode: int, grammar: Grammar, request: EditRequest
    ) -> None:
        self.job = job
        self.source = source
        self.text: bytes = source.text
        self.tree: Tree = grammar.parser().parse(self.text)
        self.data = FileData(read=len(source.raw), searched=True, parsed=True, mode=mode)
        if self.tree.root_node.has_error:
            self.data.error_at = first_error(self.tree.root_node)
        self.spans = spans_of(request, job.path)
        self.places: list[NetEdit] = []
        self.dropped: list[tuple[NetEdit, bytes, int]] = []
        self.empties = False  # is the file to go when nothing is left of it?
        self.anchors: list[NewCode] = []
        self._grammar = grammar
        self._seen = {hashlib.sha256(self.text).digest(): 0}
        self._rules: list[str] = []

    def accept(self, edits: list[Accepted]) -> list[Event]:
        """Makes these edits, in order of position; returns the place and range of each."""
        changes = [edit.change for edit in edits]
        self.places, events = joined(self.places, edits)
        moves = Moves(changes)
        self.anchors = [anchor for anchor in self.anchors if anchor.waiting]
        for anchor in self.anchors:
            anchor.low, anchor.high = moves.range(anchor.low, anchor.high)
        self.spans = moved(self.spans, changes)
        self.text = splice(self.text, changes)
        self._rules += [step.rule for edit in edits for step in edit.steps]
        digest = hashlib.sha256(self.text).digest()
        if digest in self._seen:
            turning = list(dict.fromkeys(self._rules[self._seen[digest] :]))
            raise PreconditionError(
                f"{self.job.path}: its text comes back: {' -> '.join([*turning, turning[0]])}.",
                code="cascade_cycle",
                path=self.job.path,
                hint="These rules undo one another: change one of them.",
            )
        self._seen[digest] = len(self._rules)
        self.tree = self._grammar.parser().parse(self.text)
        return events

    def net(self) -> Iterator[tuple[NetEdit, int, int, bytes]]:
        """The places whose text is another one now: the range that changes, and the new text."""
        old = self.source.text
        for place in self.places:
            low, high = place.old
            before, after = old[low:high], self.text[place.start : place.end]
            if before != after:
                front, back = _common(before, after)
                yield place, low + front, high - back, after[front : len(after) - back]

    def finish(self, offset: int, hunks: bool) -> dict[tuple[int, int], NetEdit]:
        """Fills in the outcome; returns the places by the range of their edit in the file."""
        data, source = self.data, self.source
        net = list(self.net())
        if not net:
            return {}
        if source.encoding == UNKNOWN:
            data.skip = ("not_utf8", "name its encoding with --encoding")
            return {}
        try:
            changes = source.back([(low, high, new) for _, low, high, new in net])
        except NotEncodable as error:
            data.skip = ("not_utf8", f"the new text does not fit {source.encoding}: {error}")
            return {}
        wholes = source.back([(*place.old, b"") for place, *_ in net])
        lines, raw, edits, found = Lines(source.text), source.raw, [], {}
        for (place, at, *_), (start, end, new), (low, high, _) in zip(
            net, changes, wholes, strict=True
        ):
            match = SpanData(low, high, *lines.place(place.old[0]))
            gone = tuple(
                LostData(SpanData(start, end, *lines.place(at)), text)
                for owner, text, at in self.dropped
                if owner.last is place
            )
            edits.append(
                EditData(
                    offset + place.rule,
                    start,
                    end,
                    *lines.place(at),
                    raw[start:end],
                    new,
                    max(place.matches, 1),
                    source.codec,
                    match,
                    raw[low:high],
                    gone,
                )
            )
            found[start, end] = place
        data.finish(self.job.path, raw, edits, hunks)
        return found

    def is_empty(self) -> bool:
        """Whether nothing but comments, imports and a package clause is left."""
        return not any(_is_code(node) for node in self.tree.root_node.named_children)


def _is_code(node: Node) -> bool:
    if node.is_extra or _NOTHING_LEFT.search(node.type):
        return False
    if node.type == "expression_statement" and node.text is not None:
        return not node.text.startswith((b'"use', b"'use"))
    if node.type == "call" and node.text is not None:  # Ruby
        return not node.text.startswith((b"require", b"load "))
    return True


def _common(before: bytes, after: bytes) -> tuple[int, int]:
    """How many bytes at the front and at the back are the same, whole characters only."""
    most = min(len(before), len(after))
    front = 0
    while front < most and before[front] == after[front]:
        front += 1
    while front and front < len(before) and before[front] & 0xC0 == 0x80:
        front -= 1
    while front and front < len(after) and after[front] & 0xC0 == 0x80:
        front -= 1
    back, most = 0, most - front
    while back < most and before[-1 - back] == after[-1 - back]:
        back += 1
    while back and before[len(before) - back] & 0xC0 == 0x80:
        back -= 1
    return front, back


class NewCode:
    """The new code of an event, moved along by later edits while calls are `waiting`."""

    __slots__ = ("high", "low", "waiting")

    def __init__(self, low: int, high: int) -> None:
        self.low, self.high, self.waiting = low, high, 0


LEVELS = ("seed", "parent", "ancestors", "definition", "class", "file", "dir", "tree", "project")
BROAD = frozenset({"dir", "tree", "project"})
_UP = 4  # ancestors that `parent` looks at
_DEFINITION = re.compile(
    r"(function|method|constructor|compact_constructor|init|deinit|getter|setter|subscript)"
    r"_(declaration|definition|item|expression)|secondary_constructor|(singleton_)?method"
    r"|generator_function(_declaration)?|test_declaration"
)
_CLASS = re.compile(
    r"(abstract_)?(class|interface|enum|record|annotation_type|object|struct|protocol|trait|impl|mod"
    r"|type|union)_(declaration|definition|specifier|item)|class|module|companion_object|singleton_class"
)


class Reach:
    """A region of one tree around the bytes `low` to `high`: single nodes, or all of a `span`."""

    def __init__(self, root: Node, scope: str, low: int, high: int) -> None:
        self.nodes: set[int] | None = None
        self.span = (root.start_byte, root.end_byte)
        if scope in ("parent", "ancestors"):
            most = _UP if scope == "parent" else None
            self.nodes = {node.id for node in _chain(root, low, high, most)}
        elif scope in ("definition", "class"):
            kinds = _DEFINITION if scope == "definition" else _CLASS
            node = _around(root, low, high)
            while node.parent is not None and not kinds.fullmatch(node.type):
                node = node.parent
            self.span = (node.start_byte, node.end_byte)


def _around(root: Node, low: int, high: int) -> Node:
    """The smallest named node that holds the bytes; of none at all, what is around them."""
    node = root.named_descendant_for_byte_range(low, high) or root
    if low == high:
        while node.parent is not None and not node.start_byte < low < node.end_byte:
            node = node.parent
    return node


def _chain(root: Node, low: int, high: int, most: int | None) -> Iterator[Node]:
    """The new code and its ancestors; one of the same bytes as its child counts for nothing."""
    node: Node | None = _around(root, low, high)
    assert node is not None
    if low < high and (node.start_byte < low or high < node.end_byte):
        for child in node.named_children:
            if low <= child.start_byte and child.end_byte <= high:
                yield from _same(child)
    steps = 0
    while node is not None and (most is None or steps <= most):
        yield node
        parent = node.parent
        if parent is not None and (parent.start_byte, parent.end_byte) != (
            node.start_byte,
            node.end_byte,
        ):
            steps += 1
        node = parent


def _same(node: Node) -> Iterator[Node]:
    """A node, and those within it that have the same bytes."""
    yield node
    while node.named_child_count == 1 and (child := node.named_children[0]) is not None:
        if (child.start_byte, child.end_byte) != (node.start_byte, node.end_byte):
            return
        yield child
        node = child
