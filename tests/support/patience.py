"""Waiting for facts, and the end of what might have none: no test depends on how fast it is."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import Popen
from typing import Any, TypeVar

LAST = 300  # seconds after which a fact is taken never to come, on the slowest of machines
ENDLESS = 100  # seconds of the processor that only work without a bound takes
REFERENCE = 0.09  # seconds that the work of `slowness` takes on the machine of the limits
T = TypeVar("T")


def until(holds: Callable[[], T], process: "Popen[Any] | None" = None) -> T:
    """Waits until it holds, and returns that; fails where the process ends before it does."""
    end = time.monotonic() + LAST
    while not (value := holds()):
        assert process is None or process.poll() is None, "it has ended before"
        assert time.monotonic() < end, "it never holds"
        time.sleep(0.005)
    return value


def is_gone(pid: int | str) -> bool:
    """Whether a process has ended; whoever inherits it may be slow to wait for it."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


@contextmanager
def ends() -> Iterator[None]:
    """Fails where the work took as long as only that takes which has no bound."""
    before = time.process_time()
    yield
    assert time.process_time() - before < ENDLESS


def slowness() -> float:
    """How much longer this machine takes now, of the processor, than the one of the limits."""
    before = time.process_time()
    assert len(sorted({str(number): [number] * 8 for number in range(100_000)})) == 100_000
    return max(1.0, (time.process_time() - before) / REFERENCE)
