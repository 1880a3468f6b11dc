"""What a person sees of an action before approving it: what kinds of edit, and the odd ones."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from astedit.errors import AstEditError
from astedit.model.edit import Edit
from astedit.model.plan import Plan
from astedit.staging.approval import ApprovalSubject
from astedit.text.count_phrases import first_lines, number
from astedit.workspace.path_policy import classify
from resolve import PendingAction, Session
from resolve.actions import stamp
from resolve.visible import one_line, visible

if TYPE_CHECKING:
    from astedit.model.shapes import AlikeEdits

_FILES = 20
_SHAPES = 20
_FEW = 2  # edits of a shape that is shown in full
_OUTLIERS = 20
_LINES = 12  # of one side of an edit


def approval_view(
    action: PendingAction, subject: ApprovalSubject, session: Session
) -> Iterator[str]:
    """Lines with the fingerprint first, so that it does not stand above the question."""
    yield f"{action.id} {one_line(action.label)}"
    yield f"fingerprint {subject.fingerprint}"
    who = one_line(action.session) or "an unknown session"
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
    from astedit.model.shapes import alike_edits

    groups = list(enumerate(alike_edits(plan.files), 1))
    large = [(n, group) for n, group in groups if len(group.edits) > _FEW]
    lines = [line for n, group in large[:_SHAPES] for line in _large(n, group)]
    yield from lines
    if len(large) > _SHAPES:
        yield f"and {number(len(large) - _SHAPES, 'more shape')}"
    odd = [member for _, group in groups if len(group.edits) <= _FEW for member in group.edits]
    if odd:
        yield f"{number(len(odd), 'edit')} like few others or none:"
    for path, edit, _ in odd[:_OUTLIERS]:
        yield from _in_full(path, edit)
    if len(odd) > _OUTLIERS:
        yield f"  and {len(odd) - _OUTLIERS:,} more: d shows them"


def _large(number_of: int, group: "AlikeEdits") -> Iterator[str]:
    shape = group.shape
    label = one_line(" ".join(shape.label.split()))
    yield f"{shape.count:>7,}  {label}  ({number(shape.files, 'file')})  shape:{number_of}"
    path, edit, _ = group.edits[0]
    yield from _in_full(path, edit)


def _in_full(path: str, edit: Edit) -> Iterator[str]:
    yield f"  {one_line(path)}:{edit.shown_line}"
    for sign, text in (("-", edit.whole_before), ("+", edit.whole_after)):
        lines = [f"    {sign} {visible(line)}" for line in text.splitlines()]
        yield from first_lines(lines, _LINES, indent="      ")


def _files(paths: Sequence[str]) -> Iterator[str]:
    """The files by name; those that are protected or run by themselves first, and all of them."""
    classed = [(path, classify(path)) for path in paths]
    yield from (f"  {one_line(path)} ({kind})" for path, kind in classed if kind)
    others = [f"  {one_line(path)}" for path, kind in classed if not kind]
    yield from first_lines(others, _FILES, indent="  ")
