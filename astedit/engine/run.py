"""Files to outcomes: in workers, with the calling process taking part where it may."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from astedit.engine.edits import FileData
from astedit.engine.file import DEFER, Engine, request_data
from astedit.engine.pool import DECLINED, Outcome, Pool
from astedit.errors import RequestError
from astedit.language import Row
from astedit.limits import Deadline
from astedit.workspace import Workspace

Progress = Callable[[int, int], None]

_WEIGHT = 4_800  # bytes, about a source file: asking for sizes costs more than it balances
_WORKER_FD = 5  # the first of `fds` in a worker
_STEP = 64  # files between two reports of progress


@dataclass(frozen=True, slots=True)
class Job:
    """One file to look at; `index` is its place in path order."""

    index: int
    path: str
    row: Row


def hands(jobs: int | None) -> int:
    """How many processes may work at once: what was asked, `ASTEDIT_JOBS`, or the cores."""
    asked = jobs if jobs is not None else os.environ.get("ASTEDIT_JOBS")
    if asked is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2
    try:
        count = int(asked)
    except ValueError:
        count = 0
    if count < 1:
        raise RequestError(f"The number of jobs must be at least 1, not {asked!r}.")
    return count


def new_pool(workspace: Workspace, jobs: int | None, inline: bool) -> Pool:
    """A pool for this workspace; with `inline` the caller is one of the hands."""
    count = hands(jobs)
    return Pool(max(1, count - 1) if inline else count, fds=(workspace.fd,))


def run_jobs(
    engine: Engine,
    jobs: Sequence[Job],
    pool: Pool,
    *,
    inline: bool,
    deadline: Deadline,
    progress: Progress | None = None,
) -> Iterator[tuple[int, FileData]]:
    """Every job's outcome, in any order; a worker's failure is that file's skip."""

    def here(task: tuple[str, str]) -> object:
        data = engine.file(*task, inline=True)
        return DECLINED if data is DEFER else data

    setup = (request_data(engine.request), engine.mode, engine.want_hunks, _WORKER_FD)
    pool.prepare("astedit.engine.file:worker", setup)
    tasks = ((job.index, _WEIGHT, (job.path, job.row.name)) for job in jobs)
    outcomes = pool.run(tasks, deadline, inline=here if inline else None)
    for done, (index, outcome) in enumerate(outcomes):
        if progress is not None and not done % _STEP:
            progress(done, len(jobs))
        yield index, _data(outcome)
    if progress is not None:
        progress(len(jobs), len(jobs))


def _data(outcome: Outcome) -> FileData:
    if outcome.failure is not None:
        return FileData(skip=(outcome.failure, None))
    if isinstance(outcome.value, FileData):
        return outcome.value
    return FileData(*outcome.value)
