"""The last preview again, with other ops: the new one may take the place of the old one."""

from dataclasses import replace
from typing import Any

from astedit.errors import AstEditError, PreconditionError
from astedit.model.plan import Plan
from astedit.staging.payload import HANDLER
from astedit.staging.stored_plan import stored
from resolve import PendingAction, Session
from resolve.state import SessionState

_ACTOR = "by"  # in the details of an action


def actor(session: SessionState) -> dict[str, Any]:
    """What is noted of who stages, beside the session: each command is a session of its own."""
    return {_ACTOR: session.who}


def replaceable(name: str, session: Session) -> PendingAction:
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


def alike(plan: Plan, session: Session) -> PendingAction | None:
    """This actor's newest pending plan, if its request differs from the plan's in its ops only."""
    own = (old for old in session.records.select(("pending",)) if _is_own(old, session))
    newest = next(own, None)
    if newest is None or newest.kind != HANDLER or plan.request.operation is not None:
        return None
    try:
        before = stored(session, newest).request
    except AstEditError:
        return None  # whoever shows or applies it says what is wrong with it
    same = replace(before, ops=plan.request.ops) == plan.request
    return newest if same and before != plan.request else None


def offer(old: PendingAction) -> str:
    """What to do if the new plan was meant instead of the old one."""
    return (
        f"Only the ops differ from {old.id}, which is still pending: where this one is meant "
        f"instead, preview it with --replace {old.id}, or discard that one."
    )


def _is_own(action: PendingAction, session: Session) -> bool:
    """Commands are sessions of their own; there the name that they act under decides."""
    if action.session == session.id:
        return True
    command = session.who.partition(":")[0] == "cli"
    return command and action.notes.get(_ACTOR) == session.who
