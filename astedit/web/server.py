"""Serving the page: from the link until the plan is decided, or nobody has come for long."""

import asyncio
import time
from contextlib import closing

from astedit.loopback import authority, listen, server
from astedit.web.application import application
from astedit.web.guard import Entrance
from astedit.web.open_plan import OpenPlan

IDLE = 30 * 60.0  # seconds without a request
_LOOK = 1.0  # seconds between two looks at whether it is time to end


class PageServer:
    """The page of a plan on a free port of 127.0.0.1, for whoever has the `link`.

    It is served until it ended, its plan did, or nobody came for long. Decisions are kept as
    they are made, so however it ends loses none.
    """

    def __init__(self, plan: OpenPlan, idle: float = IDLE) -> None:
        self._plan = plan
        self._idle = idle
        self._last = time.monotonic()
        self._ended = False
        self._listening = listen("127.0.0.1:0")
        entrance = Entrance(authority(self._listening))
        self.link = entrance.link
        app = application(plan, entrance, self._visited, self._end)
        self._server = server(app, grace=2)

    def run(self) -> str:
        """Serves until it is over, and says why it is."""
        with closing(self._listening):
            return asyncio.run(self._served())

    def stop(self) -> None:
        """Ends it soon, from any thread."""
        self._server.should_exit = True

    async def _served(self) -> str:
        serving = asyncio.create_task(self._server.serve(sockets=[self._listening]))
        over = asyncio.create_task(self._over())
        await asyncio.wait({serving, over}, return_when=asyncio.FIRST_COMPLETED)
        self.stop()
        await serving
        if over.done():
            return over.result()
        over.cancel()
        return "The page has ended. Decisions are kept."

    def _visited(self) -> None:
        """Somebody asked for something."""
        self._last = time.monotonic()

    def _end(self) -> None:
        """The plan was applied or discarded here."""
        self._ended = True

    async def _over(self) -> str:
        """Waits until it is over, and says why."""
        while not self._ended:
            if time.monotonic() - self._last > self._idle:
                return "Nobody came for a long time: the page has ended. Decisions are kept."
            if not await asyncio.to_thread(lambda: self._plan.pending):
                return f"{self._plan.id} is no longer pending: the page has ended."
            await asyncio.sleep(_LOOK)
        return "The page has ended."
