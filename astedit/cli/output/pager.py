"""Long output on a terminal goes through the program that PAGER names."""

import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Sequence
from shutil import get_terminal_size
from typing import Any

from astedit.programs import find_program
from astedit.workspace.root import find_root

_FLAGS = {"LESS": "FRX", "LV": "-c"}  # as git sets them: colours pass, one screen stays
_OFF: tuple[list[str], ...] = ([], ["cat"])


class Pager:
    """Keeps what is written until it is longer than the screen, then starts the program.

    What fits on the screen is written there, and no program is started. One that is left
    early ends nothing: what is written after that is dropped.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        size = get_terminal_size()
        self._columns, self._left = size.columns, size.lines - 2  # the prompt, and a note
        self._kept: list[bytes] = []
        self._program: subprocess.Popen[bytes] | None = None
        self._interrupt: Any = None

    @property
    def started(self) -> bool:
        """Whether the program has the screen."""
        return self._program is not None

    @property
    def holds(self) -> bool:
        """Whether something was written that the person has not read to the end."""
        return self.started or bool(self._kept)

    def write(self, content: bytes) -> None:
        """Takes output; raises OSError if the program cannot be started."""
        if self._program is not None:
            self._pass(content)
            return
        self._kept.append(content)
        self._left -= sum(1 + len(line) // self._columns for line in content.split(b"\n")) - 1
        if self._left < 0:
            self._start()

    def end(self) -> None:
        """Shows what was kept, or waits until the person has read to the end."""
        if self._program is None:
            sys.stdout.buffer.write(b"".join(self._kept))
            return
        self._close()
        self._program.wait()
        signal.signal(signal.SIGINT, self._interrupt)

    def _start(self) -> None:
        environment = {**_FLAGS, **os.environ}
        self._program = subprocess.Popen(self._command, stdin=subprocess.PIPE, env=environment)
        self._interrupt = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is its own now
        self._pass(b"".join(self._kept))

    def _pass(self, content: bytes) -> None:
        assert self._program is not None and self._program.stdin is not None
        if not self._program.stdin.closed:
            try:
                self._program.stdin.write(content)
            except BrokenPipeError:
                self._close()

    def _close(self) -> None:
        assert self._program is not None and self._program.stdin is not None
        try:
            self._program.stdin.close()
        except BrokenPipeError:
            return


def chosen() -> list[str] | None:
    """The command that the person wants to read with, if its program is there.

    None in the working tree is started, though PATH may name a directory of it.
    """
    words = _words(os.environ.get("PAGER", "less"))
    if words in _OFF:
        return None
    program: str | None = words[0]
    if not os.path.isabs(words[0]):
        program = find_program(words[0], find_root(os.getcwd(), ()))
    return None if program is None else [program, *words[1:]]


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:  # a quote that nothing closes
        return []


def usable() -> bool:
    """Whether a person looks at a terminal that can be steered."""
    stdout = sys.stdout
    return stdout is not None and stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"
