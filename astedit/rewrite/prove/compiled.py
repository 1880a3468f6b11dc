"""What compiled before compiles after: the language's own compiler is asked. (F12)

tree-sitter accepts what compilers refuse: a keyword before a positional argument, a star
where there is nothing to unpack. Only the statements that edits touch are looked at, and
the whole text where they alone cannot tell.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from tree_sitter import Node

from astedit.language.facts import Compiler, Facts
from astedit.rewrite.prove.fault import Fault, Put, shown
from astedit.text.indent import Text, leading
from astedit.text.splice import ByteRange, Change

# Where a text begins, what it is, and what in it was not there before, in whole words.
PlacedText = tuple[int, Text, tuple[bytes, ...]]
_NOTHING = re.compile(rb"[ \t]*(?:[;#\r\n]|\Z)")
_NO_RANGE = (0, -1)
_BODIES = ("body", "consequence")  # fields of what a statement's head governs


class Compilation:
    """Asks a compiler about results of one text.

    `unread` says, after a fault was looked into, that the compiler refuses the text as it
    was: it is of another version, and nothing follows for the edits.
    """

    def __init__(self, source: bytes, compiler: Compiler, facts: Facts) -> None:
        self._source = source
        self._compiler = compiler
        self._facts = facts
        self.unread = False

    def fault(
        self, root: Node, result: bytes, texts: Mapping[int, PlacedText], whole: Callable[[], bytes]
    ) -> Fault | None:
        """What the compiler has against new texts, which are given by the edits' numbers.

        `result`, of which `root` is the tree, may be a part of what is `whole`.
        """
        if self.unread:
            return None
        pieces: dict[bytes, list[int]] = {}
        wide = False
        piece, is_bound, span = b"", False, (0, -1)
        for place, (start, text, added) in texts.items():
            end = start + len(text.data)
            if start == end:
                continue
            if not span[0] <= start <= end <= span[1]:
                piece, span = self._piece(root, result, (start, end))
                is_bound = self._compiler.bound.search(piece) is not None
            wide = wide or is_bound or self._is_wide(text, added, root, start)
            if not is_bound:
                pieces.setdefault(piece, []).append(place)
        fault = self._of_pieces(pieces)
        if fault is None and wide and (error := self._compiler.whole(whole())) is not None:
            fault = self._fault(error, b"")
        return None if fault is None or self._is_unread() else fault

    def _is_wide(self, text: Text, added: Sequence[bytes], root: Node, start: int) -> bool:
        """Do surroundings decide whether it is right? What was captured stays where it was."""
        compiler, data = self._compiler, text.data
        if compiler.spread.search(data) or self._repeats(text, root, start):
            return True
        if compiler.wide.search(data) and any(map(compiler.wide.search, _between(text))):
            return True
        return any(map(compiler.flow.search, added))

    def _repeats(self, text: Text, root: Node, start: int) -> bool:
        """Does a list hold a keyword twice that the template, or a capture twice, has written?"""
        names = self._compiler.keyword.findall(text.data)
        twice = {name for name in names if names.count(name) > 1}
        if not twice:
            return False
        slots = [mark.name for mark in text.marks if mark.name]
        written = b" ".join(_between(text))
        if len(slots) == len({*slots}) and not any(name in written for name in twice):
            return False
        return _holds_twice(root, start, start + len(text.data), twice)

    def _of_pieces(self, pieces: Mapping[bytes, list[int]]) -> Fault | None:
        """The fault of statements by themselves: what is wrong in them is wrong anywhere."""
        refusal = self._compiler.statements
        if refusal(b"".join(pieces)) is None:
            return None
        faults = [
            (self._fault(error, piece), places)
            for piece, places in pieces.items()
            if (error := refusal(piece)) is not None
        ]
        blamed = {places[0]: fault for fault, places in faults if len(places) == 1}
        if not faults:
            return None
        first, _ = faults[0]
        return Fault(first.reason, first.detail, (), blamed)

    def _fault(self, error: str, piece: bytes) -> Fault:
        compiler = self._compiler
        where = f": {shown(piece.removeprefix(compiler.nest))}" if piece else ""
        return Fault("breaks_syntax", f"{compiler.name} {compiler.version} says {error!r}{where}")

    def _is_unread(self) -> bool:
        self.unread = self._is_refused
        return self.unread

    @cached_property
    def _is_refused(self) -> bool:
        return self._compiler.whole(self._source) is not None

    def _piece(self, root: Node, result: bytes, span: ByteRange) -> tuple[bytes, ByteRange]:
        """The statement around new text, without the body that it governs.

        All that lies in the range that comes with it would get the same.
        """
        node = _statement(root, *span, self._facts)
        if node is None:
            return result if result.endswith(b"\n") else result + b"\n", _NO_RANGE
        low, end, rest = node.start_byte, node.end_byte, b"\n"
        body = body_of(node)
        alike = (low, end) if body is None and node.type in self._facts.statements else _NO_RANGE
        if body is not None and span[1] <= body.start_byte:
            end, rest = body.start_byte, self._compiler.placeholder
        line = result.rfind(b"\n", 0, low) + 1
        if result[line:low].strip():
            return result[low:end] + rest, alike
        indent = leading(result, low)
        return (self._compiler.nest if indent else b"") + result[line:end] + rest, alike


def _holds_twice(root: Node, low: int, high: int, names: Collection[bytes]) -> bool:
    """Do two children of one node begin with the same of these names, between two places?"""
    cover = root.descendant_for_byte_range(low, high)
    stack = [] if cover is None else [cover]
    while stack:
        inner = [node for node in stack.pop().named_children if node.child_count]
        begun = [node.children[0].text for node in inner]
        if any(begun.count(name) > 1 for name in names):
            return True
        stack += [node for node in inner if node.start_byte < high and low < node.end_byte]
    return False


def added_text(put: Put, source: bytes) -> tuple[bytes, ...]:
    """What an edit adds to a source, piece by piece, in whole words.

    What gives a value to a statement that had none goes with the word before it.
    """
    made: list[bytes] = []
    data, shift = put.text.data, -put.start
    for start, end, new in put.pieces or (_differing(source, put),):
        low, high = start + shift, start + shift + len(new)
        shift += len(new) - (end - start)
        is_value = new.strip() and _NOTHING.match(source, start)
        if is_value:
            low = len(data[:low].rstrip(b" \t"))
        if is_value or data[low : low + 1].isalpha():
            while data[low - 1 : low].isalpha():
                low -= 1
        while data[high - 1 : high].isalpha() and data[high : high + 1].isalpha():
            high += 1
        made.append(data[low:high])
    return tuple(made)


def _differing(source: bytes, put: Put) -> Change:
    """What an edit changes between the bytes that stay at its beginning and at its end."""
    start, end, new = put.change
    old = source[start:end]
    head = _alike(old, new)
    tail = _alike(old[head:][::-1], new[head:][::-1])
    return start + head, end - tail, new[head : len(new) - tail]


def _alike(old: bytes, new: bytes) -> int:
    """How many of the first bytes are the same."""
    differing = (at for at, (one, two) in enumerate(zip(old, new, strict=False)) if one != two)
    return next(differing, min(len(old), len(new)))


def _between(text: Text) -> Iterator[bytes]:
    """What the template wrote, without the captures."""
    at = 0
    for mark in text.marks:
        if mark.name and not mark.composed:  # in which templates have written too
            yield text.data[at : mark.start]
            at = max(at, mark.end)
    yield text.data[at:]


def body_of(node: Node) -> Node | None:
    """What a statement governs; None for a simple one, and where clauses stand in between."""
    inner = node.child_by_field_name("definition") or node  # of what is decorated
    for name in _BODIES:
        body = inner.child_by_field_name(name)
        if body is not None:
            clauses = body.named_child_count and body.named_children[0].type.endswith("_clause")
            return None if clauses else body  # which a `match` is nothing without
    return None


_SPARSE = 400  # bytes of the text for each edit, below which an excerpt is no gain


@dataclass(slots=True)
class Excerpted:
    """A statement, and where the excerpt has it: bytes `start` to `end`, its line break last.

    Of what governs a body only its `head` is there, with a statement in the body's place.
    `last` is where in the source a change may end that keeps to it.
    """

    node: Node
    last: int
    start: int
    end: int
    has_body: bool

    @property
    def by(self) -> int:
        """How far what stands in it is from its place in the source."""
        return self.start - self.node.start_byte


class Excerpt:
    """Statements one below another; `moves` says of each change how far it moves into them."""

    def __init__(self) -> None:
        self.source = b""
        self.statements: list[Excerpted] = []
        self.moves: list[int] = []

    def is_read_alike(self, root: Node) -> bool:
        """Does it parse as the same statements that it was taken from?"""
        nodes = [node for node in root.children if not node.is_extra]
        return (
            not root.has_error
            and len(nodes) == len(self.statements)
            and all(
                node.kind_id == one.node.kind_id
                and node.start_byte == one.start
                and (one.has_body or node.descendant_count == one.node.descendant_count)
                for node, one in zip(nodes, self.statements, strict=True)
            )
        )

    def is_kept(self, root: Node, changes: Sequence[Change], facts: Facts) -> bool:
        """Does its result still consist of as many statements, each in its place?"""
        nodes = [node for node in root.children if not node.is_extra]
        if root.has_error or len(nodes) != len(self.statements):
            return False
        shift = place = 0
        for node, one in zip(nodes, self.statements, strict=True):
            if node.start_byte != one.start + shift or not _is_alike(node, one, facts):
                return False
            while place < len(changes) and changes[place][1] <= one.end:
                low, high, new = changes[place]
                shift += len(new) - (high - low)
                place += 1
        return True


def _is_alike(node: Node, statement: Excerpted, facts: Facts) -> bool:
    """Does a statement of a result still govern a body, or none, as it did before?"""
    body = body_of(node)
    if statement.has_body:
        return (
            node.kind_id == statement.node.kind_id
            and body is not None
            and sum(not child.is_extra for child in body.children) == 1
        )
    return body is None and node.type in facts.statements


def excerpt_of(
    root: Node, source: bytes, spans: Sequence[tuple[int, int]], facts: Facts
) -> Excerpt | None:
    """The statements that hold these spans, which are sorted; None if that is no gain.

    It is none either where a span is not within one statement that has its lines to itself.
    """
    if not facts.statements or root.has_error or len(spans) * _SPARSE > len(source):
        return None
    excerpt = Excerpt()
    parts: list[bytes] = []
    statement: Excerpted | None = None
    for start, end in spans:
        if statement is None or start > statement.last:
            at = 0 if statement is None else statement.end
            node = _statement(root, start, end, facts)
            part = None if node is None else _part(node, source, facts)
            if node is None or part is None:
                return None
            text, last, has_body = part
            statement = Excerpted(node, last, at, at + len(text), has_body)
            excerpt.statements.append(statement)
            parts.append(text)
        if not statement.node.start_byte <= start <= end <= statement.last:
            return None
        excerpt.moves.append(statement.by)
    excerpt.source = b"".join(parts)
    return excerpt


def _statement(root: Node, start: int, end: int, facts: Facts) -> Node | None:
    """The smallest statement that holds the bytes; None if no single one does."""
    node = root.descendant_for_byte_range(start, max(start, end))
    while node is not None and (parent := node.parent) is not None:
        is_in_block = parent.id == root.id or parent.type in facts.blocks
        if is_in_block and not node.type.endswith("_clause"):  # no `case` without its `match`
            return node
        node = parent
    return None


def _part(node: Node, source: bytes, facts: Facts) -> tuple[bytes, int, bool] | None:
    """A statement's text, where a change in it may end, and whether it is a head alone."""
    start = node.start_byte
    if source[source.rfind(b"\n", 0, start) + 1 : start].strip(b" \t"):
        return None
    if node.type not in facts.statements:
        return None
    body = body_of(node)
    if body is not None:
        stands_in = (facts.placeholder or "").encode() + b"\n"
        return source[start : body.start_byte] + stands_in, body.start_byte - 1, True
    end = source.find(b"\n", node.end_byte)
    end = end if end >= 0 else len(source)
    behind = source[node.end_byte : end].strip()
    if behind and not behind.startswith(facts.comments):
        return None
    return source[start:end] + b"\n", node.end_byte, False
