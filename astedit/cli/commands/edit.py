"""`astedit edit`: preview a structural edit, print its diff, stage it."""

from collections.abc import Mapping
from typing import Any

import click

from astedit.cli import interrupted_apply, options, place, request
from astedit.cli.output import report, streams
from astedit.cli.place import Place
from astedit.cli.request import Call
from astedit.errors import AstEditError, RequestError
from astedit.model.plan import Plan

_EPILOG = "Example: astedit edit -p 'print($$$A)' -r 'logger.info($$$A)' src"
_APART = (  # what cannot be said together, and why
    ("check", "apply", "--check stages nothing that --apply could resolve"),
    ("no_stage", "apply", "--no-stage stages nothing that --apply could resolve"),
    ("stat", "as_json", "the JSON document holds the counts"),
    ("quiet", "as_json", "the JSON document is all that --json prints"),
    ("stat", "quiet", "--quiet prints nothing that --stat could shorten"),
)
STAGES = dict.fromkeys(("check", "no_stage", "apply", "stat", "quiet", "as_json", "state_dir"))
"""The flags of a command that does nothing but stage and print."""


@click.command(epilog=_EPILOG)
@click.option(
    "-p",
    "--pattern",
    "patterns",
    multiple=True,
    metavar="PAT",
    help="What to match; @FILE reads it from there.",
)
@click.option(
    "-r",
    "--rewrite",
    "rewrites",
    multiple=True,
    metavar="OUT",
    help="What to put in its place; @FILE reads it from there.",
)
@click.option("--ops", metavar="FILE|-", help="The request as JSON; flags win over it.")
@options.pattern
@options.selection
@options.rewriting
@options.resolving
@options.previewing
@click.option("--stdin", is_flag=True, help="Rewrite standard input to standard output.")
@click.option("--stdin-filename", metavar="NAME", help="What its language is found by.")
@options.as_json
@options.root
@options.state
@options.paths
@click.pass_context
def command(ctx: click.Context, /, paths: tuple[str, ...], **flags: Any) -> int:
    """Preview a structural edit and stage it; nothing is written.

    The diff goes to standard output, everything else to standard error. Every -p is
    rewritten by the -r after it; `-r ''` deletes what matched.
    """
    check_flags(flags)
    given = {name for name in flags if is_given(ctx, name)}
    if flags["stdin"] or flags["stdin_filename"]:
        from astedit.cli import stdin_edit

        return stdin_edit.rewrite(_call(flags, given, paths, ["."]), given, paths, flags)
    found = place.find(flags["root"], paths)
    interrupted = _interrupted(found, flags)
    call = _call(flags, given, paths, found.changed(flags["changed"]))
    return _edit(call, found, flags, interrupted)


def staged(call: Call, found: Place, flags: Mapping[str, Any]) -> int:
    """Plans, prints and stages a request, as the flags of `edit` say; its exit code."""
    return _edit(call, found, flags, _interrupted(found, flags))


def _interrupted(found: Place, flags: Mapping[str, Any]) -> AstEditError | None:
    """Why nothing that is found may be staged: files may be a mix. `--apply` recovers first."""
    error = interrupted_apply.found_in(found, flags["state_dir"])
    if error is not None and flags["apply"]:
        from astedit.cli import session as gate

        with gate.session(found, flags["state_dir"], announce=False) as session:
            gate.recover(session)
        error = interrupted_apply.found_in(found, flags["state_dir"])
    if error is not None and (flags["check"] or flags["no_stage"]):
        streams.note(error.message)
        return None
    return error


def _edit(
    call: Call, found: Place, flags: Mapping[str, Any], interrupted: AstEditError | None
) -> int:
    plan = _planned(call, found, flags["state_dir"])
    return finish(plan, interrupted or _refusal(plan, call), found, flags)


def finish(plan: Plan, failure: Exception | None, found: Place, flags: Mapping[str, Any]) -> int:
    """Stages the plan, unless a `failure` or a flag forbids it, and then prints it."""
    stages = not (flags["check"] or flags["no_stage"])
    if failure is None and plan.total_replacements and stages:
        failure = _stage(plan, found, flags)
    if failure is None:
        _print(plan, flags)
        return report.exit_code(plan, check=flags["check"])
    if not flags["as_json"]:  # with --json the error is the one document
        _print(plan, flags)
    raise failure


def _planned(call: Call, found: Place, state: str | None) -> Plan:
    from astedit.cli.output.progress_bar import Bar
    from astedit.staging.preview import preview

    with Bar() as bar:
        plan = preview(call.request, found.workspace, call.run(found, state, bar))
    if not call.request.paths:
        plan.hints = [report.UNCHANGED]
    return plan


def _refusal(plan: Plan, call: Call) -> AstEditError | None:
    """Why this plan must not be staged; it is shown all the same."""
    from astedit.engine.plan import check_limits

    try:
        check_limits(plan, call.expect)
    except AstEditError as error:
        return error
    return None


def _stage(plan: Plan, found: Place, flags: Mapping[str, Any]) -> Exception | None:
    """Stages, and with --apply resolves; what went wrong is told after the preview."""
    from astedit.cli import session as gate
    from astedit.staging.ast_edit import stage
    from resolve import ToolError

    try:
        with gate.session(found, flags["state_dir"], create=True, announce=False) as session:
            action = stage(plan, session)
            if flags["apply"]:
                streams.note(f"{action.id} {streams.name(action.label)}")
                result = gate.resolve(session, "apply", flags["reason"], action.id)
                plan.applied, plan.notice = True, result.text
    except ToolError as error:
        if plan.action_id is None:
            streams.note("The preview is not registered.")
        return error
    return None


def _print(plan: Plan, flags: Mapping[str, Any]) -> None:
    if flags["as_json"]:
        streams.document(plan.to_json())
        return
    if flags["stat"]:
        for line in report.stat(plan.files):
            streams.text(line)
    elif not flags["quiet"]:
        report.print_diff(plan.patch())
    if plan.applied and plan.notice:
        streams.text(plan.notice)
    streams.flush()
    _tell(plan, flags)


def _tell(plan: Plan, flags: Mapping[str, Any]) -> None:
    if plan.notice and not plan.applied:
        streams.note(plan.notice)
    if not flags["quiet"]:
        for line in report.summary(plan):
            streams.note(line)


def _call(
    flags: Mapping[str, Any], given: set[str], paths: tuple[str, ...], below: list[str]
) -> Call:
    patterns, rewrites = flags["patterns"], flags["rewrites"]
    if flags["ops"] is None:
        return request.from_flags(patterns, rewrites, flags, below)
    if patterns or rewrites:
        raise RequestError("Both -p/-r and --ops.", hint="Put the patterns into the JSON.")
    chosen = below if paths or flags["changed"] else None
    return request.from_json(request.document_of(flags["ops"]), flags, given, chosen)


def is_given(ctx: click.Context, name: str) -> bool:
    """Was the flag on the command line?"""
    source = ctx.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"


def check_flags(flags: Mapping[str, Any]) -> None:
    """No flag is ignored silently: what has no effect is refused."""
    check_apart(flags)
    if flags["apply"] and not (flags["reason"] or "").strip():
        raise RequestError("--apply needs a reason.", hint="Say why with --reason TEXT.")
    if flags["reason"] is not None and not flags["apply"]:
        raise RequestError("--reason belongs to --apply.", hint="Or give it to `astedit resolve`.")
    if flags["body_only"] and flags["within"] is None:
        raise RequestError("--body-only needs --within.")


def check_apart(flags: Mapping[str, Any]) -> None:
    """Refuses two flags of which one would have no effect beside the other."""
    for one, other, why in _APART:
        if flags.get(one) and flags.get(other):
            raise RequestError(f"--{_flag(one)} and --{_flag(other)} exclude one another: {why}.")


def _flag(name: str) -> str:
    return {"as_json": "json"}.get(name, name.replace("_", "-"))
