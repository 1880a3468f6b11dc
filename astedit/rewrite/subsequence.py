"""The longest common subsequence of the leaves of a pattern and of its template."""

from collections.abc import Sequence

from astedit.pattern.compile import Goal
from astedit.pattern.template import Slot
from astedit.rewrite.template_leaves import CLOSERS, OPENERS, Leaf

_MOST = 1_000_000  # pairs of leaves to compare; a longer template is written as a whole
Pair = tuple[int, int]  # a leaf of the pattern and the leaf of the template that it stays as
_Length = tuple[
    int, int, int
]  # of a subsequence: its leaves, slots, and tokens as deep in brackets


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
    mine = _last_uses(goals)
    others = _first_uses(leaves)
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


def _last_uses(goals: Sequence[Goal]) -> list[bytes | Slot | None]:
    """A name that a pattern has twice holds what it was found with last."""
    seen: set[Slot] = set()
    keys: list[bytes | Slot | None] = []
    for goal in reversed(goals):
        slot = slot_of(goal)
        keys.append(None if slot in seen else slot or (goal.text if goal.hole is None else None))
        seen |= {slot} if slot else set()
    return keys[::-1]


def _first_uses(leaves: Sequence[Leaf]) -> list[bytes | Slot | None]:
    seen: set[Slot] = set()
    keys: list[bytes | Slot | None] = []
    for leaf in leaves:
        keys.append(leaf.text if leaf.slot is None else None if leaf.slot in seen else leaf.slot)
        seen |= {leaf.slot} if leaf.slot else set()
    return keys


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
            as_deep = depths[0][i] == depths[1][other]
            length = _longer(best[i + 1][other + 1], key, as_deep)
            if key == others[other] and best[i][j] == length:
                pairs.append((i, other))
                j = other + 1
                break
    return pairs
