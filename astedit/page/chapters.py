"""The edits of a plan as chapters to read: outliers first, then each kind of edit."""

import random
from typing import NamedTuple

from astedit.model.edit import Edit, FilePlan, Shape
from astedit.model.plan import Plan
from astedit.model.shapes import alike_edits

FULL = 12  # edits of a kind that are all shown
SAMPLE = 8  # of more


class FileEdit(NamedTuple):
    """An edit, and the plan of its file."""

    file: FilePlan
    edit: Edit


class Chapter(NamedTuple):
    """One kind of edit: `shape:NUMBER`, its edits, and those of them that are to be shown."""

    number: int
    shape: Shape
    edits: list[FileEdit]
    sample: list[FileEdit]


def chapters(plan: Plan) -> list[Chapter]:
    """The kinds of edit, the rare ones first."""
    files = {file.path: file for file in plan.files}
    every = []
    for number, (shape, alike) in enumerate(alike_edits(plan.files), 1):
        own = [FileEdit(files[path], edit) for path, edit, _ in alike]
        every.append(Chapter(number, shape, own, _sample(own, f"{plan.fingerprint}{number}")))
    return sorted(every, key=lambda chapter: len(chapter.edits))


def _sample(edits: list[FileEdit], seed: str) -> list[FileEdit]:
    if len(edits) <= FULL:
        return edits
    chosen = random.Random(seed).sample(range(1, len(edits)), SAMPLE - 1)
    return [edits[0], *(edits[at] for at in sorted(chosen))]
