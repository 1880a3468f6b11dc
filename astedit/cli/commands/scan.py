"""`astedit scan`: run YAML rules, print what they find, or stage their fixes."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from astedit.cli import (
    interrupted_apply,
    options,
    place,
    request,
    rule_errors,
    severity,
    stdin_scan,
)
from astedit.cli.commands import edit, search
from astedit.cli.output import findings, formats, report, streams
from astedit.cli.place import Place
from astedit.cli.request import Call
from astedit.errors import RequestError

if TYPE_CHECKING:
    from astedit.cli.output.formats import Shown
    from astedit.engine.search import Hits
    from astedit.rule import Document
    from astedit.rule.project import Project

_FIXING = (  # flags that mean something only where fixes are staged
    *("overlap", "reindent", "fixpoint", "fail_on_parse_error", "fail_on_blocked"),
    *("allow_loss", "allow_partial"),
    *("allow_protected", "allow_error_pattern", "max_files", "max_replacements", "expect"),
    *("expect_files", "check", "no_stage", "apply", "reason", "stat", "quiet", "state_dir"),
)
_SHOWN = 20  # ids of rules in an error
_INLINE = "--inline-rules"  # where such rules were read
_EPILOG = "Example: astedit scan -r rules/no-print.yml --fix src"


@click.command(cls=options.OptionalValue, epilog=_EPILOG)
@click.option("-r", "--rule", "files", multiple=True, metavar="FILE", help="A file of rules.")
@click.option("--inline-rules", "inline", metavar="TEXT", help="Rules as YAML text.")
@click.option("-c", "--config", metavar="FILE", help="Instead of sgconfig.yml.")
@click.option("--filter", "only", metavar="REGEX", help="Only rules whose id matches.")
@severity.overrides
@click.option("--fix", is_flag=True, help="Stage the fixes; nothing is written.")
@click.option("--format", "style", type=click.Choice(formats.FORMATS), help="Default: text.")
@click.option(
    "--json",
    "form",
    type=click.Choice(formats.JSON_FORMS),
    metavar="[=pretty|stream|compact]",
    help="Print ast-grep's JSON; with --fix, the plan.",
)
@click.option("-l", "--lang", metavar="NAME", help="Only files of this language.")
@click.option(
    "--limit", "--max-results", type=options.POSITIVE, metavar="N", help="Stop after N findings."
)
@click.option("--stdin", is_flag=True, help="Look at standard input; with --fix, rewrite it.")
@click.option("--stdin-filename", metavar="NAME", help="What the buffer is called.")
@options.selection
@options.rewriting
@options.resolving
@options.previewing
@options.root
@options.state
@options.paths
@click.pass_context
def command(ctx: click.Context, /, paths: tuple[str, ...], **flags: Any) -> int:
    """Run YAML rules; print what they find, or stage their fixes.

    The rules are those of -r and --inline-rules, else of the project's sgconfig.yml.
    Exit code 1 says that a rule of severity error found something; with --fix the codes
    are those of `edit`, whose options for rewriting, staging and printing go with it.
    """
    given = {name for name in flags if edit.is_given(ctx, name)}
    _check_flags(flags, given)
    stdin_scan.check(given, paths, flags)
    found = place.find(flags["root"], paths)
    rules, utilities, whole, project = _rules(found, flags)
    chosen = given | {"lang"} | ({*_FIXING} if flags["fix"] else set())
    call = request.rules_call(rules, utilities, flags, chosen, found.changed(flags["changed"]))
    call.request.suppressions = severity.of_suppressions(flags, whole)
    if project is not None:
        call.request.language_globs = {
            name: [project.rooted(one) for one in each]
            for name, each in project.language_globs.items()
        }
        call.request.injections = [dict(one.content) for one in project.injections]
    call.request.paths = [found.workspace.check(path) for path in call.request.paths]
    with rule_errors.telling((*rules, *utilities), _texts(found, flags, project)):
        if flags["stdin"]:
            return stdin_scan.run(call, rules, given, flags, _style(flags))
        if flags["fix"]:
            return edit.staged(call, found, flags | {"as_json": flags["form"] is not None})
        return _report(call, found, flags, rules)


def _texts(
    found: Place, flags: Mapping[str, Any], project: "Project | None"
) -> Callable[[str], bytes]:
    """Reads a file of the rules again, wherever they came from."""
    if project is not None:
        return rule_errors.of_project(found.workspace)
    return lambda path: _inline(flags) if path == _INLINE else request.document_of(path)


def _inline(flags: Mapping[str, Any]) -> bytes:
    text: str = flags["inline"]
    return text.encode("utf-8", "surrogateescape")


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
    elif flags["limit"] is not None:
        raise RequestError("--limit is about findings.", hint="--max-replacements limits fixes.")
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

    rules = [
        rule for name in flags["files"] for rule in read_rules(request.document_of(name), name)
    ]
    if flags["inline"] is not None:
        rules += read_rules(_inline(flags), _INLINE)
    utilities: Sequence[Document] = ()
    project = None
    whole = not rules and flags["only"] is None and not severity.silences(flags)
    if not flags["files"] and flags["inline"] is None:
        project = rule_errors.project(found.workspace, found.below(flags["config"]))
        rules = [prefixed(rule, project.directory) for rule in project.rules]
        utilities = project.utils
    if not rules:
        raise _no_rules(flags, project)
    if flags["only"] is not None:
        rules = _chosen(rules, flags["only"])
    for warning in severity.unknown(rules, flags):
        streams.note(f"warning: {warning}")
    rules = severity.overridden(rules, flags)
    return rules, utilities, whole, project


def _no_rules(flags: Mapping[str, Any], project: "Project | None") -> RequestError:
    """Names what was read and holds no rule."""
    named = [*flags["files"], *([_INLINE] if flags["inline"] is not None else ())]
    if project is not None:
        named = [project.config, *project.rule_directories]
    hint = "Write one with `astedit new rule NAME -l LANGUAGE -p PATTERN`."
    return RequestError(f"There is no rule in {', '.join(named)}.", hint=hint, code="no_rules")


def _chosen(rules: "list[Document]", expression: str) -> "list[Document]":
    """The rules that --filter keeps; none is an error."""
    from astedit.rule.failure import one_of
    from astedit.rule.regex import compile_regex

    try:
        wanted = compile_regex(expression)
    except ValueError as error:
        hint = "It is a regular expression, searched in the ids of rules."
        raise RequestError(f"--filter: {error}.", hint=hint) from error
    if found := [rule for rule in rules if wanted.search(rule.id)]:
        return found
    ids = [rule.id for rule in rules]
    hint = one_of(ids if len(ids) <= _SHOWN else [*ids[:_SHOWN], "…"], expression)
    raise RequestError(f"--filter {expression!r} leaves no rule.", hint=hint, code="no_rules")


def _report(call: Call, found: Place, flags: Mapping[str, Any], rules: "Sequence[Document]") -> int:
    interrupted_apply.tell(found, None)
    printer = findings.Printer(_style(flags), found.given)
    limit, state = flags["limit"], flags["state_dir"]
    hits = search.found_by(call, found, printer.mode, limit, printer.of, state)
    printer.show(hits, formats.About(rules, lambda: _shown(hits, found, flags)))
    streams.flush()
    for line in (*printer.summary(hits), *report.search_notes(hits)):
        streams.note(line)
    return printer.exit_code()


def _style(flags: Mapping[str, Any]) -> str:
    style: str = flags["form"] or flags["style"] or "text"
    return style


def _shown(hits: "Hits", found: Place, flags: Mapping[str, Any]) -> "Shown | None":
    """The lines that a review of what changed may speak of; None: any."""
    if flags["changed"] is None:
        return None
    from astedit.cli.changed_files import shown_lines

    return shown_lines(found.workspace, flags["changed"], [path for path, _ in hits.files])
