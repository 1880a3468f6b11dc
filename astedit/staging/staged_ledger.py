"""The ledger of a staged plan, of the files as the plan sees them."""

from astedit.model.plan import Plan
from astedit.review.ledger.ledger import ledger
from astedit.review.ledger.model import PlaceLedger
from astedit.staging.on_top import as_previewed
from astedit.workspace.config import Config
from astedit.workspace.root import Workspace
from resolve import PendingActionStore


def staged_ledger(
    plan: Plan, workspace: Workspace, records: PendingActionStore, settings: Config
) -> PlaceLedger:
    """What became of each place; of a plan on top of another one, with that one in place."""
    with as_previewed(plan, workspace, records):
        return ledger(plan, workspace, settings)
