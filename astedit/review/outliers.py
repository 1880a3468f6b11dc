"""Which edits are shown first, and why: each for itself, before any that are alike."""

from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum
from typing import NamedTuple

from astedit.model.edit import Edit
from astedit.model.plan import Plan
from astedit.model.shapes import AlikeEdits
from astedit.review.agreement import Agreement, agreements
from astedit.review.subgroups import EditTraits, rare_kinds
from astedit.text.count_phrases import number
from astedit.workspace.path_policy import classify
from resolve.visible import mixed_scripts

FEW = 2  # edits of a shape that is an outlier
BESIDE = 3  # lines between an edit and what is beside it
RARELY = 0.1  # of all edits have brackets added, else that is nothing odd
SELDOM = 0.03  # so many do the same as an edit, by those that would do otherwise
SHOWN = 120  # characters of what others would give


class Oddity(IntEnum):
    """Kinds of reasons; the first are the most worth a look."""

    LOOK_ALIKE = 0
    DIFFERS = 1
    PROTECTED = 2
    ALONE = 3
    UNUSUAL = 4
    NESTED = 5


class OutlierReason(NamedTuple):
    """Why an edit is shown first; the smaller, the earlier."""

    oddity: Oddity
    share: float
    text: str


class _Neighbours(NamedTuple):
    """Lines of a file that are beside something, and what to say of them."""

    line: int
    text: str


class OutlierFinder:
    """Finds the outliers of a plan."""

    def __init__(self, plan: Plan, groups: Sequence[AlikeEdits]) -> None:
        self._agreements = agreements(groups)
        self._neighbours = _neighbours(plan)
        bracketed = sum(each.brackets for each in self._agreements.values())
        self._brackets_are_usual = bracketed > RARELY * len(self._agreements)

    def reasons(
        self, group: AlikeEdits, rows: Sequence[EditTraits]
    ) -> Mapping[str, list[OutlierReason]]:
        """Why edits of a shape are outliers, by their ids; of others there is nothing."""
        usual = self._brackets_are_usual
        paths = {member.path for member in group.edits}
        by_path = {path: list(_by_path(path)) for path in paths}
        found = {}
        for member, rare in zip(group.edits, rare_kinds(rows), strict=True):
            reasons = [
                *_by_text(member.edit),
                *_by_agreement(member.edit, self._agreements[member.edit.id], usual),
                *by_path[member.path],
                *_by_count(len(group.edits)),
                *self._by_place(member.path, member.edit),
            ]
            if rare:
                reasons.append(_unusual(f"hardly any other has {rare} there"))
            if reasons:
                found[member.edit.id] = sorted(reasons)
        return found

    def _by_place(self, path: str, edit: Edit) -> Iterator[OutlierReason]:
        last = edit.shown_line + edit.whole_before.count("\n")
        for line, text in self._neighbours.get(path, ()):
            if edit.shown_line - BESIDE <= line <= last + BESIDE:
                yield _unusual(text)
                return


def _unusual(text: str) -> OutlierReason:
    return OutlierReason(Oddity.UNUSUAL, 0, text)


def _neighbours(plan: Plan) -> Mapping[str, list[_Neighbours]]:
    places: dict[str, list[_Neighbours]] = {}
    for item in plan.blocked:
        if item.range is not None:
            text = f"beside a match that is left out ({item.reason})"
            places.setdefault(item.path, []).append(_Neighbours(item.range.line, text))
    for near in plan.near:
        for reason in near.reasons:
            if reason.line is not None:
                text = f"beside a near miss of {near.pattern}"
                places.setdefault(reason.path, []).append(_Neighbours(reason.line, text))
    return places


def _by_text(edit: Edit) -> Iterator[OutlierReason]:
    if edit.after.isascii():
        return
    names = set(mixed_scripts(edit.whole_after)) - set(mixed_scripts(edit.whole_before))
    if names:
        text = f"{', '.join(sorted(names))} mixes letters of scripts that look alike"
        yield OutlierReason(Oddity.LOOK_ALIKE, 0, text)


def _by_agreement(edit: Edit, agreement: Agreement, usual: bool) -> Iterator[OutlierReason]:
    alike, others = agreement.alike, agreement.others
    if others and alike <= max(FEW, SELDOM * others):
        nested = edit.matches > 1
        oddity = Oddity.NESTED if nested and not agreement.foreign else Oddity.DIFFERS
        text = f"{number(others, 'edit')} like it would give {_cut(agreement.expected)}"
        yield OutlierReason(oddity, nested + (alike + 1) / others, text)
    elif agreement.brackets and not usual:
        yield _unusual("brackets were added")


def _by_path(path: str) -> Iterator[OutlierReason]:
    path_class = classify(path)
    if path_class == "noted":
        yield _unusual("the file runs by itself")
    elif path_class is not None:
        yield OutlierReason(Oddity.PROTECTED, 0, "the file is protected")


def _by_count(count: int) -> Iterator[OutlierReason]:
    if count <= FEW:
        text = "like no other edit" if count == 1 else "like one other edit alone"
        yield OutlierReason(Oddity.ALONE, count, text)


def _cut(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"
