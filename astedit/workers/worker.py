"""One worker process as its parent sees it."""

import contextlib
import fcntl
import marshal
import os
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

from astedit.programs import scratch, spawn, written
from astedit.workers.worker_main import HEADER, frame

MEMORY = 2 << 30  # bytes of address space of one worker
_PIPE = 1 << 20  # bytes a pipe holds; the usual 64 KiB makes a worker wait for a busy parent
_CHUNK = 1 << 20
FailureReason = Literal["crashed", "timeout", "out_of_memory"]


class WeightedTask(NamedTuple):
    """One task: what to call it, roughly how long it takes (in bytes), and its data."""

    key: Any
    weight: int
    task: Any


class Worker:
    """Its process, its pipes, and the jobs it has been given, the current one first.

    `since` is when the parent learned that it works on that job: never too early.
    """

    def __init__(self, descriptors: Sequence[int], memory: int = MEMORY) -> None:
        """Starts the process; `descriptors` become 5, 6, ... in it."""
        with contextlib.ExitStack() as ours, contextlib.ExitStack() as theirs:
            requests, self.requests = _pipe(theirs, ours)
            lifeline, _ = _pipe(theirs, ours)
            self.results, results = _pipe(ours, theirs)
            self._output = scratch()
            ours.callback(os.close, self._output)
            files = (requests, self._output, self._output, lifeline, results, *descriptors)
            self._child = spawn(_command(memory), os.environ, files, own_group=True)
            self._files = ours.pop_all()
        os.set_blocking(self.requests, False)
        _widen(self.results)
        self.jobs: deque[WeightedTask] = deque()
        self.load = 0
        self.setups = 0  # sent and not answered yet
        self.since = time.monotonic()
        self._inbox = bytearray()
        self._outbox = b""

    @property
    def unsent(self) -> bool:
        """Whether the pipe was full: call `flush` when it can be written to."""
        return bool(self._outbox)

    @property
    def ended(self) -> bool:
        """Whether the process has ended by itself."""
        return self._child.poll() is not None

    def send(self, value: object) -> None:
        """Queues a frame and sends as much as the pipe takes; never waits."""
        self._outbox += frame(value)
        self.flush()

    def flush(self) -> None:
        """Sends what is still queued; that a worker died shows when its results are read."""
        try:
            while self._outbox:
                self._outbox = self._outbox[os.write(self.requests, self._outbox) :]
        except BlockingIOError:
            pass
        except BrokenPipeError:
            self._outbox = b""

    def give(self, jobs: Sequence[WeightedTask], send: Callable[[Any], Any]) -> None:
        """Adds jobs behind those it has; `send` makes plain data of a task."""
        if not self.jobs:
            self.since = time.monotonic()
        self.jobs.extend(jobs)
        self.load += sum(job.weight for job in jobs)
        self.send(("tasks", [send(job.task) for job in jobs]))

    def take(self) -> WeightedTask:
        """Takes away the current job, which is done; the next one begins now."""
        job = self.jobs.popleft()
        self.load -= job.weight
        self.since = time.monotonic()
        return job

    def receive(self) -> list[tuple[str, Any]] | None:
        """The frames that have arrived; None when the process has ended."""
        data = os.read(self.results, _CHUNK)
        if not data:
            return None
        self._inbox += data
        return self._frames()

    def _frames(self) -> list[tuple[str, Any]]:
        frames = []
        at = 0
        while len(self._inbox) >= at + HEADER:
            end = at + HEADER + int.from_bytes(self._inbox[at : at + HEADER], "little")
            if len(self._inbox) < end:
                break
            frames.append(marshal.loads(self._inbox[at + HEADER : end]))
            at = end
        del self._inbox[:at]
        return frames

    def end(self) -> tuple[int, str]:
        """Kills it if it still runs; its exit status and what it wrote to stderr."""
        status = self._child.kill()
        output = written(self._output).decode(errors="replace")
        self._files.close()
        return status, output


def failure(status: int, output: str) -> FailureReason:
    """Why a worker died: `out_of_memory` or `crashed`.

    Only the kernel's out-of-memory killer ends one with SIGKILL, we do not look then. C
    code that gets no memory says so and aborts.
    """
    starved = status == -signal.SIGKILL or "alloc" in output or "MemoryError" in output
    return "out_of_memory" if starved else "crashed"


def _command(memory: int) -> list[str]:
    # -I and -S: neither the current directory, PYTHON* variables nor .pth files have a say.
    code = (
        f"import sys; sys.path[:] = {_search_path()!r};"
        "from astedit.workers.worker_main import main;"
        f"main({memory})"
    )
    writes = [] if not sys.dont_write_bytecode else ["-B"]
    return [sys.executable, "-I", "-S", *writes, "-c", code]


def _search_path() -> list[str]:
    """Our own `sys.path` without what is relative and without the current directory.

    That may be a repository with a `tree_sitter.py` of its own. The directory astedit was
    imported from stays, and leads if it was not there.
    """
    home = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    here = os.path.realpath(os.curdir)
    path = [
        entry
        for entry in sys.path
        if os.path.isabs(entry) and (entry == home or os.path.realpath(entry) != here)
    ]
    return path if home in path else [home, *path]


def _pipe(reader: contextlib.ExitStack, writer: contextlib.ExitStack) -> tuple[int, int]:
    """A pipe whose ends the two close."""
    read, write = os.pipe()
    reader.callback(os.close, read)
    writer.callback(os.close, write)
    return read, write


def _widen(pipe: int) -> None:
    if hasattr(fcntl, "F_SETPIPE_SZ"):
        # Over the user's quota: smaller works too, a little slower.
        with contextlib.suppress(PermissionError):
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE)


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
