"""Budgets: how long, how large, how deep; the seams for cancelling and for progress."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import accumulate, count
from operator import sub
from typing import TYPE_CHECKING, Protocol

from astedit.errors import AstEditError, LimitError

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_FILE_SIZE = 2_097_152  # bytes; larger files are skipped as `too_large`
MAX_PATTERN_SIZE = 65_536  # bytes of pattern text
MAX_PATTERN_NODES = 25_000  # of its syntax tree; compiling more takes seconds
MAX_PATTERN_DEPTH = 200  # levels of the pattern's tree; the matcher recurses over these only
MAX_MATCH_TEXT = 33_554_432  # bytes of memory for the texts of one file's matches
INLINE_SIZE = 262_144  # bytes; a one-shot command parses smaller files in its own process
ALONE_SIZE = 32_768  # bytes; a call of a program for one smaller file starts no worker
INLINE_LEVELS = 2_000  # of a tree, up to which it is matched in there
INLINE_EDIT_LEVELS = 250  # and edited: edits in edits cost the square of them
DEEPEST = 20_000  # levels of a tree; in deeper ones queries lose their way, and no code is
INLINE_DEPTH = 500  # bracket depth, counted on bytes, up to which that is safe
GENERATED_WINDOW = 1_024  # bytes searched for `@generated` and `DO NOT EDIT`
PARSE_ERRORS_SHOWN = 20
FILE_SECONDS = 20.0  # of the processor, for one file in a worker
COMPILE_SECONDS = 0.7  # of the processor, for parsing what a request brings
HINT_SECONDS = 0.3  # of the processor, for parsing in order to say why little was found
INLINE_SECONDS = 0.7  # of the processor, for parsing one file outside a worker

Progress = Callable[[int, int], None]  # told how many files are done, of how many


class Cancel(Protocol):
    """What can be asked to stop: an `AbortSignal`, an event, a key press."""

    @property
    def aborted(self) -> bool: ...


class Cancelled(AstEditError):
    """The caller's signal was set; nothing was staged and nothing was written."""

    code = "aborted"
    exit_code = 130


class Deadline:
    """One call's clock and signal, checked between files."""

    def __init__(self, timeout: float | None = None, signal: Cancel | None = None) -> None:
        self._timeout = timeout
        self._signal = signal
        self._end = None if timeout is None else time.monotonic() + timeout

    def within(self, seconds: float) -> "Deadline":
        """For a part of the call, which may take at most so long."""
        left = self.remaining()
        return Deadline(seconds if left is None else min(seconds, left), self._signal)

    def remaining(self) -> float | None:
        """Seconds left, never negative; None without a timeout."""
        return None if self._end is None else max(0.0, self._end - time.monotonic())

    def check(self) -> None:
        """Raises `LimitError` when time is up, `Cancelled` when the signal is set."""
        if self._signal is not None and self._signal.aborted:
            raise Cancelled("The call was cancelled; nothing was staged.")
        if self._end is not None and time.monotonic() > self._end:
            raise LimitError(
                f"Out of time after {self._timeout:g} s; nothing was staged.",
                code="timeout",
                hint="Raise the timeout, or name fewer paths.",
            )


class SlowParseError(LimitError):
    """The parser did not come to an end in the time that it had."""

    code = "slow_parse"


class ParseTime:
    """The processor time that parsing may still take here, and when to stop altogether."""

    def __init__(self, seconds: float, deadline: Deadline) -> None:
        self.left = seconds
        self.deadline = deadline


_parse_time: ContextVar[ParseTime | None] = ContextVar("parse_time", default=None)


@contextmanager
def parsing_within(seconds: float, deadline: Deadline | None = None) -> Iterator[None]:
    """Limits what this thread parses meanwhile; without a `deadline` that around it holds.

    A parser is code in C. It can take minutes to recover from a few kilobytes of errors,
    and where no limit is set, nothing but the end of its process stops it.
    """
    around = _parse_time.get()
    if deadline is None:
        deadline = Deadline() if around is None else around.deadline
    token = _parse_time.set(ParseTime(seconds, deadline))
    try:
        yield
    finally:
        _parse_time.reset(token)


def parse_time() -> ParseTime | None:
    """The limit that holds in this thread."""
    return _parse_time.get()


def check_deadline() -> None:
    """Raises what the deadline raises that holds in this thread: for loops deep in a compiler."""
    if (limit := _parse_time.get()) is not None:
        limit.deadline.check()


_KEEP = bytes(b for b in range(256) if b not in b"()[]{}")
_TURN = bytes.maketrans(b"([{)]}", b"\x02\x02\x02\x00\x00\x00")


def is_shallow(text: bytes) -> bool:
    """Whether a text is small and flat enough to be parsed outside a worker.

    No step of this takes Python time for each byte.
    """
    if len(text) >= INLINE_SIZE:
        return False
    return nesting(text) < INLINE_DEPTH


def nesting(text: bytes) -> int:
    """How deep the brackets of a text nest; less for a text with few of them."""
    brackets = text.translate(_TURN, _KEEP)
    opening = brackets.count(b"\x02")
    return opening if opening < INLINE_DEPTH else max(map(sub, accumulate(brackets), count(1)))


def is_deep(root: "Node", levels: int) -> bool:
    """Whether a tree has so many levels. Searching for ancestors takes the square of them.

    Brackets do not show it (`f()()()`). A subtree with fewer nodes than levels is not looked
    into, so that most trees cost one comparison.
    """
    stack = [(root, levels)]
    while stack:
        node, left = stack.pop()
        if left <= 1:
            return True
        if node.descendant_count >= left:
            below = left - 1
            stack += [(child, below) for child in node.children if child.descendant_count >= below]
    return False
