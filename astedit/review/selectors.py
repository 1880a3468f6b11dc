"""What `--only` and `--exclude` mean: which edits of a plan a text names.

An edit id, a glob of paths, `FILE:LINE`, `shape:N` (from 1, in the order of `show --format
shapes`), `rule:ID`, or `op:N` (from 1, in the order of the request).
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from typing import Literal, Self, get_args

from astedit.errors import PreconditionError, RequestError
from astedit.model.edit import Edit, FilePlan, Shape
from astedit.model.plan import Plan
from astedit.model.shape_labels import AlikeEdits
from astedit.model.shapes import alike_edits, example_of
from astedit.review.decisions import Review
from astedit.review.units import reached, settled
from astedit.text import first_names
from astedit.workspace.gitignore import Globs
from resolve.visible import one_line

_KIND = re.compile(r"(shape|rule|op):(.+)", re.DOTALL)
_LINE = re.compile(r"(.+):(\d+)", re.DOTALL)
_NAMED = 5  # of what there is, in an error


@dataclass(frozen=True, slots=True)
class Selection:
    """Which edits of a plan are meant: those that `only` names, less those of `exclude`.

    Both hold texts as `edits_named` reads them. `only` is None where nobody chose; a choice
    that came out empty is no edit, and is refused.
    """

    only: tuple[str, ...] | None = None
    exclude: tuple[str, ...] = ()

    @classmethod
    def of_flags(cls, only: Sequence[str], exclude: Sequence[str]) -> Self:
        """That of flags which may be repeated: one that is never written is an empty list."""
        return cls(tuple(only) or None, tuple(exclude))


ALL = Selection()


def part_of(plan: Plan, selection: Selection, closed: bool = True) -> set[str]:
    """The ids of the edits that are meant; if `closed` less those that nothing causes then.

    Edits of imports come or stay with those that they are for. Raises `RequestError` for a
    text that names no edit, and where nothing is left (`empty_choice`).
    """
    edits = ids_of(plan)
    if selection == ALL:
        return edits
    if selection.only is not None:
        edits = edits_named(plan, selection.only)
    named = edits - edits_named(plan, selection.exclude)
    edits = settled_in(plan, reached(plan, named) if closed else named)
    if not edits:
        hint = "Choose what causes them, too: `show --format causes`." if named else None
        raise RequestError("No edit is left.", code="empty_choice", hint=hint)
    return edits


def settled_in(plan: Plan, edits: Set[str]) -> set[str]:
    """These edits with the edits of imports that they need; `RequestError` as `settled`."""
    chosen = ((file, [each.id for each in file.edits if each.id in edits]) for file in plan.files)
    return {edit_id for file, own in chosen for edit_id in settled(file, own)}


def edits_named(plan: Plan, selectors: Iterable[str]) -> set[str]:
    """The ids of the edits that any of these texts name; each must name one at least."""
    edits: set[str] = set()
    for selector in selectors:
        edits |= _named(plan, selector)
    return edits


def ids_of(plan: Plan) -> set[str]:
    """The ids of all edits of a plan."""
    return {edit.id for edit in edits_of(plan.files)}


def edits_of(files: Iterable[FilePlan]) -> Iterator[Edit]:
    """Every edit of these files."""
    return (edit for file in files for edit in file.edits)


def numbered_shapes(plan: Plan, part: Iterable[FilePlan]) -> list[tuple[int, Shape]]:
    """The shapes of a part of a plan, with the numbers that they have in the whole of it."""
    edits = {edit.id for edit in edits_of(part)}
    parts = (
        (n, _part(group, edits)) for n, group in enumerate(alike_edits(plan.files, plan.request), 1)
    )
    return [(index, shape) for index, shape in parts if shape is not None]


def _part(group: AlikeEdits, edits: Set[str]) -> Shape | None:
    members = [member for member in group.edits if member.edit.id in edits]
    if len(members) in (0, len(group.edits)):
        return group.shape if members else None
    example = example_of(members[0].path, members[0].edit)
    files = len({member.path for member in members})
    return replace(group.shape, count=len(members), files=files, example=example)


def _named(plan: Plan, selector: str) -> set[str]:
    if any(edit.id == selector for edit in edits_of(plan.files)):
        return {selector}
    if kind := _KIND.fullmatch(selector):
        return _OF_KIND[kind[1]](plan, kind[2])
    path = selector.removeprefix("./")
    line = _LINE.fullmatch(path)
    if line and any(file.path == line[1] for file in plan.files):
        return _at_line(next(f for f in plan.files if f.path == line[1]), int(line[2]))
    glob = Globs([selector])
    files = [f for f in plan.files if f.path == path or glob.verdict(f.path) is True]
    if not files:
        raise _unknown(
            f"No edit of this plan begins at {selector}."
            if line
            else f"{selector!r} is no edit id, and no glob of a file of this plan.",
            "Name an id as `astedit show --json` lists them, a glob, FILE:LINE, shape:N, rule:ID "
            "or op:N.",
        )
    return {edit.id for edit in edits_of(files)}


def _of_shape(plan: Plan, number: str) -> set[str]:
    shapes = alike_edits(plan.files, plan.request)
    if not number.isdecimal() or not 1 <= int(number) <= len(shapes):
        raise _unknown(
            f"There is no shape:{number}: the plan has {len(shapes)}, numbered from 1.",
            f"`astedit show {plan.action_id} --format shapes` lists them.",
        )
    return {member.edit.id for member in shapes[int(number) - 1].edits}


def _of_rule(plan: Plan, name: str) -> set[str]:
    edits = list(edits_of(plan.files))
    known = sorted({edit.rule_id for edit in edits if edit.rule_id is not None})
    if name not in known:
        there = (
            f"there are edits of {first_names(known, _NAMED)}" if known else "there are no rules"
        )
        raise _unknown(f"No edit of this plan is of the rule {name!r}: {there}.")
    return {edit.id for edit in edits if edit.rule_id == name}


def _of_op(plan: Plan, number: str) -> set[str]:
    edits = list(edits_of(plan.files))
    known = sorted({edit.op for edit in edits if edit.op is not None})
    if not number.isdecimal() or int(number) - 1 not in known:
        there = first_names([f"op:{op + 1}" for op in known], _NAMED) or "no op"
        raise _unknown(
            f"No edit of this plan is of op:{number}: there are edits of {there}.",
            "Ops are numbered from 1: op:1 is the first -p." if number == "0" else None,
        )
    return {edit.id for edit in edits if edit.op == int(number) - 1}


_OF_KIND = {"shape": _of_shape, "rule": _of_rule, "op": _of_op}


def _at_line(file: FilePlan, line: int) -> set[str]:
    """The edits that people know by this line; without any, those that reach over it."""
    begun = {edit.id for edit in file.edits if line in (edit.line, edit.shown_line)}
    reaching = {
        edit.id
        for edit in file.edits
        if 0 <= line - edit.shown_line <= edit.whole_before.rstrip("\n").count("\n")
    }
    if not (begun or reaching):
        near = sorted({edit.shown_line for edit in file.edits}, key=lambda at: (abs(at - line), at))
        lines = first_names([str(at) for at in sorted(near[:_NAMED])], _NAMED)
        raise _unknown(f"No edit of {file.path} is at line {line}; the nearest: {lines}.")
    return begun or reaching


def _unknown(message: str, hint: str | None = None) -> RequestError:
    return RequestError(message, code="unknown_edit", hint=hint)


Undecided = Literal["accept", "reject", "keep"]
UNDECIDED: tuple[str, ...] = get_args(Undecided)


def accepted_part(
    review: Review, edits: Set[str], undecided: Undecided | None, closed: bool = True
) -> set[str]:
    """Those of these edits that were accepted, with the edits of imports that they need.

    `undecided` says what becomes of the others that nobody has decided about; only `accept`
    makes them. Raises `PreconditionError` where there are such and it says nothing, and where
    nothing is accepted.
    """
    open_edits = [edit_id for edit_id in review.chosen(None) if edit_id in edits]
    if open_edits and undecided is None:
        places = [review.edits[edit_id] for edit_id in open_edits]
        names = [f"{one_line(path)}:{edit.shown_line}" for path, edit in places]
        raise PreconditionError(
            f"{len(open_edits):,} of {len(edits):,} edits are undecided: "
            f"{first_names(names, _NAMED)}.",
            code="undecided",
            hint=f"Decide about them (astedit review {review.plan.action_id}), or say what becomes "
            "of them: --undecided accept|reject|keep.",
        )
    chosen = {edit_id for edit_id in review.chosen("accept") if edit_id in edits}
    chosen |= set(open_edits) if undecided == "accept" else set()
    part = settled_in(review.plan, reached(review.plan, chosen) if closed else chosen)
    refuse_nothing(part, review.plan)
    return part


def refuse_nothing(accepted: Collection[str], plan: Plan) -> None:
    """Raises `PreconditionError` where no edit is accepted, which never means all."""
    if not accepted:
        raise PreconditionError(
            "Nothing is accepted: there is nothing to apply.",
            code="nothing_accepted",
            hint=f"Accept edits (astedit review {plan.action_id}), or discard the plan.",
        )
