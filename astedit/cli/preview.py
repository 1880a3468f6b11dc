"""What the commands share that plan something: the run, staging, printing, the exit code."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from astedit.cli.flags import Bounds, Staging
from astedit.cli.output import report, streams
from astedit.cli.place import Place, interruption_error
from astedit.cli.request import EngineCall
from astedit.errors import AstEditError
from astedit.model.request import EditRequest, checked_title

if TYPE_CHECKING:
    from astedit.engine.files.places import Purpose
    from astedit.engine.run.search import Hits, KeepMatches
    from astedit.engine.run_context import Run
    from astedit.model.plan import Plan


def planned(
    make: Callable[[], EditRequest],
    place: Place,
    staging: Staging,
    bounds: Bounds,
    *,
    expect: dict[str, int] | None = None,
    compare: "Callable[[Plan, Run], Sequence[str]] | None" = None,
    interrupted: AstEditError | None = None,
    document: Any = None,
    **more: Any,
) -> int:
    """Plans a request, then stages and prints the plan; returns the exit code.

    `compare` adds hints about the plan that need another look at the tree, `interrupted` is
    what `interruption` returned, `document` is as for `finish`, and `more` are fields of the run.
    """
    from astedit.staging.on_top import preview_on_top
    from astedit.staging.preview import preview

    with streams.Bar() as bar:
        run = place.run(staging.state_dir, *bounds, progress=bar, **more)
        request = make()  # of an operation nothing is looked up in pending plans
        looked_up = preview if request.operation is not None else preview_on_top
        plan = looked_up(request, place.workspace, run)
    if compare is not None:
        plan.hints += compare(plan, run)
    if not request.paths:
        plan.hints = [report.UNCHANGED]
    return finish(plan, interrupted or refusal(plan, expect), place, staging, document)


def edited(
    call: EngineCall,
    place: Place,
    staging: Staging,
    interrupted: AstEditError | None = None,
    compare: "Callable[[Plan, Run], Sequence[str]] | None" = None,
) -> int:
    """Plans what patterns or rules ask for; see `planned`."""
    return planned(lambda: call.request, place, staging, Bounds(call.timeout, call.jobs),
                   expect=call.expect, compare=compare, interrupted=interrupted,
                   fork=True)  # fmt: skip


def operated(
    make: Callable[[], EditRequest], place: Place, staging: Staging, bounds: Bounds, **more: Any
) -> int:
    """Plans what an operation makes from a name or a command; see `planned`."""
    staging.check_sense()
    return planned(make, place, staging, bounds, interrupted=interruption(place, staging), **more)


def searched(
    call: EngineCall,
    place: Place,
    mode: "Purpose",
    limit: int | None = None,
    keep: "KeepMatches | None" = None,
    state: str | None = None,
) -> "Hits":
    """What a request finds; `mode` says what is told of each match, `keep` what is made of it."""
    from astedit.staging.preview import search

    with streams.Bar() as bar:
        run = place.run(state, call.timeout, call.jobs, progress=bar, fork=True)
        hits = search(call.request, place.workspace, run, mode, limit=limit, keep=keep)
    if not call.request.paths:
        hits.hints = [report.UNCHANGED]
    return hits


def interruption(place: Place, staging: Staging) -> AstEditError | None:
    """Why nothing that is found may be staged: files may be a mix. `--apply` recovers first."""
    error = interruption_error(place, staging.state_dir)
    if error is not None and staging.applies:
        from astedit.cli.session import recover_interrupted

        recover_interrupted(place, staging.state_dir)
        error = interruption_error(place, staging.state_dir)
    if error is not None and not staging.stages:
        streams.note(error.message)
        return None
    return error


def refusal(plan: "Plan", expect: dict[str, int] | None = None) -> AstEditError | None:
    """Why this plan must not be staged; it is shown all the same."""
    from astedit.engine.run.plan import check_limits

    try:
        check_limits(plan, expect)
    except AstEditError as error:
        return error
    return None


def finish(
    plan: "Plan", failure: Exception | None, place: Place, staging: Staging, document: Any = None
) -> int:
    """Stages the plan, unless a `failure` or a flag forbids it, and then prints it.

    `document` makes of it what --json prints, if not the plan itself.
    """
    closing: list[str] = []
    plan.title = plan.title if staging.title is None else checked_title(staging.title)
    if staging.yes:
        staging = staging._replace(apply=True, reason=staging.reason or plan.title)
    asks = False
    if failure is None and plan.total_replacements and staging.stages:
        asks = staging.asks(place.config)
        if staging.apply and staging.reason is None:
            staging = _with_reason(plan, place, staging)
        with _saying_if_applied(plan):
            failure = _stage(plan, place, staging, closing)
    if failure is None:
        if asks and plan.action_id is not None:
            _ask(plan, plan.action_id, place, staging)
            return 0
        if staging.interactive and plan.action_id is not None:
            _go_through(plan.action_id, place, staging)
            staging = staging._replace(quiet=True)
        with _saying_if_applied(plan):
            if staging.as_json:
                streams.document(plan.to_json() if document is None else document(plan))
            else:
                _print(plan, staging, closing)
        return report.exit_code(plan, check=staging.check)
    if not staging.as_json:  # with --json the error is the one document
        _print(plan, staging, closing)
    raise failure


@contextmanager
def _saying_if_applied(plan: "Plan") -> Iterator[None]:
    """Has a Ctrl-C while the rest is printed say that files were written."""
    try:
        yield
    except KeyboardInterrupt as error:
        from resolve.errors import AbortError

        raise AbortError(f"Interrupted: {plan.notice}") if plan.applied else error from None


def _ask(plan: "Plan", action_id: str, place: Place, staging: Staging) -> None:
    """Shows the preview, and asks the person what becomes of it."""
    from astedit.cli import question

    about = question.ApplyQuestion(
        f"Apply {question.counts(plan)}", staging.reason or plan.title, plan.notice
    )
    with question.staged_meanwhile(action_id, place, staging.state_dir):
        _print(plan, staging, [])
        question.ask(about, action_id, place, staging.state_dir)


def _with_reason(plan: "Plan", place: Place, staging: Staging) -> Staging:
    """Asks the person who has seen the preview why it is applied; it is not shown again."""
    from astedit.cli.session import reason_of

    if not staging.as_json:
        _print(plan, staging, [])
    why = reason_of(None, place.config, "nothing was staged or written.")
    return staging._replace(reason=why, quiet=True, stat=False)


def _stage(plan: "Plan", place: Place, staging: Staging, closing: list[str]) -> Exception | None:
    """Stages, and with --apply resolves; what went wrong is told after the preview.

    What is to be said of the staged action is added to `closing`.
    """
    from astedit.cli.session import open_session, resolve_action, shown_on, staged_notice
    from astedit.staging.plan_label import described
    from astedit.staging.stage import stage
    from resolve import ToolError

    try:
        with open_session(place, staging.state_dir, create=True, announce=False) as session:
            action = stage(plan, session, replace=staging.replaces, trying=staging.trying)
            if staging.apply:
                streams.note(shown_on(sys.stderr, session)(f"{action.id} {described(action)}"))
                reason = staging.reason or ""
                ask = not staging.yes
                result = resolve_action(session, place.config, "apply", reason, action.id, ask=ask)
                plan.applied, plan.notice = True, result.text
                closing.append(shown_on(sys.stdout, session)(result.text))
            else:
                closing += staged_notice(action.id, plan.notice, session, place, staging.state_dir)
    except ToolError as error:
        if plan.action_id is None:
            streams.note("The preview is not registered.")
        return error
    return None


def _go_through(action_id: str, place: Place, staging: Staging) -> None:
    """Lets a person decide about what was staged."""
    from astedit.cli import question
    from astedit.cli.session import open_session

    with open_session(place, staging.state_dir, announce=False) as session:
        question.review(session.store.find(action_id), session, place)


def _print(plan: "Plan", staging: Staging, closing: Sequence[str]) -> None:
    if staging.stat:
        streams.texts(report.stat(plan.files))
    elif not staging.quiet:
        report.print_diff(plan.patch())
    if plan.applied:
        streams.texts(closing)
    streams.flush()
    if not plan.applied:
        streams.notes(closing)
    if not staging.quiet:
        streams.notes(report.summary(plan))
