"""One repository and its own gate: what this campaign has staged there, and staging more.

An action carries the campaign's key and digest in its details. So the repository's store
itself knows what was staged, whatever the ledger missed when the coordinator was killed.
"""

import json
import shlex
from collections.abc import Sequence
from contextlib import AbstractContextManager
from copy import deepcopy
from dataclasses import asdict, replace
from importlib.metadata import PackageNotFoundError, version
from typing import Any, NamedTuple, Protocol, get_args

from astedit.campaign.file import Campaign, ProveStep
from astedit.campaign.ledger import LedgerRow, error_data
from astedit.engine.run_context import Run
from astedit.errors import PreconditionError, RequestError
from astedit.json_model import ANYTHING, OBJECT, TEXT, TEXTS, SchemaCheck, object_of
from astedit.landing.land import LandingOptions
from astedit.model.plan import Plan
from astedit.model.request import EditRequest
from astedit.proving.staged_proof import keep_verdict
from astedit.review.selectors import ids_of
from astedit.staging.preview import prepare
from astedit.staging.proof import Proof, newest_proof
from astedit.staging.stage import stage
from astedit.staging.stored import check_genuine, unpacked
from astedit.text import number
from astedit.version import __version__
from astedit.workspace.root import Workspace
from resolve import PendingAction, Session, ToolResult
from resolve.actions import State

_TAIL = 2_000  # characters of what a command printed
_HINT = "Look at what runs on the workers, and run the campaign again."


_ERROR = object_of(dict.fromkeys(("code", "message", "hint", "path"), TEXT), "message")
_EDIT = object_of(dict.fromkeys(("id", "path", "shape"), TEXT) | {"line": ANYTHING}, "id")
_CULPRIT = object_of(
    {"edits": {"type": "array", "items": _EDIT}, "needs": TEXTS, "tests": TEXTS}, "edits", "tests"
)
_VERDICT = object_of(
    {"error": _ERROR, "proof": OBJECT, "culprits": {"type": "array", "items": _CULPRIT}}
)
_ANSWER = object_of({"version": TEXT, "plan": OBJECT, "error": _ERROR, "verdict": _VERDICT})


def checked_answer(answer: Any) -> dict[str, Any]:
    """What a worker of ours can answer; an error in it is as `campaign.ledger` makes one.

    Raises `PreconditionError` (`bad_answer`) for anything else.
    """
    try:
        checked: dict[str, Any] = SchemaCheck(whole="The answer").value(answer, _ANSWER)
    except RequestError as error:
        raise _bad(f"A worker answered something else: {error.message}") from error
    if "error" not in checked and not checked.keys() >= {"plan", "version"}:
        raise _bad("A worker answered neither a plan, with its version, nor an error.")
    for part in (checked, checked.get("verdict", {})):
        if "error" in part:
            part["error"] = dict.fromkeys(_ERROR["properties"]) | part["error"]
    return checked


def plan_of(answer: dict[str, Any], root: str, request: EditRequest) -> Plan:
    """The plan in an answer about the repository at `root`, of the campaign's request.

    Raises `PreconditionError` if it is another one, and what `prepare` of a preview raises.
    """
    plan = unpacked(answer["plan"])
    if not isinstance(plan.hints, list) or not all(isinstance(hint, str) for hint in plan.hints):
        raise _bad("A worker answered hints that say nothing.")
    plan.origin = None  # the machine of a worker numbers directories its own way
    if plan.root != root:
        raise PreconditionError(f"A worker planned {plan.root!r} instead.", code="other_root")
    if _question(plan.request) != _question(_complete(request, root)):
        raise _bad("A worker planned another request than the campaign's.", "other_request")
    check_genuine(plan)
    return plan


class ProofVerdict(NamedTuple):
    """What a worker says of a proof: what passed, what did not, and why nothing is known."""

    proof: Proof | None = None
    culprits: Sequence[dict[str, Any]] = ()
    error: dict[str, Any] | None = None


def verdict_of(answer: dict[str, Any], plan: Plan, step: ProveStep | None) -> ProofVerdict | None:
    """What the answer says of the proof that was asked for; None if none was, or of no edits.

    It is of this plan and this command, or `PreconditionError` is raised. That the command
    passed there is the worker's word.
    """
    if step is None or not plan.total_replacements:
        return None
    value = answer.get("verdict", {})
    if "error" in value:
        return ProofVerdict(error=value["error"])
    if "culprits" not in value:
        raise _bad("A worker does not say whether the plan is proven.")
    ids, culprits = ids_of(plan), value["culprits"]
    if not ids.issuperset(edit["id"] for culprit in culprits for edit in culprit["edits"]):
        raise _bad("A worker blames edits that the plan does not have.")
    proof = _proof(value.get("proof"), plan, step, ids)
    return ProofVerdict(proof and replace(proof, culprits=culprits), culprits)


def _proof(value: Any, plan: Plan, step: ProveStep, ids: set[str]) -> Proof | None:
    if value is None:
        return None
    try:
        proof = Proof.restored(json.dumps(value))
        rest = len(ids.difference(proof.excluded))
        expected = (shlex.join(step.words), plan.fingerprint, 0, rest)
        right = expected == (proof.command, proof.fingerprint, proof.exit_code, proof.edits)
        right &= ids.issuperset(proof.excluded) and isinstance(proof.tail, str)
        right &= isinstance(proof.seconds, int | float) and isinstance(proof.runs, int)
    except (LookupError, TypeError, ValueError) as error:
        raise _bad("A worker answered a proof that is none.") from error
    if not right:
        raise _bad("A worker proved something else than this plan.")
    return replace(proof, tail=proof.tail[-_TAIL:])


def _complete(request: EditRequest, root: str) -> EditRequest:
    """The request as a worker makes it complete: what its `within` names is looked up here too."""
    request = deepcopy(request)
    if request.within is not None:
        with Workspace(root) as workspace:
            prepare(request, workspace, Run())
    return request


def _question(request: EditRequest) -> dict[str, Any]:
    """What is asked for. A worker adds the files that it could not look at, where it may."""
    question = asdict(request)
    if request.allow_partial:
        del question["left_out"]
    return question


def _bad(message: str, code: str = "bad_answer") -> PreconditionError:
    return PreconditionError(message, code=code, hint=_HINT)


_KEY, _DIGEST = "campaign", "campaignRequest"


class RepositoryGate(Protocol):
    """What a surface brings: sessions, and how something is resolved there."""

    def session(self, root: str, *, create: bool) -> AbstractContextManager[Session]:
        """The stack of a repository; only `create` makes its state file."""

    def resolve(
        self,
        session: Session,
        verb: str,
        reason: str,
        action_id: str,
        landing: LandingOptions | None = None,
    ) -> ToolResult:
        """Resolves one action, with `landing` into commits; raises what the gate raises."""


def current(campaign: Campaign, row: LedgerRow, session: Session) -> LedgerRow:
    """The row as the repository's own store has it; an action it did not know is found."""
    before = row
    if row.request not in ("", campaign.digest):
        row = LedgerRow(row.root)
    known = (each for each in session.records.select(get_args(State)) if _of(campaign, each))
    action = next(known, None)  # the newest is first, whatever the clock says
    if action is None or (row.state == "unchanged" and action.state == "discarded"):
        return row
    if action.notes.get(_DIGEST) == campaign.digest:
        return _seen(before, action, session)
    if action.state == "pending" and row.state == "waiting":
        return replace(_seen(before, action, session), state="outdated")
    return row


def _unproven(verdict: ProofVerdict, row: LedgerRow) -> dict[str, Any] | None:
    """Why a plan is not proven; None if it is."""
    if verdict.error is not None or row.proof == "proven":
        return verdict.error
    if not verdict.culprits:
        return error_data(PreconditionError("Out of budget before it was proven.", code="budget"))
    edits = number(sum(len(culprit["edits"]) for culprit in verdict.culprits), "edit")
    where = f"--root {shlex.quote(row.root)}"
    hint = f"astedit review {where} shows them; astedit apply {where} --proven applies the rest."
    return error_data(PreconditionError(f"{edits} to blame.", code="not_proven", hint=hint))


def _seen(row: LedgerRow, action: PendingAction, session: Session) -> LedgerRow:
    details = action.notes
    proof = newest_proof(action.id, session.records, details.get("fingerprint"))
    commits = details.get("commits", ()) if action.state == "landed" else ()
    same = row.action_id == action.id
    return LedgerRow(
        row.root,
        str(details.get(_DIGEST)),
        "stale" if action.condition == "stale" else action.state,
        action.id,
        details.get("fingerprint"),
        details.get("replacements", 0),
        details.get("files", 0),
        row.error if same else None,
        None if proof is None else "proven" if proof.proven else "broken",
        list(dict.fromkeys(commit["branch"] for commit in commits)),
        row.commands if same else None,
        row.pushed if same else None,
    )


def take(
    campaign: Campaign, plan: Plan, verdict: ProofVerdict | None, session: Session
) -> LedgerRow:
    """Stages a plan, if it changes anything, with its proof; what it replaces is discarded."""
    row = LedgerRow(plan.root, campaign.digest, "unchanged")
    older = _pending(campaign, session)
    if plan.total_replacements:
        action = stage(plan, session, details={_KEY: campaign.key, _DIGEST: campaign.digest})
        if verdict is not None:
            keep_verdict(verdict.proof, verdict.culprits, plan, action, session)
        row = current(campaign, row, session)
        row.error = None if verdict is None else _unproven(verdict, row)
    _discard(older, session)
    return row


def tidy(campaign: Campaign, row: LedgerRow, session: Session) -> None:
    """Discards what a newer plan has replaced: the coordinator was killed in between."""
    _discard(
        [action for action in _pending(campaign, session) if action.id != row.action_id], session
    )


def same_versions(theirs: str, plan: Plan) -> None:
    """Raises `PreconditionError` for a plan of another astedit or grammar than ours.

    Applying it here would give another result, and so be refused.
    """
    versions: dict[str, tuple[str, str | None]] = {"astedit": (theirs, __version__)}
    for use in plan.languages:
        if not use.dropped:
            versions[use.grammar] = use.version, _version(use.grammar)
    for name, (used, ours) in versions.items():
        if used != ours:
            raise PreconditionError(
                f"A worker has {name} {used}, this machine {ours or 'none'}.",
                code="other_versions",
                hint="Install the same versions everywhere, and run the campaign again.",
            )


def _version(distribution: str) -> str | None:
    try:
        return version(distribution)
    except (PackageNotFoundError, ValueError):
        return None


def _pending(campaign: Campaign, session: Session) -> list[PendingAction]:
    return [action for action in session.records.select(("pending",)) if _of(campaign, action)]


def _of(campaign: Campaign, action: PendingAction) -> bool:
    return action.notes.get(_KEY) == campaign.key


def _discard(actions: list[PendingAction], session: Session) -> None:
    for action in actions:
        session.resolve("discard", "planned again by its campaign", target=action.id)
