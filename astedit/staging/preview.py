"""From a request to its plan: the one way there, whoever asks.

The command line, the Python interface, MCP, the campaign's workers, the operations and the
rerun of an apply all come here. So what the configuration says, and what a `within` names,
means the same for each of them. `search` is the same way for what only looks.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

from astedit.engine.run_context import Run, Start
from astedit.errors import PreconditionError, RequestError
from astedit.limits import HINT_SECONDS, parsing_within
from astedit.model.request import EditRequest
from astedit.semantic import NAMES
from astedit.text import first_names, number
from astedit.workspace.config import Config, load
from astedit.workspace.path_policy import classify
from astedit.workspace.root import PROJECT_FILES, Workspace
from resolve.visible import one_line

if TYPE_CHECKING:
    from astedit.engine.files.places import Purpose
    from astedit.engine.run.prepare import Evidence
    from astedit.engine.run.search import Hits, KeepMatches
    from astedit.model.edit import Near
    from astedit.model.plan import Plan, PlanOrigin

_BOOT = "/proc/sys/kernel/random/boot_id"
_ANOTHER = "another one stands in its place"


def origin_of(workspace: Workspace, settings: Config) -> "PlanOrigin":
    """Describes the open root and its configuration, as they are now."""
    from astedit.model.plan import PlanOrigin  # a search has no plan

    status = os.fstat(workspace.fd)
    return PlanOrigin(
        status.st_ino, status.st_dev, _boot_id(), settings.policy, tuple(settings.human_paths)
    )


@contextmanager
def reopened(root: str, origin: "PlanOrigin | None") -> Iterator[Workspace]:
    """Opens the root of something that was staged; see `refuse_another_root`."""
    with Workspace(root) as workspace:
        refuse_another_root(workspace, root, origin)
        yield workspace


def refuse_another_root(workspace: Workspace, root: str, origin: "PlanOrigin | None") -> None:
    """Raises `PreconditionError` (`root_changed`) if the path leads to another directory now.

    What an earlier version staged has no origin: then only the real path is compared.
    """
    if workspace.root != root:
        raise _changed(root, f"it leads to {one_line(workspace.root)}")
    if origin is None:
        return
    status = os.fstat(workspace.fd)
    moved = origin.boot == _boot_id() and status.st_dev != origin.device
    if moved or status.st_ino != origin.inode:
        raise _changed(root, _ANOTHER)


def refuse_changed_root(workspace: Workspace) -> None:
    """Raises `root_changed` if the path of an open root does not lead to that root any more."""
    try:
        there = Workspace(workspace.root)
    except RequestError as error:
        raise _changed(workspace.root, "nothing can be opened there") from error
    with there:
        if there.root != workspace.root:
            raise _changed(workspace.root, f"it leads to {one_line(there.root)}")
        if not os.path.samestat(os.fstat(there.fd), os.fstat(workspace.fd)):
            raise _changed(workspace.root, _ANOTHER)


def _changed(root: str, why: str) -> PreconditionError:
    return PreconditionError(
        f"The root {one_line(root)} is not the directory that it was: {why}.",
        code="root_changed",
        hint="Put that directory back, or preview the change again in the one of now.",
    )


@cache
def _boot_id() -> str:
    """Returns what names this start of the machine; "" where the system does not tell."""
    try:
        with open(_BOOT) as file:
            return file.read().strip()
    except OSError:
        return ""


_NAMED = 5  # files that a hint names


def preview(request: EditRequest, workspace: Workspace, run: Run) -> "Plan":
    """What the request would do to this tree; nothing is written.

    A request from outside is made complete first, see `prepare`. Raises what `prepare`
    raises, `RequestError` for what is wrong whatever the tree holds, and what
    `run.deadline` raises. Whether the plan may be staged is `check_limits`' to say.
    """
    run = configured(run, workspace)
    assert run.config is not None
    origin = origin_of(workspace, run.config)  # of before any file is read
    with workspace.overlaid(run.overlay):
        plan = _planned(request, workspace, run)
        if request.format_with:
            from astedit.staging.formatted_plan import formatted  # what few plans need

            plan = formatted(plan, workspace, run)
        if request.own_edits:
            from astedit.staging.own_edits import with_own_edits  # a person wrote in a review

            plan = with_own_edits(plan, request, workspace, run)
        if request.kept:
            from astedit.staging.part import cut  # only what an apply of a part left

            plan = cut(plan, set(request.kept), workspace, want_hunks=run.want_hunks)
    plan.origin, plan.after = origin, run.base
    noted = [file.path for file in plan.files if classify(file.path) == "noted"]
    if noted:
        plan.hints.append(f"{first_names(noted, _NAMED)}: such files run by themselves.")
    return plan


def _planned(request: EditRequest, workspace: Workspace, run: Run) -> "Plan":
    if request.operation is not None:
        from astedit import operations

        return operations.plan(request, workspace, run)
    prepare(request, workspace, run)
    with _started(request, workspace, run) as start:
        from astedit.engine.run.plan import compute  # while git lists and a worker starts

        with advised(request):
            plan, evidence = compute(
                request,
                workspace,
                start,
                deadline=run.deadline,
                hunks=run.want_hunks,
                progress=run.progress,
                ignore=run.ignore,
                barred=run.barred,
            )
        reasons = _kept_out(plan) or _reasons(plan.near, evidence, request, workspace, run)
        plan.hints = reasons + plan.hints
        return plan


def _kept_out(plan: "Plan") -> list[str]:
    """What to write where all that matches is in files that no edit is made in unasked."""
    reasons = [skip.reason for skip in plan.skipped if skip.reason in ("generated", "vendored")]
    if plan.total_replacements or plan.blocked or not reasons:
        return []
    flags = " ".join(f"--no-ignore {reason}" for reason in dict.fromkeys(reasons))
    files = number(len(reasons), "file")
    return [f"What matches is in {files} not written by hand: {flags} edits there, too."]


def search(
    request: EditRequest,
    workspace: Workspace,
    run: Run,
    mode: "Purpose",
    *,
    limit: int | None = None,
    keep: "KeepMatches | None" = None,
) -> "Hits":
    """The matches of the request's one op, or of its rules; at most `limit`.

    `mode` says what is told of each match, and `keep` makes of that what is kept, as for
    `engine.run.search.find`. Raises what `preview` raises.
    """
    if limit is not None and limit < 0:
        raise RequestError("`limit` must not be negative.")
    run = configured(run, workspace)
    prepare(request, workspace, run)
    with _started(request, workspace, run) as start:
        from astedit.engine.run.search import find  # while git lists and a worker starts

        with advised(request):
            hits, evidence = find(
                request,
                workspace,
                mode,
                start,
                limit=limit,
                deadline=run.deadline,
                progress=run.progress,
                ignore=run.ignore,
                keep=keep,
            )
        hits.hints += _reasons(hits.near, evidence, request, workspace, run)
        return hits


@contextmanager
def advised(request: EditRequest) -> Iterator[None]:
    """Adds to the refusal of a pattern what to write instead."""
    try:
        yield
    except RequestError as error:
        from astedit.pattern.compile import PatternError

        if isinstance(error, PatternError):
            from astedit.explanation.unmatched import advise

            advise(error, request)
        raise


def _reasons(
    nears: "Sequence[Near]",
    evidence: "Evidence",
    request: EditRequest,
    workspace: Workspace,
    run: Run,
) -> list[str]:
    """Why nothing matches, or so few places; where enough match, nothing is imported."""
    if not (evidence.nothing or any(near.is_partial for near in nears)):
        return []
    with parsing_within(HINT_SECONDS, run.deadline):
        if evidence.nothing:
            from astedit.explanation.unmatched import nothing_found

            return nothing_found(request, evidence, workspace)
        from astedit.explanation.places import partly_found

        return partly_found(nears, evidence, workspace)


def prepare(request: EditRequest, workspace: Workspace, run: Run) -> None:
    """Makes a request from outside complete; one that is complete stays as it is.

    Its paths become plain paths below the root, its `within` the region of the node that
    it names, and the `languageGlobs` of a project are its own where it has none. Raises
    `OutsideRootError` for a path that leaves the root, `RequestError` for a project's file
    that cannot be read, and what `aim` of `locating.within` raises.
    """
    request.paths = [workspace.check(path) for path in request.paths]
    files = (os.path.join(workspace.root, name) for name in PROJECT_FILES)
    if not request.language_globs and any(map(os.path.lexists, files)):
        from astedit.rule.project import language_globs  # most trees have no such file

        request.language_globs = language_globs(workspace)
    aim(request, workspace, run)


def aim(request: EditRequest, workspace: Workspace, run: Run) -> None:
    """Restricts the request to what its `within` names, if it names anything."""
    if request.within is not None:
        from astedit.locating.answer import aim as located

        located(request, workspace, run)


def configured(run: Run, workspace: Workspace) -> Run:
    """The run with what files and environment say; what the caller asked for wins.

    The configuration is read unless the run brings it.
    """
    settings = run.config or load(workspace)
    return run._replace(
        config=settings,
        jobs=settings.jobs if run.jobs is None else run.jobs,
        ignore=settings.ignore,
        roots=settings.roots,
        codemods={**settings.codemods, **run.codemods},
    )


def _started(request: EditRequest, workspace: Workspace, run: Run) -> Start:
    return Start(
        request,
        workspace,
        jobs=run.jobs,
        inline=run.inline,
        fork=run.fork,
        names=NAMES,
        resident=None if workspace.overlay else run.resident,  # it knows what the disk holds
    )
