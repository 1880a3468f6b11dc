"""The plan of a pending action, read back as it was staged."""

from typing import TYPE_CHECKING, Any, Protocol

from astedit.engine.fingerprint import fingerprint
from astedit.engine.languages import grammars_of
from astedit.errors import PreconditionError
from astedit.model.plan import Plan
from astedit.staging.payload import HANDLER, of_this_version, unpacked
from resolve import PendingAction

if TYPE_CHECKING:
    from resolve.store import PendingActionStore


class Recorded(Protocol):
    """A session, or a store by itself."""

    @property
    def records(self) -> "PendingActionStore":
        """What holds the actions of all sessions."""


def stored(session: Recorded, action: PendingAction) -> Plan:
    """The plan of a staged or resolved action, exactly as it was staged.

    Raises `PreconditionError`: it has none, another version staged it, or its row was
    changed since.
    """
    payload = _payload(session, action)
    if not of_this_version(payload):
        raise _of_another_version(action)
    plan = unpacked(payload)
    check_genuine(plan)
    plan.action_id = action.id
    plan.applied = action.state == "applied"
    return plan


def _of_another_version(action: PendingAction) -> PreconditionError:
    again = f"astedit resolve apply {action.id} --refresh --reason TEXT"
    return PreconditionError(
        "Another version of astedit staged this plan, and this one may read it otherwise.",
        code="other_version",
        hint=f"Preview it again in its place, and look at the new plan: {again}"
        if action.state in ("pending", "applying")
        else f"It is {action.state}; astedit log --json says what it did.",
    )


def _payload(session: Recorded, action: PendingAction) -> Any:
    payload = session.records.payload(action.id)
    if action.kind != HANDLER or payload is None:
        raise PreconditionError(
            f"{action.id} ({action.kind}) holds no plan.",
            code="no_plan",
            hint="Show it with --format json.",
        )
    return payload


def to_run_again(session: Recorded, action: PendingAction) -> Plan:
    """The stored plan for its request alone, which means the same in every version."""
    payload = _payload(session, action)
    return stored(session, action) if of_this_version(payload) else unpacked(payload)


def check_genuine(plan: Plan) -> None:
    """Refuses a stored plan whose parts are not those that its fingerprint was taken of."""
    used = grammars_of(plan.request, plan.files)
    grammars = [use for use in plan.languages if use.name in used]
    if fingerprint(plan.request, plan.files, grammars) != plan.fingerprint:
        raise PreconditionError(
            "The stored plan is not the one that was staged: its row was changed.",
            code="tampered",
            hint="Discard it and preview the change again.",
        )
