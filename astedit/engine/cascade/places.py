"""What became of each place of a text that is edited again and again: one net edit a place."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from astedit.model.edit import ChainStep
from astedit.text.splice import Change


@dataclass(slots=True, eq=False)
class NetEdit:
    """A range of the first text (`old`), what it is in the text of now (`start` to `end`).

    `seed` says that no event called one of its steps. `causes` are the places whose events
    called the others; a place that became part of another one leads `into` that one.
    """

    old: tuple[int, int]
    start: int
    end: int
    rule: int
    chain: list[ChainStep] = field(default_factory=list)
    seed: bool = False
    causes: set[NetEdit] = field(default_factory=set)
    matches: int = 0
    into: NetEdit | None = None

    @property
    def last(self) -> NetEdit:
        """The place that it is a part of now."""
        place = self
        while place.into is not None:
            place = place.into
        return place


class Accepted(NamedTuple):
    """An edit that verification accepted: of which rule, its steps, and what caused it."""

    change: Change
    rule: int
    steps: list[ChainStep]
    seed: bool
    causes: frozenset[NetEdit]
    matches: int = 1


def joined(
    places: Sequence[NetEdit], edits: Sequence[Accepted]
) -> tuple[list[NetEdit], list[tuple[NetEdit, int, int]]]:
    """The places after these edits, and for each edit its place and the range of its new text.

    Both are in order of position, and edits do not overlap.
    """
    made: list[NetEdit] = []
    events: list[tuple[NetEdit, int, int]] = []
    shift = moved = 0  # from the first text to that before the edits; from that to the one after
    at = number = 0
    while at < len(places) or number < len(edits):
        some: list[NetEdit] = []
        changes: list[Accepted] = []
        takes_place = at < len(places) and (
            number == len(edits) or _place_key(places[at]) <= _edit_key(edits[number])
        )
        if takes_place:
            low, high = places[at].start, places[at].end
            some.append(places[at])
            at += 1
        else:
            low, high = edits[number].change[:2]
            changes.append(edits[number])
            number += 1
        grows = True
        while grows:
            grows = False
            if number < len(edits) and changed(low, high, *edits[number].change[:2]) and some:
                high = max(high, edits[number].change[1])
                changes.append(edits[number])
                number, grows = number + 1, True
            if (
                at < len(places)
                and changes
                and changed(low, high, places[at].start, places[at].end)
            ):
                high = max(high, places[at].end)
                some.append(places[at])
                at, grows = at + 1, True
        old_low = low - shift
        shift += sum(place.end - place.start - (place.old[1] - place.old[0]) for place in some)
        new_low = low + moved
        for edit in changes:
            start, end, new = edit.change
            events.append((_NOWHERE, start + moved, start + moved + len(new)))
            moved += len(new) - (end - start)
        if not changes:
            some[0].start, some[0].end = low + moved, high + moved
            made.append(some[0])
            continue
        place = _merged(some, changes)
        place.old = old_low, high - shift
        place.start, place.end = new_low, high + moved
        first = len(events) - len(changes)
        events[first:] = [(place, start, end) for _, start, end in events[first:]]
        made.append(place)
    return made, events


_NOWHERE = NetEdit((0, 0), 0, 0, 0)


def _place_key(place: NetEdit) -> tuple[int, int]:
    return place.start, place.end


def _edit_key(edit: Accepted) -> tuple[int, int]:
    return edit.change[0], edit.change[1]


def changed(low: int, high: int, start: int, end: int) -> bool:
    """Whether two ranges share a byte, or one that is empty lies in the other."""
    if max(low, start) < min(high, end):
        return True
    if low == high or start == end:
        return max(low, start) <= min(high, end)
    return False


def _merged(some: list[NetEdit], changes: list[Accepted]) -> NetEdit:
    place = some[0] if some else NetEdit((0, 0), 0, 0, changes[0].rule)
    for other in some[1:]:
        other.into = place
        place.chain += other.chain
        place.causes |= other.causes
        place.seed = place.seed or other.seed
        place.matches += other.matches
    for edit in changes:
        place.chain += edit.steps
        place.causes |= edit.causes
        place.seed = place.seed or edit.seed
        place.matches += edit.matches
    return place


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
