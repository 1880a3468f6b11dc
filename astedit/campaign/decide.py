"""Applies or discards what a campaign has staged, every repository through its own gate."""

from collections.abc import Iterator

from astedit.campaign.file import Campaign
from astedit.campaign.ledger import Ledger, LedgerRow
from astedit.campaign.repository import RepositoryGate, current
from astedit.errors import AstEditError, PreconditionError
from resolve import ToolError


def decide(
    verb: str, reason: str, campaign: Campaign, ledger: Ledger, gate: RepositoryGate
) -> None:
    """Applies or discards (`verb`) the pending actions, one repository after the other.

    What is applied already stays as it is, so a killed run is simply run again: the gate
    lets nothing be applied twice. What the file does not say any more is not applied.
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
            if row.action_id is None or not _asked(verb, row):
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


def _asked(verb: str, row: LedgerRow) -> bool:
    """Whether there is something to resolve; an outdated plan is only discarded."""
    if row.state == "outdated":
        if verb == "apply":
            row.fail(
                PreconditionError(
                    "The campaign's file has changed since this was planned.",
                    code="outdated",
                    hint="Run the campaign again, look at the new plan, and apply that.",
                )
            )
        return verb == "discard"
    return row.state in ("pending", "stale")


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
