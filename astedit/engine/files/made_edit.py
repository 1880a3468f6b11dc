"""What becomes of the matches of a file, and two turns of it as one."""

from collections.abc import Sequence, Set
from typing import NamedTuple

from astedit.text.splice import Change, compose, is_idle


class MadeEdit(NamedTuple):
    """What becomes of a match, the op that did it, and how many matches went into it.

    `change` is all of the match; `pieces` are what changes of that. The op is None for a
    change of imports that several ops ask for.
    """

    change: Change
    op: int | None
    matches: int
    pieces: tuple[Change, ...]

    @property
    def least(self) -> Change:
        """From the first to the last byte that changes."""
        low, high = self.pieces[0][0], self.pieces[-1][1]
        start, end, new = self.change
        return low, high, new[low - start : len(new) - (end - high)]


def whole_changes(made: Sequence[MadeEdit]) -> list[Change]:
    """The change of each edit."""
    return [edit.change for edit in made]


def pieces_of(made: Sequence[MadeEdit]) -> list[Change]:
    """What changes, of all edits."""
    return [piece for edit in made for piece in edit.pieces]


def owners_of(made: Sequence[MadeEdit]) -> list[int]:
    """By the number of a piece, of which edit it is."""
    return [number for number, edit in enumerate(made) for _ in edit.pieces]


def joined(
    text: bytes, first: Sequence[MadeEdit], second: Sequence[MadeEdit], *, imports: bool = False
) -> list[MadeEdit]:
    """Two turns as one: what they do to the text before both.

    Of `imports`, what comes before or behind an edit stays an edit of its own: else it would
    be lost with that edit, though another one needs it.
    """
    if not first:
        return [*second]
    apart = _added(second) if imports else set()
    groups = compose(text, whole_changes(first), whole_changes(second), apart)
    owner = {(0, one): number for number, (_, ones, _) in enumerate(groups) for one in ones}
    owner |= {(1, two): number for number, (_, _, twos) in enumerate(groups) for two in twos}
    pieces: list[list[Change]] = [[] for _ in groups]
    for piece, edit in _pieces(text, first, second, apart):
        pieces[owner[edit]].append(piece)
    made = []
    for (change, ones, twos), own in zip(groups, pieces, strict=True):
        parts = [first[i] for i in ones] + [second[j] for j in twos]
        op = min((edit.op for edit in parts if edit.op is not None), default=None)
        made.append(MadeEdit(change, op, sum(edit.matches for edit in parts), tuple(own)))
    return made


def _pieces(
    text: bytes, first: Sequence[MadeEdit], second: Sequence[MadeEdit], apart: Set[int]
) -> list[tuple[Change, tuple[int, int]]]:
    """What changes, each with the turn and the number of an edit that it is of."""
    firsts, seconds = owners_of(first), owners_of(second)
    lines = {number for number, edit in enumerate(seconds) if edit in apart}
    return [
        (change, (0, firsts[ones[0]]) if ones else (1, seconds[twos[0]]))
        for change, ones, twos in compose(text, pieces_of(first), pieces_of(second), lines)
        if not is_idle(change, text)
    ]


def _added(made: Sequence[MadeEdit]) -> set[int]:
    """The numbers of the edits that only add something: a line, or a name in a list."""
    return {number for number, edit in enumerate(made) if edit.change[0] == edit.change[1]}
