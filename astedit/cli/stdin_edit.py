"""`edit --stdin`: one buffer from standard input to standard output; never staged."""

from astedit.cli.flags import Buffer, Staging
from astedit.cli.output import report, streams
from astedit.cli.request import EngineCall, standard_input
from astedit.errors import RequestError
from astedit.language import Row, for_path, named
from astedit.model.plan import Plan
from astedit.text.splice import splice

_MEANINGLESS = frozenset(
    {
        *("apply", "reason", "no_stage", "state_dir", "stat", "root", "changed", "glob"),
        *("no_ignore", "jobs", "max_files", "expect_files", "within", "body_only", "timeout"),
        *("after", "replaces", "interactive"),
    }
)


def rewrite(
    call: EngineCall, written: set[str], paths: tuple[str, ...], buffer: Buffer, staging: Staging
) -> int:
    """Prints the rewritten buffer (or the Plan as JSON); notes go to stderr."""
    from astedit.engine.run.buffer import plan_buffer
    from astedit.engine.run.plan import check_limits
    from astedit.semantic import NAMES
    from astedit.staging.preview import advised

    _check(written, paths, buffer)
    name = buffer.stdin_filename or "stdin"
    row = _language(name, buffer.lang)
    content = standard_input(call.request.max_file_size)
    with advised(call.request):
        plan = plan_buffer(call.request, name, row, content, NAMES)
    check_limits(plan, call.expect)
    if staging.as_json:
        streams.document(plan.to_json())
    else:
        streams.data(_result(plan, content))
        streams.flush()
        for line in report.summary(plan):
            if not staging.quiet:
                streams.note(line)
    return report.exit_code(plan, check=staging.check)


def _result(plan: Plan, content: bytes) -> bytes:
    edits = [change for file in plan.files for change in file.changes]
    return splice(content, edits)


def _check(written: set[str], paths: tuple[str, ...], buffer: Buffer) -> None:
    if not buffer.stdin:
        raise RequestError("--stdin-filename belongs to --stdin.")
    if buffer.ops == "-":
        raise RequestError("--stdin and --ops - both read standard input.")
    senseless = sorted(_MEANINGLESS & written)
    if paths or senseless:
        name = "PATHS" if paths else f"--{senseless[0].replace('_', '-')}"
        raise RequestError(f"{name} has no meaning with --stdin.")


def _language(name: str, lang: str | None) -> Row:
    row = named(lang) if lang else for_path(name)
    if row is None:
        raise RequestError(
            f"The language of {name!r} is not known.",
            hint="Give --stdin-filename NAME with a suffix, or --lang.",
        )
    return row
