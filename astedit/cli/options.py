"""Options that several commands share, declared once."""

from collections.abc import Callable, Sequence
from dataclasses import MISSING
from typing import Any, Literal, TypeVar, get_args, get_origin

import click

from astedit.cli.output import streams
from astedit.cli.place import OUTER_ROOT
from astedit.errors import RequestError
from astedit.model.request import OPTIONS, EditRequest

# What of the options belongs together, by the names of their parameters. What no row names
# is what the command is about, and comes first.
GROUPS = {
    "How the pattern is read": """
        lang strictness selector context where where_kind no_near near allow_error_pattern""",
    "Which files": """
        glob within body_only encoding max_file_size no_ignore changed stdin stdin_filename""",
    "How code is rewritten": """
        overlap reindent layout add_import remove_import prune_imports fixpoint allow_loss""",
    "When to give up": """
        fail_on_parse_error fail_on_blocked fail_on_dropped_comments allow_partial
        allow_protected max_files max_replacements expect expect_files timeout jobs""",
    "What becomes of it": "check no_stage stage yes apply reason title after replaces",
    "What is printed": """
        style form before_lines after_lines around_lines files_with_matches counts limit
        stat quiet hints as_json no_pager""",
    "Where": "root state_dir",
}
_GROUP_OF = {name: title for title, names in GROUPS.items() for name in names.split()}
_FIRST = "Options"
SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 1_000}
"""What the outermost command says for all: click alone stops at 80 columns."""

NO_PAGER = "astedit.no_pager"  # under which a context keeps that no command shall page


HELP_ALL = "astedit.help_all"  # under which a context keeps that rare options are shown, too
_RARE = """
    strictness selector context where_kind no_near near allow_error_pattern within body_only
    encoding max_file_size no_ignore stdin_filename overlap reindent layout remove_import
    prune_imports fail_on_parse_error fail_on_blocked fail_on_dropped_comments allow_partial
    allow_protected max_files max_replacements expect_files timeout jobs after replaces title
    no_pager state_dir codemods also_ask add_import expect hints
"""


class ExampleFirst(click.Command):
    """Help that begins with the example, and goes through the pager where it is long.

    `--help` leaves out what few people need; `--help-all` shows that, too.
    """

    _all: click.Option | None = None

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        if self._all is None:
            about = "Show this message with rare options, and exit."
            self._all = click.Option(["--help-all"], is_flag=True, is_eager=True, help=about,
                                     expose_value=False, callback=_show_all)  # fmt: skip
        return [*super().get_params(ctx), self._all]

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_epilog(ctx, formatter)
        super().format_help_text(ctx, formatter)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes nothing: the example stands above."""

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        if (option := super().get_help_option(ctx)) is not None:
            option.callback = _show_help
        return option


class HelpPage(ExampleFirst):
    """Such help with the options in groups."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows: dict[str, list[tuple[str, str]]] = {title: [] for title in (_FIRST, *GROUPS)}
        for param in self.get_params(ctx):
            rare = param.name in _RARE.split() and not ctx.meta.get(HELP_ALL)
            record = None if rare else param.get_help_record(ctx)
            if record is not None:
                rows[_GROUP_OF.get(param.name or "", _FIRST)].append(record)
        for title, records in rows.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


def command(example: str) -> Callable[[Callable[..., Any]], click.Command]:
    """A command with such help, which begins with the example, `astedit` left out."""
    return click.command(cls=HelpPage, epilog=f"Example: astedit {example}")


def _show_help(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    if value and not ctx.resilient_parsing:
        streams.page()
        streams.text(ctx.get_help())
        streams.flush()
        ctx.exit()


def _show_all(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    ctx.meta[HELP_ALL] = bool(value)
    _show_help(ctx, param, value)


class CommandGroup(ExampleFirst, click.Group):
    """Commands that say what was meant where a name is none of theirs."""

    command_class = HelpPage

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from astedit.text import meant

            near = meant(self.list_commands(ctx), args[0])
            raise click.UsageError(f"{error.message} {near}".strip(), ctx) from error


def group(example: str) -> Callable[[Callable[..., Any]], click.Group]:
    """A group with such help, whose --root `find_place` takes where the command has none."""

    def decorate(function: Callable[..., Any]) -> click.Group:
        epilog = f"Example: astedit {example}"
        return click.group(cls=CommandGroup, epilog=epilog)(_outer_root(function))

    return decorate


def _keep_root(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    ctx.meta[OUTER_ROOT] = value


Decorated = TypeVar("Decorated", bound=Callable[..., Any])
Decorator = Callable[[Decorated], Decorated]

IGNORED_KINDS = ("hidden", "dot", "exclude", "global", "parent", "vcs", "generated", "vendored")
POSITIVE = click.IntRange(min=1)
AT_LEAST_ZERO = click.IntRange(min=0)


def completing(name: str) -> Callable[[click.Context, click.Parameter, str], Any]:
    """What completes a value, by its name in `completions`: loaded when a shell asks."""

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> Any:
        from astedit.cli import completions

        return getattr(completions, name)(ctx, param, incomplete)

    return complete


def together(*decorators: Callable[[Any], Any]) -> Callable[[Decorated], Decorated]:
    def decorate(command: Decorated) -> Decorated:
        for one in reversed(decorators):
            command = one(command)
        return command

    return decorate


def of_request(field: str, *short: str, **settings: Any) -> Decorator[Any]:
    """The flag of one field of the request, whose type, default and text it has.

    `settings` are further ones for `click.option`.
    """
    known = EditRequest.declared(field)
    origin = get_origin(known.type)
    kind: dict[str, Any] = {"default": None if known.default is MISSING else known.default}
    if known.type is bool:
        kind = {"is_flag": True}
    elif origin is Literal:
        kind["type"] = click.Choice(get_args(known.type))
    elif origin is list:
        kind = {"multiple": True}
    name = f"--{field.replace('_', '-')}"
    return click.option(*short, name, help=OPTIONS[field], **(kind | settings))


def _must_open(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    """Refuses a root that is none, where nothing else would look at it."""
    if value is not None and not ctx.resilient_parsing:
        from astedit.workspace.root import Workspace

        Workspace(value).close()


_ROOT = "The workspace root. Default: the nearest directory above with .git or a configuration."


def _root_option(**settings: Any) -> Decorator[Any]:
    complete = completing("directories")
    return click.option("--root", metavar="DIR", help=_ROOT, shell_complete=complete, **settings)


root = _root_option()
_outer_root = _root_option(callback=_keep_root, expose_value=False)
any_root = _root_option(callback=_must_open, expose_value=False)
"""For commands that answer the same in every workspace."""
state = click.option("--state-dir", metavar="DIR", help="Where pending actions are kept.",
                     shell_complete=completing("directories"))  # fmt: skip
as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
paths = click.argument("paths", nargs=-1, metavar="[PATHS]...", shell_complete=completing("files"))
quiet = click.option("-q", "--quiet", is_flag=True, help="Print no diff and no totals.")
action_id = click.argument("action_id", metavar="[ID]", required=False,
                           shell_complete=completing("pending_ids"))  # fmt: skip
action_ids = click.argument("action_ids", metavar="[ID]...", nargs=-1,
                            shell_complete=completing("pending_ids"))  # fmt: skip
applied_id = click.argument("action_id", metavar="[ID]", required=False,
                            shell_complete=completing("applied_ids"))  # fmt: skip
_SELECTORS = "this edit id, path glob, FILE:LINE, shape:N, rule:ID or op:N; several add up"
only = click.option("--only", multiple=True, metavar="X", help=f"Only {_SELECTORS}.")
exclude = click.option("--exclude", multiple=True, metavar="X", help=f"All but {_SELECTORS}.")
reviewed = click.option(
    "--reviewed", is_flag=True, help="Only what was accepted in `astedit review`."
)
undecided = click.option("--undecided", type=click.Choice(("accept", "reject", "keep")),
                         help="With --reviewed: what to do with undecided edits.")  # fmt: skip


def _classes(ctx: click.Context, param: click.Parameter, named: Sequence[str]) -> dict[str, str]:
    """`NAME=MODULE:CLASS`, parsed; raises `RequestError`."""
    classes = {}
    for text in named:
        name, _, target = text.partition("=")
        module, _, kind = target.partition(":")
        if not name or not all(part.isidentifier() for part in (*module.split("."), kind)):
            raise RequestError(f"{text!r} is not NAME=MODULE:CLASS.")
        classes[name] = target
    return classes


codemods = click.option("--codemod", "codemods", multiple=True, metavar="NAME=MODULE:CLASS",
                        callback=_classes, help="Which class a codemod's name means, unless it is "
                                                "configured.")  # fmt: skip


def _page(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if not (value or ctx.resilient_parsing or ctx.meta.get(NO_PAGER)):
        streams.page()


pager = click.option("--no-pager", is_flag=True, expose_value=False, callback=_page,
                     help="Do not hand long output on a terminal to the pager.")  # fmt: skip
"""For commands that may print much."""

placed = together(as_json, root, state)
answering = together(pager, placed)
"""What commands take that print what the state holds."""

one_pattern = click.option("-p", "--pattern", metavar="PAT",
                           help="What to match; @FILE reads it from there.")  # fmt: skip
around = together(
    click.option("-A", "--after-context", "after_lines", type=AT_LEAST_ZERO, metavar="N",
                 help="Print N lines after each match."),
    click.option("-B", "--before-context", "before_lines", type=AT_LEAST_ZERO, metavar="N",
                 help="Print N lines before each match."),
    click.option("-C", "around_lines", type=AT_LEAST_ZERO, metavar="N",
                 help="Print N lines around each match. (--context is code around the pattern.)"),
)  # fmt: skip
"""Which lines are printed with those that match."""


def _reading(**settings: Any) -> Decorator[Any]:
    return together(
        of_request(
            "lang", "-l", metavar="NAME", shell_complete=completing("language_names"), **settings
        ),
        of_request("strictness", show_default=True),
        of_request("selector", metavar="KIND", **settings),
        of_request("context", metavar="CODE", **settings),
    )


pattern = _reading()
"""How a pattern is read: also what `explain` takes."""
patterns = _reading(multiple=True, default=())
"""How each of several patterns is read: what follows one is about it."""
conditions = together(
    click.option("--where", multiple=True, metavar="NAME=REGEX",
                 help="Only where the text of this capture matches."),
    click.option("--where-kind", multiple=True, metavar="NAME=KIND",
                 help="Only where this capture is a node of this kind; may be repeated."),
)  # fmt: skip
"""What the captures of a pattern must be."""

near = together(of_request("no_near"), of_request("near"))

bounds = together(
    click.option("--timeout", type=click.FloatRange(min=0, min_open=True), metavar="SECONDS",
                 help="Give up after this many seconds and stage nothing."),
    click.option("-j", "--jobs", type=POSITIVE, metavar="N", help="At most N processes at once."),
)  # fmt: skip

selection = together(
    of_request("glob", metavar="GLOB"),
    of_request("within", metavar="IDENT"),
    of_request("encoding", metavar="NAME"),
    of_request("max_file_size", type=POSITIVE, metavar="BYTES", default=None),
    of_request("no_ignore", type=click.Choice(IGNORED_KINDS)),
    click.option("--changed", is_flag=False, flag_value="HEAD", metavar="[REF]",
                 help="Only files that differ from REF."),
    bounds,
)  # fmt: skip
"""Which files are looked at, and for how long."""

rewriting = together(
    of_request("overlap"),
    of_request("reindent"),
    of_request("layout"),
    of_request("add_import", metavar="TEXT"),
    of_request("remove_import", metavar="NAME"),
    of_request("prune_imports"),
    of_request("fixpoint", type=POSITIVE, metavar="[N]"),
    of_request("body_only"),
    of_request("fail_on_parse_error"),
    of_request("fail_on_blocked"),
    of_request("fail_on_dropped_comments"),
    of_request("allow_loss"),
    of_request("allow_partial"),
    of_request("allow_protected"),
    of_request("allow_error_pattern"),
    of_request("max_files", type=AT_LEAST_ZERO, metavar="N"),
    of_request("max_replacements", type=AT_LEAST_ZERO, metavar="N"),
    click.option("--expect", type=AT_LEAST_ZERO, metavar="N",
                 help="Refuse other than N replacements."),
    click.option("--expect-files", type=AT_LEAST_ZERO, metavar="N",
                 help="Refuse other than N files."),
)  # fmt: skip
"""What a rewrite may do."""

fitting = together(
    click.option("--allow-partial", is_flag=True, help="Stage the part of the changes that fits."),
    click.option("--allow-protected", is_flag=True, help="Change protected files, too."),
)
"""What may be staged of changes that something else made."""
of_a_tree = together(
    click.option("--no-ignore", is_flag=True, help="Take files that git ignores, too."), fitting
)

settings = click.option("--set", "settings", multiple=True, metavar="NAME=VALUE",
                        help="A parameter of the rules; may be repeated.")  # fmt: skip
stacking = together(
    of_request("after", metavar="ID", shell_complete=completing("pending_ids")),
    click.option("--replace", "replaces", metavar="ID", shell_complete=completing("pending_ids"),
                 help="Replace this pending plan of yours, which becomes superseded."),
)  # fmt: skip
"""How a preview goes with others that are pending."""

yes = click.option("-y", "--yes", is_flag=True, help="Answer yes to the question: apply it.")


def _every_hint(ctx: click.Context, param: click.Parameter, value: str) -> None:
    ctx.meta["astedit.hints"] = value == "all"


hints = click.option("--hints", type=click.Choice(("few", "all")), default="few",
                     expose_value=False, callback=_every_hint,
                     help="Print the three most telling hints, or all.")  # fmt: skip
resolving = together(
    yes,
    click.option("--stage", is_flag=True, help="Ask nothing; leave the plan staged."),
    click.option("--apply", is_flag=True, help="Apply at once what was staged."),
    click.option("--reason", metavar="TEXT",
                 help="The reason, which is recorded; --apply asks for it."),
    click.option("--title", metavar="TEXT", help="The plan's name, instead of what it does."),
)  # fmt: skip
previewing = together(
    click.option("--check", is_flag=True, help="Stage nothing; exit 1 if anything would change."),
    click.option("--no-stage", is_flag=True, help="Only print; stage nothing."),
    click.option("--stat", is_flag=True, help="Print a table of files instead of the diff."),
    quiet,
    hints,
)
"""What is printed and staged of a plan."""

interactive = click.option(
    "-i", "--interactive", is_flag=True, help="Stage it and go through the edits."
)

planning = together(selection, rewriting, stacking, resolving, previewing, interactive)
"""What the commands take that plan from patterns and rules."""

operating = together(resolving, previewing, interactive, bounds, as_json, root, state)
"""What the commands take that plan from a name."""
