"""`astedit scan`: run YAML rules, print what they find, or stage their fixes."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from astedit.cli import completions, options, preview, request, stdin
from astedit.cli.flags import Buffer, SpelledAsAstGrep, Staging, taken, written_flags
from astedit.cli.output import formats, matches, streams
from astedit.cli.place import Place, find_place, tell_interruption
from astedit.cli.request import EngineCall
from astedit.errors import RequestError
from astedit.model.request import EditOptions, SearchOptions

if TYPE_CHECKING:
    from astedit.cli.known_findings import BaselineFlags, KnownFindings
    from astedit.cli.output.formats import Shown
    from astedit.engine.run.search import Hits
    from astedit.rule import Document
    from astedit.rule.failure import TurnedOff
    from astedit.rule.project import Project

SEVERITIES = ("error", "warning", "info", "hint", "off")  # of two for one rule the last counts


Severities = Mapping[str, str]
"""The severity that a flag gives a rule, by its id; "" is every rule."""


def overrides(command: Callable[..., Any]) -> Callable[..., Any]:
    """A flag a severity: `--error` for all rules, `--error=ID` for one; may be repeated."""
    for name in reversed(SEVERITIES):
        said = "Leave out" if name == "off" else f"Report as {name}:"
        command = click.option(
            f"--{name}",
            multiple=True,
            metavar="[=ID]",
            help=f"{said} all rules, or the one with this id.",
            shell_complete=completions.rule_ids,
        )(command)
    return command


def overridden(rules: "Iterable[Document]", severities: Severities) -> "list[Document]":
    """The rules with the severities that the flags give them; an id goes before all."""
    return [rule.of_severity(severities.get(rule.id, severities.get(""))) for rule in rules]


def unknown(rules: "Iterable[Document]", severities: Severities, off: "TurnedOff") -> Iterator[str]:
    """A line for every flag that names a rule there is not, or one that is wrong."""
    from astedit.rule.suppression import ABOUT

    wrong = [getattr(error, "rule", None) for error in off.wrong]
    known = {"", *ABOUT, *(rule.id for rule in rules), *wrong}
    yield from (f"{error.path}: {error.message}; it is off." for error in off.wrong)
    for id, level in severities.items():
        if id not in known:
            yield f"--{level}={id}: no rule has this id"


def of_suppressions(severities: Severities, whole: bool) -> dict[str, str]:
    """How severe it is what is said about suppression comments, by its id.

    That one silences nothing is said where all rules run (`whole`), that one is about
    every rule only where a flag asks for it.
    """
    from astedit.rule.suppression import ABOUT

    usual = zip(ABOUT, ("hint" if whole else "off", "off"), strict=True)
    return {id: severities.get(id, severities.get("", level)) for id, level in usual}


_FIXING = {  # flags that mean something only where fixes are staged
    *(EditOptions.__annotations__.keys() - SearchOptions.__annotations__.keys() - {"body_only"}),
    *("expect", "expect_files"),
    *("check", "no_stage", "apply", "reason", "stat", "quiet", "interactive", "state_dir"),
    *("stage", "yes", "title"),
}
_SHOWN = 20  # ids of rules in an error
_INLINE = "--inline-rules"  # where such rules were read
_EPILOG = "Example: astedit scan -r rules/no-print.yml --fix src"


class Scan(NamedTuple):
    """Which rules run, on what, and how their findings are printed."""

    files: tuple[str, ...] = ()
    inline: str | None = None
    config: str | None = None
    only: str | None = None
    fix: bool = False
    style: str | None = None
    form: str | None = None
    limit: int | None = None
    changed: str | None = None
    state_dir: str | None = None
    packs: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    explain_cascade: bool = False
    dot: bool = False

    @property
    def printed(self) -> str:
        """The style in which findings are printed."""
        return self.form or self.style or "text"

    @property
    def inline_text(self) -> bytes:
        """The rules of --inline-rules, as a file would hold them."""
        return (self.inline or "").encode("utf-8", "surrogateescape")


@click.command(cls=SpelledAsAstGrep, epilog=_EPILOG)
@click.option("-r", "--rule", "files", multiple=True, metavar="FILE",
              shell_complete=completions.files, help="A file of rules.")  # fmt: skip
@click.option("--inline-rules", "inline", metavar="TEXT", help="Rules as YAML text.")
@click.option("--pack", "packs", multiple=True, metavar="NAME", help="A pack of rules.")
@options.settings
@options.of_request("max_events", type=options.POSITIVE, metavar="N")
@click.option("--explain-cascade", is_flag=True, help="Print which rule causes which.")
@click.option("--dot", is_flag=True, help="With --explain-cascade: for Graphviz.")
@click.option("-c", "--config", metavar="FILE", shell_complete=completions.files,
              help="Instead of sgconfig.yml.")  # fmt: skip
@click.option("--filter", "only", metavar="REGEX", shell_complete=completions.rule_ids,
              help="Only rules whose id matches.")  # fmt: skip
@overrides
@click.option("--fix", is_flag=True, help="Stage the fixes; nothing is written.")
@click.option("--format", "style", type=click.Choice(formats.FORMATS), help="Default: text.")
@click.option("--json", "form", type=click.Choice(matches.JSON_FORMS),
              metavar="[=pretty|stream|compact]",
              help="Print ast-grep's JSON; with --fix, the plan.")  # fmt: skip
@click.option("-l", "--lang", metavar="NAME", shell_complete=completions.language_names,
              help="Only files of this language.")  # fmt: skip
@click.option(
    "--limit", "--max-results", type=options.POSITIVE, metavar="N", help="Stop after N findings."
)
@click.option(
    "--baseline", metavar="FILE", shell_complete=completions.files, help="Findings that are known."
)
@click.option("--update-baseline", is_flag=True, help="Write it, or take out what is fixed.")
@click.option("--strict-baseline", is_flag=True, help="Fail where it names what is fixed.")
@click.option("--stdin", is_flag=True, help="Read standard input; with --fix, rewrite it.")
@click.option("--stdin-filename", metavar="NAME", help="The name that decides its language.")
@options.planning
@options.pager
@options.root
@options.state
@options.paths
@click.pass_context
def command(ctx: click.Context, /, paths: tuple[str, ...], **flags: Any) -> int:
    """Run YAML rules; print their findings, or stage their fixes.

    The rules are those of -r and --inline-rules, else of the project's sgconfig.yml.
    Exit code 1 means that a rule of severity error found something; with --fix the codes
    are those of `edit`, whose options for rewriting, staging and printing go with it.
    """
    scan, buffer, written = taken(Scan, flags), taken(Buffer, flags), written_flags(ctx, flags)
    severities = {id: level for level in SEVERITIES for id in flags[level]}
    staging = taken(Staging, flags)._replace(as_json=scan.form is not None)
    _check_flags(scan, staging, written)
    stdin.check(written, paths, buffer)
    baseline = _baseline(flags, written)
    place = find_place(flags["root"], paths)
    rules, utilities, whole, project = _rules(place, scan, severities)
    wanted = request.call_flags(flags, written | {"lang"} | (_FIXING if scan.fix else set()))
    below = place.changed(scan.changed, flags["timeout"])
    params = request.settings(scan.settings)
    with request.telling(rules, _texts(place, scan, project)):
        call = request.rules_call(rules, utilities, wanted, below, params, project)
    if scan.explain_cascade:
        return _explain(call, scan)
    call.request.suppressions = of_suppressions(severities, whole)
    with request.telling((*rules, *utilities), _texts(place, scan, project)):
        if buffer.stdin:
            fixing = staging if scan.fix else None
            return stdin.scan(call, rules, written, buffer, scan.printed, scan.limit, fixing)
        if scan.fix:
            return preview.edited(call, place, staging, preview.interruption(place, staging))
        if baseline is None:
            return _report(call, place, scan, rules)
        from astedit.cli.known_findings import KnownFindings

        return _report(call, place, scan, rules, KnownFindings(baseline, place, project, written))


def _baseline(flags: dict[str, Any], written: set[str]) -> "BaselineFlags | None":
    if written.isdisjoint(("baseline", "update_baseline", "strict_baseline")):
        return None
    from astedit.cli.known_findings import BaselineFlags

    baseline = taken(BaselineFlags, flags)
    return baseline if baseline.check(written) else None


def _texts(place: Place, scan: Scan, project: "Project | None") -> Callable[[str], bytes]:
    """Reads a file of the rules again, wherever they came from."""
    if project is not None:
        return request.of_project(place.workspace)
    return lambda path: scan.inline_text if path == _INLINE else request.document_of(path)


def _explain(call: EngineCall, scan: Scan) -> int:
    from astedit.engine.cascade import graph

    rules = call.request.rules
    lines = graph.as_dot(rules) if scan.dot else graph.as_text(rules)
    streams.answer({"rules": graph.rows(rules)}, lines, as_json=scan.form is not None)
    return 0


def _check_flags(scan: Scan, staging: Staging, written: set[str]) -> None:
    """No flag is ignored silently: what has no effect is refused."""
    if scan.config is not None and (scan.files or scan.inline is not None or scan.packs):
        raise RequestError(
            "--config names a project; -r, --inline-rules and --pack run without one."
        )
    if scan.dot and (not scan.explain_cascade or scan.form is not None):
        raise RequestError("--dot belongs to --explain-cascade, and excludes --json.")
    if not scan.fix:
        for name in sorted(_FIXING & written):
            raise RequestError(f"--{name.replace('_', '-')} belongs to --fix.")
    elif scan.style is not None:
        raise RequestError("--format is about findings, and --fix prints a diff.")
    elif scan.limit is not None:
        raise RequestError("--limit is about findings.", hint="--max-replacements limits fixes.")
    if scan.form and scan.style not in (None, "json"):
        raise RequestError("--json and --format cannot be used together.")
    staging.check_sense()


def _rules(
    place: Place, scan: Scan, severities: Severities
) -> "tuple[list[Document], Sequence[Document], bool, Project | None]":
    """The rules to run, the utilities they may name, whether that is all there are, and the
    project they are from."""
    from astedit.rule import read_rules
    from astedit.rule.document import prefixed
    from astedit.rule.failure import TurnedOff

    turned_off = {id for id, level in severities.items() if level == "off"}
    off = TurnedOff(frozenset(turned_off))
    texts = [(request.document_of(name), name) for name in scan.files]
    if scan.inline is not None:
        texts.append((scan.inline_text, _INLINE))
    rules = [rule for text, name in texts for rule in read_rules(text, name, off)]
    of_packs = [request.pack(place.workspace, name) for name in scan.packs]
    rules += [rule for some, _ in of_packs for rule in some]
    utilities: Sequence[Document] = [one for _, some in of_packs for one in some]
    project = None
    whole = not rules and scan.only is None and not turned_off
    if not scan.files and scan.inline is None and not scan.packs:
        project = request.project(
            place.workspace, place.below(scan.config), off, packs=place.config
        )
        rules = [prefixed(rule, project.directory) for rule in project.rules]
        utilities = project.utils
    if not rules:
        raise _no_rules(scan, project)
    if scan.only is not None:
        is_wanted = request.filter_of(scan.only, [rule.id for rule in rules])
        rules = [rule for rule in rules if is_wanted(rule.id)]
    streams.warn(unknown(rules, severities, off))
    rules = overridden(rules, severities)
    return rules, utilities, whole, project


def _no_rules(scan: Scan, project: "Project | None") -> RequestError:
    """Names what was read and holds no rule."""
    named = [*scan.files, *([_INLINE] if scan.inline is not None else ())]
    if project is not None:
        named = [project.config, *project.rule_directories]
    hint = "Write one with `astedit new rule NAME -l LANGUAGE -p PATTERN`."
    return RequestError(f"There is no rule in {', '.join(named)}.", hint=hint, code="no_rules")


def _report(
    call: EngineCall,
    place: Place,
    scan: Scan,
    rules: "Sequence[Document]",
    known: "KnownFindings | None" = None,
) -> int:
    """Prints the findings; those that are known already aside, where there is a baseline."""
    tell_interruption(place, None)
    printer = formats.format_of(scan.printed, place.typed)
    mode = printer.mode if known is None else "scan"
    keep = printer.counted if known is None else None
    hits = preview.searched(call, place, mode, scan.limit, keep, scan.state_dir)
    about = formats.About(rules, lambda: _shown(hits, place, scan.changed))
    if known is None:
        return printer.report(hits, about)
    return known.report(hits, printer, about, call.request.paths)


def _shown(hits: "Hits", place: Place, ref: str | None) -> "Shown | None":
    """The lines that a review of what changed may speak of; None: any."""
    if ref is None:
        return None
    from astedit.cli.place import shown_lines

    return shown_lines(place.workspace, ref, [path for path, _ in hits.files])
