"""The ledger as a page of the review: what the plan does not cover."""

from astedit.page.ledger_section import ledger_section
from astedit.page.left_out import left_out
from astedit.review.ledger.model import PlaceLedger
from astedit.web.open_plan import OpenPlan
from astedit.web.page_frame import framed


def ledger_page(plan: OpenPlan, ledger: PlaceLedger, csrf: str) -> str:
    """The whole page; `csrf` is what changes must bring along."""
    again = '<p><a href="ledger?again=1">Count again</a>, in the files as they are now</p>'
    content = f'<main tabindex="-1">{ledger_section(ledger)}{again}{left_out(plan.plan)}</main>'
    return framed(plan, csrf, "ledger", content)
