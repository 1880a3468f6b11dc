"""The whole outcome of a run, told again while no file can have changed."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Self

from astedit.engine.files.matches import Purpose
from astedit.engine.files.outcome import FileData
from astedit.engine.files.places import PlaceCounts
from astedit.engine.run.jobs import Job
from astedit.engine.run.prepare import PreparedRun
from astedit.engine.run_context import Start
from astedit.model.plan import Stats
from astedit.model.request import EditRequest


class Replay(NamedTuple):
    """What a run prepared, and the outcomes of its files.

    `rows` are the files of which there is something to tell. Of all others the counts stand
    in `quiet`: nearly every file is one that no match can be in. `seconds` is what it took.
    """

    prepared: PreparedRun
    rows: list[tuple[Job, FileData]]
    quiet: Stats
    searched: int
    seconds: float

    @classmethod
    def in_order(
        cls, prepared: PreparedRun, outcomes: Iterable[tuple[Job, FileData]], seconds: float = 0.0
    ) -> Self:
        """A run that has come to its end, of outcomes in any order."""
        told: dict[str, FileData] = {}
        quiet, searched = Stats(), 0
        for job, data in outcomes:
            if _tells(data):
                told[job.path] = data
            else:
                searched += _count(data, quiet)
        rows = [(job, told[job.path]) for job in prepared.jobs if job.path in told]
        return cls(prepared, rows, quiet, searched, seconds)

    def taken(self) -> Iterator[tuple[Job, FileData]]:
        """The rows, each of which is let go: what is made of them has as much to hold."""
        self.rows.reverse()
        while self.rows:
            yield self.rows.pop()


def _tells(data: FileData) -> bool:
    """Is there something to tell of a file?"""
    return bool(data.parsed or data.skip or data.near or data.places)


def _count(data: FileData, quiet: Stats) -> bool:
    """Counts a file; returns whether it was searched."""
    quiet.read += data.read > 0
    quiet.bytes_read += data.read
    return data.searched


@dataclass(slots=True)
class Evidence:
    """What a run has looked at, for its counts and for whoever explains why little was found.

    `close` are files that hold all that a pattern names, and no match. `nothing` says that
    no op has done or found anything; `seconds` is what the run took.
    """

    prepared: PreparedRun
    places: PlaceCounts
    stats: Stats
    close: list[Job] = field(default_factory=list)
    searched: int = 0
    seconds: float = 0.0
    nothing: bool = False

    @classmethod
    def of(cls, prepared: PreparedRun) -> Self:
        """Of a run that has looked at nothing yet."""
        stats = Stats(discovered=len(prepared.discovery.files), seconds=prepared.seconds)
        return cls(prepared, PlaceCounts(prepared.engine.request), stats)

    def take(self, job: Job, data: FileData) -> None:
        """Takes in the outcome of one file."""
        self.searched += _count(data, self.stats)
        self.stats.parsed += data.parsed
        self.places.add(job.path, job.row.name, data.places)
        if data.near:
            self.close.append(job)

    def take_quiet(self, replay: Replay) -> None:
        """Takes in the files of which nothing is told."""
        self.stats.read += replay.quiet.read
        self.stats.bytes_read += replay.quiet.bytes_read
        self.searched += replay.searched


class Question(NamedTuple):
    """What a run was asked, beside the tree."""

    request: EditRequest
    mode: Purpose
    hunks: bool
    ignore: Sequence[str]

    @property
    def name(self) -> str:
        """The name by which the outcome of the whole run is kept."""
        from astedit.engine.fingerprint import asked_by  # for a resident alone

        return f"{asked_by(self.request, self.mode, self.hunks)} {list(self.ignore)!r}"

    def recall(self, start: Start) -> Replay | None:
        """What came of it the last time, if no file can have changed since."""
        known = None if start.resident is None else start.resident.replay(self.name)
        if not isinstance(known, Replay):
            return None
        known.prepared.engine.read_with(start.workspace.read)
        return known._replace(prepared=replace(known.prepared, seconds={"discover": 0.0}))

    def remember(self, start: Start, replay: Replay) -> None:
        """Keeps what came of it for the next time."""
        if start.resident is not None:
            paths = [job.path for job in replay.prepared.jobs]
            start.resident.learn_replay(self.name, replay, paths)
