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
from contextvars import Context
from typing import Any, Literal, NamedTuple, NoReturn

from astedit.programs import RESET, Child, scratch, spawn, written
from astedit.workers.worker_main import HEADER, frame, main, trace

MEMORY = 2 << 30  # bytes of address space of one worker
_PIPE = 1 << 20  # bytes a pipe holds; the usual 64 KiB makes a worker wait for a busy parent
_CHUNK = 1 << 20
_WAITS = 6  # times as long as it may work may a job take, where others have the processor
FailureReason = Literal["crashed", "timeout", "out_of_memory"]


class WeightedTask(NamedTuple):
    """One task: what to call it, roughly how long it takes (in bytes), and its data."""

    key: Any
    weight: int
    task: Any


class Worker:
    """Its process, its pipes, and the jobs it has been given, the current one first.

    A job begins when the parent learns that the worker is at it: never too early.
    """

    def __init__(
        self, descriptors: Sequence[int], memory: int = MEMORY, *, fork: bool = False
    ) -> None:
        """Starts the process; `descriptors` become 5, 6, ... in it.

        With `fork` it is a copy of this one where that is safe, so that it imports nothing.
        """
        with contextlib.ExitStack() as ours, contextlib.ExitStack() as theirs:
            requests, self.requests = _pipe(theirs, ours)
            lifeline, _ = _pipe(theirs, ours)
            self.results, results = _pipe(ours, theirs)
            self._output = scratch()
            ours.callback(os.close, self._output)
            files = (requests, self._output, self._output, lifeline, results, *descriptors)
            if fork and _is_alone():
                self._child = _forked(memory, files)
            else:
                self._child = spawn(_command(memory), os.environ, files, own_group=True)
            self._files = ours.pop_all()
        os.set_blocking(self.requests, False)
        if hasattr(fcntl, "F_SETPIPE_SZ"):
            # Over the user's quota: smaller works too, a little slower.
            with contextlib.suppress(PermissionError):
                fcntl.fcntl(self.results, fcntl.F_SETPIPE_SZ, _PIPE)
        self.jobs: deque[WeightedTask] = deque()
        self.load = 0
        self.setups = 0  # sent and not answered yet
        self.begin()
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
            self.begin()
        self.jobs.extend(jobs)
        self.load += sum(job.weight for job in jobs)
        self.send(("tasks", [send(job.task) for job in jobs]))

    def take(self) -> WeightedTask:
        """Takes away the current job, which is done; the next one begins now."""
        job = self.jobs.popleft()
        self.load -= job.weight
        self.begin()
        return job

    def begin(self) -> None:
        """Counts the seconds of the current job, or of setting up, from now on."""
        self._since, self._spent = time.monotonic(), self._clock()

    def is_late(self, seconds: float) -> bool:
        """Whether the current job has worked that long, or waits much longer."""
        passed = time.monotonic() - self._since
        return passed > seconds and (
            self._clock() - self._spent > seconds or passed > _WAITS * seconds
        )

    def _clock(self) -> float:
        """Seconds of the processor; 0 where nobody says, as of a process that has ended."""
        try:
            return time.clock_gettime(~self._child.pid << 3 | 2)  # see clock_getcpuclockid(3)
        except OSError:
            return 0.0

    def receive(self) -> list[tuple[str, Any]] | None:
        """The frames that have arrived; None when the process has ended."""
        if not (data := os.read(self.results, _CHUNK)):
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


def _is_alone() -> bool:
    """Whether this process has one thread, of Python or not: others would not be copied."""
    try:
        return sys.platform == "linux" and len(os.listdir("/proc/self/task")) == 1
    except OSError:
        return False


def _forked(memory: int, files: Sequence[int]) -> Child:
    """Starts a copy of this process as a worker, as `spawn` starts a new one."""
    # Copies far above the targets, so that no dup2 overwrites a source still needed.
    copies = [fcntl.fcntl(file, fcntl.F_DUPFD_CLOEXEC, len(files) + 3) for file in files]
    # Nothing that we do on a signal may be done by the copy.
    masked = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        pid = os.fork()
        if pid == 0:
            _serve(memory, copies)
        return Child(pid)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, masked)
        for copy in copies:
            os.close(copy)


def _serve(memory: int, files: Sequence[int]) -> NoReturn:
    """Is a worker from now on, in a process that has just been forked.

    It keeps `files` and no other descriptor, no handler of a signal and no context, and runs
    nothing that its parent would do at the end.
    """
    status = 1
    try:
        os.setpgid(0, 0)
        for place, file in enumerate(files):
            os.dup2(file, place)
        os.closerange(len(files), os.sysconf("SC_OPEN_MAX"))
        signal.set_wakeup_fd(-1)
        for number in signal.valid_signals():
            if callable(signal.getsignal(number)) or number in RESET:
                signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, {signal.SIGINT})  # until it is ignored
        Context().run(main, memory)
        status = 0
    except BaseException:
        os.write(2, trace().encode())
    finally:
        os._exit(status)


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
