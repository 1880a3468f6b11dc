"""Delta debugging: which of many edits make the tests fail.

What is searched are numbers from 0 up, in an order in which neighbours belong together. Of a
prefix that fails, and a shorter one that does not, the one in the middle is asked for: so one
culprit among n costs about log2(n) runs, and each further member of a set that fails only
together as many again. What fails by chance is asked for twice before it decides anything.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

PartVerdict = Literal["pass", "fail", "unresolved"]
Subset = frozenset[int]
_NEAR = 0.15  # of what is left: so far from the middle a boundary of groups is preferred
_OTHER_CUTS = 4  # places that are tried where tests could not be loaded


class OutOfBudget(Exception):
    """No run is left."""


class Jury(Protocol):
    """Who runs the tests with a part of the edits; what was asked once is remembered."""

    def verdicts(self, subsets: Sequence[Subset]) -> list[PartVerdict]:
        """How the tests end with each of these parts; they may run side by side.

        `unresolved` is where no test could be loaded. Raises `OutOfBudget`.
        """

    def again(self, subset: Subset) -> PartVerdict:
        """Runs a part that failed once more, and remembers `pass` if it passes this time."""


@dataclass(frozen=True, slots=True)
class Culprit:
    """Edits that make the tests fail, and no smaller part of them does.

    Without `needs` they could not be loaded, but it is not these that break them.
    """

    members: Subset
    needs: Subset = frozenset()


@dataclass(slots=True)
class Culprits:
    """Disjoint culprits, and `rest`, the other edits, with which the tests pass.

    Out of budget `complete` is False, and `bracket` are edits that hold one more culprit.
    """

    sets: list[Culprit] = field(default_factory=list)
    rest: Subset = frozenset()
    complete: bool = True
    bracket: Subset = frozenset()


class _ByChance(Exception):
    """What failed before passes now."""


class CulpritSearch:
    """One search. `level(i)` says what begins between number i - 1 and i: the lower, the larger.

    `width` parts are asked for at once.
    """

    def __init__(self, jury: Jury, level: Callable[[int], int], width: int = 1) -> None:
        self._jury = jury
        self._level = level
        self._width = width
        self._bad: frozenset[PartVerdict] = frozenset({"fail"})
        self._bracket: Subset = frozenset()

    def run(self, count: int) -> Culprits:
        """Searches among the numbers below `count`, which fail together."""
        done = Culprits(rest=frozenset(range(count)))
        try:
            while self._fails(done.rest):
                self._bracket = done.rest
                if (culprit := self._steady(done.rest)) is not None:
                    done.sets.append(culprit)
                    done.rest -= culprit.members
        except OutOfBudget:
            done.complete, done.bracket = False, self._bracket
        return done

    def _fails(self, subset: Subset) -> bool:
        """Whether there is something to search for; what cannot be loaded is, too."""
        verdict = self._ask(subset)
        self._bad = frozenset({"fail"} if verdict == "fail" else {"fail", "unresolved"})
        return verdict != "pass"

    def _steady(self, subset: Subset) -> Culprit | None:
        """A culprit in what fails; None if that failed by chance."""
        try:
            members = self._minimal(sorted(subset))
            if self._jury.again(members) not in self._bad:
                return None
            return self._one_minimal(members)
        except _ByChance:
            return None

    def _minimal(self, pool: list[int]) -> Subset:
        """A part of `pool`, which fails, as small as bisecting makes it."""
        chosen: Subset = frozenset()
        while True:
            low, high = 0, len(pool)  # the shortest prefix that fails with what is chosen
            while high - low > 1:
                self._bracket = chosen | frozenset(pool[low:high])
                low, high = self._narrowed(chosen, pool, low, high)
            position = high - 1
            chosen, pool = chosen | {pool[position]}, pool[:position]
            if not pool or self._ask(chosen) in self._bad:
                return chosen
            if self._jury.again(chosen | frozenset(pool)) not in self._bad:
                raise _ByChance

    def _narrowed(self, chosen: Subset, pool: list[int], low: int, high: int) -> tuple[int, int]:
        cuts = self._cuts(pool, low, high)
        verdicts = self._judged(chosen, pool, cuts)
        if "unresolved" not in self._bad and set(verdicts) == {"unresolved"}:
            for cut in _spread(low, high, _OTHER_CUTS, cuts):
                cuts, verdicts = [cut], self._judged(chosen, pool, [cut])
                if verdicts != ["unresolved"]:
                    break
        for cut, verdict in zip(cuts, verdicts, strict=True):
            if verdict in self._bad:
                return low, cut
            low = cut
        return low, high

    def _judged(self, chosen: Subset, pool: list[int], cuts: list[int]) -> list[PartVerdict]:
        return self._jury.verdicts([chosen | frozenset(pool[:cut]) for cut in cuts])

    def _cuts(self, pool: list[int], low: int, high: int) -> list[int]:
        if self._width > 1:
            return _spread(low, high, self._width, [])
        middle, reach = (low + high) / 2, (high - low) * _NEAR
        inside = [cut for cut in range(low + 1, high) if abs(cut - middle) <= max(reach, 0.5)]
        return [min(inside, key=lambda cut: (self._between(pool, cut), abs(cut - middle)))]

    def _between(self, pool: list[int], cut: int) -> int:
        """The largest group that begins behind `pool[cut - 1]`, up to `pool[cut]`."""
        return min(self._level(number) for number in range(pool[cut - 1] + 1, pool[cut] + 1))

    def _one_minimal(self, members: Subset) -> Culprit:
        """Leaves out what can be left out; tells who is to blame from who is only needed."""
        if len(members) == 1:
            return Culprit(members)
        decisive = set()
        for number in sorted(members):
            verdict = self._ask(members - {number})
            if verdict in self._bad and self._jury.again(members - {number}) in self._bad:
                return self._one_minimal(members - {number})
            if verdict != "unresolved":
                decisive.add(number)
        blamed = frozenset(decisive) or members
        return Culprit(blamed, members - blamed)

    def _ask(self, subset: Subset) -> PartVerdict:
        if not subset:
            return "pass"
        (verdict,) = self._jury.verdicts([subset])
        return verdict


def _spread(low: int, high: int, count: int, without: Sequence[int]) -> list[int]:
    """At most `count` places between, evenly spread."""
    places = {low + round((high - low) * part / (count + 1)) for part in range(1, count + 1)}
    return sorted(place for place in places if low < place < high and place not in without)
