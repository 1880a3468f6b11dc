"""The colours of a terminal: whether it is light or dark, and how to do without any."""

import os
import re
import select
import sys
import termios
import tty
from collections.abc import Mapping
from typing import Literal

from rich.segment import Segment
from rich.terminal_theme import TerminalTheme
from textual.color import Color
from textual.filter import LineFilter

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
