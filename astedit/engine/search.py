"""A pattern and a tree, to its matches. Reads only."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from astedit.engine.outcome import FileData
from astedit.engine.places import PlaceCounts, counts_places
from astedit.engine.prepare_run import Evidence, PreparedRun, prepare_run
from astedit.engine.replay import Question, Replay
from astedit.engine.run import Job, run_jobs
from astedit.engine.run_context import Start
from astedit.limits import Deadline, Progress
from astedit.model.near import Near
from astedit.model.plan import LanguageUse, Skip, Stats
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
    mode: str,
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
    replay = question.recall(start) if keep is None else None
    if replay is not None and _fits(replay, limit):
        prepared = replay.prepared
    else:
        replay = None
        prepared = prepare_run(
            request, workspace, mode, start, deadline=deadline, hunks=False, ignore=ignore
        )
    hits = Hits(skipped=list(prepared.discovery.skipped), languages=list(prepared.languages))
    hits.links = {real: name for name, real in prepared.discovery.links.items()}
    hits.stats = Stats(discovered=len(prepared.discovery.files), seconds=prepared.seconds)
    hits.stats.checked = start.checked
    left = limit
    close: list[Job] = []
    places = PlaceCounts(request)
    told: list[tuple[Job, FileData]] = []
    for outcomes in _outcomes(prepared, replay, start, limit, deadline, progress, hits, keep):
        told += outcomes if start.resident is not None else ()
        for job, data in outcomes:
            matches = _noted(hits, job, data)
            places.add(job.path, job.row.name, data.places)
            if data.near:
                close.append(job)
            if left is not None:
                hits.limit_reached |= len(matches) > left
                matches = matches[:left]
                left -= len(matches)
                if keep is not None and matches:
                    matches = (keep(hits, job.path, matches),)
            if matches:
                hits.files.append((job.path, matches))
        if hits.limit_reached:
            break
    if replay is None:
        replay = Replay.of(prepared, told, time.perf_counter() - started)
        if keep is None and not hits.limit_reached:
            question.remember(start, replay)
    else:
        replay.add_quiet(hits.stats)
        hits.files_searched += replay.searched
    hits.hints = prepared.doubts()
    if hits.files and counts_places(request, mode, False) and not hits.limit_reached:
        hits.near = places.near(prepared.programs)
    hits.stats.seconds["total"] = round(time.perf_counter() - started, 4)
    searched, nothing = hits.files_searched, not hits.files
    return hits, Evidence(prepared, close, places, searched, replay.seconds, nothing)


def _outcomes(
    prepared: PreparedRun,
    replay: Replay | None,
    start: Start,
    limit: int | None,
    deadline: Deadline,
    progress: Progress | None,
    hits: Hits,
    keep: KeepMatches | None,
) -> Iterator[Sequence[tuple[Job, FileData]]]:
    """The files with their outcomes, in path order, in as many portions as the limit asks."""
    if replay is not None:
        yield replay.rows
        return
    for jobs in _portions(prepared.jobs, limit):
        ran = run_jobs(prepared.engine, jobs, start, deadline=deadline, progress=progress)
        if keep is not None and limit is None:
            ran = _kept(ran, hits, keep)
        by_path = {job.path: data for job, data in ran}
        yield [(job, by_path[job.path]) for job in jobs]


def _fits(replay: Replay, limit: int | None) -> bool:
    """Whether all matches are within the limit: else fewer files are to be told of."""
    return limit is None or sum(len(data.matches) for _, data in replay.rows) <= limit


def _kept(
    ran: Iterable[tuple[Job, FileData]], hits: Hits, keep: KeepMatches
) -> Iterator[tuple[Job, FileData]]:
    for job, data in ran:
        if data.matches:
            data = replace(data, matches=(keep(hits, job.path, data.matches),))
        yield job, data


def _portions(jobs: Sequence[Job], limit: int | None) -> Iterator[Sequence[Job]]:
    """All at once; with a limit in path order, so that what is past it is not looked at."""
    size = len(jobs) if limit is None else _FIRST_PORTION
    at = 0
    while at < len(jobs):
        yield jobs[at : at + size]
        at += size
        size *= 2


def _noted(hits: Hits, job: Job, data: FileData) -> tuple[Any, ...]:
    """Adds one file to the counts; returns its matches."""
    hits.stats.read += data.read > 0
    hits.stats.bytes_read += data.read
    hits.stats.parsed += data.parsed
    hits.files_searched += data.searched
    if data.skip:
        hits.skipped.append(Skip(job.path, data.skip[0], data.skip[1]))  # type: ignore[arg-type]
    return data.matches
