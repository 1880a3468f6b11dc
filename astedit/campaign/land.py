"""Applies, discards or lands what a campaign has staged, each repository through its own gate."""

import os
from collections.abc import Iterator

from astedit.campaign.file import Campaign
from astedit.campaign.ledger import Ledger, LedgerRow, error_data
from astedit.campaign.pull_request import PullRequest, push, remote_of
from astedit.campaign.repository import RepositoryGate, current
from astedit.campaign.steps import LandStep
from astedit.errors import AstEditError, PreconditionError
from astedit.landing.land import MESSAGE, LandingOptions
from astedit.staging.proof import proofs
from astedit.staging.stored import stored
from astedit.text.count_phrases import number
from astedit.workspace.root import Workspace
from resolve import Session, ToolError


def land(
    reason: str,
    campaign: Campaign,
    ledger: Ledger,
    gate: RepositoryGate,
    step: LandStep,
    remote: str | None,
) -> None:
    """Makes branches of the pending actions, one repository after the other.

    With `remote` the branches are pushed there, also those that an earlier run has made.
    What has landed stays as it is, so a killed run is simply run again. One repository's
    refusal is its row's `error`, and the others go on.
    """
    for root in campaign.roots:
        ledger.put(_Landed(reason, campaign, gate, step, remote, ledger.folder).row(root, ledger))


class _Landed:
    """How one repository is landed."""

    def __init__(
        self, reason: str, campaign: Campaign, gate: RepositoryGate, step: LandStep,
        remote: str | None, folder: str,
    ) -> None:  # fmt: skip
        self._reason, self._campaign, self._gate = reason, campaign, gate
        self._step, self._remote, self._folder = step, remote, folder

    def row(self, root: str, ledger: Ledger) -> LedgerRow:
        row = ledger.row(root)
        try:
            with self._gate.session(root, create=False) as session:
                session.recover()
                row = current(self._campaign, row, session)
                try:
                    return self._with_request(self._landed(row, session), session)
                except (AstEditError, ToolError) as error:
                    row = current(self._campaign, row, session)
                    row.fail(error)
        except (AstEditError, ToolError) as error:
            row.fail(error)
        return row

    def _landed(self, row: LedgerRow, session: Session) -> LedgerRow:
        if row.action_id is None or not asked("land", row, self._campaign):
            return row
        step = self._step
        options = LandingOptions(step.by, step.message or MESSAGE, step.branch or None)
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
        kept = proofs(action_id, session.records, plan.fingerprint)
        title = (
            f"{self._campaign.name}: {number(plan.total_replacements, 'replacement')}"
            f" in {number(plan.files_touched, 'file')}"
        )
        request = PullRequest(plan, title, self._reason, row.branches, kept[0] if kept else None)
        with Workspace(row.root) as workspace:
            return request.write(self._folder, workspace, remote_of(row.root, self._remote))


def decide(
    verb: str, reason: str, campaign: Campaign, ledger: Ledger, gate: RepositoryGate
) -> None:
    """Applies or discards (`verb`) the pending actions, one repository after the other.

    What is applied already stays as it is, so a killed run is simply run again: the gate
    lets nothing be applied twice. What the file does not say any more is not applied, nor
    what is not proven where it wants that.
    One repository's refusal is its row's `error`, and the others go on.
    """
    for root in campaign.roots:
        ledger.put(_decided(verb, reason, campaign, ledger.row(root), gate))


def _decided(
    verb: str, reason: str, campaign: Campaign, row: LedgerRow, gate: RepositoryGate
) -> LedgerRow:
    try:
        with gate.session(row.root, create=False) as session:
            session.recover()
            row = current(campaign, row, session)
            if row.action_id is None or not asked(verb, row, campaign):
                return row
            try:
                gate.resolve(session, verb, reason, row.action_id)
                row.error = None
            except (AstEditError, ToolError) as error:
                row.fail(error)
            return current(campaign, row, session)
    except (AstEditError, ToolError) as error:
        row.fail(error)
        return row


def asked(verb: str, row: LedgerRow, campaign: Campaign) -> bool:
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


def rows(campaign: Campaign, ledger: Ledger, gate: RepositoryGate) -> Iterator[LedgerRow]:
    """Every repository as it is now, whoever resolved something there; nothing is written."""
    for root in campaign.roots:
        row = ledger.row(root)
        try:
            with gate.session(root, create=False) as session:
                yield current(campaign, row, session)
        except (AstEditError, ToolError) as error:
            row.fail(error)
            yield row
