"""What a worker answered: it may run on another machine, so nothing of it is believed.

A plan is staged only if it is one of this repository, of the very request that the
campaign's file makes, and if its fingerprint is that of the edits it shows. An apply then
runs the request here, and lands only if that gives the same.
"""

import json
import shlex
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import asdict, replace
from typing import Any, NamedTuple

from astedit.campaign.steps import ProveStep
from astedit.engine.run_context import Run
from astedit.errors import PreconditionError
from astedit.model.plan import Plan
from astedit.model.request import EditRequest
from astedit.staging.preview import prepare
from astedit.staging.proof import Proof
from astedit.staging.stored import check_genuine, unpacked
from astedit.workspace.root import Workspace

_TAIL = 2_000  # characters of what a command printed
_TEXTS = ("code", "message", "hint", "path")
_HINT = "Look at what runs on the workers, and run the campaign again."


def failure_of(answer: Any) -> dict[str, Any] | None:
    """The error in an answer, as `campaign.ledger` makes it; None if it has a plan.

    Raises `PreconditionError` (`bad_answer`) for what no worker of ours answers.
    """
    if not isinstance(answer, dict) or not ("error" in answer or "plan" in answer):
        raise _bad("A worker answered neither a plan nor an error.")
    if "error" not in answer:
        return None
    error = answer["error"]
    if not isinstance(error, dict) or not isinstance(error.get("message"), str):
        raise _bad("A worker answered an error that says nothing.")
    return {key: text if isinstance(text := error.get(key), str) else None for key in _TEXTS}


def plan_of(answer: dict[str, Any], root: str, request: EditRequest) -> Plan:
    """The plan in an answer about the repository at `root`, of the campaign's request.

    Raises `PreconditionError` if it is another one, and what `prepare` of a preview raises.
    """
    if not isinstance(answer.get("version"), str):
        raise _bad("A worker does not say which version it has.")
    plan = unpacked(answer["plan"])
    if not isinstance(plan.hints, list) or not all(isinstance(hint, str) for hint in plan.hints):
        raise _bad("A worker answered hints that say nothing.")
    plan.origin = None  # the machine of a worker numbers directories its own way
    if plan.root != root:
        raise PreconditionError(f"A worker planned {plan.root!r} instead.", code="other_root")
    if _asked(plan.request) != _asked(_complete(request, root)):
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
    value = answer.get("verdict")
    if not isinstance(value, dict):
        raise _bad("A worker does not say whether the plan is proven.")
    if "error" in value:
        return ProofVerdict(error=failure_of({"error": value["error"]}))
    known = {edit.id for file in plan.files for edit in file.edits}
    culprits = value.get("culprits")
    if not isinstance(culprits, list) or not all(_is_culprit(each, known) for each in culprits):
        raise _bad("A worker blames edits that the plan does not have.")
    proof = _proof(value.get("proof"), plan, step, known)
    return ProofVerdict(proof and replace(proof, culprits=culprits), culprits)


def _proof(value: Any, plan: Plan, step: ProveStep, known: set[str]) -> Proof | None:
    if value is None:
        return None
    try:
        proof = Proof.restored(json.dumps(value))
        rest = len(known.difference(proof.excluded))
        asked = (shlex.join(step.words), plan.fingerprint, 0, rest)
        right = asked == (proof.command, proof.fingerprint, proof.exit_code, proof.edits)
        right &= known.issuperset(proof.excluded) and isinstance(proof.tail, str)
        right &= isinstance(proof.seconds, int | float) and isinstance(proof.runs, int)
    except (LookupError, TypeError, ValueError) as error:
        raise _bad("A worker answered a proof that is none.") from error
    if not right:
        raise _bad("A worker proved something else than this plan.")
    return replace(proof, tail=proof.tail[-_TAIL:])


def _is_culprit(value: Any, known: set[str]) -> bool:
    edits = value.get("edits") if isinstance(value, dict) else None
    tests = value.get("tests") if isinstance(value, dict) else None
    named = isinstance(edits, list) and all(
        isinstance(each, dict) and each.get("id") in known for each in edits
    )
    return named and isinstance(tests, list) and all(isinstance(test, str) for test in tests)


def _complete(request: EditRequest, root: str) -> EditRequest:
    """The request as a worker makes it complete: what its `within` names is looked up here too."""
    request = deepcopy(request)
    if request.within is not None:
        with Workspace(root) as workspace:
            prepare(request, workspace, Run())
    return request


def _asked(request: EditRequest) -> dict[str, Any]:
    """What is asked for. A worker adds the files that it could not look at, where it may."""
    asked = asdict(request)
    if request.allow_partial:
        del asked["left_out"]
    return asked


def _bad(message: str, code: str = "bad_answer") -> PreconditionError:
    return PreconditionError(message, code=code, hint=_HINT)
