"""Ends what killed processes left open: claims, intents, volatile actions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

from resolve import handlers
from resolve.abort import AbortSignal, Blocking
from resolve.actions import DISCARDING, FINAL, Condition, PendingAction
from resolve.errors import ToolError
from resolve.handlers import Context, Outcome, Recovered
from resolve.records import AuditRow, Claim, DropIntent, Move, StoreChange
from resolve.state import SessionState, close_lost, live


@dataclass(slots=True)
class Recovery:
    """One action that was recovered: where it stands now and what to tell people."""

    action: PendingAction
    outcome: Outcome | Literal["unknown"]
    text: str


UNKNOWN = "Interrupted while it ran: it may have run already, wholly or in part."


def recover(session: SessionState, waiting: Blocking) -> list[Recovery]:
    """Recovers every open intent, then takes back every dead claim.

    The caller holds the apply lock. May be killed at any point and run again. What a
    living process has claimed without a lock is left alone.
    """
    records = session.records
    records.refuse_newer()
    records.refuse_lost()
    claims = {claim.action_id: claim for claim in records.claims()}
    dead = {key: claim for key, claim in claims.items() if _dead(session, claim)}
    recoveries: list[Recovery] = []
    for action, intent in _orphans(session):
        if action.id in dead or action.id not in claims:
            recovered = ask(session, action, intent, waiting)
            records.commit(*ending(session, action, recovered, dead.get(action.id)))
            recoveries.append(Recovery(action, recovered.outcome, recovered.text))
    ended = {recovery.action.id for recovery in recoveries}
    for claim in (dead[key] for key in dead if key not in ended):
        recoveries += _without_intent(session, claim)
    records.settle()
    close_lost(session)
    return recoveries


def _without_intent(session: SessionState, claim: Claim) -> list[Recovery]:
    """Makes an action pending again whose process died before, or without, a commit point.

    A handler that can recover has written nothing before it; of any other one nobody knows.
    """
    action = session.records.get(claim.action_id)
    assert action is not None
    handler = None if action.handler is None else handlers.find(action.handler, session)
    if action.condition == DISCARDING or hasattr(handler, "recover"):
        session.records.commit(Move(action.id, "applying", "pending"))
        return []
    condition = Condition("outcome_unknown", UNKNOWN)
    who, reason = action.resolved_by or session.who, action.reason or "recovered"
    call = {"session": claim.session, "call_id": claim.call_id}
    row = AuditRow.of(action, who, reason, "unknown", code=condition, text=UNKNOWN, **call)
    session.records.commit(Move(action.id, "applying", "pending", condition), row)
    return [Recovery(action, "unknown", UNKNOWN)]


def conclude(session: SessionState, action: PendingAction, recovered: Recovered) -> None:
    """Ends an intent that no recovery could end, in the way that a person has decided.

    The caller holds the apply lock. The action itself may be gone.
    """
    stored = session.records.get(action.id)
    changes = ending(session, stored or action, recovered, None)
    if stored is None:
        changes = [change for change in changes if not isinstance(change, Move)]
    session.records.commit(*changes)


def _dead(session: SessionState, claim: Claim) -> bool:
    if claim.action_id in live:
        return False
    if claim.locked and session.lock.directory is not None:
        return True
    return claim.session == session.id or not session.records.alive(claim.session)


def _orphans(session: SessionState) -> list[tuple[PendingAction, Any]]:
    """Returns the open intents with their actions; drops those of actions that have ended."""
    open_intents = []
    why = Condition("blocked", "The action is gone; what it was about to write is not known.")
    for action_id, intent in session.records.intents():
        action = session.records.get(action_id)
        if action is not None and action.state in FINAL:
            session.records.commit(DropIntent(action_id))
        else:  # somebody may have taken it out of the file, and nobody knows its handler then
            gone = PendingAction("an action that is gone", id=action_id, condition=why)
            open_intents.append((action or gone, intent))
    return open_intents


def ask(session: SessionState, action: PendingAction, intent: Any, waiting: Blocking) -> Recovered:
    """Returns what the handler's `recover` says; `blocked` when it cannot say anything."""
    name = action.handler
    if name is None:
        return Recovered("blocked", action.condition.sentence if action.condition else "")
    context = Context(session, action, action.reason or "", AbortSignal())
    try:
        handler = handlers.find(name, session)
        if handler is None:
            raise handlers.missing(name, session)
        method = getattr(handler, "recover", None)
        if method is None:
            return Recovered("blocked", f"The handler {name!r} cannot recover.")
        payload = session.records.payload(action.id)
        answer = waiting.answer(None, method(payload, intent, context), lambda: False)
    except (ToolError, OSError) as error:
        return Recovered("blocked", str(error))
    except Exception as error:  # else nobody could open a session or drop the action again
        return Recovered("blocked", f"The handler failed to recover: {error!r}.")
    if not isinstance(answer, Recovered):
        answer = Recovered(answer, files=context.files)
    if answer.outcome not in get_args(Outcome):
        return Recovered("blocked", f"The handler answered {answer.outcome!r}.")
    answer.files = answer.files or context.files
    answer.changes, answer.done = context.changes, context.done
    return answer


def ending(
    session: SessionState, action: PendingAction, recovered: Recovered, claim: Claim | None
) -> list[StoreChange]:
    """Returns the changes that end an intent as its handler said."""
    condition = _condition(recovered)
    if claim is None and condition == "blocked" and action.condition == "blocked":
        return []
    changes: list[StoreChange] = []
    if claim is None:
        changes.append(Move(action.id, "pending", "applying"))
    applied = recovered.outcome == "applied"
    who, reason = action.resolved_by or session.who, action.reason or "recovered"
    move = Move(action.id, "applying", "pending", condition)
    if applied:
        move = Move(action.id, "applying", "applied", None, who, reason, None, *recovered.done)
    changes.append(move)
    changes += recovered.changes if applied else []
    if recovered.outcome != "blocked":
        changes.append(DropIntent(action.id))
    code = f"recovered_{recovered.outcome}"
    row = AuditRow.of(action, who, reason, "failed", code=code, text=recovered.text)
    if applied:
        row.label = recovered.done.label or action.label
        row.outcome, row.code, row.files = "applied", "recovered", recovered.files
    row.session, row.call_id = (claim.session, claim.call_id) if claim else (session.id, None)
    return [*changes, row]


def _condition(recovered: Recovered) -> Condition | None:
    match recovered.outcome:
        case "rolled_back":
            return Condition("stale", recovered.text or "Files changed; ours were put back.")
        case "blocked":
            return Condition("blocked", recovered.text or "Stored bytes are missing.")
    return None
