"""What a person sees of an action before approving it: what kinds of edit, and the odd ones."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from astedit.errors import AstEditError
from astedit.model.plan import Plan
from astedit.staging.approval import ApprovalSubject
from astedit.text.count_phrases import first_lines, number
from astedit.workspace.path_policy import classify
from resolve import PendingAction, Session
from resolve.actions import stamp
from resolve.visible import one_line, visible

if TYPE_CHECKING:
    from astedit.review.order import OrderedEdit, ReviewGroup

_FILES = 20
_SHAPES = 20
_OUTLIERS = 20  # in full
_LINES = 12  # of one side of an edit


def approval_view(
    action: PendingAction, subject: ApprovalSubject, session: Session
) -> Iterator[str]:
    """Lines with the fingerprint first, so that it does not stand above the question."""
    yield f"{action.id} {one_line(action.label)}"
    yield f"fingerprint {subject.fingerprint}"
    who = one_line(str(action.notes.get("by") or action.session))
    yield f"staged by {who} at {stamp(action.created_at)} ({one_line(action.kind)})"
    yield ""
    plan = _plan(action, session)
    if plan is not None:
        yield from _shapes(plan)
    yield from _files(subject.paths)
    if plan is not None:
        files, shapes = number(plan.files_touched, "file"), number(len(plan.shapes), "shape")
        yield f"In all: {number(plan.total_replacements, 'replacement')} in {files}, {shapes}."


def _plan(action: PendingAction, session: Session) -> Plan | None:
    """The plan of an action that has one; an undo restores whole files."""
    from astedit.staging.stored_plan import stored

    try:
        return stored(session, action)
    except AstEditError:
        return None


def _shapes(plan: Plan) -> Iterator[str]:
    """The odd edits in full, each with the reason, then the shapes with an example of each."""
    from astedit.review.order import ordered

    groups = ordered(plan)
    for group in groups:
        if group.kind == "outliers":
            yield from _outliers(group)
    shapes = [group for group in groups if group.kind != "outliers"]
    shapes.sort(key=lambda group: -len(group.edits))
    for group in shapes[:_SHAPES]:
        yield from _shape(group)
    if len(shapes) > _SHAPES:
        yield f"and {number(len(shapes) - _SHAPES, 'more shape')}: d shows all"


def _outliers(group: "ReviewGroup") -> Iterator[str]:
    yield f"{number(len(group.edits), 'outlier')}:"
    for each in group.edits[:_OUTLIERS]:
        yield from _in_full(each, one_line(f": {'; '.join(each.why)}"))
    if len(group.edits) > _OUTLIERS:
        yield f"  and {number(len(group.edits) - _OUTLIERS, 'more edit')}: d shows all"


def _shape(group: "ReviewGroup") -> Iterator[str]:
    label = one_line(" ".join(group.label.split()))
    files = number(len({each.path for each in group.edits}), "file")
    yield f"{len(group.edits):>7,}  {label}  ({files})  shape:{group.number}"
    yield from _in_full(group.edits[0])


def _in_full(each: "OrderedEdit", why: str = "") -> Iterator[str]:
    edit = each.edit
    yield f"  {one_line(each.path)}:{edit.shown_line}{why}"
    for sign, text in (("-", edit.whole_before), ("+", edit.whole_after)):
        lines = [f"    {sign} {visible(line)}" for line in text.splitlines()]
        yield from first_lines(lines, _LINES, indent="      ")


def _files(paths: Sequence[str]) -> Iterator[str]:
    """The files by name; those that are protected or run by themselves first, and all of them."""
    classed = [(path, classify(path)) for path in paths]
    yield from (f"  {one_line(path)} ({kind})" for path, kind in classed if kind)
    others = [f"  {one_line(path)}" for path, kind in classed if not kind]
    yield from first_lines(others, _FILES, indent="  ")
