"""Which leaves of a pattern a template keeps, and what it writes between them.

Pattern and template are two sequences of leaves. Their longest common subsequence stays
where it is in the source: a slot goes with the first use of the same slot, a token with
an equal token; of equally long ones the one that keeps the most slots, then the leftmost.
Between neighbours in both nothing changes. All else is a `TemplateGap`, which is rewritten.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from astedit.language.traits import traits
from astedit.pattern.compile import Goal, Pattern, Tag
from astedit.pattern.template import Slot, Template
from astedit.rewrite.make.template_leaves import (
    CLOSERS,
    OPENERS,
    Flat,
    Leaf,
    Pair,
    common,
    in_literals,
    margins,
    slot_of,
    takes_comma,
    template_leaves,
)

BRACKETS = {b"(": b")", b"[": b"]", b"{": b"}"}
_SHORT = 2_000  # bytes of a template that is read again for each of its closing brackets
_CALLED = re.compile(rb"[^\W\d]\w*\Z|[)\]}$?!>]\Z|[\x80-\xff]\Z")


class Absent(NamedTuple):
    """What has no text in one match: leaves of the pattern, and slots that are none of them."""

    places: frozenset[int] = frozenset()
    slots: frozenset[Slot] = frozenset()


class TemplateGap(NamedTuple):
    """What a template writes between two leaves that stay.

    `left` and `right` are places among the pattern's leaves: -1 and their number are the
    ends of the match. `parts` is what is written, `indent` the template's own indentation
    of the line on which that begins, and `row` its number. `same_left` and `same_right` say
    that the source and the template stand in the same brackets there, so that a line break may
    stay.
    """

    left: int
    right: int
    parts: tuple[bytes | Slot, ...]
    indent: bytes
    row: int
    same_left: bool
    same_right: bool
    adds: bool  # the pattern has no leaf there that the source has
    opens: bool  # the leaf to the left is an opening bracket
    closes: bool  # the leaf to the right is the bracket that closes
    closer: bool = False  # the leaf to the right is a bracket that closes another kind of list
    spaces: bool = False  # only the white space differs, and is meant to
    swaps: bool = False  # what goes begins with a closing bracket, and what comes with another
    comma: bool = False  # one may stand before that
    breaks: bool = False  # it adds a line break where no brackets are: it is that of the source
    reopens: int = -1  # the leaf that closes the bracket which the region ends with
    items: "Items | None" = None


class Items(NamedTuple):
    """What a region adds to a list, item by item.

    `before` and `behind` are the separator and the spacing that the template has on that
    side of them; `comma` says that it ends its list with one.
    """

    parts: tuple[tuple[bytes | Slot, ...], ...]
    place: str  # "append", "prepend", "insert" behind a comma, "fill" where there is no item
    gap: bytes  # of the template, behind a comma
    comma: bool
    margins: tuple[bytes, bytes] = (b"", b"")  # the blanks within the brackets of an empty list


class Alignment:
    """One pattern and one template; asked for the regions of each match."""

    def __init__(self, pattern: Pattern, template: Template) -> None:
        self.flat = Flat(template, pattern.row.stand_in)
        self.goals = pattern.leaves
        self.leaves = template_leaves(self.flat, pattern)
        self._pattern = pattern
        self._nests_by_lines = traits(pattern.row.name).facts.bullets
        self._source = pattern.source
        text, low = self._source[pattern.start : pattern.end], pattern.start
        quoted = (
            in_literals(pattern, text, (goal.start for goal in self.goals)),
            in_literals(pattern, self.flat.text, (low + leaf.start for leaf in self.leaves)),
        )
        ends = _brackets(self.goals), _brackets(self.leaves)
        self._brackets = [
            [pair for pair in pairs.items() if pair[0] not in places]
            for pairs, places in zip(ends, quoted, strict=True)
        ]
        pairs = _with_partners(common(self.goals, self.leaves), ends)
        self._pairs = _around_contents(pairs, ends, self.leaves)
        self._respaced = frozenset(self._spacings())
        self.names = [
            (goal.place, goal.text)
            for goal in self.goals
            if goal.hole is None and goal.named  # may it stand for other text than its own?
            if pattern.strictness == "signature" or goal.tag == Tag.INTERNAL
        ]
        own = {slot_of(goal) for goal in self.goals}
        self.others = tuple(leaf.slot for leaf in self.leaves if leaf.slot and leaf.slot not in own)

    def _spacings(self) -> Iterator[Pair]:
        """Leaves behind which the template asks for other white space than the pattern.

        It does with a line break that only one of them has, or if nothing else differs.
        """
        alike = len(self.goals) == len(self.leaves) == len(self._pairs)
        for one, two in pairwise(self._pairs):
            if (two[0] - one[0], two[1] - one[1]) != (1, 1):
                continue
            old = self._source[self.goals[one[0]].end : self.goals[two[0]].start]
            new = self.flat.text[self.leaves[one[1]].end : self.leaves[two[1]].start]
            if old.strip() == new.strip() == b"" and (
                (b"\n" in old) != (b"\n" in new) or (alike and old != new)
            ):
                yield one

    def kept(self, absent: Absent) -> tuple[Pair, ...]:
        """The leaves that stay: not the comma of an empty slot that has moved."""
        mine = {new: old for old, new in self._pairs}
        gone: set[int] = set()
        for new, leaf in enumerate(self.leaves):
            if leaf.slot is None or not self._is_empty(leaf.slot, absent):
                continue
            old = mine.get(new, -2)
            if mine.get(new - 1) == old - 1 and mine.get(new + 1) == old + 1:
                continue
            following = self.leaves[new + 1].text if new + 1 < len(self.leaves) else b""
            gone.add(new + 1 if following == b"," else new - 1)
        return tuple(
            (old, new)
            for old, new in self._pairs
            if old not in absent.places and not (new in gone and self.leaves[new].text == b",")
        )

    def _is_empty(self, slot: Slot, absent: Absent) -> bool:
        places = [goal.place for goal in self.goals if slot_of(goal) == slot]
        empty = bool(places) and all(place in absent.places for place in places)
        return empty or slot in absent.slots

    def regions(self, absent: Absent) -> tuple[TemplateGap, ...]:
        """What is rewritten of a match in which those leaves have no text."""
        ends = [(-1, -1), *self.kept(absent), (len(self.goals), len(self.leaves))]
        made = []
        for left, right in pairwise(ends):
            straight = self._is_straight(left, right)
            whole = straight and left not in self._respaced and not self._unlisted(*right)
            is_end = left[1] < 0 or right[1] == len(self.leaves)  # where a match may go further
            if not whole or self._bared(*left) or is_end:
                made.append(self._region(left, right, absent))
        return tuple(made)

    def _is_straight(self, left: Pair, right: Pair) -> bool:
        """Is all that stands between two leaves that stay the same on both sides?"""
        steps = right[1] - left[1]
        return right[0] - left[0] == steps and all(
            (left[0] + step, left[1] + step) in self._pairs for step in range(1, steps)
        )

    def _bared(self, old: int, new: int) -> bool:
        """Do two leaves stand in brackets of the pattern, and in none of the template?

        A line break behind them would end a statement in some languages.
        """
        before, after = self._around(old, new)
        return before is not None and after is None

    def _unlisted(self, old: int, new: int) -> bool:
        """Does a bracket that stays close another kind of list? `f(a,)` is not `(a,)`.

        Arguments and subscripts stand right behind what is called, items behind nothing. A
        comprehension, `f(x for x in a)`, is none at all.
        """
        if old == len(self.goals) or self.goals[old].text not in CLOSERS:
            return False
        before, after = self._around(old - 1, new - 1)
        if before is None or after is None:
            return True
        texts = (
            self._source[: self.goals[before[0]].start],
            self.flat.text[: self.leaves[after[0]].start],
        )
        alike = bool(_CALLED.search(texts[0])) == bool(_CALLED.search(texts[1]))
        within = self.leaves[after[0] + 1 : after[1]]
        is_list = alike and not any(leaf.text == b"for" for leaf in within)
        return not is_list and not self._takes_comma(new)

    def _takes_comma(self, new: int) -> bool:
        """May a comma stand before a closing bracket of the template, as one might in the list?"""
        text = self.flat.text
        return len(text) <= _SHORT and takes_comma(text, self.leaves[new].start, self._pattern)

    def _region(self, left: Pair, right: Pair, absent: Absent) -> TemplateGap:
        low = self.leaves[left[1]].end if left[1] >= 0 else 0
        inner = right[1] < len(self.leaves)
        high = self.leaves[right[1]].start if inner else len(self.flat.text)
        line = self.flat.text[self.flat.text.rfind(b"\n", 0, low) + 1 : low]
        region = TemplateGap(
            left[0],
            right[0],
            self.flat.parts(low, high),
            line[: len(line) - len(line.lstrip(b" \t"))],
            self.flat.text.count(b"\n", 0, low),
            self._agree(*left),
            self._agree(right[0] - 1, right[1] - 1),
            all(place in absent.places for place in range(left[0] + 1, right[0])),
            left[1] >= 0 and self.leaves[left[1]].text in BRACKETS,
            inner and self.leaves[right[1]].text in CLOSERS and not self._unlisted(*right),
            reopens=self._reopened(*right) if inner else -1,
        )
        breaks = any(b"\n" in one for one in region.parts if isinstance(one, bytes))
        if region.adds and breaks and self._around(*left) == (None, None):
            region = region._replace(breaks=not self._nests_by_lines)
        if inner and self._unlisted(*right):
            return region._replace(closer=True)
        if self._swaps(left, right):
            return region._replace(swaps=True, comma=self._takes_comma(left[1] + 1))
        if left in self._respaced:
            return region._replace(spaces=True)
        if region.adds and not breaks:
            return region._replace(items=self._items(left, right, region, absent))
        return region

    def _swaps(self, left: Pair, right: Pair) -> bool:
        """Does a closing bracket give way to another one in the same place?"""
        old, new = left[0] + 1, left[1] + 1
        return (
            min(old, new) > 0
            and old < right[0]
            and new < right[1]
            and self.goals[old].text in CLOSERS
            and self.leaves[new].text in CLOSERS
        )

    def _reopened(self, old: int, new: int) -> int:
        """Which leaf closes the bracket right before another one, if it does so in both; or -1."""
        if self.leaves[new - 1].text not in BRACKETS or new < 1:
            return -1
        before, after = self._around(old - 1, new - 1)
        if before is None or after is None or (before[1], after[1]) not in self._pairs:
            return -1
        return before[1]

    def _items(self, left: Pair, right: Pair, region: TemplateGap, absent: Absent) -> Items | None:
        """The items that a region adds; None if it does anything else."""
        last = self.leaves[left[1]].slot if left[1] >= 0 else None
        ends = right[1] == len(self.leaves) and last is not None and last.many
        groups = _split(self.leaves[left[1] + 1 : right[1]])
        if region.opens and region.closes:
            place = "fill"
        elif region.closes or ends:
            place = "append"
            if self.leaves[left[1]].text != b"," and groups.pop(0):
                return None
        elif region.opens:
            place = "prepend"
            if groups.pop():
                return None
        elif left[1] >= 0 and self.leaves[left[1]].text == b"," and region.same_left:
            place = "insert"
            if len(groups) < 2 or groups.pop():
                return None
        else:
            return None
        comma = place in ("fill", "append") and len(groups) > 1 and not groups[-1]
        hollow = {leaf for leaf in self.leaves if leaf.slot and self._is_empty(leaf.slot, absent)}
        groups = [group for group in groups if not hollow.issuperset(group)]
        if not groups or any(leaf.slot and leaf.slot.many for group in groups for leaf in group):
            return None
        parts = tuple(self.flat.parts(group[0].start, group[-1].end) for group in groups)
        return Items(parts, place, self._gap(left, right), comma, margins(region.parts))

    def _gap(self, left: Pair, right: Pair) -> bytes:
        """The white space behind the first comma of a region, or one blank."""
        for place in range(max(left[1], 0), min(right[1], len(self.leaves) - 1)):
            if self.leaves[place].text == b",":
                return self.flat.text[self.leaves[place].end : self.leaves[place + 1].start]
        return b" "

    def _agree(self, old: int, new: int) -> bool:
        """Does what follows two leaves stand in the same brackets?"""
        mine, other = self._around(old, new)
        if mine is None or other is None:
            return mine is other
        ends = list(zip(mine, other, strict=True))
        return all(p in self._pairs for p in ends) or all(self._replaced(p) for p in ends)

    def _around(self, old: int, new: int) -> tuple[Pair | None, Pair | None]:
        """The brackets around what follows two leaves: none in a literal, where no line may end."""
        mine, other = (
            max((pair for pair in pairs if pair[0] <= place < pair[1]), default=None)
            for pairs, place in zip(self._brackets, (old, new), strict=True)
        )
        return mine, other

    def _replaced(self, pair: Pair) -> bool:
        """Does a leaf give way to the other one, between the same leaves that stay?"""
        old, new = pair
        if any(p[0] == old or p[1] == new for p in self._pairs):
            return False
        return [p for p in self._pairs if p[0] < old] == [p for p in self._pairs if p[1] < new]


def _brackets(leaves: Sequence[Goal | Leaf]) -> dict[int, int]:
    """Where each bracket closes, by where it opens."""
    opened: list[int] = []
    pairs: dict[int, int] = {}
    for place, leaf in enumerate(leaves):
        if leaf.text in OPENERS:
            opened.append(place)
        elif leaf.text in CLOSERS and opened:
            pairs[opened.pop()] = place
    return pairs


def _with_partners(
    pairs: Sequence[Pair], ends: tuple[dict[int, int], dict[int, int]]
) -> tuple[Pair, ...]:
    """The same pairs, with closing brackets that stay where their opening ones do."""
    made = list(pairs)
    for old, new in pairs:
        if old not in ends[0] or new not in ends[1]:
            continue
        closing = ends[0][old], ends[1][new]
        for this, that in ((0, 1), (1, 0)):
            at = next((at for at, pair in enumerate(made) if pair[this] == closing[this]), -1)
            behind = made[at + 1][that] if at + 1 < len(made) else closing[that] + 1
            if at > 0 and made[at - 1][that] < closing[that] < behind:
                made[at] = closing
    return tuple(made)


def _around_contents(
    pairs: Sequence[Pair], ends: tuple[dict[int, int], dict[int, int]], leaves: Sequence[Leaf]
) -> tuple[Pair, ...]:
    """The same pairs, with brackets right around what they hold in the pattern as well.

    So `f(⏎ a,⏎)` becomes `g(h(⏎ a,⏎))` where the template says `g(h($$$A))`.
    """
    made = list(pairs)
    place = {old: at for at, (old, _) in enumerate(made)}
    for at, (old, new) in enumerate(pairs):
        end = place.get(ends[0].get(old, -1), at)
        if end < at + 2 or made[end][1] != ends[1].get(new):
            continue
        first, last = made[at + 1], made[end - 1]
        inner = first[1] - 1, last[1] + 1
        is_pair = leaves[inner[0]].text == leaves[new].text and ends[1].get(inner[0]) == inner[1]
        if is_pair and first[0] == old + 1 and last[0] == made[end][0] - 1:
            made[at], made[end] = (old, inner[0]), (made[end][0], inner[1])
    return tuple(made)


def _split(leaves: Sequence[Leaf]) -> list[list[Leaf]]:
    """The leaves between commas that are in no brackets."""
    groups: list[list[Leaf]] = [[]]
    depth = 0
    for leaf in leaves:
        depth += (leaf.text in OPENERS) - (leaf.text in CLOSERS)
        if depth == 0 and leaf.text == b",":
            groups.append([])
        else:
            groups[-1].append(leaf)
    return groups
