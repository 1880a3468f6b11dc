"""The order in which the edits of a plan are shown: odd ones first, then by shape.

It depends on the plan and on who owns its files, never on what was decided.
"""

from collections.abc import Sequence, Set
from typing import Literal, NamedTuple

from astedit.model.edit import Edit, Shape
from astedit.model.plan import Plan
from astedit.model.shapes import AlikeEdits, SketchedEdit, alike_edits
from astedit.review.outliers import OutlierFinder, OutlierReason
from astedit.review.sample import SAMPLE, sampled
from astedit.review.subgroups import EditTraits, Owners, labels, traits_of

SMALL = 20  # edits of a shape that are all shown


class OrderedEdit(NamedTuple):
    """An edit in its place in the order; `shape` is the number of its shape, from 1.

    `why` says, the weightiest first, why it is shown before the others; empty for most.
    """

    path: str
    edit: Edit
    shape: int
    why: tuple[str, ...] = ()


class SubGroup(NamedTuple):
    """Edits of one shape that have in common what the label says; '' where nothing varies."""

    label: str
    edits: tuple[OrderedEdit, ...]


class ReviewGroup(NamedTuple):
    """What is decided as one: all outliers, or a shape less its outliers.

    All of a small shape is `shown`; of a large one the first, which is the plainest, and a
    sample. The rest is `folded`, by what varies. `number` is the shape's, None of outliers.
    """

    kind: Literal["outliers", "small", "large"]
    number: int | None
    shape: Shape | None
    shown: tuple[OrderedEdit, ...]
    folded: tuple[SubGroup, ...] = ()

    @property
    def label(self) -> str:
        """The shape's label."""
        return self.shape.label if self.shape else "Outliers"

    @property
    def edits(self) -> tuple[OrderedEdit, ...]:
        """All edits in their order: what is shown, then what is folded."""
        return self.shown + tuple(edit for part in self.folded for edit in part.edits)

    @property
    def sample(self) -> tuple[OrderedEdit, ...]:
        """The edits of a large shape that speak for it; none of others, which are read whole."""
        return self.shown[1:] if self.kind == "large" else ()


def nobody(path: str) -> tuple[str, ...]:
    """The owners of any file, where nobody is named."""
    return ()


def ordered(plan: Plan, owners: Owners = nobody) -> list[ReviewGroup]:
    """Outliers first, then small shapes, then large ones; each edit is in one group."""
    groups = alike_edits(plan.files)
    finder = OutlierFinder(plan, groups)
    shapes, odd = [], []
    for shape_number, group in enumerate(groups, 1):
        rows = traits_of(group.edits, owners)
        reasons = finder.reasons(group, rows)
        odd += [
            (reasons[m.edit.id], _placed(m, shape_number, reasons[m.edit.id]))
            for m in group.edits
            if m.edit.id in reasons
        ]
        usual = [at for at, member in enumerate(group.edits) if member.edit.id not in reasons]
        members = [(group.edits[at], rows[at]) for at in usual]
        if members:
            shapes.append(_shape_group(plan.fingerprint, shape_number, group, members))
    odd.sort(key=lambda pair: (pair[0][0], pair[1].path, pair[1].edit.start))
    first = [ReviewGroup("outliers", None, None, tuple(edit for _, edit in odd))] if odd else []
    shapes.sort(key=lambda group: len(group.edits) if group.kind == "small" else SMALL + 1)
    return first + shapes


def part_of_group(group: ReviewGroup, edit_ids: Set[str]) -> ReviewGroup:
    """The group with these edits alone, in the same order."""
    if all(edit.edit.id in edit_ids for edit in group.edits):
        return group
    folded = (SubGroup(part.label, _of_ids(part.edits, edit_ids)) for part in group.folded)
    left = tuple(part for part in folded if part.edits)
    return group._replace(shown=_of_ids(group.shown, edit_ids), folded=left)


def _of_ids(edits: Sequence[OrderedEdit], edit_ids: Set[str]) -> tuple[OrderedEdit, ...]:
    return tuple(edit for edit in edits if edit.edit.id in edit_ids)


def _shape_group(
    fingerprint: str,
    shape_number: int,
    group: AlikeEdits,
    members: Sequence[tuple[SketchedEdit, EditTraits]],
) -> ReviewGroup:
    """A shape less its outliers."""
    placed = {m.edit.id: _placed(m, shape_number) for m, _ in members}
    if len(members) <= SMALL:
        shown = tuple(placed.values())
        return ReviewGroup("small", shape_number, group.shape, shown)
    plainest = min(members, key=lambda pair: _plainness(pair[0].edit))[0].edit.id
    rest = [edit_id for edit_id in placed if edit_id != plainest]
    names = [plainest, *sampled(fingerprint, rest)[:SAMPLE]]
    shown = tuple(placed[name] for name in names)
    by_label: dict[str, list[OrderedEdit]] = {}
    for (member, _), label in zip(members, labels([row for _, row in members]), strict=True):
        if member.edit.id not in set(names):
            by_label.setdefault(label, []).append(placed[member.edit.id])
    parts = [SubGroup(label, tuple(edits)) for label, edits in by_label.items()]
    parts.sort(key=lambda part: len(part.edits))
    return ReviewGroup("large", shape_number, group.shape, shown, tuple(parts))


def _placed(
    member: SketchedEdit, shape_number: int, reasons: Sequence[OutlierReason] = ()
) -> OrderedEdit:
    return OrderedEdit(
        member.path, member.edit, shape_number, tuple(reason.text for reason in reasons)
    )


def _plainness(edit: Edit) -> tuple[int, int]:
    return len(edit.whole_before), len(edit.whole_after)
