"""Runs something in a forked child and kills it at its Nth write, whichever that is."""

from __future__ import annotations

import os
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from resolve import store
from resolve.storage import marker
from resolve.storage.statefile import StateFile

Work = Callable[[], None]


def finishes(work: Work, kill_at: int | None = None) -> bool:
    """True when the work ran to its end; False when it was killed at write `kill_at`.

    Counted are the statements of every transaction, each COMMIT before and after, the
    marker before and after, and every rename and unlink.
    """
    sys.stdout.flush()
    child = fork()
    if child == 0:
        _child(work, kill_at)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return False
    assert os.WEXITSTATUS(status) == 0, "the child failed; its traceback is above"
    return True


def fork() -> int:
    """Forks; the children here only open files of their own, so threads do not matter."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def every_kill(work: Work, prepare: Work, step: int = 1) -> Iterator[int]:
    """Yields after each kill, at write 1, 2, ..., and once more after a run that completes.

    A larger `step` skips writes: at 5 it kills at 1, 6, 11.
    """
    kill_at, done = 1 - step, False
    while not done:
        kill_at += step
        prepare()
        done = finishes(work, kill_at)
        yield kill_at


def _child(work: Work, kill_at: int | None) -> None:
    try:
        _number_writes(kill_at)
        work()
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def _number_writes(kill_at: int | None) -> None:
    """Puts a counter before every write; this process never takes it out again."""
    count = 0

    def point() -> None:
        nonlocal count
        count += 1
        if count == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    def counted(function: Callable[..., Any], after: Callable[..., bool]) -> Callable[..., Any]:
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            point()
            result = function(*args, **kwargs)
            if after(*args):
                point()
            return result

        return wrapped

    StateFile.run = counted(StateFile.run, lambda *args: args[1] == "COMMIT")
    store.announce = counted(marker.announce, lambda *args: True)
    os.replace = counted(os.replace, lambda *args: False)
    os.unlink = counted(os.unlink, lambda *args: False)
