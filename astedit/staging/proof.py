"""Proofs: a command passed with a plan, or with a part of it. Kept in the audit, with its action.

The audit is never rewritten, and a proof is of one fingerprint, like an approval.
"""

import json
import shlex
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Self

from astedit.errors import PreconditionError
from astedit.model.plan import Plan
from astedit.review.selectors import ids_of
from astedit.workspace.config import Config
from resolve import PendingAction
from resolve.records import AuditRow
from resolve.state import SessionState
from resolve.store import PendingActionStore

OUTCOMES = ("proven", "broken")  # of the whole plan; "broken" names what was left out


@dataclass(frozen=True, slots=True)
class Proof:
    """A command that passed with all edits of a plan but those `excluded`.

    `exit_code`, `seconds` and `tail`, the end of the output, are of that run; `runs` counts
    all it took to get there. `culprits` are the documents of the edits that are left out.
    """

    command: str
    fingerprint: str
    edits: int
    excluded: tuple[str, ...] = ()
    exit_code: int = 0
    seconds: float = 0.0
    runs: int = 0
    tail: str = ""
    culprits: list[dict[str, Any]] = field(default_factory=list)

    @property
    def proven(self) -> bool:
        """Whether the whole plan passed."""
        return not self.excluded

    @classmethod
    def restored(cls, text: str) -> Self:
        """The proof as it was kept; ValueError or TypeError for what is none."""
        body = json.loads(text)
        known = {each.name: body[each.name] for each in fields(cls) if each.name in body}
        return cls(**known | {"excluded": tuple(body["excluded"])})

    def sentence(self) -> str:
        """`pytest -q passes with all 302 edits`."""
        what = f"all {self.edits:,} edits" if self.proven else f"{self.edits:,} of the edits"
        return f"{self.command} passes with {what}"

    def to_json(self) -> dict[str, Any]:
        """Returns it as every surface shows it, in camelCase."""
        body = asdict(self)
        body["exitCode"] = body.pop("exit_code")
        return {"proven": self.proven} | body | {"excluded": list(self.excluded)}


def keep(proof: Proof, action: PendingAction, records: PendingActionStore, who: str) -> None:
    """Keeps a proof with its action."""
    outcome, text = OUTCOMES[not proof.proven], json.dumps(asdict(proof))
    said, code = proof.sentence(), proof.fingerprint
    records.commit(AuditRow.of(action, who, said, outcome, code=code, text=text))


def proofs(
    action_id: str, records: PendingActionStore, fingerprint: str | None = None
) -> list[Proof]:
    """What was proved of an action, of this fingerprint if one is named; the newest first."""
    kept = []
    for row in records.audit(action_id=action_id):
        if row.outcome in OUTCOMES and fingerprint in (None, row.code):
            try:
                kept.append(Proof.restored(row.text))
            except (LookupError, TypeError, ValueError):
                continue  # of another version: as if it had not been proved
    return kept


def newest_proof(
    action_id: str, records: PendingActionStore, fingerprint: str | None = None
) -> Proof | None:
    """What was last proved of an action, of this fingerprint if one is named."""
    return next(iter(proofs(action_id, records, fingerprint)), None)


def require(
    part: Plan, plan: Plan, action: PendingAction, session: SessionState, settings: Config
) -> None:
    """Raises `PreconditionError` unless every required command passed with exactly this part.

    `plan` is all that was previewed.
    """
    if not settings.require_proof:
        return
    left_out = ids_of(plan) - ids_of(part)
    known = proofs(action.id, session.records, plan.fingerprint)
    for command in settings.require_proof:
        same = [each for each in known if shlex.split(each.command) == shlex.split(command)]
        if not any(set(proof.excluded) == left_out for proof in same):
            again = f"astedit prove {action.id} -- {command}"
            fitting = f"astedit resolve apply {action.id} --proven --reason TEXT"
            raise PreconditionError(
                f"The configuration wants a proof first that this passes: {command}",
                code="proof_missing",
                hint=f"Only a part was proved to pass: {fitting}" if same else again,
            )


def proven_part(action: PendingAction, session: SessionState) -> Sequence[str]:
    """The edits to leave out, so that what is applied is what passed when last proved.

    Raises `PreconditionError` where nothing was proved, and where no edit passed.
    """
    proof = newest_proof(action.id, session.records)
    if proof is None:
        raise PreconditionError(
            f"Nothing of {action.id} is proved.",
            code="proof_missing",
            hint=f"astedit prove {action.id} -- COMMAND",
        )
    if not proof.edits:
        raise PreconditionError(
            f"Nothing of {action.id} passed: every edit is left out.",
            code="nothing_accepted",
            hint=f"Discard the plan, or look at what fails: astedit show {action.id}",
        )
    return proof.excluded
