"""A pattern and a tree, to its matches. Reads only."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from astedit.engine.discover import Search
from astedit.engine.pool import Pool
from astedit.engine.run import Progress, new_pool, run_jobs
from astedit.engine.survey import survey
from astedit.limits import Deadline
from astedit.model import EditRequest, LanguageUse, Skip, Stats
from astedit.workspace import Workspace


@dataclass(slots=True)
class Hits:
    """Matches by file, in path order.

    A match is ast-grep's JSON object (`json`) or a pair of 1-based line number and the
    line's bytes (`text`). `near` are files that hold every literal and no match.
    """

    files: list[tuple[str, tuple[Any, ...]]] = field(default_factory=list)
    skipped: list[Skip] = field(default_factory=list)
    languages: list[LanguageUse] = field(default_factory=list)
    near: list[str] = field(default_factory=list)
    links: dict[str, str] = field(default_factory=dict)
    files_searched: int = 0
    limit_reached: bool = False
    stats: Stats = field(default_factory=Stats)


def find(
    request: EditRequest,
    workspace: Workspace,
    mode: str,
    *,
    limit: int | None = None,
    jobs: int | None = None,
    inline: bool = False,
    deadline: Deadline | None = None,
    progress: Progress | None = None,
    search: Search | None = None,
    pool: Pool | None = None,
    ignore: Sequence[str] = (),
) -> Hits:
    """The matches of the request's one op; at most `limit`, the first in path order."""
    deadline = deadline or Deadline()
    started = time.perf_counter()
    found = survey(
        request, workspace, mode, deadline=deadline, hunks=False, search=search, ignore=ignore
    )
    hits = Hits(skipped=list(found.discovery.skipped), languages=found.languages)
    hits.links = {real: name for name, real in found.discovery.links.items()}
    stats = hits.stats = Stats(discovered=len(found.discovery.files), seconds=found.seconds)
    with pool or new_pool(workspace, jobs, inline) as hands:
        outcomes = dict(
            run_jobs(
                found.engine,
                found.jobs,
                hands,
                inline=inline,
                deadline=deadline,
                progress=progress,
            )
        )
    left = limit
    for job in found.jobs:
        data = outcomes[job.index]
        stats.read += data.read > 0
        stats.bytes_read += data.read
        stats.parsed += data.parsed
        hits.files_searched += data.searched
        if data.skip:
            hits.skipped.append(Skip(job.path, data.skip[0], data.skip[1]))  # type: ignore[arg-type]
        if data.near:
            hits.near.append(job.path)
        matches = data.matches
        if left is not None:
            hits.limit_reached |= len(matches) > left
            matches = matches[:left]
            left -= len(matches)
        if matches:
            hits.files.append((job.path, matches))
    stats.seconds["total"] = round(time.perf_counter() - started, 4)
    return hits
