"""Groups of alike edits: what varies within a group becomes a hole.

An edit is read as tokens (`token_diff.py`). What it keeps may differ from edit to edit, so
`print(a)` and `print(f(b), 1)` are alike if both become `log.info` of the same:
`print(…) → log.info(…)`. Within a group each run, and each token that is not kept, is
reduced to what all edits have in common at its two ends; the rest is a hole, with the same
number on both sides. Where spreads or keywords stand in a hole, edits with so many items
are a group of their own. Linear in the edits; the groups and labels depend on the plan's
edits alone.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from astedit.model.edit import Edit, Example, FileOperation, FilePlan, Shape
from astedit.model.request import EditRequest
from astedit.model.shape_labels import ARROW, AlikeEdits, SketchedEdit, in_words
from astedit.model.token_diff import Sketch, SlotSpan, Tokens, sketch_of
from astedit.text.source import alike_start

FEW = 12  # exact groups of an op; of its other edits only what they keep is compared
PARTS = 12  # of one group by the number of items; if it were more, only by their signs
SHOWN = 120  # characters of one side of a label
QUOTED = 240  # characters of one side of an example
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_MARKS = frozenset("*=:.")
_NO_VALUE = frozenset("=:>")  # `a == b`, `a::b` and `a => b` are no keywords


class MarkedItems(NamedTuple):
    """So many items, among them some with these signs; 0 items: however many."""

    items: int
    signs: tuple[str, ...]

    @property
    def text(self) -> str:
        """In words: `2 items, with *`."""
        count = f"{self.items} item{'s' if self.items > 1 else ''}, " if self.items else ""
        return f"{count}with {' and '.join(self.signs)}"


_Marked = tuple[MarkedItems | None, ...]  # what stands in each hole


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
        if self.head:
            self.head = min(self.head, alike_start(self.first, tokens))
        if self.tail:
            self.tail = min(self.tail, alike_start(self.first[::-1], tokens[::-1]))


@dataclass(slots=True, eq=False, repr=False)
class _Group:
    """Alike edits, met in path order."""

    path: str
    edit: Edit
    sketch: Sketch
    slots: list[_Slot]
    members: list[SketchedEdit] = field(default_factory=list)
    files: int = 0
    met: set[int] = field(default_factory=set)

    def meet(self, member: SketchedEdit, fine: bool) -> None:
        self.files += not self.members or member.path != self.members[-1].path
        self.members.append(member)
        if member.sketch is not self.sketch and id(member.sketch) not in self.met:
            self.met.add(id(member.sketch))
            for slot, tokens in zip(self.slots, member.sketch.pieces(fine), strict=True):
                slot.meet(tokens)

    def alike(self, fine: bool, aside: str = "") -> AlikeEdits:
        """The shape of these edits; `aside` ends its label."""
        edit = self.edit
        shown = example_of(self.path, edit)
        label = self._label(fine) + aside
        shape = Shape(label, len(self.members), self.files, edit.op, edit.rule_id, shown)
        return AlikeEdits(shape, self.members)

    def _label(self, fine: bool) -> str:
        """What is alike in these edits, spaced as the first of them is."""
        edit, sketch = self.edit, self.sketch
        places = list(zip(self._slots(fine), sketch.spans(fine), strict=True))
        first, last = edit.whole_before, edit.whole_after
        before = self._side(first, [at for at in places if at[1].tokens is sketch.before])
        after = self._side(last, [at for at in places if at[1].tokens is sketch.after])
        aside = " (white space)" if list(sketch.before) == list(sketch.after) else ""
        return f"{before or '(nothing)'}{ARROW}{after or '(nothing)'}{aside}"

    def _slots(self, fine: bool) -> Iterator[_Slot]:
        slots, runs = iter(self.slots), dict[int, _Slot]()
        for _, _, _, run in self.sketch.spans(fine):
            if run is None:
                yield next(slots)
            else:
                yield runs.get(run) or runs.setdefault(run, next(slots))

    def _side(self, text: str, places: list[tuple[_Slot, SlotSpan]]) -> str:
        tokens = [(match[0], match.start()) for match in self.sketch.pattern.finditer(text)]
        spaced = [start > 0 and text[start - 1].isspace() for _, start in tokens]
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
        holes = [id(each) for each in self.slots if not each.same]
        number = holes.index(id(slot)) + 1 if len(holes) > 1 else ""
        yield min(start + head, end - 1), f"…{number}"
        yield from ((i, slot.first[i - start]) for i in range(end - tail, end))


def example_of(path: str, edit: Edit) -> Example:
    """An edit as the example of its shape."""
    texts = _cut(edit.whole_before, QUOTED), _cut(edit.whole_after, QUOTED)
    return Example(path, edit.shown_line, *texts)


def shapes_of(files: Iterable[FilePlan], request: EditRequest) -> list[Shape]:
    """The groups of alike edits of a plan's files, the largest first, then in path order.

    Edits of different ops or rules are never alike. An outlier is a group of one.
    """
    return [group.shape for group in alike_edits(files, request)]


def alike_edits(files: Iterable[FilePlan], request: EditRequest) -> list[AlikeEdits]:
    """The same groups with their edits. The order never changes: `shape:3` means the third."""
    return in_words(_alike(files), request)


def _alike(files: Iterable[FilePlan]) -> list[AlikeEdits]:
    sketches: dict[tuple[str, str], Sketch] = {}
    by_op: dict[tuple[int, str], list[SketchedEdit]] = {}
    whole: dict[FileOperation, list[tuple[FilePlan, Edit]]] = {}
    for file in files:
        edits = file.edits
        if file.operation != "modify":  # the first edit stands for the file
            whole.setdefault(file.operation, []).append((file, edits[0]))
            edits = edits[1:]
        for edit in edits:
            texts = (edit.whole_before, edit.whole_after)
            sketch = sketches.get(texts) or sketches.setdefault(texts, sketch_of(*texts))
            op = (-1 if edit.op is None else edit.op, edit.rule_id or "")
            by_op.setdefault(op, []).append(SketchedEdit(file.path, edit, sketch))
    groups = [group for op in sorted(by_op) for group in _of_op(by_op[op])]
    groups += [_of_files(operation, whole[operation]) for operation in sorted(whole)]
    return sorted(groups, key=lambda group: -group.shape.count)


def _of_files(operation: FileOperation, files: list[tuple[FilePlan, Edit]]) -> AlikeEdits:
    """All files that come, or go, or move."""
    file, edit = files[0]
    texts = _cut(edit.before, QUOTED), _cut(edit.after, QUOTED)
    if operation == "move":
        texts = file.source or "", file.path
    shown = Example(file.path, 1, *texts)
    shape = Shape(f"{operation} a file", len(files), len(files), None, None, shown)
    nothing = sketch_of("", "")
    return AlikeEdits(shape, [SketchedEdit(file.path, edit, nothing) for file, edit in files])


def _of_op(edits: list[SketchedEdit]) -> list[AlikeEdits]:
    """Groups edits exactly; where that makes many groups, only the largest stay exact."""
    exact = _groups(edits, fine=True)
    if len(exact) <= FEW:
        return [part for group in exact.values() for part in _parts(group, fine=True)]
    ranked = sorted(exact, key=lambda key: (-len(exact[key].members), repr(key)))
    kept = {key for key in ranked[:FEW] if len(exact[key].members) > 1}
    rest = [edit for edit in edits if edit.sketch.key(fine=True) not in kept]
    groups = [part for key in exact if key in kept for part in _parts(exact[key], fine=True)]
    coarse = _groups(rest, fine=False).values()
    return groups + [part for group in coarse for part in _parts(group, fine=False)]


def _groups(edits: list[SketchedEdit], fine: bool) -> dict[tuple[object, ...], _Group]:
    groups: dict[tuple[object, ...], _Group] = {}
    for member in edits:
        key = member.sketch.key(fine)
        (groups.get(key) or groups.setdefault(key, _empty(member, fine))).meet(member, fine)
    return groups


def _empty(member: SketchedEdit, fine: bool) -> _Group:
    return _Group(*member, [_Slot.of(tokens) for tokens in member.sketch.pieces(fine)])


def _parts(group: _Group, fine: bool) -> list[AlikeEdits]:
    """A group, divided by the items in its holes where spreads or keywords are among them."""
    marks = _marks(group, fine)
    kinds = set(marks.values())
    if len(kinds) > PARTS:
        marks = {of: tuple(m and m._replace(items=0) for m in marks[of]) for of in marks}
    if len(kinds) < 2:
        return [group.alike(fine)]
    parts: dict[_Marked, _Group] = {}
    for member in group.members:
        key = marks[id(member.sketch)]
        part = parts.get(key) or parts.setdefault(key, _empty(member, fine))
        part.meet(member, fine)
    return [part.alike(fine, _aside(key)) for key, part in parts.items()]


def _aside(marked: _Marked) -> str:
    """What the label of a part of a group says of the items in its holes."""
    texts = [each.text for each in marked if each]
    return f" ({'; '.join(texts)})" if texts else ""


def _marks(group: _Group, fine: bool) -> dict[int, _Marked]:
    """What stands in the holes of each sketch. In a group all have the same parts."""
    holes = list(_holes(group, fine))
    found: dict[int, _Marked] = {}
    for _, _, sketch in group.members:
        if holes and id(sketch) not in found:
            parts = ((sketch.old[at], head) for at, head in holes)
            found[id(sketch)] = tuple(
                marked_items(sketch.before, part.start + head, part.end) for part, head in parts
            )
    return found


def _holes(group: _Group, fine: bool) -> Iterator[tuple[int, int]]:
    """The kept parts that vary, by their number, and how many tokens all have in common first."""
    slots = iter(group.slots)
    for at, part in enumerate(group.sketch.old):
        if part.run is not None:
            slot = next(slots)
            if not slot.same:
                yield at, slot.head
        else:
            for _ in range(part.end - part.start if fine else 1):
                next(slots)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 3]}..."


def marked_items(tokens: Tokens, start: int, end: int) -> MarkedItems | None:
    """The items of a list in brackets from that in which `start` stands, before `end`.

    None where it stands in no such list, and where no item is a spread or has a keyword.
    """
    first = _item_start(tokens, start)
    if first is None or _MARKS.isdisjoint(tokens[first:end]):
        return None
    items = list(_items(tokens, first, end))
    signs = {sign for item in items if (sign := _sign(item))}
    return MarkedItems(len(items), tuple(sorted(signs))) if signs else None


def _item_start(tokens: Tokens, start: int) -> int | None:
    """Where the item begins that a token stands in; None where that is no item of a list."""
    depth = 0
    for at in range(start - 1, -1, -1):
        token = tokens[at]
        if not depth and token in ("(", ","):
            return at + 1
        if token in _OPENING and not depth:
            return None
        depth += (token in _CLOSING) - (token in _OPENING)
    return None


def _items(tokens: Tokens, start: int, end: int) -> Iterator[Tokens]:
    """The items up to the end of their list."""
    depth, first = 0, start
    for at in range(start, end):
        token = tokens[at]
        if token in _CLOSING and not depth:
            end = at
            break
        if token == "," and not depth:
            yield tokens[first:at]
            first = at + 1
        depth += (token in _OPENING) - (token in _CLOSING)
    if first < end:
        yield tokens[first:end]


def _sign(item: Tokens) -> str:
    """What makes an item a spread or gives it a keyword, or ''."""
    if item and item[0] == "*":
        return "**" if item[1:2] == ["*"] else "*"
    if list(item[:3]) == ["."] * 3 or list(item[-3:]) == ["."] * 3:
        return "..."
    if len(item) < 3 or item[0] == "lambda" or not (item[0][0].isalpha() or item[0][0] == "_"):
        return ""
    return item[1] if item[1] in ("=", ":") and item[2] not in _NO_VALUE else ""
