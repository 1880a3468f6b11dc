"""The units in which a plan is taken apart: edits that belong together are one."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from astedit.model.edit import FilePlan
from astedit.model.plan import Plan
from astedit.model.shapes import alike_edits
from astedit.review.ties import ties_of

# operations whose edits make sense together alone
_WHOLE = ("rename", "remove", "signature", "set_path")


@dataclass(frozen=True, slots=True)
class EditUnit:
    """Edits that are made together or not at all, of one shape in one file.

    Of a rename there is one unit, which has more files and shapes; so has that of a file which
    comes to where another one leaves. Edits of imports are in none: they follow those that
    need them.
    """

    edits: tuple[tuple[str, str], ...]  # path and id
    shape: int
    path: str


def units_of(plan: Plan) -> list[EditUnit]:
    """The units of a plan: alike ones side by side, of these those of one file, in order."""
    shapes = {
        (member.path, member.edit.id): number
        for number, group in enumerate(alike_edits(plan.files))
        for member in group.edits
    }
    operation = plan.request.operation
    groups = [(file.path, ids) for file in plan.files for ids in _together(file)]
    if operation is not None and operation.kind in _WHOLE:
        edits = tuple((path, edit_id) for path, ids in groups for edit_id in ids)
        return [EditUnit(edits, 0, edits[0][0])]
    if operation is not None and operation.kind == "codemod":  # one pass made those of a file
        groups = [(file.path, [edit.id for edit in file.edits]) for file in plan.files]
    same_place = _sharing_places(plan.files)
    members: dict[object, list[tuple[str, str]]] = {}
    for number, (path, ids) in enumerate(groups):
        key = same_place.get(path, number)
        members.setdefault(key, []).extend((path, edit_id) for edit_id in ids)
    units = [EditUnit(tuple(edits), shapes[edits[0]], edits[0][0]) for edits in members.values()]
    return sorted(units, key=lambda unit: (unit.shape, unit.path))


def level(units: list[EditUnit], position: int) -> int:
    """What begins at this unit: 0 a shape, 1 a file, 2 nothing but the unit."""
    before, here = units[position - 1], units[position]
    return 0 if before.shape != here.shape else 1 if before.path != here.path else 2


def ids_of(units: Iterable[EditUnit]) -> dict[str, list[str]]:
    """The ids of these units' edits, by path."""
    ids: dict[str, list[str]] = {}
    for unit in units:
        for path, edit_id in unit.edits:
            ids.setdefault(path, []).append(edit_id)
    return ids


def _sharing_places(files: Sequence[FilePlan]) -> dict[str, str]:
    """Of files that leave a place to which another one comes, the first of each such chain."""
    chains: dict[str, set[str]] = {}
    for file in files:
        joined = set(file.paths).union(*(chains.get(path, ()) for path in file.paths))
        chains |= dict.fromkeys(joined, joined)
    number = Counter(id(chains[file.path]) for file in files)
    return {
        file.path: min(chains[file.path]) for file in files if number[id(chains[file.path])] > 1
    }


def _together(file: FilePlan) -> Iterator[list[str]]:
    """The edits of a file that have a choice of their own; those that imports bind, as one."""
    ties = ties_of(file)
    group = {edit.id: {edit.id} for edit in file.edits}
    for tie in (tie for tie in ties if tie.comes == "binding"):
        joined = set().union(*(group[edit_id] for edit_id in tie.edits))
        group |= dict.fromkeys(joined, joined)
    following = {tie.imports for tie in ties}
    yielded: set[str] = set()
    for edit in file.edits:
        if edit.id not in following and edit.id not in yielded:
            yielded |= group[edit.id]
            yield [each.id for each in file.edits if each.id in group[edit.id]]
