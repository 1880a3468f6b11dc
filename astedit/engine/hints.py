"""What to say when a pattern was refused, is doubtful, or matched nothing."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from astedit.engine.inline_limits import is_shallow
from astedit.engine.near import PlaceCounts
from astedit.engine.prepare_run import PreparedRun
from astedit.engine.program import Program
from astedit.engine.run import Job
from astedit.language.traits import traits
from astedit.limits import SlowParseError
from astedit.model.near import Near
from astedit.model.request import EditRequest
from astedit.pattern.compile import Pattern
from astedit.text.count_phrases import first_names
from astedit.workspace.root import Workspace

_NEAR_FILES = 50  # files in which a near miss is looked for, at most


def doubts(prepared: PreparedRun) -> list[str]:
    """Patterns that were searched for although they do not parse (P5)."""
    flawed = [
        f"In {program.row.label} the pattern {op.pattern.text!r} holds "
        f"{', '.join(sorted(set(op.pattern.flaws)))}; it may not mean what you think."
        for program in prepared.programs.values()
        for op in program.ops
        if op.pattern is not None and op.pattern.flaws
    ]
    return flawed + list(dict.fromkeys(prepared.warnings))


def imports_left(request: EditRequest, prepared: PreparedRun) -> list[str]:
    """What `imports` of rules would have done, had the edit not been confined (F11)."""
    hints = []
    for op in (op for program in prepared.programs.values() for op in program.ops):
        if op.imports is None or not (request.within or request.regions):
            continue
        changes = op.imports.changes
        for verb, listed in (("added", changes.add), ("removed", changes.remove)):
            if listed:
                hints.append(f"not {verb}, as the edit is confined: {'; '.join(listed)}")
    return list(dict.fromkeys(hints))


def spreads(places: Sequence[tuple[str, int]]) -> list[str]:
    """Edits that are what was asked for, and may not be what was meant."""
    if not places:
        return []
    (path, line), count = places[0], len(places)
    what = (
        f"{count} edits move a spread argument" if count > 1 else "An edit moves a spread argument"
    )
    where = "the first at" if count > 1 else "at"
    return [f"{what} past another one, {where} {path}:{line}: its meaning depends on its place."]


def unread(jobs: Sequence[Job]) -> list[str]:
    """Files of which a compiler could say nothing, as it refuses them without the edits."""
    if not jobs or (compiler := traits(jobs[0].row.name).compiler) is None:
        return []
    paths = first_names([job.path for job in jobs], 1)
    return [
        f"{compiler.name} {compiler.version} does not compile {paths} as it is, "
        "so only the parser has looked at the result."
    ]


def nothing_found(
    request: EditRequest,
    prepared: PreparedRun,
    near: Sequence[Job],
    workspace: Workspace,
    searched: int,
) -> list[str]:
    """Why no op matched anywhere, and what to write instead."""
    if not prepared.jobs and not prepared.languages:
        if prepared.engine.mode == "edit" and _only_reports(request):
            return ["None of the rules has a fix; `astedit scan` reports what they find."]
        return ["No file of a known language was found; markup is searched only with --lang."]
    hints: list[str] = []
    for program in prepared.programs.values():
        for op in program.ops:
            if op.pattern is None:
                hints += getattr(op.finder, "hints", ())
                continue
            with suppress(SlowParseError):
                hints += _diagnosed(
                    request, program, op.index, op.pattern, near, workspace, searched
                )
    return list(dict.fromkeys(hints))


def partly_found(
    request: EditRequest,
    prepared: PreparedRun,
    places: PlaceCounts,
    workspace: Workspace,
    seconds: float,
) -> list[Near]:
    """What is told of patterns that match some places; `seconds` is what the run took."""
    if request.no_near:
        return []

    def read(path: str) -> bytes | None:
        try:
            return workspace.read(path, request.max_file_size)[0]
        except OSError:
            return None

    return places.near(prepared.programs, seconds, read)


def _only_reports(request: EditRequest) -> bool:
    fixing = any(rule.keys() & {"fix", "edits"} for rule in request.rules)
    return bool(request.rules) and not (request.ops or fixing)


def _diagnosed(
    request: EditRequest,
    program: Program,
    index: int,
    pattern: Pattern,
    near: Sequence[Job],
    workspace: Workspace,
    searched: int,
) -> list[str]:
    from astedit.pattern.doctor.unmatched import nothing_matched

    op = request.ops[index]
    jobs = [job for job in near if job.row is program.row][:_NEAR_FILES]
    if op.where or op.where_kind:
        from astedit.engine.where import unmet

        files = _readable(jobs, workspace, request.max_file_size)
        if lines := unmet(pattern, files):
            return lines
    return nothing_matched(
        op.pat,
        program.row,
        program.grammar,
        _readable(jobs, workspace, request.max_file_size),
        selector=op.selector or request.selector,
        context=op.context or request.context,
        strictness=op.strictness or request.strictness,
        searched=searched,
    )


def _readable(jobs: Iterable[Job], workspace: Workspace, limit: int) -> Iterator[tuple[str, bytes]]:
    """Files that may be parsed in this process; one that has gone meanwhile is left out."""
    for job in jobs:
        try:
            content, _ = workspace.read(job.path, limit)
        except OSError:
            continue
        if is_shallow(content):
            yield job.path, content
