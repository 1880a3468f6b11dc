"""What a refresh takes over from the plan that it replaces: decisions, and an approval."""

from dataclasses import dataclass

from astedit.model.edit import Edit
from astedit.model.plan import Plan
from astedit.review.carry import Carry, Uncarried, carry
from astedit.review.contexts import FileContexts
from astedit.staging.approval import approved
from astedit.staging.remembered_contexts import PREFIX, known_contexts, present_contexts
from astedit.staging.stored_review import StoredDecisions, annotate
from astedit.text.count_phrases import first_lines
from astedit.workspace.config import Config
from astedit.workspace.root import Workspace
from resolve import PendingAction
from resolve.handlers import Context
from resolve.records import Annotate, AuditRow
from resolve.visible import one_line

_SHOWN = 20  # edits that are new, changed or gone


@dataclass(frozen=True, slots=True)
class Refreshed:
    """How a new plan compares with the older one, and what its files' edits stand in."""

    carry: Carry
    contexts: dict[str, FileContexts | None]


def compared(older: Plan, new: Plan, context: Context, workspace: Workspace) -> Refreshed:
    """Compares the plans by what is kept beside the action that is refreshed."""
    known = known_contexts(context.session.records, context.action_id)
    now = {file.path: present_contexts(file, workspace) for file in new.files if file.path in known}
    matched = carry(older, new, lambda file: known.get(file.path), lambda file: now.get(file.path))
    return Refreshed(matched, now)


def take_over(
    refreshed: Refreshed,
    older: Plan,
    new: Plan,
    action: PendingAction,
    context: Context,
    settings: Config,
) -> str:
    """Gives the new action the decisions that hold, and says what needs a new one.

    An approval holds where nothing is new or changed and the policy `agent` rules; under
    `human` a person approves again.
    """
    records, matched = context.session.records, refreshed.carry
    decisions = StoredDecisions(records, context.action_id).since(0)[1]
    taken = {now: decisions[then] for now, then in matched.carried.items() if then in decisions}
    if taken:
        context.add(annotate(action.id, taken, 0))
    rows = {
        PREFIX + path: contexts.to_json()
        for path, contexts in refreshed.contexts.items()
        if contexts is not None
    }
    if rows:
        context.add(Annotate(action.id, rows, 0))
    had = approved(context.action_id, older.fingerprint, context.session)
    if had and _approval_holds(matched, older, settings):
        who, reason = context.session.who, f"as {context.action_id}: nothing is new or changed"
        row = AuditRow(action.id, action.kind, action.label, who, reason, "approved")
        row.code = new.fingerprint
        context.add(row)
    if not (decisions or had):
        return ""
    lines = [_line(each) for each in matched.others if each.why != "unknown"]
    return "\n".join(["", f"{matched}.", *first_lines(lines, _SHOWN, indent="  ")])


def _approval_holds(matched: Carry, older: Plan, settings: Config) -> bool:
    then = older.origin or settings
    policies = {settings.policy, then.policy}
    unknown = any(each.why == "unknown" for each in matched.others)
    return policies == {"agent"} and not matched.fresh and not unknown


def _line(each: Uncarried) -> str:
    return f"  {each.why}: {one_line(each.path)}:{each.edit.shown_line}: {_change(each.edit)}"


def _change(edit: Edit) -> str:
    before, after = (
        one_line(" ".join(text.split()))[:80] for text in (edit.whole_before, edit.whole_after)
    )
    return f"{before or '(nothing)'} -> {after or '(nothing)'}"
