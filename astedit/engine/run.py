"""Files to outcomes: in workers, with the calling process taking part where it may."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from astedit.engine.edits import FileData
from astedit.engine.file import DEFER, Engine, request_data
from astedit.engine.pool import DECLINED, Outcome
from astedit.engine.start import Start
from astedit.language import Row
from astedit.limits import Deadline

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


def run_jobs(
    engine: Engine,
    jobs: Sequence[Job],
    start: Start,
    *,
    deadline: Deadline,
    progress: Progress | None = None,
) -> Iterator[tuple[int, FileData]]:
    """Every job's outcome, in any order; a worker's failure is that file's skip."""

    def here(task: tuple[str, str]) -> object:
        data = engine.file(*task, inline=True)
        return DECLINED if data is DEFER else data

    setup = (request_data(engine.request), engine.mode, engine.want_hunks, _WORKER_FD)
    start.pool.prepare("astedit.engine.file:worker", setup)
    tasks = ((job.index, _WEIGHT, (job.path, job.row.name)) for job in jobs)
    outcomes = start.pool.run(tasks, deadline, inline=here if start.inline else None)
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
