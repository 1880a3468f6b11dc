"""One file in a cascade: its text of now, who calls what in it, and its outcome."""

import hashlib
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from tree_sitter import Node, Tree

from astedit.engine.cascade.places import (
    CalledRule,
    Event,
    History,
    Moves,
    NetEdit,
    NewCode,
    overlap,
)
from astedit.engine.files.edits import blocked_in, displacements, finish_file, first_error
from astedit.engine.files.outcome import FileData, MadeEdit
from astedit.engine.run.jobs import Job
from astedit.errors import LimitError, PreconditionError
from astedit.language import Grammar
from astedit.language.brackets import parents
from astedit.model.request import EditRequest
from astedit.pattern.match import Found
from astedit.rewrite.make.overlap import Site
from astedit.rewrite.mend.accept_or_block import AcceptedEdits
from astedit.rewrite.plan_edits import FileRewrite
from astedit.rewrite.prove.verify import parsed_again
from astedit.text.source import Change, Lines, Source, line_start, moved, outside, smallest

# The kinds of all languages for what is around code, where no more need be known of it.
_DEFINITIONS = re.compile(
    r"(function|method|constructor|compact_constructor)_(declaration|definition|item)"
    r"|(init|deinit|getter|setter|subscript|test)_declaration|secondary_constructor"
    r"|(singleton_)?method|(function|lambda|closure)_expression|generator_function(_declaration)?"
    r"|arrow_function|anonymous_function|func_literal|lambda_literal"
)
_CLASSES = re.compile(
    r"(abstract_)?(class|interface|enum|record|annotation_type|object|struct|protocol|trait|impl|mod"
    r"|type|union)_(declaration|definition|specifier|item)|class|module|companion_object|singleton_class"
)
# What may stand in a file of which nothing is left.
_HEADINGS = re.compile(r"import|using|package|include|comment|future|hash_bang|export_clause")


class CascadedFile:
    """The text of one file as the cascade changes it; `data` becomes the outcome.

    Nothing may touch the ranges of the first text that are `barred`.
    """

    def __init__(
        self,
        job: Job,
        source: Source,
        mode: int,
        grammar: Grammar,
        request: EditRequest,
        barred: Iterable[tuple[int, int]] = (),
    ) -> None:
        self.job = job
        self.source = source
        self.text: bytes = source.text
        self.tree: Tree = grammar.parser().parse(self.text)
        self.data = FileData(read=len(source.raw), searched=True, parsed=True, mode=mode)
        if self.tree.root_node.has_error:
            self.data.error_at = first_error(self.tree.root_node)
        self.first = self.tree, self.text
        self.spans = request.spans_in(job.path)
        self.dropped: list[tuple[Event, bytes]] = []
        self.empties = False  # is the file to go when nothing is left of it?
        self.importing: list[Event] = []  # which ask for something of its imports
        self.anchors: list[NewCode] = []
        self._barred = [source.ahead(*span) for span in barred]
        self._history = History()
        self._grammar = grammar
        self._most = max(request.max_file_size, 2 * len(self.text))
        self._seen = {hashlib.sha256(self.text).digest(): 0}
        self._rules: list[str] = []

    def is_allowed(self, change: Change) -> bool:
        """Whether a change keeps to the part of the text that may be edited."""
        start, end, _ = change
        free = not any(overlap(low, high, start, end) for low, high in self._barred)
        return free and not outside([change], self.spans)

    def accept(self, changes: Sequence[Change], events: Sequence[Event]) -> list[tuple[int, int]]:
        """Makes these changes, in order of position; returns where the new texts are."""
        ranges = self._history.add(changes, events)
        moves = Moves(changes)
        self.anchors = [anchor for anchor in self.anchors if anchor.waiting]
        for anchor in self.anchors:
            anchor.low, anchor.high = moves.range(anchor.low, anchor.high)
        self.spans = moved(self.spans, changes)
        self._barred = [moves.range(*span) for span in self._barred]
        self.tree, self.text = parsed_again(self._grammar, self.tree, self.text, changes)
        self._rules += [step.rule for event in events for step in event.steps]
        if len(self.text) > self._most:  # `f($X)` to `f($X + $X)` doubles it each time
            rule, most = self._rules[-1], f"{self._most:,} bytes"
            problem = f"{self.job.path}: rule {rule} makes it larger than {most}."
            hint = "A rule that finds its own result never ends: change its pattern."
            raise LimitError(problem, code="max_events", path=self.job.path, hint=hint)
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
        return ranges

    def finish(self, hunks: bool) -> list[NetEdit]:
        """Fills in the outcome; returns the place of each of its edits."""
        places, made, gone = [], [], []
        for place in self._history.places():
            low, high = place.old
            before, after = self.source.text[low:high], self.text[slice(*place.new)]
            if before == after:
                continue
            piece = smallest(self.source.text, (low, high, after))
            matches = sum(event.matches for event in place.events)
            places.append(place)
            made.append(MadeEdit((low, high, after), place.events[0].rule, matches, (piece,)))
            gone.append([(low, high, text) for owner, text in self.dropped if owner.place is place])
        if made:
            finish_file(self.job.path, self.source, made, gone, hunks, self.data)
        return [] if self.data.skip else places

    def is_empty(self) -> bool:
        """Whether nothing but comments, imports and a package clause is left."""
        return not any(_is_code(node) for node in self.tree.root_node.named_children)


def _is_code(node: Node) -> bool:
    if node.is_extra or _HEADINGS.search(node.type):
        return False
    if node.type == "expression_statement" and node.text is not None:
        return not node.text.startswith((b'"use', b"'use"))
    if node.type == "call" and node.text is not None:  # Ruby
        return not node.text.startswith((b"require", b"load "))
    return True


LEVELS = ("seed", "parent", "ancestors", "definition", "class", "file", "dir", "tree", "project")
BROAD = frozenset({"dir", "tree", "project"})
_UP = 4  # ancestors that `parent` looks at


class Reach:
    """A region of one tree around the bytes `low` to `high`: single nodes, or all of a `span`."""

    def __init__(self, root: Node, scope: str, low: int, high: int) -> None:
        self.nodes: set[int] | None = None
        self.span = (root.start_byte, root.end_byte)
        if scope in ("parent", "ancestors"):
            most = _UP if scope == "parent" else None
            self.nodes = {node.id for node in _chain(root, low, high, most)}
        elif scope in ("definition", "class"):
            kinds = _DEFINITIONS if scope == "definition" else _CLASSES
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
    node = _around(root, low, high)
    if low < high and (node.start_byte < low or high < node.end_byte):
        for child in node.named_children:
            if low <= child.start_byte and child.end_byte <= high:
                yield from _same(child)
    yield node
    steps = 0
    for parent, inner in parents(node):
        steps += parent.byte_range != inner.byte_range
        if most is not None and steps > most:
            return
        yield parent


def _same(node: Node) -> Iterator[Node]:
    """A node, and those within it that have the same bytes."""
    yield node
    while node.named_child_count == 1 and (child := node.named_children[0]) is not None:
        if (child.start_byte, child.end_byte) != (node.start_byte, node.end_byte):
            return
        yield child
        node = child


class Callers:
    """Who has called one rule in one tree: by node, or by the span of a region."""

    def __init__(self) -> None:
        self._nodes: dict[int, list[CalledRule]] = {}
        self._spans: dict[tuple[int, int], list[CalledRule]] = {}
        self._around: list[tuple[tuple[int, int], int]] | None = None

    def add(self, task: CalledRule, reach: Reach) -> None:
        """Notes a call."""
        if reach.nodes is None:
            self._spans.setdefault(reach.span, []).append(task)
            return
        for node in reach.nodes:
            self._nodes.setdefault(node, []).append(task)

    def of(self, node: Node) -> list[CalledRule]:
        """Those whose region a match lies in; asked when all are noted."""
        if self._around is None:
            self._around = list(_nested(self._spans))
        low, high = node.start_byte, node.end_byte
        asking = list(self._nodes.get(node.id, ()))
        at = bisect_right(self._around, low, key=lambda row: row[0][0]) - 1
        while at >= 0:
            span, at = self._around[at]
            if high <= span[1]:
                asking += self._spans[span]
        return asking


def _nested(spans: Iterable[tuple[int, int]]) -> Iterator[tuple[tuple[int, int], int]]:
    """Spans of nodes of one tree in order, each with the number of the one around it, or -1."""
    stack: list[tuple[int, int]] = []  # of the number and the end of what is open
    for number, (low, high) in enumerate(sorted(spans, key=lambda span: (span[0], -span[1]))):
        while stack and stack[-1][1] < high:
            stack.pop()
        yield (low, high), stack[-1][0] if stack else -1
        stack.append((number, high))


def texts_of(match: Found, text: bytes, own: dict[str, str]) -> dict[str, str]:
    """What a match has captured, as text, and what its own rule was called with."""
    found = dict(own)
    for name, node in match.single.items():
        found[name] = text[node.start_byte : node.end_byte].decode("utf-8", "replace")
    for name, nodes in match.multi.items():
        span = text[nodes[0].start_byte : nodes[-1].end_byte] if nodes else b""
        found[name] = span.decode("utf-8", "replace")
    for name, made in (match.texts or {}).items():
        found[name] = made.data.decode("utf-8", "replace")
    return found


def apart(rows: list[tuple[Change, Site, Event]]) -> list[tuple[Change, Site, Event]]:
    """In order of position, less those that overlap an earlier one by the comments above."""
    kept: list[tuple[Change, Site, Event]] = []
    for (start, end, new), site, event in sorted(rows, key=lambda row: row[0][:2]):
        start = max(start, kept[-1][0][1]) if kept else start
        if start <= end:
            kept.append(((start, end, new), site, event))
    return kept


def stripped(text: bytes, low: int, high: int) -> tuple[int, int]:
    """A range without the white space at its ends."""
    part = text[low:high]
    front = len(part) - len(part.lstrip())
    return (low, low) if front == len(part) else (low + front, low + front + len(part.strip()))


def comments_above(node: Node, text: bytes) -> Iterator[Node]:
    """The comments directly above a node, each on lines of its own, the nearest first."""
    line = node.start_point[0]
    while node.prev_sibling is None and node.parent is not None:
        if node.parent.start_point[0] != line:
            return
        node = node.parent
    above = node.prev_sibling
    while above is not None and above.is_extra:
        last = above.end_point[0] - (above.end_point[1] == 0)
        alone = not re.search(rb"\S", text[line_start(text, above.start_byte) : above.start_byte])
        if last != line - 1 or not alone:
            return
        yield above
        line, above = above.start_point[0], above.prev_sibling


def tell(
    data: FileData, text: bytes, outcome: FileRewrite, accepted: AcceptedEdits
) -> Iterator[int]:
    """Adds what was refused to the outcome of a file; yields the numbers of those rules."""
    lines = Lines(text)
    before = {(item.op, item.text, item.reason) for item in data.blocked}
    for item in blocked_in(outcome, accepted, text, lines):
        if (item.op, item.text, item.reason) not in before:
            data.blocked += (item,)
        assert item.op is not None
        yield item.op
    data.displaced += tuple(displacements(outcome, lines, composing=True))
