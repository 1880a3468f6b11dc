"""Stages a plan anew with what a formatter does to its lines, in the place of the one before."""

from typing import NamedTuple

from astedit.engine.run_context import Run
from astedit.errors import PreconditionError
from astedit.staging.ast_edit import stage
from astedit.staging.formatted_plan import with_formatter
from astedit.staging.on_top import as_previewed
from astedit.staging.stored_plan import stored
from astedit.staging.stored_review import StoredDecisions, annotate
from astedit.workspace.root import Workspace
from resolve import PendingAction, Session


class FormattedAction(NamedTuple):
    """The action that waits now, and what to say of it."""

    action: PendingAction
    note: str


def stage_formatted(
    action: PendingAction, session: Session, workspace: Workspace, command: str, run: Run
) -> FormattedAction:
    """Stages the formatted plan; decisions about edits that stay as they are go with it.

    An action whose plan is not changed by that stays. Raises what `with_formatter` and `stage`
    raise, and `PreconditionError` for an action that is resolved.
    """
    if action.state != "pending":
        raise PreconditionError(f"{action.id} is {action.state}.", code="already_resolved")
    plan = stored(session, action)
    with as_previewed(plan, workspace, session.records):
        made = with_formatter(plan, command, workspace, run)
    if made is plan:
        return FormattedAction(action, f"{action.id} is formatted already.")
    told = made.hints[-1]
    decisions = StoredDecisions(session.records, action.id).since(0)[1]
    new = stage(made, session, replace=action.id)
    ids = {edit.id for file in made.files for edit in file.edits}
    same = {key: each for key, each in decisions.items() if key in ids}
    if same:
        session.records.commit(annotate(new.id, same, 0))
    return FormattedAction(new, f"{told} Staged as {new.id}, in the place of {action.id}.")
