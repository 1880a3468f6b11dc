"""The edits of a plan as chapters to read: rare kinds of edit first."""

import random
from typing import NamedTuple

from astedit.model.edit import Edit, Shape
from astedit.model.plan import Plan
from astedit.model.shapes import alike_edits

SMALL = 20  # edits of a kind that are all shown
SAMPLE = 59  # of more, beside the first


class ChapterEdit(NamedTuple):
    """An edit in its place in the order; `why` says why it stands before others."""

    path: str
    edit: Edit
    shape: int
    why: tuple[str, ...] = ()


class Chapter(NamedTuple):
    """One kind of edit: `shape:NUMBER`, what is shown of it, and the rest."""

    number: int | None
    shape: Shape
    shown: tuple[ChapterEdit, ...]
    folded: tuple[ChapterEdit, ...]

    @property
    def label(self) -> str:
        """The shape's label."""
        return self.shape.label

    @property
    def edits(self) -> tuple[ChapterEdit, ...]:
        """All edits in their order."""
        return self.shown + self.folded


def chapters(plan: Plan) -> list[Chapter]:
    """The kinds of edit, the rare ones first."""
    every = []
    for number, (shape, alike) in enumerate(alike_edits(plan.files), 1):
        own = [ChapterEdit(path, edit, number) for path, edit, _ in alike]
        chosen = _sample(len(own), f"{plan.fingerprint}{number}")
        shown = tuple(own[at] for at in chosen)
        rest = tuple(each for at, each in enumerate(own) if at not in set(chosen))
        every.append(Chapter(number, shape, shown, rest))
    return sorted(every, key=lambda chapter: len(chapter.edits))


def _sample(count: int, seed: str) -> list[int]:
    if count <= SMALL:
        return list(range(count))
    return [0, *random.Random(seed).sample(range(1, count), min(SAMPLE, count - 1))]
