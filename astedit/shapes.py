"""Groups of alike edits: what varies within a group becomes a hole.

An edit is read as tokens, white space aside. What it keeps (runs of tokens that stand
before and after) may differ from edit to edit, so `print(a)` and `print(f(b), 1)` are
alike if both become `log.info` of the same: `print(…) -> log.info(…)`. Within a group
each run, and each token that is not kept, is reduced to what all edits have in common at
its two ends; the rest is a hole, with the same number on both sides. Linear in the edits;
the groups and labels depend on the plan's edits alone.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from astedit.model import Edit, Example, Plan, Shape

FEW = 12  # exact groups of an op; of its other edits only what they keep is compared
LONG = 4_096  # characters; a longer text is compared by lines, since it is read by lines
TRIED = 8  # places at which a run may begin; one more would rarely find a longer run
SHOWN = 120  # characters of one side of a label
QUOTED = 240  # characters of one side of an example
_TOKEN = re.compile(
    r'"(?:[^"\\\n]|\\.){0,200}"|\'(?:[^\'\\\n]|\\.){0,200}\'|[^\W\d]\w*|\d[\w.]*|[^\w\s]|\w'
)
_LINE = re.compile(r"\S[^\n]*")
_WORD, _LITERAL = "\0word", "\0literal"

Tokens = Sequence[str]


@dataclass(slots=True, eq=False, repr=False)
class _Part:
    """Consecutive tokens of one side; `run` numbers those that both sides have."""

    start: int
    end: int
    run: int | None = None


@dataclass(slots=True, eq=False, repr=False)
class _Sketch:
    """One edit as tokens, and which of them it keeps."""

    before: Tokens
    after: Tokens
    old: list[_Part]
    new: list[_Part]
    pattern: re.Pattern[str] = _TOKEN

    def key(self, fine: bool) -> tuple[object, ...]:
        """Equal for alike edits; `fine` tells apart how unkept tokens are arranged."""
        old = (self._mark(part, self.before, fine) for part in self.old)
        new = (self._mark(part, self.after, fine) for part in self.new)
        return (*old, None, *new)

    def _mark(self, part: _Part, tokens: Tokens, fine: bool) -> object:
        if part.run is not None:
            return part.run
        return tuple(map(_kind, tokens[part.start : part.end])) if fine else -1


@dataclass(slots=True, eq=False, repr=False)
class _Slot:
    """What the same part of all edits of a group has in common at its two ends."""

    first: Tokens
    head: int
    tail: int
    least: int
    same: bool = True

    @classmethod
    def of(cls, tokens: Tokens) -> "_Slot":
        return cls(tokens, len(tokens), len(tokens), len(tokens))

    def meet(self, tokens: Tokens) -> None:
        if self.same and tokens == self.first:
            return
        self.same = False
        self.least = min(self.least, len(tokens))
        self.head = min(self.head, _alike(self.first, tokens))
        self.tail = min(self.tail, _alike(self.first[::-1], tokens[::-1]))


@dataclass(slots=True, eq=False, repr=False)
class _Group:
    """Alike edits, met in path order."""

    path: str
    edit: Edit
    sketch: _Sketch
    slots: list[_Slot]
    count: int = 0
    files: int = 0
    last: str | None = field(default=None)

    def meet(self, path: str, sketch: _Sketch, fine: bool) -> None:
        self.count += 1
        self.files += path != self.last
        self.last = path
        if sketch is not self.sketch:
            for slot, tokens in zip(self.slots, _pieces(sketch, fine), strict=True):
                slot.meet(tokens)

    def shape(self, fine: bool) -> Shape:
        edit = self.edit
        shown = Example(self.path, edit.line, _cut(edit.before, QUOTED), _cut(edit.after, QUOTED))
        label = _Label(self, fine).text()
        return Shape(label, self.count, self.files, edit.op, edit.rule_id, shown)


def shapes_of(plan: Plan) -> list[Shape]:
    """The groups of alike edits of a plan, the largest first, then in path order.

    Edits of different ops or rules are never alike. An outlier is a group of one.
    """
    sketches: dict[tuple[str, str], _Sketch] = {}
    by_op: dict[tuple[int, str], list[tuple[str, Edit, _Sketch]]] = {}
    for file in plan.files:
        for edit in file.edits:
            texts = (edit.before, edit.after)
            sketch = sketches.get(texts) or sketches.setdefault(texts, _sketch(*texts))
            op = (-1 if edit.op is None else edit.op, edit.rule_id or "")
            by_op.setdefault(op, []).append((file.path, edit, sketch))
    shapes = [shape for op in sorted(by_op) for shape in _of_op(by_op[op])]
    return sorted(shapes, key=lambda shape: -shape.count)


def _of_op(edits: list[tuple[str, Edit, _Sketch]]) -> list[Shape]:
    """Exact groups; where they are many, the largest, and of the other edits coarse ones."""
    exact = _groups(edits, fine=True)
    if len(exact) <= FEW:
        return [group.shape(fine=True) for group in exact.values()]
    ranked = sorted(exact, key=lambda key: (-exact[key].count, repr(key)))
    kept = {key for key in ranked[:FEW] if exact[key].count > 1}
    rest = [one for one in edits if one[2].key(fine=True) not in kept]
    shapes = [exact[key].shape(fine=True) for key in exact if key in kept]
    return shapes + [group.shape(fine=False) for group in _groups(rest, fine=False).values()]


def _groups(edits: list[tuple[str, Edit, _Sketch]], fine: bool) -> dict[tuple[object, ...], _Group]:
    groups: dict[tuple[object, ...], _Group] = {}
    for path, edit, sketch in edits:
        key = sketch.key(fine)
        group = groups.get(key)
        if group is None:
            slots = [_Slot.of(tokens) for tokens in _pieces(sketch, fine)]
            group = groups[key] = _Group(path, edit, sketch, slots)
        group.meet(path, sketch, fine)
    return groups


def _spans(sketch: _Sketch, fine: bool) -> Iterator[tuple[Tokens, int, int, int | None]]:
    """Where the slots are: tokens of their side, start, end and run, in the order of labels."""
    for tokens, parts in ((sketch.before, sketch.old), (sketch.after, sketch.new)):
        for part in parts:
            if part.run is None and fine:
                yield from ((tokens, i, i + 1, None) for i in range(part.start, part.end))
            else:
                yield tokens, part.start, part.end, part.run


def _pieces(sketch: _Sketch, fine: bool) -> Iterator[Tokens]:
    """The tokens of every slot; a run is one slot, although it stands on both sides."""
    seen = set[int]()
    for tokens, start, end, run in _spans(sketch, fine):
        if run is None or run not in seen:
            yield tokens[start:end]
        if run is not None:
            seen.add(run)


class _Label:
    """Builds the label of one group, spaced as its first edit is."""

    def __init__(self, group: _Group, fine: bool) -> None:
        self._group = group
        self._fine = fine
        self._holes = {id(s): n for n, s in enumerate((s for s in group.slots if not s.same), 1)}

    def text(self) -> str:
        edit, sketch = self._group.edit, self._group.sketch
        places = list(zip(self._slots(), _spans(sketch, self._fine), strict=True))
        before = self._side(edit.before, [one for one in places if one[1][0] is sketch.before])
        after = self._side(edit.after, [one for one in places if one[1][0] is sketch.after])
        aside = " (white space)" if list(sketch.before) == list(sketch.after) else ""
        return f"{before or '(nothing)'} -> {after or '(nothing)'}{aside}"

    def _slots(self) -> Iterator[_Slot]:
        slots, runs = iter(self._group.slots), dict[int, _Slot]()
        for _, _, _, run in _spans(self._group.sketch, self._fine):
            if run is None:
                yield next(slots)
            else:
                yield runs.get(run) or runs.setdefault(run, next(slots))

    def _side(
        self, text: str, places: list[tuple[_Slot, tuple[Tokens, int, int, int | None]]]
    ) -> str:
        found = [(match[0], match.start()) for match in self._group.sketch.pattern.finditer(text)]
        spaced = [start > 0 and text[start - 1].isspace() for _, start in found]
        parts: list[str] = []
        for slot, (_, start, end, _) in places:
            for index, shown in self._shown(slot, start, end):
                parts.append(" " * (spaced[index] and bool(parts)) + shown)
        return _cut("".join(parts), SHOWN)

    def _shown(self, slot: _Slot, start: int, end: int) -> Iterator[tuple[int, str]]:
        """What is shown of a slot, each with the index of the token that it begins with."""
        if slot.same:
            yield from ((start + i, token) for i, token in enumerate(slot.first))
            return
        head = slot.head
        tail = min(slot.tail, slot.least - head)
        yield from ((start + i, slot.first[i]) for i in range(head))
        number = self._holes[id(slot)] if len(self._holes) > 1 else ""
        yield min(start + head, end - 1), f"…{number}"
        yield from ((i, slot.first[i - start]) for i in range(end - tail, end))


def _sketch(before: str, after: str) -> _Sketch:
    long = max(len(before), len(after)) > LONG
    pattern = _LINE if long else _TOKEN
    old, new = pattern.findall(before), pattern.findall(after)
    runs = sorted(_runs(old, new))
    ones = [(b, b + n, number) for number, (b, _, n) in enumerate(runs)]
    twos = sorted((a, a + n, number) for number, (_, a, n) in enumerate(runs))
    kept, moved = list(_parts(ones, len(old))), list(_parts(twos, len(new)))
    return _Sketch(old, new, kept, moved, pattern)


def _parts(runs: list[tuple[int, int, int]], length: int) -> Iterator[_Part]:
    last = 0
    for start, end, number in runs:
        if last < start:
            yield _Part(last, start)
        yield _Part(start, end, number)
        last = end
    if last < length:
        yield _Part(last, length)


def _runs(old: Tokens, new: Tokens) -> Iterator[tuple[int, int, int]]:
    """What is kept: start in the old tokens, start in the new ones, length; none overlap."""
    head = _alike(old, new)
    most = min(len(old), len(new)) - head
    tail = min(most, _alike(old[::-1], new[::-1]))
    if all(_kind(token) == token for token in new[len(new) - tail :]) and any(
        _moved(old, new, head, 0)
    ):
        tail = 0  # brackets that close something of their own: `x = f(a)` and `put(x, f(a))`
    if head:
        yield 0, 0, head
    if tail:
        yield len(old) - tail, len(new) - tail, tail
    yield from _moved(old, new, head, tail)


def _moved(old: Tokens, new: Tokens, head: int, tail: int) -> Iterator[tuple[int, int, int]]:
    """Runs between the common head and tail, in whatever order: each begins with a word."""
    places: dict[str, list[int]] = {}
    for i in range(head, len(old) - tail):
        places.setdefault(old[i], []).append(i)
    taken = set[int]()
    j = head
    while j < len(new) - tail:
        starts = places.get(new[j], [])[:TRIED] if _kind(new[j]) != new[j] else []
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


def _alike(ones: Tokens, others: Tokens) -> int:
    """How many tokens the two begin with in common."""
    count = 0
    for one, other in zip(ones, others, strict=False):
        if one != other:
            return count
        count += 1
    return count


def _kind(token: str) -> str:
    """What a token is, where which one it is does not matter; a sign is itself."""
    first = token[0]
    if first in "\"'" or first.isdigit():
        return _LITERAL if len(token) > 1 or first.isdigit() else token
    return _WORD if first == "_" or first.isalpha() else token


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 3]}..."
