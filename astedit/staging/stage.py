"""Stages a plan: it waits as a pending action, perhaps in the place of the last try.

Importing this registers the handler `ast_edit`, by which any later process applies it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace as with_fields
from typing import Any

from astedit.errors import AstEditError, PreconditionError
from astedit.model.plan import Plan
from astedit.staging import overlaps
from astedit.staging.plan_label import ACTOR, TRYING, actor, details_of, label, possible_left
from astedit.staging.preview import origin_of
from astedit.staging.stored import HANDLER, packed, stored, touched_of
from astedit.workspace.config import load
from astedit.workspace.root import Workspace
from resolve import PendingAction, Session, handlers
from resolve.records import Annotate

_LEFT = "note:left"  # beside an action that a person has left staged on purpose
_WHOEVER = 1 << 62  # a revision after all that were written


@handlers.register(HANDLER)
def _applying() -> handlers.Handler:
    from astedit.staging.ast_edit import AstEdit  # who only stages needs none of it

    return AstEdit()


def stage(
    plan: Plan,
    session: Session,
    *,
    details: Mapping[str, Any] | None = None,
    replace: str | None = None,
    trying: str | None = None,
) -> PendingAction:
    """Registers the plan as a pending action; `plan.action_id` and `.notice` say so.

    `details` are kept with it, beside its counts, also when it is refreshed. `replace` names
    a pending plan of the same actor that becomes superseded.
    `trying` names the terminal session of a person who tries things out: the last try of that
    gives way by itself.
    When it returns the action is on disk, and any process can resolve it. Raises
    `resolve.StoreError` when the state file cannot be written; nothing is staged then.
    """
    if plan.origin is None:
        with Workspace(plan.root) as workspace:
            plan.origin = origin_of(workspace, load(workspace))
    named = plan.request.operation
    old = None if replace is None else _replaceable(replace, session)
    alike = None if old else _alike(plan, session, trying)
    if alike is not None and _is_last_try(alike, trying, session):
        old, alike = alike, None
    action = session.stage(
        handler=HANDLER,
        payload=packed(plan),
        label=label(plan),
        source_tool_name=named.kind if named else None,
        details={**(details or {}), **details_of(plan), **actor(session, trying)},
        replaces=old,
    )
    plan.action_id = action.id
    tell_overlaps(plan, session)
    if alike is not None:
        plan.hints.append(
            f"Only the ops differ from {alike.id}, which is still pending: where this one is meant "
            f"instead, preview it with --replace {alike.id}, or discard that one."
        )
    left = possible_left(plan)
    plan.notice = staged_notice(action.id) + (f" {left}: see the hints." if left else "")
    return action


def tell_overlaps(plan: Plan, session: Session) -> None:
    """Fills in which other pending actions of the workspace touch the same code now."""
    with Workspace(plan.root) as workspace:
        own = touched_of(plan)
        plan.overlaps = overlaps.overlaps(own, plan.action_id, session.records, workspace)


def staged_notice(action_id: str, *, already: bool = False) -> str:
    """What every surface says first about a staged plan; `already` for one staged earlier."""
    head = "Already staged" if already else "Staged"
    return f"{head} as {action_id}: files are NOT modified yet. Call resolve to apply or discard."


def _is_last_try(old: PendingAction, trying: str | None, session: Session) -> bool:
    """Whether a plan was only previewed, in this very terminal session, and nothing else."""
    own = trying is not None and old.notes.get(TRYING) == trying
    return own and not session.records.annotations(old.id)


def leave(action: PendingAction, session: Session) -> None:
    """Notes that a person has left it staged: it gives way to no later try."""
    session.records.commit(Annotate(action.id, {_LEFT: {}}, _WHOEVER))


def _replaceable(name: str, session: Session) -> PendingAction:
    """The pending plan that a new one may replace, by its id, which may be shortened.

    Raises `ToolError` for an id that nothing has, `PreconditionError` for what is not
    pending, holds no plan, or was staged by another actor.
    """
    old = session.store.find(name)
    if old.state != "pending" or old.kind != HANDLER:
        raise PreconditionError(
            f"{old.id} ({old.kind}) is {old.state}: it cannot be replaced.",
            code="not_replaceable",
            hint="Preview without replacing it.",
        )
    if not _is_own(old, session):
        raise PreconditionError(
            f"{old.id} was staged by another session: it is not yours to replace.",
            code="not_replaceable",
            hint="Preview without replacing it, and leave that one to whoever staged it.",
        )
    return old


def _alike(plan: Plan, session: Session, trying: str | None = None) -> PendingAction | None:
    """This actor's newest pending plan, if its request differs from the plan's in its ops only.

    The last try of a terminal session may be the very same.
    """
    own = (old for old in session.records.select(("pending",)) if _is_own(old, session))
    newest = next(own, None)
    if newest is None or newest.kind != HANDLER or plan.request.operation is not None:
        return None
    try:
        before = stored(session, newest).request
    except AstEditError:
        return None  # whoever shows or applies it says what is wrong with it
    same = with_fields(before, ops=plan.request.ops) == plan.request
    other = before != plan.request or _is_last_try(newest, trying, session)
    return newest if same and other else None


def _is_own(action: PendingAction, session: Session) -> bool:
    """Commands are sessions of their own; there the name that they act under decides."""
    if action.session == session.id:
        return True
    return session.who.partition(":")[0] == "cli" and action.notes.get(ACTOR) == session.who
