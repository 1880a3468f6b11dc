"""A command on a terminal of its own: what a person types and sees."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.support.forked_workers import take_terminal
from tests.support.patience import LAST

_STEERING = re.compile(r"\x1b(\[[0-9;?]*[A-Za-z]|[=>]|\][^\x07]*\x07|\([A-Z0-9])")


class Terminal:
    """A process whose standard streams and controlling terminal are one pseudo-terminal."""

    def __init__(
        self,
        command: Sequence[str],
        cwd: Path,
        settings: Mapping[str, str] | None = None,
        rows: int = 24,
        columns: int = 80,
    ) -> None:
        self._master, end = pty.openpty()
        fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        environment = {**os.environ, "TERM": "xterm-256color", **(settings or {})}
        for name in ("COLUMNS", "LINES", "FORCE_COLOR"):
            environment.pop(name, None)
        self.process = subprocess.Popen(
            command,
            cwd=cwd,
            env=environment,
            stdin=end,
            stdout=end,
            stderr=end,
            start_new_session=True,
            preexec_fn=take_terminal,
        )
        os.close(end)
        self.raw = ""

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *error: object) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._master)

    @property
    def text(self) -> str:
        """What was printed so far, without what steers the terminal."""
        return _STEERING.sub("", self.raw).replace("\r\n", "\n")

    def type(self, text: str) -> None:
        """Types, as a person does."""
        os.write(self._master, text.encode())

    def until(self, text: str, typing: str = "") -> str:
        """Waits until this text was printed; returns all that was.

        Meanwhile it types: who handles a signal drops what was typed.
        """
        end = time.monotonic() + LAST
        while text not in self.text:
            assert time.monotonic() < end, self.text
            assert self._read(0.5) or self.process.poll() is None, self.text
            self.type(typing)
        return self.text

    def interrupt(self, text: str) -> str:
        """Presses Ctrl-C until this text was printed; returns all that was.

        One that comes between Python's look for signals and its read is not seen until
        something is typed: a person presses again.
        """
        end = time.monotonic() + LAST
        while text not in self.text:
            assert time.monotonic() < end, self.text
            self.type("\x03")
            pressed = time.monotonic()
            while text not in self.text and time.monotonic() < pressed + LAST / 6:
                self._read(0.5)
        return self.text

    def ended(self) -> int:
        """Waits for the end; returns the exit code."""
        end = time.monotonic() + LAST
        while self.process.poll() is None or self._read(0.05):
            assert time.monotonic() < end, self.text
            self._read(0.05)
        return self.process.returncode

    def _read(self, seconds: float) -> bool:
        poll = select.poll()  # `select` knows descriptors below 1,024 only
        poll.register(self._master, select.POLLIN)
        if not poll.poll(seconds * 1_000):
            return False
        try:
            part = os.read(self._master, 65536)
        except OSError:  # the other end is closed
            return False
        self.raw += part.decode("utf-8", "replace")
        return bool(part)
