"""What compiled before compiles after: the language's own compiler is asked. (F12)

tree-sitter accepts what compilers refuse: a keyword before a positional argument, a star
where there is nothing to unpack. Only the statements that edits touch are looked at, and
the whole text where they alone cannot tell.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from tree_sitter import Node

from astedit.language.facts import Facts
from astedit.language.traits import Compiler
from astedit.rewrite.prove.fault import Fault, Put, shown
from astedit.text.indent import Text, leading
from astedit.text.source import ByteRange, Change, smallest, splice


class PlacedText(NamedTuple):
    """Where a text begins, what it is, what it has anew, in whole words, and what went for it."""

    start: int
    text: Text
    added: tuple[bytes, ...]
    removed: tuple[bytes, ...]


_NOTHING = re.compile(rb"[ \t]*(?:[;#\r\n]|\Z)")
_NO_RANGE = (0, -1)
_BODIES = ("body", "consequence")  # fields of what a statement's head governs


class Compilation:
    """Asks a compiler about results of one text."""

    def __init__(self, source: bytes, compiler: Compiler, facts: Facts) -> None:
        self._source = source
        self._compiler = compiler
        self._facts = facts

    def fault(self, root: Node, result: bytes, texts: Sequence[PlacedText]) -> Fault | None:
        """What the compiler has against a result with these new texts."""
        pieces: dict[bytes, None] = {}
        wide = self._compiler.distant in self._source
        piece, is_bound, span = b"", False, _NO_RANGE
        for start, text, added, removed in texts:
            end = start + len(text.data)
            if not span[0] <= start <= end <= span[1]:
                piece, span = self._piece(root, result, (start, end))
                is_bound = self._compiler.bound.search(piece) is not None
            wide = wide or is_bound or self._is_wide(text, added, root, start)
            gone = (word for piece in removed for word in self._compiler.wide.findall(piece))
            wide = wide or any(word not in text.data for word in gone)
            if not is_bound:
                pieces[piece] = None
        fault = self._of_pieces(pieces)
        if fault is None and wide and (error := self._compiler.whole(result)) is not None:
            return self._fault(error, b"")
        return fault

    def _is_wide(self, text: Text, added: Sequence[bytes], root: Node, start: int) -> bool:
        """Do surroundings decide whether it is right? What was captured stays where it was."""
        compiler, data = self._compiler, text.data
        twice = written_twice(compiler, text)
        end = start + len(data)
        if compiler.spread.search(data) or (twice and _holds_twice(root, start, end, twice)):
            return True
        if compiler.wide.search(data) and any(map(compiler.wide.search, _between(text))):
            return True
        return any(map(compiler.flow.search, added))

    def _of_pieces(self, pieces: Collection[bytes]) -> Fault | None:
        """The fault of statements by themselves: what is wrong in them is wrong anywhere."""
        refusal = self._compiler.statements
        if refusal(b"".join(pieces)) is not None:
            for piece in pieces:
                if (error := refusal(piece)) is not None:
                    return self._fault(error, piece)
        return None

    def _fault(self, error: str, piece: bytes) -> Fault:
        compiler = self._compiler
        where = f": {shown(piece.removeprefix(compiler.nest))}" if piece else ""
        return Fault("breaks_syntax", f"{compiler.name} {compiler.version} says {error!r}{where}")

    @cached_property
    def is_refused(self) -> bool:
        """Is the text one of another version?"""
        return self._compiler.whole(self._source) is not None

    def _piece(self, root: Node, result: bytes, span: ByteRange) -> tuple[bytes, ByteRange]:
        """The statement around new text, without the body that it governs.

        All that lies in the range that comes with it would get the same.
        """
        if (part := self._part(root, result, span)) is None:
            return result.removesuffix(b"\n") + b"\n", _NO_RANGE
        return part.nest + result[part.start : part.end] + part.rest, part.alike

    def _part(self, root: Node, text: bytes, span: ByteRange) -> "_Statement | None":
        if (node := _statement(root, *span, self._facts)) is None or node.is_extra:
            return None
        low, end, rest = node.start_byte, node.end_byte, b"\n"
        body = body_of(node)
        alike = (low, end) if body is None and node.type in self._facts.statements else _NO_RANGE
        if body is not None and span[1] <= body.start_byte:
            end, rest = body.start_byte, self._compiler.placeholder
        line = text.rfind(b"\n", 0, low) + 1
        if text[line:low].strip():
            return _Statement(low, end, b"", rest, alike)
        return _Statement(
            line, end, self._compiler.nest if leading(text, low) else b"", rest, alike
        )

    def refuses(self, root: Node, changes: Sequence[Change]) -> bool:
        """Does the compiler refuse a statement of the source when changes are made in it?

        `root` is the source's tree; so nothing has to be parsed again.
        """
        pieces: list[bytes] = []
        part, inside = None, list[Change]()
        for change in changes:
            start, end, _ = change
            if part is None or not part.start <= start <= end <= part.end:
                pieces += self._spliced(part, inside)
                part, inside = self._part(root, self._source, (start, end)), []
                if part is None:
                    return True
            inside.append(change)
        pieces += self._spliced(part, inside)
        return self._compiler.statements(b"".join(pieces)) is not None

    def breaks(self, root: Node, changes: Sequence[Change]) -> bool:
        """Does it refuse a statement for these changes, and not as it was?"""
        idle = [(low, high, self._source[low:high]) for low, high, _ in changes]
        return self.refuses(root, changes) and not self.refuses(root, idle)

    def _spliced(self, part: "_Statement | None", changes: Sequence[Change]) -> Iterator[bytes]:
        if part is None:
            return
        low = part.start
        moved = [(start - low, end - low, new) for start, end, new in changes]
        piece = splice(self._source[low : part.end], moved)
        if not self._compiler.bound.search(piece):
            yield part.nest + piece + part.rest


class _Statement(NamedTuple):
    """Bytes of a text that are a statement, and what makes a text by itself of them."""

    start: int
    end: int
    nest: bytes
    rest: bytes
    alike: ByteRange


def written_twice(compiler: Compiler, text: Text) -> set[bytes]:
    """The keywords that a list may hold twice: the template has them, or a capture comes twice."""
    names = compiler.keyword.findall(text.data)
    if len(names) == len({*names}):
        return set()
    twice = {name for name in names if names.count(name) > 1}
    slots = [mark.name for mark in text.marks if mark.name]
    written = b" ".join(_between(text))
    is_written = len(slots) > len({*slots}) or any(name in written for name in twice)
    return twice if is_written else set()


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
    for start, end, new in put.pieces or (smallest(source, put.change),):
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
        if (body := inner.child_by_field_name(name)) is not None:
            clauses = body.named_child_count and body.named_children[0].type.endswith("_clause")
            return None if clauses else body  # which a `match` is nothing without
    return None


def _statement(root: Node, start: int, end: int, facts: Facts) -> Node | None:
    """The smallest statement that holds the bytes; None if no single one does."""
    node = root.descendant_for_byte_range(start, max(start, end))
    while node is not None and (parent := node.parent) is not None:
        is_in_block = parent.id == root.id or parent.type in facts.blocks
        if is_in_block and not node.type.endswith("_clause"):  # no `case` without its `match`
            return node
        node = parent
    return None
