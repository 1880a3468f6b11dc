"""Runs tasks in worker processes that may crash, hang or run out of memory.

Not `concurrent.futures`: spawning there runs the caller's `__main__` again, which breaks
scripts without a guard, and one crash breaks every pending future.
"""

import select
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from copy import deepcopy
from typing import Any, NamedTuple

from astedit.errors import LimitError
from astedit.limits import FILE_SECONDS, INLINE_SIZE, Deadline
from astedit.workers.worker import MEMORY, FailureReason, WeightedTask, Worker, failure
from astedit.workers.worker_main import ERROR, NO_MEMORY, READY, SETUP

_START_SECONDS = 60.0  # for starting and setting up, on a machine that is very busy
_LOOK_SECONDS = 0.1  # between two looks at the deadline
_OWN_SECONDS = 0.004  # of work of the caller's own between two looks at the workers
_JOB_WEIGHT = 2_048  # what any job costs beside its bytes
_BATCH = (65_536, 1_048_576)  # weight of one batch, at least and at most
_AHEAD = 524_288  # weight a worker has waiting while its parent is busy itself
_WORTH_STARTING = 524_288  # weight up to which the caller alone is faster than a new worker


class TaskOutcome(NamedTuple):
    """The result of one task, or why there is none."""

    value: Any
    failure: FailureReason | None = None


class WorkerError(RuntimeError):
    """A bug in a task or in its setup, or a worker that cannot start; holds its traceback."""


class Pool(AbstractContextManager["Pool"]):
    """A fixed number of worker processes, replaced as they die. A context manager.

    Workers start with `start`, or as soon as `run` needs them, and are told what to do by
    `prepare`: the function `target` ("package.module:name") is called in each with
    `setup`, and returns the callable that runs the tasks. Setup, tasks and results are
    plain data (None, numbers, str, bytes, tuples, lists, dicts). `fds` are open in the
    workers as 5, 6, ... and must stay open here. A worker has 2 GiB of address space.
    With `fork` workers are copies of this process, where that has one thread on Linux: for
    one-shot commands, whose imports they then have.

    No child survives `close`, an exception inside `with`, or the end of this process,
    however it comes. Use it from one thread at a time.
    """

    def __init__(
        self,
        workers: int,
        *,
        fds: Sequence[int] = (),
        file_seconds: float = FILE_SECONDS,
        memory: int = MEMORY,
        fork: bool = False,
    ) -> None:
        self._size = max(1, workers)
        self._fds = tuple(fds)
        self._file_seconds = file_seconds
        self._memory = memory
        self._fork = fork
        self._workers: list[Worker] = []
        self._setup: tuple[str, str, object] | None = None

    def start(self, workers: int | None = None) -> None:
        """Starts workers now, so that starting overlaps with what the caller does next.

        Raises `LimitError` when the system allows no more processes or descriptors.
        """
        while len(self._workers) < min(self._size, self._size if workers is None else workers):
            try:
                worker = Worker(self._fds, self._memory, fork=self._fork)
            except OSError as error:
                raise LimitError(
                    f"No worker process can be started: {error.strerror}.", code="no_worker"
                ) from error
            self._workers.append(worker)
            if self._setup is not None:
                self._tell(worker)

    def prepare(self, target: str, setup: object) -> None:
        """Says what the workers shall do from now on, if they do not do it already."""
        if self._setup == (SETUP, target, setup):
            return
        self._setup = (SETUP, target, deepcopy(setup))  # the caller's may change
        for worker in self._workers:
            self._tell(worker)

    def _tell(self, worker: Worker) -> None:
        worker.setups += 1
        worker.begin()
        worker.send(self._setup)

    def run(
        self,
        tasks: Iterable[tuple[Any, int, Any]],
        deadline: Deadline,
        *,
        inline: Callable[[Any], Any] | None = None,
        inline_weight: int = INLINE_SIZE,
        send: Callable[[Any], Any] = lambda task: task,
    ) -> Iterator[tuple[Any, TaskOutcome]]:
        """Runs `(key, weight, task)` and yields `(key, outcome)` in the order they end.

        `weight` is about how many bytes a task has to read. A worker that dies takes one
        task with it: that one gets a failure, the others run elsewhere. With `inline` the
        caller takes part: it runs tasks up to `inline_weight` itself, smallest first, and
        one worker less is started as long as it has any: of one job none before it is done.
        `send` makes plain data of a task, for the worker that gets it.

        Raises what `deadline.check` and `inline` raise, and `WorkerError` for an exception
        in a task. Whatever was not finished by then, or by closing the iterator, is dropped.
        """
        queue = _Queue(tasks, inline_weight if inline else -_JOB_WEIGHT)
        # One that was killed while it had nothing to do must not be blamed on a task.
        self._drop([worker for worker in self._workers if worker.ended and not worker.setups])
        try:
            while queue or any(worker.jobs for worker in self._workers):
                deadline.check()
                self._feed(queue, bool(inline and queue.small), send)
                own = queue.smallest() if inline else None
                until = time.monotonic() + _OWN_SECONDS
                while own is not None and inline is not None:
                    yield own.key, TaskOutcome(inline(own.task))
                    if time.monotonic() > until:
                        break
                    own = queue.smallest()
                yield from self._collect(queue, 0.0 if own else _LOOK_SECONDS)
        finally:
            self._drop([worker for worker in self._workers if worker.jobs])

    def _feed(self, queue: "_Queue", inline: bool, send: Callable[[Any], Any]) -> None:
        """Starts what workers the queue is worth, and gives each enough to go on with."""
        busy = sum(1 for worker in self._workers if worker.jobs)
        worth = len(queue) if queue.weight > _WORTH_STARTING else len(queue.large)
        self.start(min(max(not inline, self._size - inline), worth + busy))
        hands = len(self._workers) + inline
        for worker in self._workers:
            while queue and worker.load < min(_AHEAD, max(1, queue.weight // (2 * hands))):
                low, high = _BATCH
                worker.give(queue.largest(min(high, max(low, queue.weight // (4 * hands)))), send)

    def _collect(self, queue: "_Queue", wait: float) -> Iterator[tuple[Any, TaskOutcome]]:
        """Yields what has arrived; waits for the first at most `wait` seconds."""
        ready = self._poll(wait)
        for worker in list(self._workers):
            if worker.unsent:
                worker.flush()
            frames = worker.receive() if worker.results in ready else []
            if frames is None:
                yield from self._bury(worker, queue, None)
                continue
            if (yield from self._noted(worker, queue, frames)):
                continue
            limit = _START_SECONDS if worker.setups else self._file_seconds
            busy = worker.jobs or worker.setups
            if busy and worker.results not in ready and worker.is_late(limit):
                yield from self._bury(worker, queue, "timeout")

    def _poll(self, wait: float) -> set[int]:
        poll = select.poll()
        for worker in self._workers:
            poll.register(worker.results, select.POLLIN)
            if worker.unsent:
                poll.register(worker.requests, select.POLLOUT)
        return {file for file, _ in poll.poll(wait * 1_000)} if self._workers else set()

    def _noted(
        self, worker: Worker, queue: "_Queue", frames: Iterable[tuple[str, Any]]
    ) -> Generator[tuple[Any, TaskOutcome], None, bool]:
        """Takes in a worker's frames; returns whether that was the end of it."""
        for kind, value in frames:
            if kind == READY:
                worker.setups -= 1
                worker.begin()
            elif kind == ERROR:
                self._drop([worker])
                raise WorkerError(f"A worker failed:\n{value}")
            elif kind == NO_MEMORY:
                yield from self._bury(worker, queue, "out_of_memory")
                return True
            else:
                yield worker.take().key, TaskOutcome(value)
        return False

    def _bury(
        self, worker: Worker, queue: "_Queue", reason: FailureReason | None
    ) -> Iterator[tuple[Any, TaskOutcome]]:
        """Ends a worker that died or hangs: blames its current job, saves the others."""
        self._workers.remove(worker)
        status, output = worker.end()
        if worker.setups:
            raise WorkerError(f"A worker could not start (exit status {status}):\n{output}")
        if worker.jobs:
            culprit = worker.take()
            queue.put_back(worker.jobs)
            yield culprit.key, TaskOutcome(None, reason or failure(status, output))

    def _drop(self, workers: Iterable[Worker]) -> None:
        for worker in workers:
            self._workers.remove(worker)
            worker.end()

    def close(self) -> None:
        """Kills the workers, whatever they are doing."""
        self._drop(list(self._workers))

    def __exit__(self, *error: object) -> None:
        self.close()


class _Queue:
    """Jobs that wait: the `large` ones are a worker's, the `small` ones anybody's."""

    def __init__(self, tasks: Iterable[tuple[Any, int, Any]], inline_weight: int) -> None:
        jobs = [WeightedTask(key, weight + _JOB_WEIGHT, task) for key, weight, task in tasks]
        jobs.sort(key=lambda job: job.weight)
        limit = inline_weight + _JOB_WEIGHT
        self.small = deque(job for job in jobs if job.weight <= limit)
        self.large = deque(job for job in jobs if job.weight > limit)
        self.weight = sum(job.weight for job in jobs)

    def __len__(self) -> int:
        return len(self.small) + len(self.large)

    def smallest(self) -> WeightedTask | None:
        """Takes the smallest job that anybody may run."""
        if not self.small:
            return None
        job = self.small.popleft()
        self.weight -= job.weight
        return job

    def largest(self, weight: int) -> list[WeightedTask]:
        """Takes the largest jobs, until they weigh `weight` or none is left."""
        batch = []
        while weight > 0 and (side := self.large or self.small):
            job = side.pop()
            batch.append(job)
            weight -= job.weight
            self.weight -= job.weight
        return batch

    def put_back(self, jobs: Iterable[WeightedTask]) -> None:
        """Returns jobs, for a worker to run."""
        for job in jobs:
            self.large.append(job)
            self.weight += job.weight
