"""The terminal itself: its colours, a driver that outlasts it, an editor in its place."""

import os
import re
import select
import shlex
import subprocess
import sys
import termios
import tty
from codecs import getincrementaldecoder
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from tempfile import NamedTemporaryFile
from typing import IO, Any, Literal

from rich.segment import Segment
from rich.terminal_theme import TerminalTheme
from textual.color import Color
from textual.drivers import linux_driver
from textual.filter import LineFilter

from astedit.errors import PreconditionError
from astedit.programs import find_program

Theme = Literal["auto", "light", "dark"]
_SECONDS = 0.1  # for an answer; one over SSH may come later, and is dropped then
_LONGEST = 256  # bytes of an answer
_QUESTION = b"\x1b]11;?\x1b\\"  # OSC 11: which colour is the background?
_ANSWER = re.compile(rb"rgba?:([0-9a-fA-F]+)/([0-9a-fA-F]+)/([0-9a-fA-F]+)")
_WEIGHTS = (0.299, 0.587, 0.114)  # of red, green and blue, as an eye sees them
_LIGHT = frozenset({"7", "15"})  # of the sixteen colours, those that a light background has


def is_light(theme: Theme, environment: Mapping[str, str] = os.environ) -> bool:
    """Whether the screen is to be drawn for a light background; dark where nothing tells."""
    if theme != "auto":
        return theme == "light"
    _, separated, background = environment.get("COLORFGBG", "").rpartition(";")
    if separated:
        return background in _LIGHT
    answer = _ANSWER.search(_asked())
    return answer is not None and brightness(answer.groups()) > 0.5


def brightness(parts: tuple[bytes, ...]) -> float:
    """From 0 to 1, of a colour whose parts have one to four digits each."""
    shares = (int(part, 16) / (float(16 ** len(part)) - 1) for part in parts)
    return sum((weight * share for weight, share in zip(_WEIGHTS, shares, strict=True)), 0.0)


def _asked() -> bytes:
    """What the terminal answers; nothing where there is none, or one that does not know."""
    try:
        keys = sys.stdin.fileno()
        before = termios.tcgetattr(keys)
    except (OSError, ValueError, termios.error):
        return b""
    try:
        tty.setcbreak(keys)
        sys.stdout.buffer.write(_QUESTION)
        sys.stdout.flush()
        answer = b""
        while select.select([keys], [], [], _SECONDS)[0]:
            answer += os.read(keys, 64)
            if answer.endswith((b"\x07", b"\\")) or len(answer) > _LONGEST:
                break
        return answer
    finally:
        termios.tcsetattr(keys, termios.TCSAFLUSH, before)


# Colours that can be read on a light ground; yellow is a brown there.
_DARK = ((0, 0, 0), (160, 30, 30), (30, 105, 20), (122, 82, 0), (50, 80, 190), (122, 62, 157),
         (0, 100, 140), (80, 80, 80))  # fmt: skip
ON_LIGHT = TerminalTheme((224, 224, 224), (0, 0, 0), list(_DARK), list(_DARK))


class NoColours(LineFilter):
    """Leaves the attributes of a text, such as bold and reverse, and no colour."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The same segments in the colours of the terminal."""
        return list(Segment.remove_color(segments))


def run_editor(root: str, *arguments: str) -> str:
    """Runs the person's editor, and says when it is left; raises `PreconditionError`."""
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    try:
        words = shlex.split(command)
    except ValueError as error:  # a quote that nothing closes
        raise PreconditionError(
            f"EDITOR is no command: {error}. The plan is as it was.", code="no_editor"
        ) from error
    program = find_program(words[0], root) if words else None
    if program is None:
        raise PreconditionError("There is no editor: set EDITOR.", code="no_editor")
    code = subprocess.run([program, *words[1:], *arguments], check=False).returncode
    if code:
        raise PreconditionError(
            f"The editor ended with {code}; the plan is as it was.", code="editor"
        )
    return "Back from the editor."


def edited(root: str, text: str) -> str:
    """What a person makes of a text. Raises as `run_editor`."""
    with NamedTemporaryFile(suffix=".diff") as file:
        file.write(text.encode("utf-8", "surrogateescape"))
        file.flush()
        run_editor(root, file.name)
        with open(file.name, "rb") as saved:
            return saved.read().decode("utf-8", "surrogateescape")


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


# A byte of another encoding, typed or pasted, is no key: Textual's own decoder ended the review.
linux_driver.getincrementaldecoder = lambda name: partial(getincrementaldecoder(name), "replace")  # type: ignore[attr-defined]


class LastingDriver(linux_driver.LinuxDriver):
    """Draws as Textual does, and ends also where the terminal has gone.

    Textual writes in a thread. One that cannot write ends it, and then whoever draws, or leaves,
    waits for it for ever: of six reviews whose terminal was closed one stayed as a process.
    """

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._file: Any = _PatientFile(self._file)
