"""A progress bar for a person who waits: on a terminal, and only after a second."""

import sys
import time
from typing import TYPE_CHECKING

from astedit.cli.output import streams

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

DELAY = 1.0  # seconds; a shorter run needs no bar, and rich costs 0.1 s to import


class Bar:
    """Shows `done` of `total` files on stderr; removes itself when the run ends."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._wanted = streams.terminal(sys.stderr)
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    def __call__(self, done: int, total: int) -> None:
        """Told by the engine, between files."""
        if not self._wanted:
            return
        if self._bar is None:
            if time.monotonic() - self._start < DELAY or done >= total:
                return
            self._begin()
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=done, total=total)

    @property
    def shown(self) -> bool:
        """True once the bar is on the screen."""
        return self._bar is not None

    def __enter__(self) -> "Bar":
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def _begin(self) -> None:
        from rich.console import Console
        from rich.progress import Progress

        self._bar = Progress(console=Console(stderr=True), transient=True)
        self._task = self._bar.add_task("files", total=None)
        self._bar.start()
