"""Files to outcomes: in this process, in workers, or both at once."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from astedit.engine.edits import FileData
from astedit.engine.file import Engine
from astedit.language import Row
from astedit.limits import Deadline
from astedit.workspace import Workspace

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Job:
    """One file to look at; `index` is its place in path order."""

    index: int
    path: str
    row: Row


def run_jobs(
    engine: Engine,
    jobs: Sequence[Job],
    workspace: Workspace,
    *,
    workers: int | None,
    inline: bool,
    deadline: Deadline,
    progress: Progress | None = None,
) -> Iterator[tuple[int, FileData]]:
    """Every job's outcome, in any order; a worker's failure is that file's skip."""
    for done, job in enumerate(jobs):
        if not done % 64:
            deadline.check()
            if progress:
                progress(done, len(jobs))
        data = engine.file(job.path, job.row, inline=False)
        assert isinstance(data, FileData)
        yield job.index, data
