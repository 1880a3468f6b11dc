"""What became of each place of a text that is edited again and again: one net edit a place."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from astedit.model.edit import ChainStep
from astedit.text.source import Change

Bound = tuple[tuple[str, str], ...]


class NewCode:
    """The new code of an event, moved along by later edits while calls are `waiting`."""

    __slots__ = ("high", "low", "waiting")

    def __init__(self, low: int, high: int) -> None:
        self.low, self.high, self.waiting = low, high, 0


@dataclass(slots=True, eq=False)
class CalledRule:
    """A rule with bindings that is to run in a region: asked for once, by all its `causes`."""

    rule: int
    bound: Bound
    scope: str
    anchor: NewCode | None = None
    under: str = ""
    causes: dict[Event, None] = field(default_factory=dict)
    empties: bool = False
    done: bool = False


@dataclass(slots=True, eq=False)
class Event:
    """An edit that verification accepted, or a match of a rule that only causes.

    `rule` and `steps` say what was done, `callers` who asked for that. `number` counts the
    events of its file, and `place` is filled in at the end: where its text is in the net edit.
    """

    rule: int
    steps: list[ChainStep]
    callers: list[CalledRule]
    matches: int = 0
    number: int = 0
    place: NetEdit | None = None

    @property
    def seed(self) -> bool:
        """Whether no other event asked for it."""
        return any(caller.scope == "seed" for caller in self.callers)


@dataclass(slots=True, eq=False)
class NetEdit:
    """A range of the first text (`old`), where it is in a later one, and what happened there."""

    old: tuple[int, int]
    new: tuple[int, int]
    events: list[Event] = field(default_factory=list)


class History:
    """What was done to one text, turn by turn.

    Turns are put together in pairs of about the same length, so that thousands of them cost
    no more than sorting what was done.
    """

    def __init__(self) -> None:
        self._turns: list[list[NetEdit]] = []
        self._count = 0

    def add(self, changes: Sequence[Change], events: Sequence[Event]) -> list[tuple[int, int]]:
        """Notes the changes of a turn, in order of position; returns where their texts are."""
        turn, shift = [], 0
        for (start, end, new), event in zip(changes, events, strict=True):
            event.number, self._count = self._count, self._count + 1
            low = start + shift
            shift += len(new) - (end - start)
            turn.append(NetEdit((start, end), (low, low + len(new)), [event]))
        ranges = [edit.new for edit in turn]
        while self._turns and len(self._turns[-1]) <= len(turn):
            turn = _composed(self._turns.pop(), turn)
        self._turns.append(turn)
        return ranges

    def places(self) -> list[NetEdit]:
        """The net edits, in order; every event knows its own."""
        while len(self._turns) > 1:
            last = self._turns.pop()
            self._turns.append(_composed(self._turns.pop(), last))
        places = self._turns[0] if self._turns else []
        for place in places:
            place.events.sort(key=lambda event: event.number)
            for event in place.events:
                event.place = place
        return places


def _composed(first: Sequence[NetEdit], second: Sequence[NetEdit]) -> list[NetEdit]:
    """What two turns come to, where `second` begins with the text that `first` ends with."""
    made: list[NetEdit] = []
    rows = [(edit.new, 0, edit) for edit in first] + [(edit.old, 1, edit) for edit in second]
    rows.sort(key=lambda row: row[:2])
    shift = moved = 0  # from the text before to that between; from that to the one after
    at = 0
    while at < len(rows):
        (low, high), turn, edit = rows[at]
        last: list[tuple[int, int] | None] = [None, None]
        group: list[NetEdit] = []
        start, before, behind = low, low - shift, low + moved
        while True:
            last[turn] = (low, high)
            group.append(edit)
            size = high - low
            if turn:
                moved += edit.new[1] - edit.new[0] - size
            else:
                shift += size - (edit.old[1] - edit.old[0])
            start, at = max(start, high), at + 1
            if at == len(rows):
                break
            (low, high), turn, edit = rows[at]
            if (other := last[1 - turn]) is None:
                break
            if not (_meet(other, (low, high)) if turn else _meet((low, high), other)):
                break
        whole = NetEdit((before, start - shift), (behind, start + moved))
        whole.events = [event for edit in group for event in edit.events]
        made.append(whole)
    return made


def _meet(there: tuple[int, int], later: tuple[int, int]) -> bool:
    """Whether a later edit concerns a place: they share a byte, or nothing is left of one.

    What inserts belongs to what it touches, a place of which nothing is left to what is around it.
    """
    if later[0] == later[1]:
        return there[0] <= later[0] <= there[1]
    if there[0] == there[1]:
        return later[0] < there[0] < later[1]
    return max(there[0], later[0]) < min(there[1], later[1])


def overlap(low: int, high: int, start: int, end: int) -> bool:
    """Whether two ranges share a byte, or one that is empty lies in the other."""
    return max(low, start) < min(high, end) or (
        (low == high or start == end) and max(low, start) <= min(high, end)
    )


class Moves:
    """Where positions of a text are after changes that do not overlap, in order."""

    def __init__(self, changes: Iterable[Change]) -> None:
        self._changes = list(changes)
        self._starts = [start for start, _, _ in self._changes]
        self._before = [0]
        for start, end, new in self._changes:
            self._before.append(self._before[-1] + len(new) - (end - start))

    def range(self, low: int, high: int) -> tuple[int, int]:
        """A range in the new text; one within a change becomes all of what is new there."""
        return self._at(low, 0), max(self._at(low, 0), self._at(high, 1))

    def _at(self, position: int, side: int) -> int:
        at = bisect_right(self._starts, position if side == 0 else position - 1) - 1
        if at < 0:
            return position
        start, end, new = self._changes[at]
        if position < end or (side and position == end and start < end):
            return start + self._before[at] + (len(new) if side else 0)
        return position + self._before[at + 1]
