"""One edit as tokens: which of them it keeps, and what it puts in their place.

White space is left aside, and so is a backslash before a line's end. A run of tokens that
stands before and after is kept, wherever it stands; for long texts the tokens are lines.
Linear in the length of the edit.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from astedit.text.source import alike_ends

LONG = 4_096  # characters; a longer text is compared by lines, since it is read by lines
_SHORT, _KNOWN = 400, 2_048  # characters, and edits: at most some 30 MB
TRIED = 8  # places at which a run may begin; one more would rarely find a longer run
TOKEN = re.compile(
    r'"(?:[^"\\\n]|\\.){0,200}"|\'(?:[^\'\\\n]|\\.){0,200}\'|[^\W\d]\w*|\d[\w.]*'
    r"|\\(?!\r?\n)|[^\w\s\\]|\w"
)
_LINE = re.compile(r"\S[^\n]*")
_WORD, _LITERAL = "\0word", "\0literal"

Tokens = Sequence[str]


@dataclass(slots=True, eq=False, repr=False)
class SketchPart:
    """Consecutive tokens of one side; `run` numbers those that both sides have."""

    start: int
    end: int
    run: int | None = None


class SlotSpan(NamedTuple):
    """Where a slot is: from `start` to `end` in the tokens of its side."""

    tokens: Tokens
    start: int
    end: int
    run: int | None


@dataclass(slots=True, eq=False, repr=False)
class Sketch:
    """One edit as tokens, and which of them it keeps."""

    before: Tokens
    after: Tokens
    old: list[SketchPart]
    new: list[SketchPart]
    pattern: re.Pattern[str] = TOKEN
    _keys: dict[bool, tuple[object, ...]] = field(default_factory=dict)

    def key(self, fine: bool) -> tuple[object, ...]:
        """Equal for alike edits; `fine` tells apart how unkept tokens are arranged."""
        if fine not in self._keys:
            old = (self._mark(part, self.before, fine) for part in self.old)
            new = (self._mark(part, self.after, fine) for part in self.new)
            self._keys[fine] = (*old, None, *new)
        return self._keys[fine]

    def _mark(self, part: SketchPart, tokens: Tokens, fine: bool) -> object:
        if part.run is not None:
            return part.run
        return tuple(map(_kind, tokens[part.start : part.end])) if fine else -1

    def spans(self, fine: bool) -> Iterator[SlotSpan]:
        """Where the slots are, in the order of labels."""
        for tokens, parts in ((self.before, self.old), (self.after, self.new)):
            for part in parts:
                if part.run is None and fine:
                    places = range(part.start, part.end)
                    yield from (SlotSpan(tokens, i, i + 1, None) for i in places)
                else:
                    yield SlotSpan(tokens, part.start, part.end, part.run)

    def pieces(self, fine: bool) -> Iterator[Tokens]:
        """The tokens of every slot; a run is one slot, although it stands on both sides."""
        seen = set[int]()
        for tokens, start, end, run in self.spans(fine):
            if run is None or run not in seen:
                yield tokens[start:end]
            if run is not None:
                seen.add(run)


def sketch_of(before: str, after: str) -> Sketch:
    """What an edit with these texts keeps; short ones are kept for the next preview."""
    return (_known if max(len(before), len(after)) <= _SHORT else _sketch)(before, after)


def _sketch(before: str, after: str) -> Sketch:
    pattern = _LINE if max(len(before), len(after)) > LONG else TOKEN
    old, new = pattern.findall(before), pattern.findall(after)
    runs = sorted(_runs(old, new))
    ones = [(b, b + n, number) for number, (b, _, n) in enumerate(runs)]
    twos = sorted((a, a + n, number) for number, (_, a, n) in enumerate(runs))
    kept, moved = list(_parts(ones, len(old))), list(_parts(twos, len(new)))
    return Sketch(old, new, kept, moved, pattern)


_known = lru_cache(_KNOWN)(_sketch)


def _parts(runs: list[tuple[int, int, int]], length: int) -> Iterator[SketchPart]:
    last = 0
    for start, end, number in runs:
        if last < start:
            yield SketchPart(last, start)
        yield SketchPart(start, end, number)
        last = end
    if last < length:
        yield SketchPart(last, length)


def _runs(old: Tokens, new: Tokens) -> Iterator[tuple[int, int, int]]:
    """What is kept: start in the old tokens, start in the new ones, length; none overlap."""
    head, tail = alike_ends(old, new)
    closing = tail and all(_kind(token) == token for token in new[len(new) - tail :])
    if closing and any(_moved(old, new, head, 0)):
        tail = 0  # brackets that close something of their own: `x = f(a)` and `put(x, f(a))`
    if head:
        yield 0, 0, head
    if tail:
        yield len(old) - tail, len(new) - tail, tail
    yield from _moved(old, new, head, tail)


def _moved(old: Tokens, new: Tokens, head: int, tail: int) -> Iterator[tuple[int, int, int]]:
    """Runs between the common head and tail, in whatever order: each begins with a word."""
    places: dict[str, list[int]] = {}
    wanted = set(new[head : len(new) - tail])
    for i, token in enumerate(old[head : len(old) - tail], head):
        if token in wanted:
            places.setdefault(token, []).append(i)
    taken = set[int]()
    j = head
    while j < len(new) - tail:
        starts = places.get(new[j])
        starts = starts[:TRIED] if starts and _kind(new[j]) != new[j] else []
        sized = [(_free(old, new, i, j, taken, tail), -i) for i in starts if i not in taken]
        size, start = max(sized, default=(0, 0))
        if size:
            taken.update(range(-start, size - start))
            yield -start, j, size
        j += size or 1


def _free(old: Tokens, new: Tokens, i: int, j: int, taken: set[int], tail: int) -> int:
    """How long the run is that begins at `i` in the old and at `j` in the new tokens."""
    size = 0
    most = min(len(old) - i, len(new) - j) - tail
    while size < most and old[i + size] == new[j + size] and i + size not in taken:
        size += 1
    return size


def _kind(token: str) -> str:
    """The kind of a token (word, literal); a sign is its own kind."""
    first = token[0]
    if first in "\"'" or first.isdigit():
        return _LITERAL if len(token) > 1 or first.isdigit() else token
    return _WORD if first == "_" or first.isalpha() else token
