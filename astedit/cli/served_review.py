"""`astedit review --web`: serves the review page to the person who asked for it."""

import gc
from functools import partial
from typing import TYPE_CHECKING

from astedit.cli.output import streams
from astedit.cli.place import Place
from astedit.cli.session import named_or_newest, open_session
from astedit.cli.terminal_approval import tell
from astedit.errors import PreconditionError
from astedit.review.selectors import Selection
from astedit.staging.workspace_session import acting, workspace_session

if TYPE_CHECKING:
    from astedit.web.open_plan import OpenPlan


def serve_review(
    place: Place, state: str | None, action_id: str | None, selection: Selection
) -> None:
    """Prints the link and serves the page of a plan, or of a part of it, until it ends.

    Where only a person may apply the plan, the link goes to the terminal itself: whoever has
    it can decide. Raises `PreconditionError` where there is none, or a package is missing.
    """
    try:
        from astedit.web.open_plan import OpenPlan
        from astedit.web.server import PageServer
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("starlette", "uvicorn", "anyio"):
            raise
        raise PreconditionError(
            "The review page needs a package that is not installed.",
            code="no_web",
            hint="Install it with: pip install 'astedit[web]'",
        ) from error
    with open_session(place, state) as session:
        target = named_or_newest(session, action_id).id
    gc.enable()  # switched off for commands, which end soon
    sessions = partial(
        workspace_session,
        place.workspace.root,
        place.state(state),
        who=acting("cli", place.config.actor),
        config=place.config,
    )
    plan = OpenPlan(sessions, target, place.config, selection)
    page = PageServer(plan)
    try:
        _tell(plan, page.link)  # who has it may press Ctrl-C at once
        streams.note(page.run())
    except KeyboardInterrupt:  # the way to end it
        streams.note("The page has ended. Decisions are kept.")
    finally:
        plan.end()


def _tell(plan: "OpenPlan", link: str) -> None:
    if plan.needs_approval is not None:
        tell(f"Review {plan.id} at {link}", plan.id)
        streams.note("The link was written to the terminal: only a person may use it.")
        return
    streams.text(link)
    streams.flush()
    streams.note(f"Review {plan.id} at this link; it opens once. Ctrl-C ends the page.")
