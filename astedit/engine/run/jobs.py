"""Files to outcomes: in workers, with the calling process taking part where it may."""

from collections.abc import Iterator, Sequence
from itertools import count
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from astedit.engine.files.file import Engine
from astedit.engine.files.outcome import DEFER, FileData
from astedit.engine.run_context import Start
from astedit.language import Row
from astedit.limits import INLINE_SIZE, Deadline, Progress
from astedit.workers.plain import plain, restored

if TYPE_CHECKING:
    from astedit.workers.worker import FailureReason

_WEIGHT = 4_800  # bytes, about a source file, where sizes are not asked for
_MEASURED = 2_048  # files whose sizes are asked for; of more, that costs more than it balances
_WORKER_FD = 5  # the first of `fds` in a worker
_ALONE = 65_536  # bytes from which a file is a group by itself
_LOOK = 256  # files between two looks at the deadline
_GROUP = 8  # files handed out at once: most are dropped by the prefilter in microseconds

_RUNS = count(1)  # by which a worker knows when another one begins

Group = Sequence["Job"]


class Job(NamedTuple):
    """One file to look at."""

    path: str
    row: Row


def run_jobs(
    engine: Engine,
    jobs: Sequence[Job],
    start: Start,
    *,
    deadline: Deadline,
    progress: Progress | None = None,
) -> Iterator[tuple[Job, FileData]]:
    """Every job with its outcome, in any order; a worker's failure is that file's skip.

    Files go out in small groups. A group that a worker did not survive is run again file
    by file, so that only the culprit is skipped; so is what only a worker may parse.
    """
    single: list[Job] = []
    total, done = len(jobs), 0
    request = ""
    if start.resident is not None:
        request = start.resident.ask(engine)
        others: list[Job] = []
        for at, job in enumerate(jobs):
            if not at % _LOOK:
                deadline.check()
            data = start.resident.outcome(request, engine, start.workspace, job.path, job.row.name)
            if data is None:
                others.append(job)
            else:
                yield job, data
        done, jobs = total - len(others), others
        if progress is not None:
            progress(done, total)
    groups = _groups(start, jobs)
    for group, values, failure in _run(engine, groups, start, deadline, inline=start.inline):
        if failure is not None:
            single += group
            continue
        for job, value in zip(group, values, strict=True):
            if value is DEFER:
                single.append(job)
            else:
                done += 1
                data = _data(value)
                if start.resident is not None:
                    start.resident.learn(request, job.path, data)
                yield job, data
        if progress is not None:
            progress(done, total)
    alone = [(INLINE_SIZE, [job]) for job in single]
    for group, values, failure in _run(engine, alone, start, deadline, inline=False):
        yield group[0], FileData(skip=(failure, None)) if failure else _data(values[0])


def prepare(engine: Engine, start: Start) -> None:
    """Tells the workers what to do, so that they may compile it while files are listed."""
    request = plain(engine.request)
    contents = dict(start.workspace.overlay)
    mode = engine.mode if isinstance(engine.mode, str) else tuple(engine.mode)
    setup = (request, mode, engine.want_hunks, engine.names, _WORKER_FD, contents)
    start.pool.prepare("astedit.engine.files.file:worker", setup)


def _groups(start: Start, jobs: Sequence[Job]) -> list[tuple[int, Group]]:
    """The jobs in groups with their weights; where sizes are known a large file goes alone."""
    if len(jobs) > _MEASURED:
        parts = (jobs[at : at + _GROUP] for at in range(0, len(jobs), _GROUP))
        return [(_WEIGHT * len(part), part) for part in parts]
    sizes = [start.size(job.path) for job in jobs]
    groups: list[tuple[int, Group]] = []
    small: list[Job] = []
    weight = 0
    for job, size in zip(jobs, sizes, strict=True):
        if size >= _ALONE:
            groups.append((size, [job]))
            continue
        small.append(job)
        weight += size
        if len(small) == _GROUP:
            groups.append((weight, small))
            small, weight = [], 0
    return [*groups, (weight, small)] if small else groups


def _run(
    engine: Engine,
    groups: Sequence[tuple[int, Group]],
    start: Start,
    deadline: Deadline,
    *,
    inline: bool,
) -> Iterator[tuple[Group, Any, "FailureReason | None"]]:
    """Each group with what became of its files, or with why that is not known."""

    def here(group: Group) -> object:
        return [engine.file(job.path, job.row.name, inline=True) for job in group]

    if not groups or (inline and sum(weight for weight, _ in groups) <= INLINE_SIZE):
        for _, group in sorted(groups, key=itemgetter(0)):
            deadline.check()
            yield group, here(group), None
        return

    number = next(_RUNS)

    def there(group: Group) -> tuple[int, list[tuple[str, str]]]:
        return number, [(job.path, job.row.name) for job in group]

    tasks = ((group, weight, group) for weight, group in groups)
    prepare(engine, start)
    mine = here if inline else None
    for group, outcome in start.pool.run(tasks, deadline, inline=mine, send=there):
        yield group, *outcome


def _data(value: FileData | tuple[Any, ...]) -> FileData:
    return value if isinstance(value, FileData) else restored(FileData, value)
