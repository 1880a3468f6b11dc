"""A pattern and a tree, to its matches. Reads only."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from astedit.engine.files.outcome import FileData
from astedit.engine.files.places import Purpose, counts_places
from astedit.engine.run.jobs import Job, run_jobs
from astedit.engine.run.prepare import Evidence, PreparedRun, Question, prepare_run
from astedit.engine.run_context import Start
from astedit.limits import Deadline, Progress
from astedit.model.edit import LanguageUse, Near, Skip, Stats
from astedit.model.request import EditRequest
from astedit.workspace.root import Workspace

_FIRST_PORTION = 256  # files looked at before asking whether a limit is reached


@dataclass(slots=True)
class Hits:
    """Matches by file, in path order.

    A match is ast-grep's JSON object (`json`), or its lines as pairs of 1-based number and
    bytes, those of an earlier match left out (`text`); or what stands for all of a file's.
    """

    files: list[tuple[str, tuple[Any, ...]]] = field(default_factory=list)
    skipped: list[Skip] = field(default_factory=list)
    languages: list[LanguageUse] = field(default_factory=list)
    hints: list[str] = field(default_factory=list)
    near: list[Near] = field(default_factory=list)
    links: dict[str, str] = field(default_factory=dict)
    files_searched: int = 0
    limit_reached: bool = False
    stats: Stats = field(default_factory=Stats)


# what stands for the matches of one file, by its path
KeepMatches = Callable[[Hits, str, tuple[Any, ...]], Any]


def find(
    request: EditRequest,
    workspace: Workspace,
    mode: Purpose,
    start: Start,
    *,
    limit: int | None = None,
    deadline: Deadline | None = None,
    progress: Progress | None = None,
    ignore: Sequence[str] = (),
    keep: KeepMatches | None = None,
) -> tuple[Hits, Evidence]:
    """The matches of the request's one op, and the evidence.

    At most `limit` matches, the first in path order.

    What `keep` makes of a file's is all that is kept of them. It is called while others
    are still looked at, in any order; every link is known by then.
    """
    deadline = deadline or Deadline()
    started = time.perf_counter()
    question = Question(request, mode, False, ignore)
    evidence = question.recall(start) if keep is None else None
    if evidence is not None and limit is not None:
        total = sum(len(data.matches) for _, data in evidence.rows)
        evidence = evidence if total <= limit else None
    if is_new := evidence is None:
        prepared = prepare_run(
            request, workspace, mode, start, deadline=deadline, hunks=False, ignore=ignore
        )
    else:
        prepared = evidence.prepared
    hits = Hits(skipped=list(prepared.discovery.skipped), languages=list(prepared.languages))
    hits.links = {real: name for name, real in prepared.discovery.links.items()}
    if evidence is None:
        ran = _ran(prepared, start, limit, deadline, progress)
        if keep is not None and limit is None:
            ran = (
                (job, replace(data, matches=(keep(hits, job.path, data.matches),)))
                if data.matches
                else (job, data)
                for job, data in ran
            )
        evidence = Evidence.of(prepared, ran, started)
    hits.stats, hits.files_searched = evidence.stats, evidence.searched
    hits.stats.checked = start.checked
    left = limit
    for job, data in evidence.rows:
        matches = data.matches
        if data.skip is not None:
            hits.skipped.append(Skip(job.path, *data.skip))  # type: ignore[arg-type]
        if left is not None:
            hits.limit_reached |= len(matches) > left
            matches = matches[:left]
            left -= len(matches)
            if keep is not None and matches:
                matches = (keep(hits, job.path, matches),)
        if matches:
            hits.files.append((job.path, matches))
    if keep is None and is_new and not hits.limit_reached:
        question.remember(start, evidence)
    hits.hints = prepared.doubts()
    if hits.files and counts_places(request, mode, False) and not hits.limit_reached:
        hits.near = evidence.places.near(prepared.ops)
    hits.stats.seconds["total"] = round(time.perf_counter() - started, 4)
    evidence.nothing = not hits.files
    return hits, evidence


def _ran(
    prepared: PreparedRun,
    start: Start,
    limit: int | None,
    deadline: Deadline,
    progress: Progress | None,
) -> Iterator[tuple[Job, FileData]]:
    """The outcomes of all files; with a limit, of portions in path order until it is reached."""
    jobs, size, count = prepared.jobs, _FIRST_PORTION, 0
    at = 0
    while at < len(jobs) and (limit is None or count <= limit):
        portion = jobs if limit is None else jobs[at : at + size]
        ran = run_jobs(prepared.engine, portion, start, deadline=deadline, progress=progress)
        for job, data in ran:
            count += len(data.matches)
            yield job, data
        at += len(portion)
        size *= 2
