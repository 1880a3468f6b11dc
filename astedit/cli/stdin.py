"""`edit --stdin` and `scan --stdin`: one buffer, of which no file need be there.

It is never staged: what it becomes goes to standard output, or what rules find in it.
"""

from collections.abc import Sequence, Set
from typing import TYPE_CHECKING

from astedit.cli.flags import Buffer, Staging
from astedit.cli.output import formats, report, streams
from astedit.cli.request import EngineCall, standard_input
from astedit.errors import RequestError
from astedit.language import Row, for_path, named
from astedit.text.source import splice

if TYPE_CHECKING:
    from astedit.rule import Document

_NAME = "STDIN"  # what ast-grep calls it
_WHERE = ("files", "ignores")  # keys of a rule that say which files it is for
# What has no meaning for one buffer.
_WHICH_FILES = frozenset({"changed", "glob", "no_ignore", "jobs", "timeout", "within"})
_OF_FILES = _WHICH_FILES | {
    *("apply", "reason", "no_stage", "state_dir", "stat", "root", "max_files", "expect_files"),
    *("body_only", "after", "replaces", "interactive", "stage", "yes", "title"),
}


def rewrite(
    call: EngineCall, written: set[str], paths: tuple[str, ...], buffer: Buffer, staging: Staging
) -> int:
    """Prints the rewritten buffer (or the Plan as JSON); notes go to stderr."""
    from astedit.engine.run.plan import check_limits, plan_buffer
    from astedit.semantic import NAMES
    from astedit.staging.preview import advised

    if not buffer.stdin:
        raise RequestError("--stdin-filename belongs to --stdin.")
    if buffer.ops == "-":
        raise RequestError("--stdin and --ops - both read standard input.")
    _refuse_senseless(_OF_FILES & written, paths)
    name = buffer.stdin_filename or "stdin"
    row = _language(buffer)
    content = standard_input(call.request.max_file_size)
    with advised(call.request):
        plan = plan_buffer(call.request, name, row, content, NAMES)
    check_limits(plan, call.expect)
    if staging.as_json:
        streams.document(plan.to_json())
    else:
        streams.data(splice(content, [change for file in plan.files for change in file.changes]))
        streams.flush()
        if not staging.quiet:
            streams.notes(report.summary(plan))
    return report.exit_code(plan, check=staging.check)


def check(written: set[str], paths: tuple[str, ...], buffer: Buffer) -> None:
    """Refuses what has no meaning with, or without, --stdin."""
    if not buffer.stdin:
        if buffer.stdin_filename is not None:
            raise RequestError("--stdin-filename belongs to --stdin.")
        return
    _refuse_senseless(_WHICH_FILES & written, paths)


def _refuse_senseless(flags: Set[str], paths: tuple[str, ...]) -> None:
    for name in ("PATHS",) if paths else sorted(f"--{flag.replace('_', '-')}" for flag in flags):
        raise RequestError(f"{name} has no meaning with --stdin.")


def scan(
    call: EngineCall,
    rules: "Sequence[Document]",
    written: set[str],
    buffer: Buffer,
    style: str,
    limit: int | None,
    fixing: Staging | None,
) -> int:
    """Prints the findings in a style, or when `fixing` the buffer as the fixes make it."""
    from astedit.engine.run.plan import scan_buffer
    from astedit.engine.run.search import Hits
    from astedit.semantic import NAMES

    row = _language(buffer, rules)
    if buffer.stdin_filename is None:  # then no rule can ask where the buffer belongs
        call.request.rules = [
            {key: value for key, value in document.items() if key not in _WHERE}
            for document in call.request.rules
        ]
    if fixing is not None:
        named = buffer._replace(lang=row.name)
        return rewrite(call, written - {"root", "state_dir"}, (), named, fixing)
    name, content = buffer.stdin_filename or _NAME, standard_input(call.request.max_file_size)
    if call.request.encoding is None:
        try:
            content.decode("utf-8")
        except UnicodeDecodeError as error:
            hint = "Give its --encoding."
            raise RequestError("Standard input is not UTF-8.", hint=hint) from error
    found = tuple(scan_buffer(call.request, name, row, content, NAMES))
    hits = Hits(files_searched=1, limit_reached=limit is not None and len(found) > limit)
    printer = formats.format_of(style, [(name, name)])
    if found:
        hits.files.append((name, (printer.counted(hits, name, found[:limit]),)))
    return printer.report(hits, formats.About(rules))


def _language(buffer: Buffer, rules: "Sequence[Document]" = ()) -> Row:
    """That of --lang, of the file's name, or the only one of the rules."""
    row = named(buffer.lang) if buffer.lang else for_path(buffer.stdin_filename or "")
    meant = {language.name: language for rule in rules for language in rule.languages}
    if row is None and len(meant) == 1:
        (row,) = meant.values()
    if row is None:
        of = "standard input" if rules else repr(buffer.stdin_filename or "stdin")
        why = ": the rules are of several" if rules else ""
        hint = "Give --stdin-filename NAME with a suffix, or --lang."
        raise RequestError(f"The language of {of} is not known{why}.", hint=hint)
    return row
