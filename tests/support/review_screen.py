"""The full-screen review, driven through Textual's own pilot."""

import asyncio
from collections.abc import Awaitable, Callable

from textual.pilot import Pilot
from textual.widgets import Static

from astedit.terminal.questions import GuidedReview
from astedit.terminal.review_app import ReviewApp
from astedit.terminal.visible_rows import ReviewRow, RowList

Steps = Callable[["Screen"], Awaitable[None]]


class Screen:
    """What stands on the screen, and the keys."""

    def __init__(self, app: ReviewApp, pilot: Pilot[None]) -> None:
        self.app = app
        self.pilot = pilot

    @property
    def row(self) -> ReviewRow | None:
        """The row with the cursor."""
        return self.app.query_one(RowList).row

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    def lines(self) -> list[str]:
        """The screen as text."""
        width, height = self.app.size
        strips = self.app.screen._compositor.render_strips()
        assert len(strips) == height
        return [strip.text[:width].rstrip() for strip in strips]

    def part(self, name: str) -> str:
        """The text of a part of the screen."""
        return str(self.app.query_one(f"#{name}", Static).content)


def shown(guided: GuidedReview, steps: Steps, size: tuple[int, int] = (80, 24)) -> None:
    """Opens the review on a screen of this size and goes through the steps."""

    async def go() -> None:
        app = ReviewApp(guided)
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            await app.workers.wait_for_complete()
            await pilot.pause()
            await steps(Screen(app, pilot))

    asyncio.run(go())
