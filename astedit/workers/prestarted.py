"""A worker that was started before its work was known, kept until somebody takes it.

`cli/prestart.py` starts it, `engine/run_context.py` takes it; neither knows the other.
"""

import os

from astedit.workers.worker import Worker

_worker: Worker | None = None
_root = -1  # a descriptor of the directory that the worker was given


def keep(worker: Worker | None, root: int) -> None:
    """Keeps a worker for whoever works in the directory `root`, a descriptor that it takes over."""
    global _worker, _root
    _worker, _root = worker, root


def take(root: int) -> Worker | None:
    """The worker, if one was started for this very directory; else that one is ended."""
    global _worker, _root
    worker, known_root = _worker, _root
    _worker, _root = None, -1
    if known_root < 0:
        return None
    same = os.path.samestat(os.fstat(known_root), os.fstat(root))
    os.close(known_root)
    if worker is not None and not same:
        worker.end()
        return None
    return worker
