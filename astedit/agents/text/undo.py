"""A staged undo as text for a model: what it takes back, and its diff as far as it fits."""

from astedit.agents.text.budget import LIMIT, Budget, quoted
from astedit.agents.text.plan import QUOTED
from astedit.staging.ast_edit import staged_notice
from resolve import PendingAction
from resolve.visible import one_line


def undo_text(action: PendingAction, diff: bytes, *, already: bool = False) -> str:
    """The text for a model: the staged notice comes first; `already` if there was one."""
    head = [staged_notice(action.id, already=already), one_line(action.label), QUOTED, "The diff:"]
    budget = Budget(LIMIT - 160)
    budget.fits(head)
    lines = list(quoted(diff.decode("utf-8", "surrogateescape")))
    shown = budget.first(lines)
    left = [] if len(shown) == len(lines) else ["Not all of the diff is shown here."]
    return "\n".join([*head, *shown, *left]) + "\n"
