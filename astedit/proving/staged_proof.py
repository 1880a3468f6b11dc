"""Proves a staged plan: runs it, keeps the proof with the action, and rejects the culprits."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

from astedit.engine.run_context import Run
from astedit.limits import Deadline
from astedit.model.plan import Plan
from astedit.proving.prove import (
    ProofOptions,
    Prover,
    Proving,
    culprit_document,
    edit_rows,
    tail_of,
)
from astedit.review.selectors import ids_of as edit_ids
from astedit.review.units import ids_of, settled
from astedit.sandbox.sandbox import Sandbox
from astedit.staging.formatted_plan import with_formatter
from astedit.staging.on_top import as_previewed
from astedit.staging.proof import Proof, keep
from astedit.staging.stage import stage
from astedit.staging.stored import stored
from astedit.staging.stored_review import annotate, decisions_about, remember_decided, review_of
from astedit.workspace.root import Workspace
from resolve import PendingAction, Session
from resolve.stack import refusal


def prove_staged(
    action: PendingAction,
    session: Session,
    workspace: Workspace,
    sandbox: Sandbox,
    options: ProofOptions,
    *,
    say: Callable[[str], None] = lambda _: None,
    deadline: Deadline | None = None,
) -> tuple[Plan, Proving]:
    """Proves the plan of a pending action; what passes is kept with it.

    The edits that break the tests are rejected in its review, each with a comment. Raises
    what `Prover.prove` raises, and `PreconditionError` for an action that is resolved.
    """
    if action.state != "pending":
        raise refusal(action.id, action)
    plan = stored(session, action)
    with as_previewed(plan, workspace, session.records):
        prover = Prover(plan, workspace, sandbox, options, say=say, deadline=deadline)
    proving = prover.prove()
    proof, culprits = _proof(proving, plan, options), _culprits(proving, plan)
    keep_verdict(proof, culprits, plan, action, session)
    return plan, proving


def verdict_of(proving: Proving, plan: Plan, options: ProofOptions) -> dict[str, Any]:
    """What `keep_verdict` keeps, as plain data."""
    proof = _proof(proving, plan, options)
    return {"proof": proof and asdict(proof), "culprits": _culprits(proving, plan)}


def keep_verdict(
    proof: Proof | None,
    culprits: Sequence[Mapping[str, Any]],
    plan: Plan,
    action: PendingAction,
    session: Session,
) -> None:
    """Keeps what passed with the action, and rejects the culprits in its review."""
    if proof is not None:
        keep(proof, action, session.records, session.who)
    if culprits:
        _reject(culprits, plan, action, session)


def _culprits(proving: Proving, plan: Plan) -> list[dict[str, Any]]:
    rows = edit_rows(plan)
    return [culprit_document(culprit, rows) for culprit in proving.culprits]


def _proof(proving: Proving, plan: Plan, options: ProofOptions) -> Proof | None:
    if proving.run is None:
        return None
    chosen = ids_of(proving.rest)
    passed = {name for file in plan.files for name in settled(file, chosen.get(file.path, ()))}
    return Proof(
        shlex.join(options.command.words),
        plan.fingerprint,
        len(passed),
        tuple(edit.id for file in plan.files for edit in file.edits if edit.id not in passed),
        proving.run.run.status or 0,
        round(proving.run.run.seconds, 3),
        proving.runs,
        tail_of(proving),
        _culprits(proving, plan),
    )


def _reject(
    culprits: Sequence[Mapping[str, Any]], plan: Plan, action: PendingAction, session: Session
) -> None:
    """Rejects the culprits in the review, unless somebody has decided about them."""
    review = review_of(plan, session, action.id)
    for culprit in culprits:
        for edit_id in (edit["id"] for edit in culprit["edits"]):
            if review.tie(edit_id) is None and review.own(edit_id).choice is None:
                review.decide([edit_id], "reject")
                tests = ", ".join(culprit["tests"]) or "the command"
                review.comment(edit_id, f"breaks {tests}"[:1_000])
    remember_decided(plan, session.records, action.id)


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
        raise refusal(action.id, action)
    plan = stored(session, action)
    with as_previewed(plan, workspace, session.records):
        formatted = with_formatter(plan, command, workspace, run)
    if formatted is plan:
        return FormattedAction(action, f"{action.id} is formatted already.")
    note = formatted.hints[-1]
    decisions = decisions_about(action.id, session.records)
    new = stage(formatted, session, replace=action.id)
    same = {key: decisions[key] for key in decisions.keys() & edit_ids(formatted)}
    if same:
        session.records.commit(annotate(new.id, same, 0))
    return FormattedAction(new, f"{note} Staged as {new.id}, in the place of {action.id}.")
