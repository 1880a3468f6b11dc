"""One repository and its own gate: what this campaign has staged there, and staging more.

An action carries the campaign's key and digest in its details. So the repository's store
itself knows what was staged, whatever the ledger missed when the coordinator was killed.
"""

from contextlib import AbstractContextManager
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Protocol

from astedit.campaign.answer import ProofVerdict
from astedit.campaign.file import Campaign
from astedit.campaign.ledger import LedgerRow, ProofState, error_data
from astedit.errors import PreconditionError
from astedit.landing.land import LandingOptions
from astedit.model.plan import Plan
from astedit.proving.staged_proof import keep_verdict
from astedit.staging.ast_edit import stage
from astedit.staging.proof import proofs
from astedit.text.count_phrases import number
from astedit.version import __version__
from resolve import PendingAction, Session, ToolResult
from resolve.actions import State

_ANY: tuple[State, ...] = (
    "pending", "applying", "applied", "landed", "discarded", "superseded", "lost", "undone",
)  # fmt: skip
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
    known = row
    if row.request not in ("", campaign.digest):
        row = LedgerRow(row.root)
    action = _newest(campaign, session)
    if action is None or (row.state == "unchanged" and action.state == "discarded"):
        return row
    if action.notes.get(_DIGEST) == campaign.digest:
        return _seen(known, action, session)
    if action.state == "pending" and row.state == "waiting":
        return replace(_seen(known, action, session), state="outdated")
    return row


def _unproven(verdict: ProofVerdict, row: LedgerRow) -> dict[str, Any] | None:
    """Why a plan is not proven; None if it is."""
    if verdict.error is not None or row.proof == "proven":
        return verdict.error
    if not verdict.culprits:
        return error_data(PreconditionError("Out of budget before it was proven.", code="budget"))
    edits = number(sum(len(each["edits"]) for each in verdict.culprits), "edit")
    hint = f"astedit review {row.action_id} shows them; resolve apply --proven applies the rest."
    return error_data(PreconditionError(f"{edits} to blame.", code="not_proven", hint=hint))


def _seen(row: LedgerRow, action: PendingAction, session: Session) -> LedgerRow:
    details = action.notes
    kept = proofs(action.id, session.records, details.get("fingerprint"))
    proof: ProofState | None = None
    if kept:
        proof = "proven" if kept[0].proven else "broken"
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
        proof,
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
    _discard([one for one in _pending(campaign, session) if one.id != row.action_id], session)


def same_versions(theirs: str, plan: Plan) -> None:
    """Raises `PreconditionError` for a plan of another astedit or grammar than ours.

    Applying it here would give another result, and so be refused.
    """
    made: dict[str, tuple[str, str | None]] = {"astedit": (theirs, __version__)}
    for use in plan.languages:
        if not use.dropped:
            made[use.grammar] = use.version, _version(use.grammar)
    for name, (used, ours) in made.items():
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


def _newest(campaign: Campaign, session: Session) -> PendingAction | None:
    actions = (action for action in session.records.select(_ANY) if _of(campaign, action))
    return next(actions, None)  # the newest is first, whatever the clock says


def _of(campaign: Campaign, action: PendingAction) -> bool:
    return action.notes.get(_KEY) == campaign.key


def _discard(actions: list[PendingAction], session: Session) -> None:
    for one in actions:
        session.resolve("discard", "planned again by its campaign", target=one.id)
