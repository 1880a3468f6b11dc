"""git's listing and a worker for a command line that will need them, before all imports.

The imports keep one core busy, these the other. What is started here is a process that has
been told nothing but to import the engine, and the listing of the working directory.
"""

import contextlib
import os
from collections.abc import Sequence
from itertools import pairwise

from astedit.engine import git
from astedit.engine.worker import Worker
from astedit.engine.worker_process import LOAD

ENGINE = "astedit.engine.file"
_TAKE_A_FILE = frozenset(("-r", "--rule", "-c", "--config", "--ops", "--state-dir"))
LARGE_INDEX = 262_144  # bytes of git's index, some 2,500 files: a worker will be needed

_ready: Worker | None = None
_root = -1  # the directory that it was given


def start(arguments: Sequence[str]) -> None:
    """Starts both if a whole large work tree, right here, is likely meant.

    Paths among the arguments (what begins with `-`, the file that an option takes and the
    tree itself aside) say that less is. Without a second core, or where no process can be
    started, nothing happens: the pool starts what it needs, and says why it cannot.
    """
    global _ready, _root
    named = (
        one
        for before, one in pairwise(("", *arguments))
        if before not in _TAKE_A_FILE and not one.startswith("-") and one != "."
    )
    if cores() < 2 or any(map(os.path.lexists, named)):
        return
    with contextlib.suppress(OSError):
        if os.stat(".git/index").st_size <= LARGE_INDEX:
            return
        git.begin()
        _root = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        _ready = Worker([_root])
        _ready.send((LOAD, ENGINE))


def take(root: int) -> Worker | None:
    """The worker, if one was started for this very directory; else that one is ended.

    So is the listing, if nobody has asked for it by now.
    """
    global _ready, _root
    git.forget()
    worker, given = _ready, _root
    _ready, _root = None, -1
    if given < 0:
        return None
    same = os.path.samestat(os.fstat(given), os.fstat(root))
    os.close(given)
    if worker is not None and not same:
        worker.end()
        return None
    return worker


def cores() -> int:
    """How many this process may use; two where the system does not say."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2
