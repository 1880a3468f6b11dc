"""A template as a sequence of leaves: what its tokens and its slots are.

They are those of the template's own parse, in the place that the pattern has in its
context. Where that does not parse they are words and signs.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from tree_sitter import Node

from astedit.language.traits import traits
from astedit.pattern.compile import Goal, Pattern
from astedit.pattern.listed import walk
from astedit.pattern.template import Slot, Template, in_first_place, is_read
from astedit.text.source import ByteRange

# What opens brackets, that of code in a string among it, and what closes them.
OPENERS = frozenset((b"(", b"[", b"{", b"${", b"#{", b"%{", b"$(", b"\\("))
CLOSERS = frozenset((b")", b"]", b"}"))
_WORD = rb"[A-Za-z0-9_\x80-\xff]+|[^\sA-Za-z0-9_\x80-\xff]"
_QUOTE = re.compile(rb"[\"'`]")


class Leaf(NamedTuple):
    """A token, or a slot, and its bytes in `Flat.text`."""

    start: int
    end: int
    text: bytes
    slot: Slot | None = None


class Flat:
    """A template in one piece of bytes, with a name in the place of every slot."""

    def __init__(self, template: Template, mark: str) -> None:
        self.template = template
        self.slots: list[tuple[int, int, Slot]] = []
        out = bytearray()
        for part, text in zip(template.parts, template.filled(mark), strict=True):
            if isinstance(part, Slot):
                self.slots.append((len(out), len(out) + len(text), part))
            out += text
        self.text = bytes(out)

    def parts(self, low: int, high: int) -> tuple[bytes | Slot, ...]:
        """What the template has between two places, none of them inside a slot."""
        parts: list[bytes | Slot] = []
        at = low
        for start, end, slot in self.slots:
            if low <= start and end <= high:
                parts += [self.text[at:start], slot]
                at = end
        parts.append(self.text[at:high])
        return tuple(part for part in parts if part != b"")


def margins(parts: Sequence[bytes | Slot]) -> tuple[bytes, bytes]:
    """The white space that a template has at both ends of some of its parts."""
    first, last = (parts[0], parts[-1]) if parts else (b"", b"")
    head = first[: len(first) - len(first.lstrip())] if isinstance(first, bytes) else b""
    return head, last[len(last.rstrip()) :] if isinstance(last, bytes) else b""


def template_leaves(flat: Flat, pattern: Pattern) -> tuple[Leaf, ...]:
    """The leaves of a template that takes the place of a pattern."""
    spans = _parsed(flat, pattern)
    leaves = None if spans is None else _with_slots(flat, spans)
    if leaves is None:
        leaves = _with_slots(flat, list(_words(flat, pattern)))
    return tuple(leaves or ())


def parsed(flat: Flat, pattern: Pattern) -> tuple[int, Node]:
    """Where a template begins, and the tree of it in the place of its pattern.

    A grammar of whole files takes no `$A - 1` there: then it is the first place that does, but
    for what a selector says is no value. What is in quotes may be code in one place, and text in
    another.
    """
    root, brackets = pattern.placed(flat.text), traits(pattern.row.name).brackets
    kind = pattern.root_kind_name
    is_value = kind is None or brackets is None or brackets.may_hold(kind)
    if is_value and not is_read(root) and not _QUOTE.search(flat.text):
        low, other, _ = in_first_place(flat.text, pattern.row)
        if is_read(other):
            return low, other
    return pattern.start, root


def _parsed(flat: Flat, pattern: Pattern) -> list[ByteRange] | None:
    """The tokens as the grammar sees them; None where it does not."""
    low, root = parsed(flat, pattern)
    if root.has_error:
        return None
    high = low + len(flat.text)
    spans: list[ByteRange] = []
    for start, end in _tokens(root, traits(pattern.row.name).facts.literals):
        if low <= start and end <= high:
            spans.append((start - low, end - low))
        elif start < high and low < end:
            return None  # what stands beside the template has grown into it
    return spans


def takes_comma(text: bytes, at: int, pattern: Pattern) -> bool:
    """Does a comma before the closing bracket there say nothing, as at the end of a list?

    The text stands in the place of the pattern. `(a,)` is a tuple, `x[a,]` has one for an
    index, and `(yield a,)` yields one.
    """
    plain, other = pattern.placed(text), pattern.placed(text[:at] + b"," + text[at:])
    if plain.has_error or other.has_error or _kinds(plain) != _kinds(other):
        return False
    at += pattern.start
    comma = other.descendant_for_byte_range(at, at + 1)
    listing = None if comma is None or comma.type != "," else comma.parent
    if comma is None or listing is None or listing.end_byte <= at + 1:
        return False
    signs = [node for node in listing.children if node.type == ","]
    ends = comma.next_sibling is not None and comma.next_sibling.end_byte == at + 2
    return ends and (len(signs) > 1 or listing.type not in traits(pattern.row.name).facts.tuples)


def _kinds(root: Node) -> list[str]:
    return [node.type for node in walk(root) if node.is_named]


def _tokens(root: Node, literals: frozenset[str]) -> Iterator[ByteRange]:
    """The leaves of a tree; in a literal also the text between them, blanks included."""
    stack: list[Node | ByteRange] = [root]
    while stack:
        item = stack.pop()
        if isinstance(item, tuple):
            yield item
        elif item.child_count == 0:
            if item.start_byte < item.end_byte:
                yield item.start_byte, item.end_byte
        elif item.type in literals:
            stack.extend(reversed(list(_filled(item))))
        else:
            stack.extend(reversed(item.children))


def _filled(literal: Node) -> Iterator[Node | ByteRange]:
    at = literal.start_byte
    for child in literal.children:
        if at < child.start_byte:
            yield at, child.start_byte
        yield child
        at = child.end_byte
    if at < literal.end_byte:
        yield at, literal.end_byte


def in_literals(pattern: Pattern, text: bytes, starts: Iterable[int]) -> frozenset[int]:
    """Which of the places, in a text that is where the pattern is, are inside a literal.

    By their numbers. An inner literal begins in code of the outer one. All are listed in one walk:
    to ask for the node of each place takes minutes of a template of 64 KiB.
    """
    if not _QUOTE.search(text):
        return frozenset()
    root, kinds = pattern.placed(text), traits(pattern.row.name).facts.literals
    quoted = bytearray(root.end_byte + 1)
    for node in walk(root):
        if node.type in kinds and node.start_byte < node.end_byte:
            size = node.end_byte - node.start_byte
            quoted[node.start_byte : node.end_byte] = b"\0".ljust(size, b"\1")
    return frozenset(number for number, start in enumerate(starts) if quoted[start])


def _words(flat: Flat, pattern: Pattern) -> Iterator[ByteRange]:
    """Words and signs, those of the pattern first: it knows `==` for one."""
    known = {goal.text for goal in pattern.leaves if goal.hole is None and goal.text.strip()}
    longest = sorted(known, key=lambda text: (-len(text), text))
    signs = [re.escape(text) for text in longest if not re.match(rb"\w", text)]
    text = bytearray(flat.text)
    for start, end, _ in flat.slots:  # `$` may be a sign
        text[start:end] = b" " * (end - start)
    for found in re.finditer(b"|".join([*signs, _WORD]), text):
        yield found.span()


def _with_slots(flat: Flat, spans: list[ByteRange]) -> list[Leaf] | None:
    """The leaves that tokens and slots make; None where a slot is only a part of a word."""
    places = [(start, end) for start, end, _ in flat.slots]
    cut = list(_cut(spans, places))
    ends = [end for _, end in places]
    starts = [start for start, _ in places]
    if any(bisect_right(ends, low) < bisect_left(starts, high) for low, high in cut):
        return None
    leaves = [Leaf(start, end, flat.text[start:end]) for start, end in _covering(flat, cut)]
    leaves += [Leaf(start, end, b"", slot) for start, end, slot in flat.slots]
    return sorted(leaves, key=lambda leaf: leaf.start)


def _cut(spans: list[ByteRange], places: list[ByteRange]) -> Iterator[ByteRange]:
    """The tokens without the slots that they hold."""
    starts = [start for start, _ in places]
    for low, high in spans:
        at = low
        for start, end in places[bisect_left(starts, low) : bisect_left(starts, high)]:
            if end <= high:
                if at < start:
                    yield at, start
                at = end
        if at < high:
            yield at, high


def _covering(flat: Flat, cut: list[ByteRange]) -> Iterator[ByteRange]:
    """The tokens, and what of the text is in none of them and not blank."""
    taken = sorted([*cut, *((start, end) for start, end, _ in flat.slots)])
    at = 0
    for low, high in [*taken, (len(flat.text), len(flat.text))]:
        yield from ((at + m.start(), at + m.end()) for m in re.finditer(_WORD, flat.text[at:low]))
        at = max(at, high)
    yield from cut


_MOST = 1_000_000  # pairs of leaves to compare; a longer template is written as a whole
Pair = tuple[int, int]  # a leaf of the pattern and the leaf of the template that it stays as
# Of a subsequence: its leaves, slots, and tokens as deep in brackets.
_Length = tuple[int, int, int]


def slot_of(goal: Goal) -> Slot | None:
    """The slot that a hole of a pattern fills; None for a token."""
    hole = goal.hole
    return None if hole is None or hole.name is None else Slot(hole.name, hole.many)


def common(goals: Sequence[Goal], leaves: Sequence[Leaf]) -> tuple[Pair, ...]:
    """The longest common subsequence, as pairs of places.

    Of equally long ones that with the most slots, then that with the most tokens as deep in
    brackets as before (of `{$V: 1}:` the last colon is that of `for`), then the leftmost.
    """
    if len(goals) * len(leaves) > _MOST:
        return ()
    texts = [slot_of(goal) or (goal.text if goal.hole is None else None) for goal in goals]
    mine = [*_once(reversed(texts))][::-1]  # what it was found with last is what a name holds
    others = [*_once(leaf.slot or leaf.text for leaf in leaves)]
    depths = _depths(goals), _depths(leaves)
    best = [[(0, 0, 0)] * (len(others) + 1) for _ in range(len(mine) + 1)]
    for i in range(len(mine) - 1, -1, -1):
        for j in range(len(others) - 1, -1, -1):
            best[i][j] = max(best[i + 1][j], best[i][j + 1])
            if mine[i] is not None and mine[i] == others[j]:
                as_deep = depths[0][i] == depths[1][j]
                best[i][j] = max(best[i][j], _longer(best[i + 1][j + 1], mine[i], as_deep))
    return tuple(_leftmost(mine, others, best, depths))


def _depths(leaves: Sequence[Goal] | Sequence[Leaf]) -> list[int]:
    """In how many brackets each leaf stands."""
    made: list[int] = []
    depth = 0
    for leaf in leaves:
        depth -= leaf.text in CLOSERS
        made.append(depth)
        depth += leaf.text in OPENERS
    return made


def _once(keys: Iterable[bytes | Slot | None]) -> Iterator[bytes | Slot | None]:
    """The same, with nothing in the place of a slot that comes again."""
    seen: set[Slot] = set()
    for key in keys:
        yield None if key in seen else key
        if isinstance(key, Slot):
            seen.add(key)


def _longer(rest: _Length, key: bytes | Slot | None, as_deep: bool) -> _Length:
    """A subsequence with one more leaf."""
    is_slot = isinstance(key, Slot)
    return rest[0] + 1, rest[1] + is_slot, rest[2] + (as_deep and not is_slot)


def _leftmost(
    mine: Sequence[bytes | Slot | None],
    others: Sequence[bytes | Slot | None],
    best: list[list[_Length]],
    depths: tuple[list[int], list[int]],
) -> list[Pair]:
    pairs: list[Pair] = []
    j = 0
    for i, key in enumerate(mine):
        for other in range(j, len(others)) if key is not None else ():
            length = _longer(best[i + 1][other + 1], key, depths[0][i] == depths[1][other])
            if key == others[other] and best[i][j] == length:
                pairs.append((i, other))
                j = other + 1
                break
    return pairs
