"""git's listing and a worker for a command line that will need them, before all imports.

The imports keep one core busy, these the other. What is started here is a process that has
been told nothing but to import the engine, and the listing of the working directory.
"""

import contextlib
import os
from collections.abc import Sequence
from itertools import pairwise

from astedit import git
from astedit.engine import ENGINE
from astedit.programs import cores
from astedit.workers import worker as prestarted
from astedit.workers.worker import Worker
from astedit.workers.worker_main import LOAD

_TAKE_A_FILE = frozenset(("-r", "--rule", "-c", "--config", "--ops", "--state-dir"))


def start(arguments: Sequence[str]) -> None:
    """Starts both if a whole large work tree, right here, is likely meant.

    Paths among the arguments (what begins with `-`, the file that an option takes and the
    tree itself aside) say that less is. Without a second core, or where no process can be
    started, nothing happens: the pool starts what it needs, and says why it cannot.
    """
    named = (
        one
        for before, one in pairwise(("", *arguments))
        if before not in _TAKE_A_FILE and not one.startswith("-") and one != "."
    )
    if cores() < 2 or any(map(os.path.lexists, named)):
        return
    with contextlib.suppress(OSError):
        if os.stat(".git/index").st_size <= git.LARGE_INDEX:
            return
        git.begin()
        root = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        prestarted.keep(None, root)  # it is closed even where no worker starts
        worker = Worker([root])
        prestarted.keep(worker, root)
        worker.send((LOAD, ENGINE))
