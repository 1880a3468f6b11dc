"""Which edits of a new plan are those of an older one, so that decisions about them hold.

Edits are never moved: a new edit takes over a decision only if it does the same in the same
file, definition and statement, beside one of the statements that were beside it, and no other
one does. What two definitions changed places
with is not taken over, for nobody can say which of them was moved.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence, Set
from typing import Literal, NamedTuple

from astedit.model.edit import Edit, FilePlan
from astedit.model.plan import Plan
from astedit.review.contexts import FileContexts

Why = Literal["moved", "context changed", "unknown", "new", "gone"]
Contexts = Callable[[FilePlan], FileContexts | None]


class _Placed(NamedTuple):
    """An edit, and the file that it is in."""

    path: str
    edit: Edit


class Uncarried(NamedTuple):
    """An edit that needs a new decision, or, if it is gone, none any more.

    `unknown` is one in whose file nothing was decided about: it is as undecided as before.
    """

    why: Why
    path: str
    edit: Edit


class Carry(NamedTuple):
    """The ids of edits of the older plan, by those of the new one; and all other edits."""

    carried: dict[str, str]
    others: list[Uncarried]

    @property
    def fresh(self) -> list[Uncarried]:
        """The edits that are new or changed: what nobody has seen as it is now."""
        return [each for each in self.others if each.why in ("new", "moved", "context changed")]

    def __str__(self) -> str:
        fresh, new = len(self.fresh), sum(each.why == "new" for each in self.others)
        gone = sum(each.why == "gone" for each in self.others)
        carried = len(self.carried)
        return f"{carried:,} carried, {new:,} new, {fresh - new:,} changed, {gone:,} gone"


def carry(older: Plan, new: Plan, then: Contexts, now: Contexts) -> Carry:
    """Compares two plans of one request; `then` and `now` say what edits stand in.

    Of a file of which `then` knows nothing, nothing is carried unless it is unchanged.
    """
    old_files = {file.path: file for file in older.files}
    carried: dict[str, str] = {}
    for file in new.files:
        old = old_files.get(file.path)
        if old is not None:
            carried |= _in_file(old, file, then, now)
    kept = set(carried.values())
    left = [_Placed(f.path, edit) for f in older.files for edit in f.edits if edit.id not in kept]
    come = [_Placed(f.path, edit) for f in new.files for edit in f.edits if edit.id not in carried]
    unknown = {placed.path for placed in left if then(old_files[placed.path]) is None}
    return Carry(carried, list(_others(left, come, unknown)))


def _in_file(old: FilePlan, new: FilePlan, then: Contexts, now: Contexts) -> dict[str, str]:
    """The new edits of a file with the old ones that they are."""
    if old.before_hash == new.before_hash:
        known = {edit.id for edit in old.edits}
        return {edit.id: edit.id for edit in new.edits if edit.id in known}
    before, after = then(old), now(new)
    if before is None or after is None:
        return {}
    by_mark = {mark: edit_id for edit_id, mark in before.marks.items()}
    swapped = crossing(before.definitions, after.definitions)
    pairs = [
        (edit.id, by_mark[mark])
        for edit in new.edits
        if (mark := after.marks.get(edit.id)) in by_mark
        and after.homes[edit.id] not in swapped
        and before.alike(by_mark[mark], after, edit.id)
    ]
    place = {edit.id: number for number, edit in enumerate(old.edits)}
    taken = {old_id for _, old_id in pairs}
    order = crossing([old_id for old_id in place if old_id in taken], [old for _, old in pairs])
    return {edit_id: old_id for edit_id, old_id in pairs if old_id not in order}


def crossing(first: Sequence[str], second: Sequence[str]) -> set[str]:
    """The names that stand on another side of some other name in the second list."""
    place = {name: number for number, name in enumerate(second)}
    names = [name for name in first if name in place]
    numbers = [place[name] for name in names]
    crossed, highest = set(), -1
    for name, number in zip(names, numbers, strict=True):
        crossed |= {name} if number < highest else set()
        highest = max(highest, number)
    lowest = len(second)
    for name, number in zip(reversed(names), reversed(numbers), strict=True):
        crossed |= {name} if number > lowest else set()
        lowest = min(lowest, number)
    return crossed


def _others(left: list[_Placed], come: list[_Placed], unknown: Set[str]) -> Iterator[Uncarried]:
    """Why each of the other edits is not carried: first those that are the same in their file."""
    here: dict[tuple[str, object], deque[_Placed]] = defaultdict(deque)
    for placed in left:
        here[(placed.path, _same(placed.edit))].append(placed)
    strange = []
    for placed in come:
        alike = here[(placed.path, _same(placed.edit))]
        if not alike:
            strange.append(placed)
            continue
        alike.popleft()
        yield Uncarried("unknown" if placed.path in unknown else "context changed", *placed)
    elsewhere: dict[object, deque[_Placed]] = defaultdict(deque)
    for (_, same), waiting in here.items():
        elsewhere[same].extend(waiting)
    for placed in strange:
        others = elsewhere[_same(placed.edit)]
        yield Uncarried("moved" if others else "new", *placed)
        if others:
            others.popleft()
    yield from (Uncarried("gone", *placed) for rest in elsewhere.values() for placed in rest)


def _same(edit: Edit) -> tuple[object, ...]:
    return edit.op, edit.rule_id, edit.whole_before, edit.whole_after
