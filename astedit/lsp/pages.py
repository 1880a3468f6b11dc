"""The review pages that an editor has opened, each served by a thread of its own."""

from functools import partial
from threading import Thread
from typing import TYPE_CHECKING

from astedit.staging.open_workspace import OpenWorkspace
from astedit.staging.workspace_session import workspace_session
from astedit.workspace.config import load
from astedit.workspace.root import Workspace

if TYPE_CHECKING:
    from astedit.web.server import PageServer


class Pages:
    """Pages by the id of their plan."""

    def __init__(self) -> None:
        self._pages: dict[str, tuple[PageServer, Thread]] = {}

    def link(self, place: OpenWorkspace, action_id: str) -> str | None:
        """The link of a plan's page; None where the extra `web` is not installed.

        Raises `PreconditionError` for an action that is not pending.
        """
        known = self._pages.get(action_id)
        if known is not None and known[1].is_alive():
            return known[0].link
        try:
            from astedit.web.open_plan import OpenPlan
            from astedit.web.server import PageServer
        except ModuleNotFoundError:
            return None
        with Workspace(place.root) as workspace:
            config = load(workspace)
        sessions = partial(
            workspace_session, place.root, place.state_dir, who=place.who, config=config
        )
        page = PageServer(OpenPlan(sessions, action_id, config))
        thread = Thread(target=page.run, daemon=True)
        thread.start()
        self._pages[action_id] = (page, thread)
        return page.link

    def close(self) -> None:
        """Ends all pages."""
        for page, _ in self._pages.values():
            page.stop()
