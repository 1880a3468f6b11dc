"""Applies, lands or discards what a campaign has staged, each repository through its own gate."""

from collections.abc import Iterator

from astedit.campaign.failure import error_data
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
