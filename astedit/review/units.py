"""The units in which a plan is taken apart: edits that belong together are one."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Literal

from astedit.errors import RequestError
from astedit.model.edit import Edit, FilePlan
from astedit.model.plan import Plan
from astedit.model.shapes import alike_edits

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
        for number, group in enumerate(alike_edits(plan.files, plan.request))
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


_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Tie:
    """An edit of imports and the edits that it is for; it has no decision of its own.

    What only adds comes with any of them, what takes something away with all of them alone.
    What does both binds them: all of them are made, or none.
    """

    imports: str
    edits: tuple[str, ...]
    comes: Literal["with any", "with all", "binding"]


def ties_of(file: FilePlan) -> list[Tie]:
    """The ties within a file.

    An edit of imports (of no match) is for the matches of its op or rule in the file, one of
    no op for all matches there.
    """
    if file.operation != "modify":  # it comes, goes or moves with all of its edits, or with none
        first, *rest = (edit.id for edit in file.edits)
        return [Tie(first, tuple(rest), "binding")] if rest else []
    ties = []
    for imports in (edit for edit in file.edits if not edit.matches):
        served = tuple(
            edit.id
            for edit in file.edits
            if edit.matches and _rule(imports) in ((None, None), _rule(edit))
        )
        if served:
            ties.append(Tie(imports.id, served, _comes(imports)))
    return ties


def settled(file: FilePlan, chosen: Iterable[str]) -> set[str]:
    """The chosen edits of a file, less the edits of imports among them, with those they need.

    Raises `RequestError` where a tie that binds would be torn.
    """
    edits = set(chosen)
    if file.operation != "modify":  # a file comes, goes or moves with all that is in it
        return {edit.id for edit in file.edits} if edits else edits
    for tie in ties_of(file):
        edits.discard(tie.imports)
        if not (count := len(edits.intersection(tie.edits))):
            continue
        if count == len(set(tie.edits)) or tie.comes == "with any":
            edits.add(tie.imports)
        elif tie.comes == "binding":
            raise RequestError(
                f"{tie.imports} in {file.path} adds and removes imports for edits that are not"
                " chosen.",
                code="split",
                hint=f"Choose all of them: --only {file.path}",
            )
    return edits


def is_cascade(plan: Plan) -> bool:
    """Whether rules that cause rules have made it."""
    return any(edit.chain for file in plan.files for edit in file.edits)


class Causation:
    """Which edits of a plan have caused which (CB7)."""

    def __init__(self, plan: Plan) -> None:
        edits = [edit for file in plan.files for edit in file.edits if edit.because]
        self._because = {edit.id: edit.because for edit in edits}
        self._caused: dict[str, list[str]] = {}
        for edit in edits:
            for cause in edit.because:
                self._caused.setdefault(cause, []).append(edit.id)

    def lost(self, going: Set[str], is_gone: Callable[[str], bool] = lambda _: False) -> set[str]:
        """The other edits that nothing causes any more where these go, and some are gone."""
        below: set[str] = set()
        stack = [edit for edit in going if edit in self._caused]
        while stack:
            new = {*self._caused.get(stack.pop(), ())} - below - going
            new = {edit for edit in new if not is_gone(edit)}
            below |= new
            stack += new
        stays = [
            edit
            for edit in below
            if any(
                c not in below and c not in going and not is_gone(c) for c in self._because[edit]
            )
        ]
        while stays:
            edit = stays.pop()
            below.discard(edit)
            stays += below.intersection(self._caused.get(edit, ()))
        return below


def reached(plan: Plan, edits: Set[str]) -> set[str]:
    """Those of these edits that need no cause, or have one among them (CB7)."""
    others = {edit.id for file in plan.files for edit in file.edits} - edits
    return set(edits - Causation(plan).lost(others))


def _rule(edit: Edit) -> tuple[int | None, str | None]:
    return edit.op, edit.rule_id


def _comes(imports: Edit) -> Literal["with any", "with all", "binding"]:
    if not imports.before:
        return "with any"
    added = set(_WORD.findall(imports.after)) - set(_WORD.findall(imports.before))
    return "binding" if added else "with all"
