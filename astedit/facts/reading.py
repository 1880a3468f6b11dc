"""Facts of files: what is kept of them, and what is read now, in this process and in workers."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

from astedit.facts.store import FactStore
from astedit.limits import Deadline
from astedit.workers.pool import Pool, TaskOutcome

WORTH = 16_384  # bytes from which on what was read of files is kept for the next command


class FactTask(NamedTuple):
    """A file to read. Its facts are kept under `key`; `content` is what a reader is given."""

    path: str
    key: str
    size: int
    content: Any


class FactReader(AbstractContextManager["FactReader"]):
    """Reads files by the function `target`, which a pool sets up with `setup` in its workers.

    `here` does the same in this process, and gives None for what only a worker may read.
    Facts are plain data, and kept in `store` if there is one. A context manager: its workers
    end with it.
    """

    def __init__(
        self,
        target: str,
        setup: object,
        here: Callable[[Any], Any] | None,
        store: FactStore | None,
        workers: int,
        deadline: Deadline,
    ) -> None:
        self._here, self._store, self._deadline = here, store, deadline
        self._pool = Pool(workers)
        self._pool.prepare(target, setup)

    def __exit__(self, *_: object) -> None:
        self._pool.close()

    def facts(self, tasks: Sequence[FactTask]) -> Iterator[tuple[FactTask, TaskOutcome]]:
        """The facts of each file, or why there are none; what is read is kept in the end."""
        store = self._store if sum(task.size for task in tasks) >= WORTH else None
        known = store.known(task.key for task in tasks) if store is not None else {}
        for task in tasks:
            if task.key in known:
                yield task, TaskOutcome(known[task.key])
        new = {}
        for task, outcome in self._read([task for task in tasks if task.key not in known]):
            if outcome.failure is None:
                new[task.key] = outcome.value
            yield task, outcome
        if store is not None and new:
            store.keep(new)

    def _read(self, tasks: Sequence[FactTask]) -> Iterator[tuple[FactTask, TaskOutcome]]:
        """Reads files; what is deferred or fails beside others is read by a worker again."""
        late = list[FactTask]()
        for some, here in ((tasks, self._here), (late, None)):
            queue = [(task, task.size, task.content) for task in some]
            for task, outcome in self._pool.run(queue, self._deadline, inline=here):
                if here is not None and outcome.value is None:
                    late.append(task)
                else:
                    yield task, outcome
