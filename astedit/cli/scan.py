"""`astedit scan`: run YAML rules, print what they find, or stage their fixes."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from astedit.cli import (
    edit,
    findings,
    interruption,
    options,
    place,
    report,
    request,
    severity,
    streams,
)
from astedit.cli.place import Place
from astedit.cli.request import Call
from astedit.errors import RequestError
from astedit.limits import Deadline

if TYPE_CHECKING:
    from astedit.engine.search import Hits
    from astedit.rule import Document
    from astedit.rule.project import Project

_FIXING = (  # flags that mean something only where fixes are staged
    *("overlap", "reindent", "fixpoint", "fail_on_parse_error", "allow_loss", "allow_partial"),
    *("allow_protected", "allow_error_pattern", "max_files", "max_replacements", "expect"),
    *("expect_files", "check", "no_stage", "apply", "reason", "stat", "quiet", "state_dir"),
)
_FORMATS = ("text", "json", "sarif", "github", "github-review")
_EPILOG = "Example: astedit scan -r rules/no-print.yml --fix src"


@click.command(cls=options.OptionalValue, epilog=_EPILOG)
@click.option("-r", "--rule", "files", multiple=True, metavar="FILE", help="A file of rules.")
@click.option("--inline-rules", "inline", metavar="TEXT", help="Rules as YAML text.")
@click.option("-c", "--config", metavar="FILE", help="Instead of sgconfig.yml.")
@click.option("--filter", "only", metavar="REGEX", help="Only rules whose id matches.")
@severity.overrides
@click.option("--fix", is_flag=True, help="Stage the fixes; nothing is written.")
@click.option("--format", "style", type=click.Choice(_FORMATS), help="Default: text.")
@click.option(
    "--json",
    "form",
    type=click.Choice(("pretty", "stream", "compact")),
    metavar="[=pretty|stream|compact]",
    help="Print ast-grep's JSON; with --fix, the plan.",
)
@click.option("-l", "--lang", metavar="NAME", help="Only files of this language.")
@options.selection
@options.rewriting
@click.option("--check", is_flag=True, help="With --fix: exit 1 if anything would change.")
@click.option("--no-stage", is_flag=True, help="With --fix: only print.")
@click.option("--apply", is_flag=True, help="With --fix: resolve at once what was staged.")
@click.option("--reason", metavar="TEXT", help="Why, for --apply; it is recorded.")
@click.option("--stat", is_flag=True, help="With --fix: a table of files instead of the diff.")
@options.quiet
@options.root
@options.state
@options.paths
@click.pass_context
def command(ctx: click.Context, /, paths: tuple[str, ...], **flags: Any) -> int:
    """Run YAML rules; print what they find, or stage their fixes.

    The rules are those of -r and --inline-rules, else of the project's sgconfig.yml.
    Exit code 1 says that a rule of severity error found something; with --fix the codes
    are those of `edit`.
    """
    given = {name for name in flags if edit.is_given(ctx, name)}
    _check_flags(flags, given)
    found = place.find(flags["root"], paths)
    rules, utilities, whole, project = _rules(found, flags)
    chosen = given | {"lang"} | ({*_FIXING} if flags["fix"] else set())
    call = request.rules_call(rules, utilities, flags, chosen, found.changed(flags["changed"]))
    call.request.unused_suppressions = whole
    if project is not None:
        call.request.language_globs = {
            name: [project.rooted(one) for one in each]
            for name, each in project.language_globs.items()
        }
        call.request.injections = [dict(one.content) for one in project.injections]
    call.request.paths = [found.workspace.check(path) for path in call.request.paths]
    place.aim(call.request, found)
    try:
        if flags["fix"]:
            return edit.staged(call, found, flags | {"as_json": flags["form"] is not None})
        return _report(call, found, flags, rules)
    except RequestError as error:
        paths_of = {rule.id: rule.path for rule in (*rules, *utilities)}
        error.path = error.path or paths_of.get(getattr(error, "rule", None) or "")
        raise


def _check_flags(flags: Mapping[str, Any], given: set[str]) -> None:
    """No flag is ignored silently: what has no effect is refused."""
    if flags["config"] is not None and (flags["files"] or flags["inline"] is not None):
        raise RequestError("--config names a project; -r and --inline-rules run without one.")
    if not flags["fix"]:
        for name in _FIXING:
            if name in given:
                raise RequestError(f"--{name.replace('_', '-')} belongs to --fix.")
    elif flags["style"] is not None:
        raise RequestError("--format is about findings, and --fix prints a diff.")
    if flags["form"] and flags["style"] not in (None, "json"):
        raise RequestError("--json and --format exclude one another.")
    edit.check_flags({**flags, "as_json": flags["form"] is not None})


def _rules(
    found: Place, flags: Mapping[str, Any]
) -> "tuple[list[Document], Sequence[Document], bool, Project | None]":
    """The rules to run, the utilities they may name, whether that is all there are, and the
    project they are from."""
    from astedit.rule import read_rules
    from astedit.rule.document import prefixed
    from astedit.rule.project import load_project

    rules = [
        rule for name in flags["files"] for rule in read_rules(request.document_of(name), name)
    ]
    if flags["inline"] is not None:
        rules += read_rules(flags["inline"].encode("utf-8", "surrogateescape"), "--inline-rules")
    utilities: Sequence[Document] = ()
    project = None
    whole = not rules and flags["only"] is None and not severity.silences(flags)
    if not flags["files"] and flags["inline"] is None:
        project = load_project(found.workspace, found.below(flags["config"]))
        for warning in project.warnings:
            streams.note(f"warning: {warning}")
        rules = [prefixed(rule, project.directory) for rule in project.rules]
        utilities = project.utils
    if flags["only"] is not None:
        rules = [rule for rule in rules if _wanted(flags["only"], rule.id)]
    if not rules:
        raise RequestError("There is no rule to run.", hint="Check the files, and --filter.")
    for warning in severity.unknown(rules, flags):
        streams.note(f"warning: {warning}")
    rules = severity.overridden(rules, flags)
    return rules, utilities, whole, project


def _wanted(expression: str, id: str) -> bool:
    from astedit.rule.regex import compile_regex

    try:
        return compile_regex(expression).search(id) is not None
    except ValueError as error:
        raise RequestError(f"--filter: {error}.") from error


def _report(call: Call, found: Place, flags: Mapping[str, Any], rules: "Sequence[Document]") -> int:
    interruption.tell(found, None)
    hits = _found(call, found)
    style = flags["form"] or flags["style"] or "text"
    findings.show(hits, style, found.given, rules)
    streams.flush()
    for line in (*findings.summary(hits), *report.search_notes(hits)):
        streams.note(line)
    return 1 if any(one["severity"] == "error" for _, each in hits.files for one in each) else 0


def _found(call: Call, found: Place) -> "Hits":
    from astedit.cli.progress import Bar
    from astedit.engine.start import Start
    from astedit.semantic import NAMES

    jobs = call.jobs or found.config.jobs
    start = Start(call.request, found.workspace, jobs=jobs, inline=True, names=NAMES)
    with start, Bar() as bar:
        from astedit.engine.search import find  # while git lists and a worker starts

        return find(
            call.request,
            found.workspace,
            "scan",
            start,
            deadline=Deadline(call.timeout),
            progress=bar,
            ignore=found.config.ignore,
        )
