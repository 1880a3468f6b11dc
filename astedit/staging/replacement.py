"""What comes of a staged plan: a part made again, what is left of it, or a hunk changed."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from astedit.engine.run_context import Run
from astedit.errors import AstEditError, PreconditionError, RequestError, StaleError
from astedit.model.edit import Edit
from astedit.model.plan import Plan
from astedit.model.request import OwnEdit
from astedit.review.selectors import ids_of
from astedit.staging.on_top import based_again
from astedit.staging.part import Remade, cut
from astedit.staging.plan_contents import contents_of
from astedit.staging.plan_label import actor, details_of, label
from astedit.staging.preview import preview, reopened
from astedit.staging.stored import HANDLER, packed
from astedit.staging.stored_review import annotate, decisions_about, remember_decided
from astedit.text import number
from astedit.workspace.root import Workspace
from resolve import PendingAction, Session
from resolve.handlers import Context


def made_from(plan: Plan, edits: Set[str], workspace: Workspace, run: Run) -> Plan:
    """What a cascade makes of these edits alone: it runs again, and leaves all others out. (CB7)

    It says the same of the request as the plan does. Raises `RequestError` where no edit is left.
    """
    barred: dict[str, list[tuple[int, int]]] = {}
    for file in plan.files:
        for edit in file.edits:
            if edit.id not in edits:
                place = edit.match or edit
                barred.setdefault(file.path, []).append((place.start, place.end))
    part = preview(plan.request, workspace, run._replace(barred=barred))
    if not part.files:
        hint = "Choose what causes them, too: `show --format causes`."
        raise RequestError("No edit is left.", code="empty_choice", hint=hint)
    return part


def remaking(plan: Plan, workspace: Workspace, run: Run) -> Remade | None:
    """How a part of a pending cascade is shown; None where its files are not as they were."""
    read = contents_of(plan, workspace)
    if plan.after is not None or any(read(file) is None for file in plan.files):
        return None
    return partial(made_from, workspace=workspace, run=run)


class _Place(NamedTuple):
    """What an edit is, and where."""

    path: str
    start: int
    op: int | None
    rule: str | None
    before: str
    new: bytes


def rest_of(
    older: Plan, applied: Set[str], kept: Set[str], workspace: Workspace, run: Run
) -> tuple[Plan, dict[str, str]]:
    """The plan of the kept edits on the tree to which the applied ones were applied.

    The request runs again on that tree, and an edit is one of the kept if it does the same at
    the place to which its code was moved by the others. Returns the plan, and the new ids by
    the old ones; what is not found is left out.
    """
    request = replace(older.request, kept=[])
    if request.own_edits:
        from astedit.staging.own_edits import shifted  # which few plans have

        request.own_edits = shifted(older, applied)
    plan = preview(request, workspace, run)
    plan.title = older.title
    now = {place: edit.id for place, edit in _places(plan, frozenset())}
    moved = {edit.id: place for place, edit in _places(older, applied)}
    ids = {old: now[moved[old]] for old in kept if moved[old] in now}
    return cut(plan, set(ids.values()), workspace, want_hunks=run.want_hunks), ids


def _places(plan: Plan, applied: Set[str]) -> Iterator[tuple[_Place, Edit]]:
    """Each edit with its place once those before it in its file were applied."""
    for file in plan.files:
        shift = 0
        for edit in file.edits:
            start = edit.start + shift
            yield _Place(file.path, start, edit.op, edit.rule_id, edit.before, edit.new), edit
            if edit.id in applied:
                shift += len(edit.new) - (edit.end - edit.start)


def stage_rest(
    older: Plan, applied: Set[str], kept: Set[str], workspace: Workspace, run: Run, context: Context
) -> str:
    """Stages what was kept with the result of this apply; returns what to say of it.

    What cannot be previewed is said, since what was applied is applied. Decisions about the
    kept edits go with them.
    """
    if not kept:
        return ""
    try:
        plan, ids = rest_of(older, applied, kept, workspace, run)
    except AstEditError as error:
        return f"\nThe rest could not be kept: {error.message}"
    if not plan.files:
        return "\nNothing of the rest matches any more."
    details = {**details_of(plan), **actor(context.session)}
    new = context.stage_beside(packed(plan), label(plan), details)
    decisions = decisions_about(context.action_id, context.session.records)
    taken = {ids[old]: each for old, each in decisions.items() if old in ids}
    if taken:
        context.add(annotate(new.id, taken, 0))
    lost = len(kept) - len(ids)
    left = f" {number(lost, 'edit')} of it cannot be made any more." if lost else ""
    return f"\nThe rest is staged as {new.id}: {label(plan)}.{left}"


def stage_own(
    text: str, edit: Edit, older: Plan, action: PendingAction, session: Session
) -> PendingAction:
    """Stages the plan with an edited hunk in the old one's place; returns its action.

    Decisions about other edits go on to hold, an approval does not. Raises `RequestError` for
    a hunk that cannot be taken, `StaleError` where files have changed; nothing is changed then.
    """
    from astedit.staging.own_edits import own_edit

    file = next(each for each in older.files if edit in each.edits)
    with reopened(older.root, older.origin) as workspace:
        run = Run(want_hunks=False, inline=True, previewed=older)
        run = based_again(older, workspace, run, session.records)
        with workspace.overlaid(run.overlay):
            content, _ = workspace.read(file.path, older.request.max_file_size)
        plan = _planned(own_edit(text, edit, file, content), edit, older, workspace, run)
    new = session.stage(
        handler=HANDLER,
        payload=packed(plan),
        label=label(plan),
        source_tool_name=action.source_tool_name,
        details={**action.notes, **details_of(plan)},
        replaces=action,
    )
    decisions = decisions_about(action.id, session.records)
    taken = {key: each for key, each in decisions.items() if key in ids_of(plan)}
    if taken:
        session.records.commit(annotate(new.id, taken, 0))
    plan.action_id = new.id
    remember_decided(plan, session.records, new.id)
    return new


def _planned(own: OwnEdit, edit: Edit, older: Plan, workspace: Workspace, run: Run) -> Plan:
    """The plan with one more edit of a person; all others must be the same."""
    from astedit.staging.own_edits import refused

    others = [each for each in older.request.own_edits if each.id != edit.id]
    kept = [own.id if each == edit.id else each for each in older.request.kept]
    request = replace(older.request, own_edits=[*others, own], kept=kept)
    try:
        plan = preview(request, workspace, run)
    except StaleError:
        raise
    except PreconditionError as error:
        why = "does not parse" if error.code == "breaks_syntax" else f"cannot be taken: {error}"
        raise refused(why, "The file would not parse with it; edit it again with E.") from error
    plan.title = older.title
    if ids_of(plan) != ids_of(older) - {edit.id} | {own.id}:
        raise StaleError(
            "Files have changed since the preview; nothing was changed.",
            hint="Preview it again with: astedit review ID --refresh",
        )
    return plan
