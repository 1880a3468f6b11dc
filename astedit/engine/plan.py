"""A request and a tree, to a Plan. Reads; never writes."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from astedit.engine.compiled import Program, check_ops, language_of
from astedit.engine.discover import Discovery, Search
from astedit.engine.edits import FileData
from astedit.engine.file import Engine
from astedit.engine.fingerprint import fingerprint, path_key
from astedit.engine.run import Job, run_jobs
from astedit.errors import ConflictError, LimitError, PreconditionError
from astedit.language import GrammarUnavailable, Row, for_path, rows
from astedit.limits import PARSE_ERRORS_SHOWN, Deadline
from astedit.model import (
    INCOMPLETE_REASONS,
    Blocked,
    Displaced,
    Edit,
    EditRequest,
    FilePlan,
    LanguageUse,
    Lost,
    ParseError,
    Plan,
    Skip,
    Span,
    Stats,
    edit_id,
)
from astedit.policy import classify
from astedit.workspace import Workspace

Progress = Callable[[int, int], None]

_HINTS = {
    "loss": "Name the lost text in the pattern (for a list: $$$), or allow the loss.",
    "breaks_syntax": "The result does not parse; look at the rewrite, or put it in parentheses.",
    "changes_structure": "Put parentheses around the rewrite: it binds with what stands beside it.",
    "empty_block": "The block needs a statement: rewrite it to `{}` instead of deleting it.",
    "protected": "Allow protected files to admit it; the label of the plan then names them.",
    "never": "astedit never edits this path.",
}


@dataclass(slots=True)
class Survey:
    """The files a request is about, each with its language, and the compiled ops."""

    engine: Engine
    jobs: list[Job]
    programs: dict[str, Program]
    languages: list[LanguageUse]
    discovery: Discovery
    seconds: dict[str, float] = field(default_factory=dict)


def survey(
    request: EditRequest,
    workspace: Workspace,
    mode: str,
    *,
    deadline: Deadline,
    hunks: bool = True,
    search: Search | None = None,
    ignore: Sequence[str] = (),
) -> Survey:
    """Finds the files and compiles the ops for every language among them.

    Raises the refusal of an op that compiles in none of them.
    """
    check_ops(request.ops, request, mode == "edit")
    started = time.perf_counter()
    wanted = _wanted(request)
    with search or start_search(request, workspace) as looking:
        discovery = looking.finish(globs=request.glob, ignore=ignore, deadline=deadline)
    jobs = _jobs(request, discovery, {row.name for row in wanted})
    engine = Engine(request, mode, hunks, workspace.read)
    found = Survey(engine, jobs, {}, [], discovery)
    found.seconds["discover"] = time.perf_counter() - started
    _compile(found, request, wanted)
    return found


def start_search(request: EditRequest, workspace: Workspace) -> Search:
    """Begins to list the files, so that git works while the caller does something else."""
    suffixes = frozenset(suffix for row in _wanted(request) for suffix in row.suffixes)
    kinds = [kind for kind in request.no_ignore if kind not in ("generated", "vendored")]
    return Search(workspace, request.paths, no_ignore=kinds, suffixes=suffixes)


def _jobs(request: EditRequest, discovery: Discovery, names: set[str]) -> list[Job]:
    """The files to look at. A named file of no known language is taken to be of `lang`."""
    left_out = set(request.left_out)
    jobs: list[Job] = []
    for path in discovery.files:
        row = for_path(path)
        if row is None and request.lang and path in discovery.explicit:
            row = language_of(request.lang)
        if row is not None and row.name in names and path not in left_out:
            jobs.append(Job(len(jobs), path, row))
    return jobs


def _wanted(request: EditRequest) -> list[Row]:
    """The languages a request may touch: those it names, else all but markup (G5)."""
    named = [op.lang or request.lang for op in request.ops]
    rows_named = {language_of(name).name for name in named if name}
    anywhere = any(name is None for name in named)
    return [row for row in rows() if row.name in rows_named or (anywhere and not row.markup)]


def _compile(found: Survey, request: EditRequest, wanted: Sequence[Row]) -> None:
    """Compiles for the languages that occur; for the named ones when none does."""
    present = {job.row.name: job.row for job in found.jobs}
    forced = request.lang is not None or all(op.lang for op in request.ops)
    candidates = list(present.values()) or (list(wanted) if forced else [])
    refused: dict[int, Exception] = {}
    compiled: set[int] = set()
    for row in sorted(candidates, key=lambda row: row.name):
        try:
            program = found.engine.program(row)
        except GrammarUnavailable as error:
            found.languages.append(LanguageUse(row.name, "", "", dropped=error.message))
            refused.setdefault(-1, error)
            continue
        grammar = program.grammar
        why = "; ".join(error.message for error in program.refused.values())
        use = LanguageUse(row.name, grammar.distribution, grammar.version, why or None)
        found.languages.append(use)
        refused.update({i: refused.get(i, error) for i, error in program.refused.items()})
        compiled.update(op.index for op in program.ops)
        if program.ops:
            found.programs[row.name] = program
    for index in range(len(request.ops)):
        if index not in compiled and candidates:
            raise refused.get(index) or refused.get(-1) or _no_language(request, index)
    found.jobs = [job for job in found.jobs if job.row.name in found.programs]


def _no_language(request: EditRequest, index: int) -> PreconditionError:
    return PreconditionError(
        f"No file is of a language that the op for {request.ops[index].pat!r} is meant for.",
        hint="Check its lang and the paths.",
        code="no_files",
    )


def compute(
    request: EditRequest,
    workspace: Workspace,
    *,
    workers: int | None = None,
    inline: bool = False,
    deadline: Deadline | None = None,
    hunks: bool = True,
    progress: Progress | None = None,
    search: Search | None = None,
    ignore: Sequence[str] = (),
) -> Plan:
    """Everything the request would do to this tree. The tree is only read.

    `workers` is how many processes may parse at most; `inline` lets the calling process
    parse what is small and flat. Per-file trouble is data in the plan. Raises
    `RequestError` for what is wrong whatever the tree holds, `LimitError` (with `.plan`)
    when a budget runs out.
    """
    deadline = deadline or Deadline()
    started = time.perf_counter()
    found = survey(
        request,
        workspace,
        "edit",
        deadline=deadline,
        hunks=hunks,
        search=search,
        ignore=ignore,
    )
    merge = _Merge(request, workspace.root, found)
    outcomes = run_jobs(
        found.engine,
        found.jobs,
        workspace,
        workers=workers,
        inline=inline,
        deadline=deadline,
        progress=progress,
    )
    plan = merge.plan(outcomes)
    plan.stats.seconds["total"] = round(time.perf_counter() - started, 4)
    return plan


class _Merge:
    """Outcomes of files, in path order, to one plan."""

    def __init__(self, request: EditRequest, root: str, found: Survey) -> None:
        self._request = request
        self._found = found
        self.out = Plan(root=root, request=request, languages=found.languages)
        self.out.skipped = list(found.discovery.skipped)
        self._used: set[str] = set()
        self._near: list[str] = []
        self._links = {real: name for name, real in found.discovery.links.items()}

    def plan(self, outcomes: Iterable[tuple[int, FileData]]) -> Plan:
        plan = self.out
        by_index = dict(outcomes)
        stats = Stats(discovered=len(self._found.discovery.files), seconds=self._found.seconds)
        plan.stats = stats
        for job in self._found.jobs:
            self._file(job, by_index[job.index], stats)
        if self._request.left_out:
            plan.skipped += [Skip(path, "timeout", "left out") for path in self._request.left_out]
        plan.skipped.sort(key=lambda skip: path_key(skip.path))
        plan.files_touched = len(plan.files)
        plan.total_replacements = sum(file.replacements for file in plan.files)
        self._incomplete()
        grammars = [use for use in plan.languages if use.name in self._used]
        plan.fingerprint = fingerprint(plan.request, plan.files, grammars)
        return plan

    def _file(self, job: Job, data: FileData, stats: Stats) -> None:
        plan = self.out
        stats.read += data.read > 0
        stats.bytes_read += data.read
        stats.parsed += data.parsed
        plan.files_searched += data.searched
        if data.error_at:
            errors = plan.parse_errors
            errors.total += 1
            if len(errors.shown) < PARSE_ERRORS_SHOWN:
                errors.shown.append(ParseError(job.path, *data.error_at))
        if data.skip:
            self._skip(job.path, *data.skip)
        for span, op, reason, lost, matches in data.blocked:
            self._block(job, span, op, reason, lost, matches)
        for span, op, by, why in data.displaced:
            self._displace(job.path, span, op, by, why)
        if data.near:
            self._near.append(job.path)
        if data.edits and not data.skip:
            self._edits(job, data)

    def _skip(self, path: str, reason: Any, detail: str | None) -> None:
        if reason == "cycle":
            raise PreconditionError(
                f"{path}: {detail}.",
                code="fixpoint_cycle",
                path=path,
                hint="Two ops undo one another; run them without fixpoint.",
            )
        self.out.skipped.append(Skip(path, reason, detail))

    def _block(self, job: Job, span: Any, op: int, reason: Any, lost: Any, matches: int) -> None:
        shown = [Lost(Span(*place[:4]), place[4].decode("utf-8", "replace")) for place in lost]
        hint = _HINTS[reason]
        if reason == "empty_block":
            from astedit.language.facts import facts

            hint = hint.format(facts(job.row.name).placeholder or "an empty statement")
        self.out.blocked.append(Blocked(job.path, Span(*span), op, reason, shown, hint, matches))

    def _displace(self, path: str, span: Any, op: int, by: int, why: Any) -> None:
        if self._request.overlap == "error":
            raise ConflictError(
                f"{path}:{span[2]}: matches of op {op} and op {by} overlap.",
                path=path,
                hint="Use overlap=compose, or run one op after the other.",
            )
        self.out.displaced.append(Displaced(path, Span(*span), op, by, why))

    def _edits(self, job: Job, data: FileData) -> None:
        edits = [self._edit(job.path, one) for one in data.edits]
        kind = classify(job.path)
        if kind == "never" or (kind == "protected" and not self._request.allow_protected):
            hint = _HINTS["never" if kind == "never" else "protected"]
            for edit in edits:
                span = Span(edit.start, edit.end, edit.line, edit.column)
                self.out.blocked.append(
                    Blocked(job.path, span, edit.op, "protected", [], hint, edit.matches)
                )
            return
        count = sum(edit.matches for edit in edits)
        if self._over(count):
            return
        self._used.add(job.row.name)
        self.out.files.append(
            FilePlan(
                path=job.path,
                operation="modify",
                before_hash=data.before,
                after_hash=data.after,
                mode=data.mode,
                replacements=count,
                edits=edits,
                link=self._links.get(job.path),
                hunks=data.hunks,
            )
        )

    def _edit(self, path: str, one: tuple[Any, ...]) -> Edit:
        op, start, end, line, column, before, new, matches, encoding = one
        codec = "utf-16-le" if encoding == "utf-16" else encoding
        return Edit(
            id=edit_id(path, op, start, end, before, new),
            op=op,
            rule_id=None,
            start=start,
            end=end,
            line=line,
            column=column,
            before=before.decode(codec, "replace"),
            after=new.decode(codec, "replace"),
            matches=matches,
            new=new,
        )

    def _over(self, count: int) -> bool:
        """Is a limit reached? Files are taken in path order until one no longer fits."""
        request, plan = self._request, self.out
        if plan.limit_reached:
            return True
        total = sum(file.replacements for file in plan.files) + count
        files_full = request.max_files is not None and len(plan.files) >= request.max_files
        edits_full = request.max_replacements is not None and total > request.max_replacements
        plan.limit_reached = files_full or edits_full
        return plan.limit_reached

    def _incomplete(self) -> None:
        plan = self.out
        missing = {skip.path for skip in plan.skipped if skip.reason in INCOMPLETE_REASONS}
        plan.incomplete = bool(missing)
        if missing and self._request.allow_partial:
            left_out = sorted(missing, key=path_key)
            plan.request = replace(self._request, left_out=left_out)


def check_limits(plan: Plan, expect: dict[str, int] | None = None) -> None:
    """Raises what forbids staging this plan: a limit, a wrong count, a parse error, a gap."""
    request = plan.request
    if plan.limit_reached and not request.allow_partial:
        error = LimitError(
            f"The limit of {_limit(request)} was reached; nothing was staged.",
            hint="Raise the limit, or allow a partial plan to stage the first ones.",
            code="limit_reached",
        )
        error.plan = plan
        raise error
    if plan.incomplete and not request.allow_partial:
        missing = [skip.path for skip in plan.skipped if skip.reason in INCOMPLETE_REASONS]
        limit = LimitError(
            f"{len(missing)} files could not be looked at ({missing[0]} …); nothing was staged.",
            hint="Allow a partial plan to stage the rest.",
            code="incomplete",
        )
        limit.plan = plan
        raise limit
    if request.fail_on_parse_error and plan.parse_errors.total:
        first = plan.parse_errors.shown[0]
        raise PreconditionError(
            f"{plan.parse_errors.total} files do not parse cleanly, "
            f"the first at {first.path}:{first.line}.",
            code="parse_error",
            path=first.path,
        )
    counts = {"replacements": plan.total_replacements, "files": plan.files_touched}
    for key, wanted in (expect or {}).items():
        if counts[key] != wanted:
            raise PreconditionError(
                f"Expected {wanted} {key}, found {counts[key]}; nothing was staged.",
                code="unexpected_count",
            )


def _limit(request: EditRequest) -> str:
    parts = []
    if request.max_files is not None:
        parts.append(f"{request.max_files} files")
    if request.max_replacements is not None:
        parts.append(f"{request.max_replacements} replacements")
    return " and ".join(parts)
