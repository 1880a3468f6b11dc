"""Options that several commands share, declared once."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from astedit.errors import RequestError
from astedit.request import STRICTNESS

Decorated = TypeVar("Decorated", bound=Callable[..., Any])
Decorator = Callable[[Decorated], Decorated]

IGNORED_KINDS = ("hidden", "dot", "exclude", "global", "parent", "vcs", "generated", "vendored")
POSITIVE = click.IntRange(min=1)
AT_LEAST_ZERO = click.IntRange(min=0)


def _all(*decorators: Callable[[Any], Any]) -> Callable[[Decorated], Decorated]:
    def decorate(command: Decorated) -> Decorated:
        for one in reversed(decorators):
            command = one(command)
        return command

    return decorate


def _must_open(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    """Refuses a root that is none, where nothing else would look at it."""
    if value is not None:
        from astedit.workspace import Workspace

        Workspace(value).close()


_ROOT = "The workspace root; without it, see the docs."
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
                        help="Which class a codemod's name means, unless it is configured.")  # fmt: skip

pattern = _all(
    click.option("-l", "--lang", metavar="NAME", help="Only files of this language."),
    click.option("--strictness", type=click.Choice(STRICTNESS), default="smart", show_default=True),
    click.option("--selector", metavar="KIND", help="The node kind to match within the pattern."),
    click.option("--context", metavar="CODE", help="Code around the pattern, to parse it right."),
)
"""How a pattern is read: also what `explain` takes."""

selection = _all(
    click.option("--glob", multiple=True, metavar="GLOB", help="gitignore syntax; `!` excludes."),
    click.option("--within", metavar="IDENT", help="Only inside this symbol."),
    click.option("--encoding", metavar="NAME", help="latin-1, cp1252 or utf-16."),
    click.option("--max-file-size", type=POSITIVE, metavar="BYTES", help="Default: 2 MiB."),
    click.option("--no-ignore", multiple=True, type=click.Choice(IGNORED_KINDS)),
    click.option("--changed", is_flag=False, flag_value="HEAD", metavar="[REF]",
                 help="Only files that differ from REF."),
    click.option("--timeout", type=click.FloatRange(min=0, min_open=True), metavar="SECONDS"),
    click.option("-j", "--jobs", type=POSITIVE, metavar="N", help="At most N processes at once."),
)  # fmt: skip
"""Which files are looked at, and for how long."""

rewriting = _all(
    click.option("--overlap", type=click.Choice(("compose", "error")), default="compose"),
    click.option("--reindent", type=click.Choice(("auto", "exact")), default="auto"),
    click.option("--fixpoint", type=POSITIVE, default=1, metavar="N", help="At most N passes."),
    click.option("--body-only", is_flag=True, help="With --within: only the symbol's body."),
    click.option("--fail-on-parse-error", is_flag=True),
    click.option("--allow-loss", is_flag=True, help="Rewrite even where code would get lost."),
    click.option("--allow-partial", is_flag=True, help="Stage what was found before a limit."),
    click.option("--allow-protected", is_flag=True, help="Edit protected files too."),
    click.option("--allow-error-pattern", is_flag=True, help="Use a pattern that does not parse."),
    click.option("--max-files", type=AT_LEAST_ZERO, metavar="N"),
    click.option("--max-replacements", type=AT_LEAST_ZERO, metavar="N"),
    click.option("--expect", type=AT_LEAST_ZERO, metavar="N", help="Exactly N replacements."),
    click.option("--expect-files", type=AT_LEAST_ZERO, metavar="N", help="In exactly N files."),
)
"""What a rewrite may do."""


# what a flag means without `=`; `--error` and its kin belong to `scan`
_BARE = {
    "--json": "pretty",
    **dict.fromkeys(("--error", "--warning", "--info", "--hint", "--off"), ""),
}


class OptionalValue(click.Command):
    """A command with `--json[=FORM]`: the form follows only an `=`, as in ast-grep.

    click would take the next PATH for it.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, _with_form(args, _taking_values(self)))


def _taking_values(command: click.Command) -> set[str]:
    options = [one for one in command.params if isinstance(one, click.Option) and not one.is_flag]
    return {name for one in options for name in one.opts}


def _with_form(args: list[str], taking: set[str]) -> list[str]:
    """The arguments with a bare `--json` and the like written out; option values stay as they are."""
    written: list[str] = []
    value = False
    for position, arg in enumerate(args):
        if not value and arg == "--":
            return written + args[position:]
        bare = not value and arg in _BARE.keys() & taking
        written.append(f"{arg}={_BARE[arg]}" if bare else arg)
        value = not value and arg in taking - {*_BARE, "--changed"}
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
