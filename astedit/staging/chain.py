"""The pending actions that one stands on: each was previewed on top of the next.

What stands on another can be applied once that one is. It is stale when that one was
discarded, superseded or taken back instead.
"""

from typing import TYPE_CHECKING

from astedit.errors import PreconditionError, StaleError
from astedit.model.plan import Plan

if TYPE_CHECKING:
    from resolve import PendingAction
    from resolve.store import PendingActionStore

KEY = "after"  # in the details of an action


def chain(action: "PendingAction", records: "PendingActionStore") -> "list[PendingAction]":
    """The actions that one stands on, the nearest first, whatever became of them."""
    below: list[PendingAction] = []
    seen = {action.id}
    while True:
        name = action.notes.get(KEY)
        base = records.get(name) if isinstance(name, str) and name not in seen else None
        if base is None:
            return below
        below.append(base)
        seen.add(base.id)
        action = base


def pending_chain(action: "PendingAction", records: "PendingActionStore") -> "list[PendingAction]":
    """Those of them that have not been applied yet: the first ones, up to one that has."""
    below = chain(action, records)
    applied = (at for at, base in enumerate(below) if base.state == "applied")
    return below[: next(applied, len(below))]


def stands(action: "PendingAction", other_id: str | None, records: "PendingActionStore") -> bool:
    """Whether an action stands on another one."""
    return any(base.id == other_id for base in chain(action, records))


def refuse_dropped(plan: Plan, records: "PendingActionStore") -> None:
    """Raises `StaleError` if what a plan stands on will not be as it was previewed."""
    if plan.after is None:
        return
    base = records.get(plan.after.action_id)
    if base is None or base.state not in ("pending", "applying", "applied"):
        raise _dropped(plan, base, plan.after.action_id)
    if (records.payload(base.id) or {}).get("fingerprint") != plan.after.fingerprint:
        raise _dropped(plan, None, base.id)


def refuse_unless_applied(plan: Plan, records: "PendingActionStore") -> None:
    """The same, and `PreconditionError` (`waits`) while what the plan stands on is pending."""
    refuse_dropped(plan, records)
    base = None if plan.after is None else records.get(plan.after.action_id)
    if base is not None and base.state != "applied":
        raise PreconditionError(
            f"{plan.action_id} was previewed on top of {base.id}, which is {base.state}.",
            code="waits",
            hint=f"Apply {base.id} first.",
        )


def _dropped(plan: Plan, base: "PendingAction | None", base_id: str) -> StaleError:
    fate = "is not stored any more"
    if base is not None:
        why = f" ({base.reason})" if base.reason else ""
        fate = f"was {base.state}{why}"
    return StaleError(
        f"{base_id}, on top of which {plan.action_id} was previewed, {fate}.",
        hint="Preview the change again, or discard this one.",
    )
