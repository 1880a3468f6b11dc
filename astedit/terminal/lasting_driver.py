"""Textual's driver of a terminal, for one that may go away while something is drawn.

Textual writes in a thread. One that cannot write ends it, and then whoever draws, or leaves,
waits for it for ever: of six reviews whose terminal was closed one stayed as a process.
"""

from contextlib import suppress
from typing import IO, Any

from textual.drivers.linux_driver import LinuxDriver


class _PatientFile:
    """A file that takes what it cannot write, and leaves it."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file
        self.fileno = file.fileno

    def write(self, text: str) -> None:
        with suppress(OSError, ValueError):
            self._file.write(text)

    def flush(self) -> None:
        with suppress(OSError, ValueError):
            self._file.flush()


class LastingDriver(LinuxDriver):
    """Draws as Textual does, and ends also where the terminal has gone."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._file: Any = _PatientFile(self._file)
