"""The worker's side of `pool`: reads tasks, runs them one by one, writes results.

It may crash, hang or run out of memory at any moment; the parent copes. It ends when its
parent does, even inside a C call that never returns: the kernel sends SIGIO as soon as
the parent's end of the lifeline is closed, and SIGIO ends a process.
"""

import fcntl
import gc
import importlib
import marshal
import os
import resource
import select
import signal
import sys
from collections.abc import Callable
from typing import Any

# The descriptors a worker is started with; 1 and 2 are a scratch file the parent reads
# when the worker died.
REQUESTS, LIFELINE, RESULTS, FIRST_GIVEN = 0, 3, 4, 5
HEADER = 4  # bytes of a frame's length, little end first

# frames to a worker: (SETUP, target, value), (TASKS, [...])
SETUP, TASKS = "setup", "tasks"
READY, RESULT, ERROR, NO_MEMORY = "ready", "result", "error", "no memory"  # and from one


def frame(value: Any) -> bytes:
    """`value` (plain data only) as one frame; raises ValueError for anything else."""
    body = marshal.dumps(value)
    return len(body).to_bytes(HEADER, "little") + body


def main(memory: int) -> None:
    """Serves until the parent closes its end; uses at most `memory` bytes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # blocked by `process.spawn`
    os.chdir("/")
    gc.disable()  # a file's trees hold no cycles: looking for some costs 5 %
    if sys.platform != "darwin":  # which knows this limit and refuses it
        _, most = resource.getrlimit(resource.RLIMIT_AS)  # under `ulimit -v` there may be less
        memory = memory if most == resource.RLIM_INFINITY else min(memory, most)
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _end_with_parent()
    work: Callable[[Any], Any] | None = None
    while (request := _receive()) is not None:
        if request[0] == SETUP:
            work = _prepared(*request[1:])
        elif work is not None:
            for task in request[1]:
                _run(work, task)


def _end_with_parent() -> None:
    fcntl.fcntl(LIFELINE, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(LIFELINE, fcntl.F_SETFL, fcntl.fcntl(LIFELINE, fcntl.F_GETFL) | os.O_ASYNC)
    watch = select.poll()
    watch.register(LIFELINE, select.POLLIN)
    if watch.poll(0):  # it died before we asked to be told
        os._exit(0)


def _prepared(target: str, setup: object) -> Callable[[Any], Any]:
    """Imports and calls `module:function`; what it returns runs the tasks."""
    module, _, name = target.partition(":")
    try:
        work: Callable[[Any], Any] = getattr(importlib.import_module(module), name)(setup)
    except Exception:
        _send((ERROR, trace()))
        raise
    _send((READY, None))
    return work


def trace() -> str:
    """The traceback of the exception that is handled."""
    from traceback import format_exc  # loads what only a bug needs

    return format_exc()


def _run(work: Callable[[Any], Any], task: object) -> None:
    try:
        answer = frame((RESULT, work(task)))
    except MemoryError:
        _send((NO_MEMORY, None))
        os._exit(0)  # what is left of this process is not worth relying on
    except Exception:
        answer = frame((ERROR, trace()))
    _write(answer)


def _receive() -> Any:
    """The next frame from the parent; None when it has closed its end."""
    if (header := _read(HEADER)) is None:
        return None
    body = _read(int.from_bytes(header, "little"))
    return None if body is None else marshal.loads(body)


def _read(size: int) -> bytes | None:
    chunks = []
    while size:
        if not (chunk := os.read(REQUESTS, size)):
            return None
        chunks.append(chunk)
        size -= len(chunk)
    return b"".join(chunks)


def _send(value: object) -> None:
    _write(frame(value))


def _write(data: bytes) -> None:
    while data:
        data = data[os.write(RESULTS, data) :]
