"""Applies, discards or lands what a campaign has staged, each repository through its own gate."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from astedit.campaign.file import Campaign, LandStep
from astedit.campaign.ledger import Ledger, LedgerRow, error_data
from astedit.campaign.pull_request import PullRequest, push, remote_of
from astedit.campaign.repository import RepositoryGate, current
from astedit.errors import AstEditError, PreconditionError
from astedit.landing.land import LandingOptions
from astedit.staging.proof import proofs
from astedit.staging.stored import stored
from astedit.text.count_phrases import number
from astedit.workspace.root import Workspace
from resolve import Session, ToolError

if TYPE_CHECKING:
    from astedit.landing.groups import GroupedBy


def each_row(
    campaign: Campaign,
    ledger: Ledger,
    gate: RepositoryGate,
    work: Callable[[LedgerRow, Session], LedgerRow],
) -> Iterator[LedgerRow]:
    """Every repository's row after `work` in its session; a refusal is the `error` of its row."""
    for root in campaign.roots:
        row = ledger.row(root)
        try:
            with gate.session(root, create=False) as session:
                row = current(campaign, row, session)
                try:
                    row = work(row, session)
                except (AstEditError, ToolError) as error:
                    row = current(campaign, row, session)
                    row.fail(error)
        except (AstEditError, ToolError) as error:
            row.fail(error)
        yield row


def rows(campaign: Campaign, ledger: Ledger, gate: RepositoryGate) -> Iterator[LedgerRow]:
    """Every repository as it is now, whoever resolved something there; nothing is written."""
    return each_row(campaign, ledger, gate, lambda row, session: row)


def decide(
    verb: str, reason: str, campaign: Campaign, ledger: Ledger, gate: RepositoryGate
) -> None:
    """Applies or discards (`verb`) the pending actions, one repository after the other.

    What is applied already stays as it is, so a killed run is simply run again: the gate
    lets nothing be applied twice. What the file does not say any more is not applied, nor
    what is not proven where it wants that.
    """

    def work(row: LedgerRow, session: Session) -> LedgerRow:
        row = _recovered(campaign, row, session)
        if row.action_id is None or not _waits_for(verb, row, campaign):
            return row
        gate.resolve(session, verb, reason, row.action_id)
        row.error = None
        return current(campaign, row, session)

    for row in each_row(campaign, ledger, gate, work):
        ledger.put(row)


def _recovered(campaign: Campaign, row: LedgerRow, session: Session) -> LedgerRow:
    session.recover()
    return current(campaign, row, session)


def land(
    reason: str, campaign: Campaign, ledger: Ledger, gate: RepositoryGate, step: LandStep,
    remote: str | None,
) -> None:  # fmt: skip
    """Makes branches of the pending actions, one repository after the other.

    With `remote` the branches are pushed there, also those that an earlier run has made.
    What has landed stays as it is, so a killed run is simply run again.
    """
    landing = _Landing(reason, campaign, gate, step, remote, ledger.folder)
    for row in each_row(campaign, ledger, gate, landing.row):
        ledger.put(row)


@dataclass(frozen=True, slots=True)
class _Landing:
    """How one repository is landed."""

    _reason: str
    _campaign: Campaign
    _gate: RepositoryGate
    _step: LandStep
    _remote: str | None
    _folder: str

    def row(self, row: LedgerRow, session: Session) -> LedgerRow:
        row = self._landed(_recovered(self._campaign, row, session), session)
        return self._with_request(row, session)

    def _landed(self, row: LedgerRow, session: Session) -> LedgerRow:
        if row.action_id is None or not _waits_for("land", row, self._campaign):
            return row
        step = self._step
        options = LandingOptions(
            cast("GroupedBy | None", step.by or None), step.message or None, step.branch or None
        )
        self._gate.resolve(session, "apply", self._reason, row.action_id, options)
        row.error = None
        return current(self._campaign, row, session)

    def _with_request(self, row: LedgerRow, session: Session) -> LedgerRow:
        """The row of what has landed, with the commands of its pull request, and pushed."""
        if row.state != "landed" or row.action_id is None:
            return row
        if row.commands is None or not os.path.exists(row.commands):
            row.commands = self._commands(row, row.action_id, session)
        if self._remote is not None and row.pushed != self._remote:
            push(row.root, self._remote, row.branches)
            row.pushed, row.error = self._remote, None
        return row

    def _commands(self, row: LedgerRow, action_id: str, session: Session) -> str:
        action = session.store.find(action_id)
        plan = stored(session, action)
        known_proofs = proofs(action_id, session.records, plan.fingerprint)
        title = (
            f"{self._campaign.name}: {number(plan.total_replacements, 'replacement')}"
            f" in {number(plan.files_touched, 'file')}"
        )
        request = PullRequest(
            plan, title, self._reason, row.branches, known_proofs[0] if known_proofs else None
        )
        with Workspace(row.root) as workspace:
            return request.write(self._folder, workspace, remote_of(row.root, self._remote))


def _waits_for(verb: str, row: LedgerRow, campaign: Campaign) -> bool:
    """Whether there is something to resolve; an outdated plan is only discarded.

    So is one that is not proven, if it is to be.
    """
    if verb == "discard":
        return row.state in ("outdated", "pending", "stale")
    if row.state == "outdated":
        row.fail(
            PreconditionError(
                "The campaign's file has changed since this was planned.",
                code="outdated",
                hint=f"Run the campaign again, look at the new plan, and {verb} that.",
            )
        )
        return False
    if row.state in ("pending", "stale") and campaign.prove and row.proof != "proven":
        row.error = row.error or error_data(_not_proven())
        return False
    return row.state in ("pending", "stale")


def _not_proven() -> PreconditionError:
    return PreconditionError(
        "It is not proven.", code="not_proven", hint="Run the campaign again, with --refresh."
    )
