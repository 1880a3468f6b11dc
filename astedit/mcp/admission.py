"""How many calls a server takes on at once: a client may send thousands, each of any size."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

MOST = 32  # calls under way or waiting; more than any agent makes, and none waits for long
MOST_CHARACTERS = 16 << 20  # of their arguments, together


class BusyError(Exception):
    """The server has as many calls as it takes on; nothing was done."""


class Admission:
    """Counts the calls of one connection, on its event loop."""

    def __init__(self) -> None:
        self._calls = 0
        self._characters = 0

    @contextmanager
    def of(self, arguments: Any) -> Iterator[None]:
        """Takes a call on for as long as it lasts; raises `BusyError` at once otherwise.

        A call by itself is taken on whatever its size: its arguments are checked later.
        """
        characters = _characters(arguments)
        full = self._calls >= MOST or self._characters + characters > MOST_CHARACTERS
        if full and self._calls:
            raise BusyError(f"The server is busy: {self._calls} calls are under way or waiting.")
        self._calls += 1
        self._characters += characters
        try:
            yield
        finally:
            self._calls -= 1
            self._characters -= characters


def _characters(value: Any) -> int:
    """About how much a value holds; without recursion, since JSON may be deep."""
    stack, total = [value], 0
    while stack:
        current = stack.pop()
        total += len(current) if isinstance(current, str) else 8
        if isinstance(current, dict):
            stack += [*current.keys(), *current.values()]
        elif isinstance(current, list):
            stack += current
    return total
