"""Files to outcomes: in workers, with the calling process taking part where it may."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from astedit.engine.edits import FileData
from astedit.engine.file import DEFER, Engine, request_data
from astedit.engine.pool import Outcome
from astedit.engine.start import Start
from astedit.language import Row
from astedit.limits import Deadline

Progress = Callable[[int, int], None]

_WEIGHT = 4_800  # bytes, about a source file: asking for sizes costs more than it balances
_WORKER_FD = 5  # the first of `fds` in a worker
_GROUP = 8  # files handed out at once: most are dropped by the prefilter in microseconds

Group = Sequence["Job"]


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
    """Every job's outcome, in any order; a worker's failure is that file's skip.

    Files go out in small groups. A group that a worker did not survive is run again file
    by file, so that only the culprit is skipped; so is what only a worker may parse.
    """
    setup = (request_data(engine.request), engine.mode, engine.want_hunks, _WORKER_FD)
    start.pool.prepare("astedit.engine.file:worker", setup)
    groups = [jobs[at : at + _GROUP] for at in range(0, len(jobs), _GROUP)]
    single: list[Job] = []
    done = 0
    for group, outcome in _run(engine, groups, start, deadline, inline=start.inline):
        if outcome.failure is not None:
            single += group
            continue
        for job, value in zip(group, outcome.value, strict=True):
            if value is DEFER:
                single.append(job)
            else:
                done += 1
                yield job.index, _data(value)
        if progress is not None:
            progress(done, len(jobs))
    for group, outcome in _run(engine, [[job] for job in single], start, deadline, inline=False):
        failed = FileData(skip=(outcome.failure, None)) if outcome.failure else None
        yield group[0].index, failed or _data(outcome.value[0])


def _run(
    engine: Engine, groups: Sequence[Group], start: Start, deadline: Deadline, *, inline: bool
) -> Iterator[tuple[Group, Outcome]]:
    def here(task: Sequence[tuple[str, str]]) -> object:
        return [engine.file(*one, inline=True) for one in task]

    tasks = (
        (at, _WEIGHT * len(group), [(job.path, job.row.name) for job in group])
        for at, group in enumerate(groups)
    )
    for at, outcome in start.pool.run(tasks, deadline, inline=here if inline else None):
        yield groups[at], outcome


def _data(value: FileData | tuple[Any, ...]) -> FileData:
    return value if isinstance(value, FileData) else FileData(*value)
