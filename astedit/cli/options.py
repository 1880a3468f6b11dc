"""Options that several commands share, declared once."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from astedit.errors import RequestError
from astedit.model.request import STRICTNESS

Decorated = TypeVar("Decorated", bound=Callable[..., Any])
Decorator = Callable[[Decorated], Decorated]

IGNORED_KINDS = ("hidden", "dot", "exclude", "global", "parent", "vcs", "generated", "vendored")
POSITIVE = click.IntRange(min=1)
AT_LEAST_ZERO = click.IntRange(min=0)


def together(*decorators: Callable[[Any], Any]) -> Callable[[Decorated], Decorated]:
    def decorate(command: Decorated) -> Decorated:
        for one in reversed(decorators):
            command = one(command)
        return command

    return decorate


def _must_open(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    """Refuses a root that is none, where nothing else would look at it."""
    if value is not None:
        from astedit.workspace.root import Workspace

        Workspace(value).close()


_ROOT = "The workspace root. Default: the nearest directory above with .git or a configuration."
root = click.option("--root", metavar="DIR", help=_ROOT)
any_root = click.option(
    "--root", metavar="DIR", help=_ROOT, callback=_must_open, expose_value=False
)
"""For commands that answer the same in every workspace."""
state = click.option("--state-dir", metavar="DIR", help="Where pending actions are kept.")
as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
paths = click.argument("paths", nargs=-1, metavar="[PATHS]...")
quiet = click.option("-q", "--quiet", is_flag=True, help="Print no diff and no totals.")
action_id = click.argument("action_id", metavar="[ID]", required=False)
codemods = click.option("--codemod", "named", multiple=True, metavar="NAME=MODULE:CLASS",
                        help="Which class a codemod's name means, unless it is "
                             "configured.")  # fmt: skip

one_pattern = click.option("-p", "--pattern", required=True, metavar="PAT",
                           help="What to match; @FILE reads it from there.")  # fmt: skip
pattern = together(
    click.option("-l", "--lang", metavar="NAME", help="Only files of this language."),
    click.option("--strictness", type=click.Choice(STRICTNESS), default="smart", show_default=True,
                 help="How alike the code must be."),
    click.option("--selector", metavar="KIND", help="The node kind to match within the pattern."),
    click.option("--context", metavar="CODE", help="Code around the pattern, to parse it right."),
)  # fmt: skip
"""How a pattern is read: also what `explain` takes."""

bounds = together(
    click.option("--timeout", type=click.FloatRange(min=0, min_open=True), metavar="SECONDS",
                 help="Give up after so long; nothing is staged then."),
    click.option("-j", "--jobs", type=POSITIVE, metavar="N", help="At most N processes at once."),
)  # fmt: skip

selection = together(
    click.option("--glob", multiple=True, metavar="GLOB", help="gitignore syntax; `!` excludes."),
    click.option("--within", metavar="IDENT", help="Only inside this symbol."),
    click.option("--encoding", metavar="NAME", help="latin-1, cp1252 or utf-16."),
    click.option("--max-file-size", type=POSITIVE, metavar="BYTES", help="Default: 2 MiB."),
    click.option("--no-ignore", multiple=True, type=click.Choice(IGNORED_KINDS),
                 help="Look also at what would be passed over as this."),
    click.option("--changed", is_flag=False, flag_value="HEAD", metavar="[REF]",
                 help="Only files that differ from REF."),
    bounds,
)  # fmt: skip
"""Which files are looked at, and for how long."""

rewriting = together(
    click.option("--overlap", type=click.Choice(("compose", "error")), default="compose",
                 help="Of matches within matches: rewrite both, or refuse."),
    click.option("--reindent", type=click.Choice(("auto", "exact")), default="auto",
                 help="Indent what is put in as its place asks, or leave it as written."),
    click.option("--layout", type=click.Choice(("keep", "template")), default="keep",
                 help="Keep the line breaks and comments of a match, or write the template's."),
    click.option("--fixpoint", type=POSITIVE, default=1, metavar="N", help="At most N passes."),
    click.option("--body-only", is_flag=True, help="With --within: only the symbol's body."),
    click.option("--fail-on-parse-error", is_flag=True,
                 help="Refuse if any file that is read does not parse."),
    click.option("--fail-on-blocked", is_flag=True, help="Refuse if any match is blocked."),
    click.option("--allow-loss", is_flag=True, help="Rewrite even where code would get lost."),
    click.option("--allow-partial", is_flag=True, help="Stage what was found before a limit."),
    click.option("--allow-protected", is_flag=True, help="Edit protected files too."),
    click.option("--allow-error-pattern", is_flag=True, help="Use a pattern that does not parse."),
    click.option("--max-files", type=AT_LEAST_ZERO, metavar="N",
                 help="Refuse to change more files."),
    click.option("--max-replacements", type=AT_LEAST_ZERO, metavar="N",
                 help="Refuse to make more replacements."),
    click.option("--expect", type=AT_LEAST_ZERO, metavar="N", help="Exactly N replacements."),
    click.option("--expect-files", type=AT_LEAST_ZERO, metavar="N", help="In exactly N files."),
)  # fmt: skip
"""What a rewrite may do."""

resolving = together(
    click.option("--apply", is_flag=True, help="Resolve at once what was staged."),
    click.option("--reason", metavar="TEXT", help="Why, for --apply; it is recorded."),
)
previewing = together(
    click.option("--check", is_flag=True, help="Stage nothing; exit 1 if anything would change."),
    click.option("--no-stage", is_flag=True, help="Only print."),
    click.option("--stat", is_flag=True, help="Print a table of files instead of the diff."),
    quiet,
)
"""What is printed and staged of a plan."""

operating = together(previewing, bounds, as_json, root, state)
"""What the commands take that plan from a name."""


# what a flag means without `=`; `--error` and its kin belong to `scan`
_BARE = {
    "--json": "pretty",
    **dict.fromkeys(("--error", "--warning", "--info", "--hint", "--off"), ""),
}


class SpelledAsAstGrep(click.Command):
    """A command whose flags take their values as those of ast-grep do.

    The form of `--json[=FORM]` follows only an `=`, where click would take the next PATH
    for it; and `-c=FILE` means `-c FILE`, where click would look for the file `=FILE`.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, spelled_out(args, _taking_values(self)))


def _taking_values(command: click.Command) -> set[str]:
    options = [one for one in command.params if isinstance(one, click.Option) and not one.is_flag]
    return {name for one in options for name in one.opts}


def spelled_out(args: list[str], taking: set[str]) -> list[str]:
    """The arguments with a bare `--json` and the like written out, and `-c=FILE` as two.

    `taking` are the options that take values, which stay as they are.
    """
    written: list[str] = []
    value = False
    for position, arg in enumerate(args):
        if value:
            written.append(arg)
            value = False
        elif arg == "--":
            return written + args[position:]
        elif arg in _BARE.keys() & taking:
            written.append(f"{arg}={_BARE[arg]}")
        elif arg[:2] in taking and arg[2:3] == "=":
            written += [arg[:2], arg[3:]]
        else:
            written.append(arg)
            value = arg in taking - {"--changed"}
    return written


def classes_of(named: Sequence[str]) -> dict[str, str]:
    """`NAME=MODULE:CLASS`, parsed; raises `RequestError`."""
    classes = {}
    for one in named:
        name, _, target = one.partition("=")
        module, _, kind = target.partition(":")
        if not name or not all(part.isidentifier() for part in (*module.split("."), kind)):
            raise RequestError(f"{one!r} is not NAME=MODULE:CLASS.")
        classes[name] = target
    return classes
