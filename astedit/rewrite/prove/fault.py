"""What is wrong with the result of edits: with its syntax, or with what stands beside them."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple

from tree_sitter import Node, Tree

from astedit.language.facts import TEXT, Facts
from astedit.language.traits import Traits
from astedit.pattern.listed import flaws
from astedit.rewrite.make.template_tree import TemplateTree, behind, smallest
from astedit.text import shortened
from astedit.text.indent import Text
from astedit.text.source import ByteRange, Change, before_break, line_start, united

_SHOWN = 80  # characters of a piece of code that a message shows
_LONGEST = 1000  # and of a misreading


class Misreading(NamedTuple):
    """The two readings of an edit that would change the structure of the code.

    `read` is what the result would be read as, `meant` what was meant, with the piece that
    is concerned in brackets. `capture` is the name of the metavariable that the piece comes
    from, None if the piece is all of the edit.
    """

    capture: str | None
    read: str
    meant: str


class Fault(NamedTuple):
    """Why edits are not made: `breaks_syntax` or `changes_structure`, and what exactly is wrong.

    `torn` are the numbers of the marks of one edit that are no longer whole. `blamed` names
    the edits that have a fault each without the help of others; empty where nobody knows.
    """

    reason: str
    detail: str
    torn: tuple[int, ...] = ()
    blamed: "Mapping[int, Fault]" = MappingProxyType({})
    misreading: Misreading | None = None


def shown(text: bytes) -> str:
    """A piece of code on one line, in backquotes; cut where it is long."""
    line = " ".join(text.decode("utf-8", "replace").split())
    return f"`{shortened(line, _SHOWN)}`"


def changed(what: str, both: Misreading, numbers: tuple[int, ...]) -> Fault:
    """The fault of an edit that is read as something else."""
    read, meant = (shown(text.encode()) for text in (both.read, both.meant))
    detail = f"{what}: reads as {read}, meant is {meant}"
    return Fault("changes_structure", detail, numbers, misreading=both)


def misreading(root: Node, low: int, high: int, result: bytes, name: str) -> Misreading:
    """What a piece of a result is read in, and the same with brackets around the piece."""
    node = _around(root, low, high)
    start = node.start_byte if node else line_start(result, low)
    end = node.end_byte if node else before_break(result, high)
    inner = result[low:high].strip()
    low += len(result[low:high]) - len(result[low:high].lstrip())
    high = low + len(inner)
    meant = b"%b(%b)%b" % (result[start:low], inner, result[high:end])
    return Misreading(name or None, cut(result[start:end]), cut(meant))


def cut(text: bytes) -> str:
    """Code as a misreading shows it."""
    return shortened(text.decode("utf-8", "replace"), _LONGEST)


def _around(root: Node, low: int, high: int) -> Node | None:
    """The smallest node that holds a piece of text and something beside it; not all the file."""
    node: Node | None = smallest(root, low, high)
    while node is not None and low <= node.start_byte and node.end_byte <= high:
        node = node.parent
    return None if node is None or node.parent is None else node


class Put(NamedTuple):
    """New text in the place of bytes `start` to `end`, which with `is_node` are a node.

    `pieces` are the same in the smallest pieces, if they are known: more of the old tree is
    then used again. `tree` is what the text is to be read as, if that is known. `node` is what
    was found there, `unused` what single holes took that the text has not. `brackets` are those
    that `text` got after it was made.
    """

    start: int
    end: int
    text: Text
    is_node: bool = False
    pieces: tuple[Change, ...] = ()
    tree: TemplateTree | None = None
    node: Node | None = None
    unused: tuple[Node, ...] = ()
    brackets: tuple[Change, ...] = ()
    gone: Node | None = None

    @property
    def change(self) -> Change:
        """What it does to the text."""
        return self.start, self.end, self.text.data

    @property
    def nodes(self) -> Iterator[Node]:
        """What was found, there and in captures, and what single holes took."""
        if self.node is not None:
            yield self.node
            marks = (one for one in self.text.marks if one.name or one.composed)
            yield from (one.nodes[0] for one in marks if one.nodes and not one.many)
        yield from self.unused

    @property
    def smallest(self) -> tuple[Change, ...]:
        """The same in pieces as small as they are known."""
        return self.pieces or (self.change,)


def count_flaws(root: Node) -> int:
    """How many there are; 0 without looking where all is right."""
    return sum(1 for _ in flaws(root))


def parses_no_worse(before: Node, after: Node, start: int, result: bytes) -> Fault | None:
    """None if a result has no more flaws than the text had; byte `start` is its first change."""
    if count_flaws(after) <= count_flaws(before):
        return None
    return flawed(after, start, result)


def flaw_in_new_text(before: Node, root: Node, puts: Sequence[Put]) -> int | None:
    """Where the first flaw is that new text has outside of its captures; None if nowhere.

    A text may have had as many flaws before, in code that an edit took away. What lacks at the
    end of new text is a flaw of it if nothing lacked in the old text.
    """
    shift = 0
    lacking = [node.start_byte for node in flaws(before) if node.is_missing]
    known = sorted((node.start_byte, node.end_byte) for node in flaws(root))
    for put in puts:
        low = put.start + shift
        high = low + len(put.text.data)
        spared = [(low + mark.start, low + mark.end) for mark in put.text.marks]
        for start, end in known[bisect_left(known, (low, low)) :]:
            if start >= high:
                if end == high and not any(put.start <= at <= put.end for at in lacking):
                    return start
                break
            if end <= high and not any(one <= start and end <= two for one, two in spared):
                return start
        shift += len(put.text.data) - (put.end - put.start)
    return None


def flawed(root: Node, start: int, result: bytes) -> Fault:
    """Names the first flaw that stands at byte `start` or behind it, or else the first."""
    node = next((node for node in flaws(root) if node.end_byte >= start), None)
    node = node or next(flaws(root))
    at = node.start_byte
    if node.start_byte < start < node.end_byte and not (node.is_missing or node.is_error):
        at = start  # what lacks its end may be all of a file
    line = shown(result[result.rfind(b"\n", 0, at) + 1 :].partition(b"\n")[0])
    if node.is_missing:
        what = f"a {node.type!r} is missing"
    elif node.is_error and node.end_byte > node.start_byte:
        what = f"{shown(result[node.start_byte : node.end_byte])} is unexpected"
    else:
        what = f"a {node.type} does not end so"
    return Fault("breaks_syntax", f"{what}: {line}")


_SILENT = re.compile(rb"[\s;]*")
_BLANK = b"; \t\r\n"


def region_of(root: Node, source: bytes, change: Change, traits: Traits) -> ByteRange:
    """The smallest node that contains a change: within it the structure may differ.

    It is widened to its parent as long as the parent adds nothing but white space and `;`. What
    is another kind of node with an operand in brackets goes with it, as C's `(T) a` is.
    """
    start, end, _ = change
    node = smallest(root, start, end)
    parent = node.parent
    while (
        parent is not None
        and _SILENT.fullmatch(source, parent.start_byte, node.start_byte)
        and _SILENT.fullmatch(source, node.end_byte, parent.end_byte)
    ):
        node, parent = parent, parent.parent
    others = traits.brackets.same.values() if traits.brackets is not None else ()
    if parent and (parent.type in others or _moves_start(parent, change, traits.facts)):
        node = parent
    start, end = min(start, node.start_byte), max(end, node.end_byte)
    before, behind = node.prev_sibling, node.next_sibling
    if before and _goes_on(before, before.end_byte == start, traits.facts):
        start = before.start_byte
    if behind and _goes_on(behind, behind.start_byte == end, traits.facts):
        end = behind.end_byte
    return start, end


def _goes_on(beside: Node, is_joined: bool, facts: Facts) -> bool:
    """Is it text that may be one with new text beside it?"""
    return beside.type in facts.texts and (is_joined or beside.type == TEXT)


def _moves_start(block: Node, change: Change, facts: Facts) -> bool:
    """Is the block one without braces, which begins behind the comments that now begin it?"""
    start, _, new = change
    begins = block.type in facts.blocks | facts.bare and block.start_byte == start
    return begins and (not new or new.startswith(facts.comments))


def strayed(
    before: Tree,
    after: Tree,
    allowed: Sequence[ByteRange],
    changes: Sequence[Change],
    result: bytes,
    facts: Facts,
) -> Fault | None:
    """The fault of a result that differs in structure where it was not edited."""
    moved = _Moved(changes)
    merged = united(
        (moved.start(low), behind(after.root_node, result, moved.end(high), facts.bullets))
        for low, high in allowed
    )
    starts = [low for low, _ in merged]
    for difference in before.changed_ranges(after):
        at = bisect_right(starts, difference.start_byte) - 1
        span = difference.start_byte, difference.end_byte
        read = [tree.root_node.descendant_for_byte_range(*span) for tree in (before, after)]
        is_comment = all(node and node.is_extra and node.byte_range == span for node in read)
        if is_comment or not result[slice(*span)].strip(_BLANK):
            continue  # read in another state, or an end of what goes on to there
        if at < 0 or difference.end_byte > merged[at][1]:
            before_it = [one for one in allowed if moved.start(one[0]) <= difference.start_byte]
            low, high = (before_it or allowed[:1])[-1]
            both = misreading(after.root_node, moved.start(low), moved.end(high), result, "")
            return changed("it binds with what stands beside it", both, ())
    return None


def run_together(
    before: Node, after: Node, places: Sequence[int], puts: Sequence[Put], result: bytes
) -> Fault | None:
    """The fault of edits that become one piece of code with the edit before them.

    So two lines of JavaScript do where the second comes to begin with a bracket.
    """
    blamed: dict[int, Fault] = {}
    moved, source, at = _Moved([put.change for put in puts]), before.text or b"", before.start_byte
    for place, (one, two) in zip(places[1:], pairwise(puts), strict=True):
        gap = source[one.end - at : two.start - at]
        low, high = moved.end(one.end), moved.start(two.start)
        if gap.strip() or not one.text.data or two.text.data[:1] in b";" or one.start == one.end:
            continue  # a `;` ends what is before it
        old, new = smallest(before, one.end - 1, two.start + 1), smallest(after, low - 1, high + 1)
        if new.type not in (old.type, TEXT):
            both = misreading(after, high, moved.end(two.end), result, "")
            blamed[place] = changed("it goes on with the edit before it", both, ())
    first = next(iter(blamed.values()), None)
    return None if first is None else first._replace(blamed=blamed)


def swallowed(
    before: Node, after: Node, changes: Sequence[Change], source: bytes, result: bytes
) -> Fault | None:
    """The fault of a deletion with what is left on both sides run together, as in `if (a) b()`."""
    moved = _Moved(changes)
    gone = (
        (low, behind.end())
        for low, high, new in changes
        if not new.strip() and source[low:high].strip(_BLANK)
        if (behind := _SILENT.match(source, high)) is not None
    )
    for start, end in united(gone):
        joined = _beside(after, result, moved.start(start), moved.end(end))
        if joined.type not in (_beside(before, source, start, end).type, TEXT):
            both = misreading(after, joined.start_byte, joined.end_byte, result, "")
            return changed("what is left on both sides runs together", both, ())
    return None


def _beside(root: Node, text: bytes, low: int, high: int) -> Node:
    """The smallest node with what is before and behind a part of a text."""
    while low and text[low - 1 : low].isspace():
        low -= 1
    while text[high : high + 1].isspace():
        high += 1
    return smallest(root, low - 1, high + 1) if low and high < len(text) else root


class _Moved:
    """Where places of the old text are in the new one.

    A change moves a start if it lies before it, and an end if it begins before it. A
    place inside of a change moves to that end of the new text.
    """

    def __init__(self, changes: Sequence[Change]) -> None:
        self._starts = [change[0] for change in changes]
        self._ends = [change[1] for change in changes]
        self._sums = [0]
        for start, end, new in changes:
            self._sums.append(self._sums[-1] + len(new) - (end - start))

    def start(self, at: int) -> int:
        before = min(bisect_right(self._ends, at), bisect_left(self._starts, at))
        if before < len(self._starts) and self._starts[before] < at:
            at = self._starts[before]
        return at + self._sums[before]

    def end(self, at: int) -> int:
        before = bisect_left(self._starts, at)
        if before and at < self._ends[before - 1]:
            at = self._ends[before - 1]
        return at + self._sums[before]
