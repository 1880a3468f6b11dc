"""A staged plan read again: all of it, or some of its files."""

from astedit.agents.text.plan import edit_text
from astedit.model.plan import Plan
from astedit.review.selectors import ALL, Selection
from astedit.staging.ast_edit import tell_overlaps
from astedit.staging.on_top import as_previewed
from astedit.staging.part import shown_part
from astedit.staging.plan_contents import redraw
from astedit.staging.stored import stored
from astedit.text.count_phrases import number
from astedit.workspace.root import Workspace
from resolve import Session
from resolve.visible import one_line


def staged_text(
    session: Session, target: str, paths: list[str] | None, root: str
) -> tuple[str, Plan]:
    """The text for a model and the plan, cut to what the selectors `paths` mean.

    Raises `ToolError` without such an action, `RequestError` if no edit is meant.
    """
    action = session.store.find(target)
    plan = stored(session, action)
    if action.state == "pending":
        tell_overlaps(plan, session)
    plan = shown_part(plan, action, session, ALL if paths is None else Selection(tuple(paths)))
    with Workspace(root) as workspace, as_previewed(plan, workspace, session.records):
        changed = redraw(plan, workspace)
    plan.notice = f"{action.id} is {action.state}: {one_line(action.label)}"
    return edit_text(plan) + _stale(len(changed)), plan


def _stale(changed: int) -> str:
    if not changed:
        return ""
    return (
        f"Changed since the preview: {number(changed, 'file')}; it is stale. Resolve it with "
        'action "apply" and extra {"refresh": true} to preview it again.\n'
    )
