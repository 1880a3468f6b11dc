"""Which edits make one commit: whole shapes, rules, files, directories, owners or ops."""

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from astedit.model.plan import Plan
from astedit.model.shapes import alike_edits
from astedit.review.units import EditUnit, units_of

GroupedBy = Literal["shape", "rule", "file", "dir", "owner", "op"]
GROUPINGS: tuple[GroupedBy, ...] = get_args(GroupedBy)
OwnersOf = Callable[[str], Iterable[str]]


@dataclass(frozen=True, slots=True)
class CommitGroup:
    """The edits of one commit, under the name that they have in common."""

    name: str
    units: tuple[EditUnit, ...]

    @property
    def edits(self) -> int:
        """How many edits have a choice of their own."""
        return sum(len(unit.edits) for unit in self.units)

    @property
    def files(self) -> int:
        """How many files they are in."""
        return len({path for unit in self.units for path, _ in unit.edits})


def groups_of(plan: Plan, by: GroupedBy | None, owners: OwnersOf) -> list[CommitGroup]:
    """The groups in an order that is the same for the same plan: shapes by size, else by name.

    Without `by` all of the plan is one group, which has no name.
    """
    units = units_of(plan)
    if by is None:
        return [CommitGroup("", tuple(units))]
    name_of = _naming(plan, by, owners)
    members: dict[str, list[EditUnit]] = {}
    for unit in units:
        members.setdefault(name_of(unit), []).append(unit)
    names = list(members) if by == "shape" else sorted(members)
    return [CommitGroup(name, tuple(members[name])) for name in names]


def joined(groups: Iterable[CommitGroup]) -> CommitGroup:
    """One commit of several groups, which need one another."""
    every = list(groups)
    units = tuple(unit for group in every for unit in group.units)
    return CommitGroup(" and ".join(group.name for group in every), units)


def _naming(plan: Plan, by: GroupedBy, owners: OwnersOf) -> Callable[[EditUnit], str]:
    if by == "file":
        return lambda unit: unit.path
    if by == "dir":
        return lambda unit: os.path.dirname(unit.path) or "."
    if by == "owner":
        return lambda unit: " ".join(owners(unit.path)) or "nobody"
    if by == "shape":
        labels = [group.shape.label for group in alike_edits(plan.files, plan.request)]
        return lambda unit: labels[unit.shape]
    edits = {(file.path, edit.id): edit for file in plan.files for edit in file.edits}
    if by == "rule":
        return lambda unit: edits[unit.edits[0]].rule_id or "no rule"
    return lambda unit: f"op {(edits[unit.edits[0]].op or 0) + 1}"
