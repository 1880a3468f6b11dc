"""What a run is about, and what comes of it: files, compiled ops, outcomes. (rule G5)"""

import hashlib
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Self

from astedit.discover.discover import Discovery
from astedit.engine.compile_ops import check_ops
from astedit.engine.files.file import Engine
from astedit.engine.files.outcome import FileData
from astedit.engine.files.places import PlaceCounts, Purpose
from astedit.engine.languages import hosts_of, language_of, languages_of, named_languages, wanted
from astedit.engine.program import CompiledOp, Program
from astedit.engine.run.jobs import Job, prepare
from astedit.engine.run_context import Start
from astedit.errors import AstEditError, PreconditionError, RequestError, StaleError
from astedit.language import GrammarUnavailable, Row
from astedit.limits import COMPILE_SECONDS, Deadline, parsing_within
from astedit.model.edit import LanguageUse, Stats
from astedit.model.request import EditRequest, Region
from astedit.pattern.compile import PatternError
from astedit.workspace.root import Workspace


@dataclass(slots=True)
class PreparedRun:
    """The files a request is about, each with its language, and the compiled ops."""

    engine: Engine
    jobs: list[Job]
    programs: dict[str, Program]
    languages: list[LanguageUse]
    discovery: Discovery
    seconds: dict[str, float] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    @property
    def ops(self) -> list[CompiledOp]:
        """Those of all languages."""
        return [op for program in self.programs.values() for op in program.ops]

    def doubts(self) -> list[str]:
        """Patterns that are searched for although they do not parse (P5), and warnings."""
        flawed = [
            f"In {pattern.row.label} the pattern {pattern.text!r} holds "
            f"{', '.join(sorted(set(pattern.flaws)))}; it may not mean what you think."
            for op in self.ops
            if (pattern := op.pattern) is not None and pattern.flaws
        ]
        return flawed + list(dict.fromkeys(self.warnings))


def prepare_run(
    request: EditRequest,
    workspace: Workspace,
    mode: Purpose,
    start: Start,
    *,
    deadline: Deadline,
    hunks: bool = True,
    ignore: Sequence[str] = (),
) -> PreparedRun:
    """Finds the files and compiles the ops for every language among them.

    Raises the refusal of an op that compiles in none of them.
    """
    check_ops(request, mode == "edit")
    check_regions(request, workspace)
    started = time.perf_counter()
    with parsing_within(COMPILE_SECONDS, deadline):
        engine = Engine(request, mode, hunks, workspace.read, start.names)
        if start.resident is not None:
            prepare(engine, start)  # its workers are there already
        engine.compile_named()  # while git lists
    discovery = start.discover(request.glob, ignore, deadline)
    languages = wanted(request)
    jobs = _jobs(request, discovery, {row.name for row in languages})
    prepared = PreparedRun(engine, jobs, {}, [], discovery)
    prepared.seconds["discover"] = time.perf_counter() - started
    with parsing_within(COMPILE_SECONDS, deadline):
        compile_languages(prepared, request, languages)
    return prepared


def check_regions(request: EditRequest, workspace: Workspace) -> None:
    """Raises `StaleError` unless every region's file is as it was when it was located.

    A `within` that nobody has located would otherwise be ignored: `RequestError`.
    """
    if request.within is not None:
        raise RequestError("`within` cannot be used here.", code="unsupported")
    for region in request.regions:
        try:
            raw, _ = workspace.read(region.path, request.max_file_size)
        except OSError as error:
            raise _stale(region, "cannot be read any more") from error
        if hashlib.sha256(raw).hexdigest() != region.sha256:
            raise _stale(region, "has changed since it was located")


def _stale(region: Region, why: str) -> StaleError:
    return StaleError(
        f"{region.path}, which holds {region.id}, {why}; nothing was written.",
        path=region.path,
        hint="Preview the change again.",
    )


def _jobs(request: EditRequest, discovery: Discovery, names: set[str]) -> list[Job]:
    """The files to look at. A named file of no known language is taken to be of `lang`."""
    left_out = set(request.left_out)
    jobs: list[Job] = []
    hosts = hosts_of(request)
    host = next(iter(_named(request)), None)
    language = languages_of(request)
    for path in discovery.files:
        row = language(path)
        if hosts(path) and (row is None or row.name not in names):
            row = host
        if row is None and request.lang and path in discovery.explicit:
            row = language_of(request.lang)
        if row is not None and row.name in names and path not in left_out:
            jobs.append(Job(path, row))
    return jobs


def compile_languages(prepared: PreparedRun, request: EditRequest, named: Sequence[Row]) -> None:
    """Compiles for the languages that occur; for the named ones when none does.

    Raises the refusal of an op that compiles in none: that of the commonest language.
    """
    counts = Counter(job.row.name for job in prepared.jobs)
    present = {job.row.name: job.row for job in prepared.jobs}
    forced = request.lang is not None or all(op.lang for op in request.ops)
    hosts = hosts_of(request)
    if any(hosts(job.path) for job in prepared.jobs):
        present |= {row.name: row for row in _named(request)}
    candidates = list(present.values()) or (list(named) if forced else [])
    total = len(request.ops) + len(request.rules)
    of_rules = _languages_of_rules(request)
    only = request.lang and language_of(request.lang).name
    candidates += [  # each rule is to be right, whether it has a file or not
        row
        for row in dict.fromkeys(row for rows in of_rules for row in rows)
        if only in (None, row.name) and row.name not in present
    ]
    refusals: dict[int, tuple[Row, RequestError]] = {}
    compiled: set[int] = set()
    for row in sorted(candidates, key=lambda row: (-counts[row.name], row.name)):
        try:
            program = prepared.engine.program(row)
        except GrammarUnavailable as error:
            prepared.languages.append(LanguageUse(row.name, "", "", dropped=error.reason))
            rules = (at for at, rows in enumerate(of_rules, len(request.ops)) if row in rows)
            meant = (*range(len(request.ops)), *rules)
            refusals = dict.fromkeys(meant, (row, error)) | refusals
            continue
        for index, refusal in program.refused.items():
            refusals.setdefault(index, (row, refusal))
        compiled.update(op.index for op in program.ops)
        prepared.warnings += program.warnings
        if program.ops:
            prepared.programs[row.name] = program
        if program.ops or program.refused:
            prepared.languages.append(_use(program))
    for index in range(total):
        is_rule = index >= len(request.ops)  # which may be idle, or have no files
        if index not in compiled and candidates and (index in refusals or not is_rule):
            raise _refusal(request, index, refusals)
    prepared.languages.sort(key=lambda use: use.name)
    prepared.jobs = [
        job
        for job in prepared.jobs
        if job.row.name in prepared.programs or (prepared.programs and hosts(job.path))
    ]


def _named(request: EditRequest) -> list[Row]:
    chosen = named_languages(request)
    return [row for row in wanted(request) if row.name in chosen]


def _languages_of_rules(request: EditRequest) -> list[tuple[Row, ...]]:
    if not request.rules:
        return []
    from astedit.rule.document import rule_document

    return [rule_document(raw).languages for raw in request.rules]


def _use(program: Program) -> LanguageUse:
    grammar = program.grammar
    reasons = dict.fromkeys(error.message.removesuffix(".") for error in program.refused.values())
    why = "; ".join(reasons)
    return LanguageUse(program.row.name, grammar.distribution, grammar.version, why or None)


def _refusal(
    request: EditRequest, index: int, refusals: Mapping[int, tuple[Row, RequestError]]
) -> AstEditError:
    """Why an op compiles nowhere; a `PatternError` says of which op and language it is."""
    if index >= len(request.ops):
        _, error = refusals[index]
        if not isinstance(error, GrammarUnavailable):
            return error
        from astedit.rule.failure import wrong  # which says whose grammar is to blame

        id = request.rules[index - len(request.ops)]["id"]
        return wrong(error.message, "language", id, error.hint, None, code=error.code)
    op = request.ops[index]
    if index not in refusals:
        return PreconditionError(
            f"No file is of a language that the op for {op.label!r} is meant for.",
            hint="Check its lang and the paths.",
            code="no_files",
        )
    row, error = refusals[index]
    if isinstance(error, PatternError) and op.rule is None:
        error.op, error.row = index, row
    return error


@dataclass(slots=True)
class Evidence:
    """What came of the files of a run: for its plan, and for whoever explains why little was found.

    `rows` are the files of which there is something to tell: nearly every file is one that no
    match can be in, and is only counted. `close` are files that hold all that a pattern names,
    and no match. `nothing` says that no op has done or found anything; `seconds` is what the
    run took.
    """

    prepared: PreparedRun
    rows: list[tuple[Job, FileData]]
    places: PlaceCounts
    stats: Stats
    close: list[Job]
    searched: int
    seconds: float = 0.0
    nothing: bool = False

    @classmethod
    def of(
        cls,
        prepared: PreparedRun,
        outcomes: Iterable[tuple[Job, FileData]],
        started: float | None = None,
    ) -> Self:
        """A run to its end, of outcomes in any order; `started` is when it began."""
        stats = Stats(discovered=len(prepared.discovery.files), seconds=prepared.seconds)
        told: dict[str, FileData] = {}
        searched = 0
        for job, data in outcomes:
            stats.read += data.read > 0
            stats.bytes_read += data.read
            stats.parsed += data.parsed
            searched += data.searched
            if data.parsed or data.skip or data.near or data.places:
                told[job.path] = data
        rows = [(job, told[job.path]) for job in prepared.jobs if job.path in told]
        places = PlaceCounts(prepared.engine.request)
        for job, data in rows:
            places.add(job.path, job.row.name, data.places)
        close = [job for job, data in rows if data.near]
        seconds = 0.0 if started is None else time.perf_counter() - started
        return cls(prepared, rows, places, stats, close, searched, seconds)

    def taken(self) -> Iterator[tuple[Job, FileData]]:
        """The rows, each of which is let go: what is made of them has as much to hold."""
        self.rows.reverse()
        while self.rows:
            yield self.rows.pop()


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

    def recall(self, start: Start) -> Evidence | None:
        """What came of it the last time, if no file can have changed since."""
        known = None if start.resident is None else start.resident.replay(self.name)
        if not isinstance(known, Evidence):
            return None
        known.prepared.engine.read_with(start.workspace.read)
        stats = replace(known.stats, seconds={"discover": 0.0}, matched={})
        return replace(known, stats=stats, nothing=False)

    def remember(self, start: Start, evidence: Evidence) -> None:
        """Keeps what came of it for the next time."""
        if start.resident is not None:
            paths = [job.path for job in evidence.prepared.jobs]
            start.resident.learn_replay(self.name, evidence, paths)
