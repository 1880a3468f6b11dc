"""The options of commands as typed values, and flags spelled as those of ast-grep.

click passes a command everything by name; `taken` takes out of that what is of one kind.
Those about a pattern are said of the one before them: `-p A --where X=…`.
The fields are named like the parameters of the options that `cli.options` declares. Named
tuples are made in an eighth of the time that dataclasses take, at every start.
"""

import os
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

import click

from astedit.cli.options import HelpPage
from astedit.cli.output.streams import terminal
from astedit.errors import RequestError
from astedit.workspace.config import Config

Kind = TypeVar("Kind", bound=tuple[Any, ...])
Flags = Mapping[str, Any]  # as click passes them

_APART = (  # what cannot be said together, and why
    ("check", "apply", "--check stages nothing that --apply could resolve"),
    ("no_stage", "apply", "--no-stage stages nothing that --apply could resolve"),
    ("check", "yes", "--check stages nothing that --yes could apply"),
    ("no_stage", "yes", "--no-stage stages nothing that --yes could apply"),
    ("check", "stage", "--check stages nothing"),
    ("no_stage", "stage", "one of them leaves the plan staged"),
    ("stage", "apply", "--stage leaves the plan staged"),
    ("stage", "yes", "--stage leaves the plan staged"),
    ("yes", "interactive", "`astedit apply --reviewed` applies what was accepted"),
    ("check", "replaces", "--check stages nothing that could replace a plan"),
    ("no_stage", "replaces", "--no-stage stages nothing that could replace a plan"),
    ("check", "interactive", "--check stages nothing to decide about"),
    ("no_stage", "interactive", "--no-stage stages nothing to decide about"),
    ("apply", "interactive", "`astedit resolve apply --reviewed` applies what was accepted"),
    ("as_json", "interactive", "the JSON document is all that --json prints"),
    ("stat", "as_json", "the JSON document holds the counts"),
    ("quiet", "as_json", "the JSON document is all that --json prints"),
    ("stat", "quiet", "--quiet prints nothing that --stat could shorten"),
)


class Staging(NamedTuple):
    """What becomes of a plan: whether it is staged and resolved, and what is printed."""

    check: bool = False
    no_stage: bool = False
    apply: bool = False
    reason: str | None = None
    stat: bool = False
    quiet: bool = False
    as_json: bool = False
    state_dir: str | None = None
    replaces: str | None = None
    interactive: bool = False
    title: str | None = None
    stage: bool = False
    yes: bool = False

    @property
    def applies(self) -> bool:
        """Whether the plan is applied at once, without the question."""
        return self.apply or self.yes

    def asks(self, settings: Config) -> bool:
        """Whether a person is asked what becomes of the plan: all of their terminal is there."""
        apart = (self.apply, self.yes, self.stage, self.as_json, self.quiet, self.interactive)
        return self.stages and not any(apart) and settings.ask and _whole_terminal()

    @property
    def trying(self) -> str | None:
        """What names the terminal session, where a person tries something out in one."""
        if self.stage or self.applies or not _whole_terminal():
            return None
        return f"{os.ttyname(sys.stdin.fileno())}:{os.getsid(0)}"

    @property
    def stages(self) -> bool:
        """Whether a plan is staged at all."""
        return not (self.check or self.no_stage)

    def check_sense(self) -> None:
        """No flag is ignored silently: raises `RequestError` for one that has no effect."""
        for name, other, why in _APART:
            if getattr(self, name) and getattr(self, other):
                both = f"{flag_of(name)} and {flag_of(other)}"
                raise RequestError(f"{both} cannot be used together: {why}.")
        if self.apply and not self.yes and not self._has_reason():
            hint = "Say why with --reason TEXT; with -y it is what the plan does."
            raise RequestError("--apply needs a reason.", hint=hint)
        if self.yes and self.reason is not None and not self.reason.strip():
            raise RequestError("--reason is empty.", hint="Leave it out, or say why.")
        if self.reason is not None and not (
            self.applies or self._replace(reason=None).asks(Config())
        ):
            hint = "Or give it to `astedit resolve`."
            raise RequestError("--reason belongs to --apply.", hint=hint)
        if self.title is not None:
            from astedit.model.request import checked_title

            checked_title(self.title)
        if self.interactive:
            from astedit.cli.terminal_approval import check_possible

            check_possible()

    def _has_reason(self) -> bool:
        """Whether there is one, or a person who will be asked for it."""
        if self.reason is None:
            from astedit.cli.session import can_ask

            return can_ask()
        return bool(self.reason.strip())


def _whole_terminal() -> bool:
    return all(map(terminal, (sys.stdin, sys.stdout, sys.stderr)))


class Bounds(NamedTuple):
    """How long a run may take, and how many processes may work at once."""

    timeout: float | None = None
    jobs: int | None = None


class Buffer(NamedTuple):
    """What a command with --stdin takes: one text, and what its language is found by."""

    stdin: bool = False
    stdin_filename: str | None = None
    lang: str | None = None
    ops: str | None = None


def taken(kind: type[Kind], flags: Mapping[str, Any]) -> Kind:
    """The flags of one kind; what a command does not offer has its default."""
    names = kind.__annotations__
    return kind(**{name: value for name, value in flags.items() if name in names})


def written_flags(ctx: click.Context, flags: Mapping[str, Any]) -> set[str]:
    """The names of those flags that stand on the command line."""
    sources = ((name, ctx.get_parameter_source(name)) for name in flags)
    return {name for name, source in sources if source and source.name != "DEFAULT"}


def flag_of(name: str) -> str:
    """How the flag of a parameter is written."""
    return {"as_json": "--json", "replaces": "--replace"}.get(name, f"--{name.replace('_', '-')}")


def required(command: str, pattern: str | None, words: Sequence[str]) -> str:
    """The pattern; raises the error that says what was meant if there is none."""
    if pattern is None:
        raise missing_pattern(command, words)
    return pattern


def missing_pattern(command: str, words: Sequence[str]) -> RequestError:
    """The error; `words` are what was taken for PATHS."""
    flags = [("-p", "PATTERN"), ("-r", "REWRITE")] if command == "edit" else [("-p", "PATTERN")]
    usual = " ".join(f"{flag} {what}" for flag, what in flags)
    hint = f"Give {usual}{', or --ops FILE' if command == 'edit' else ''}."
    if words and not os.path.lexists(words[0]):
        hint = f"Did you mean: {_meant(command, words, flags)}"
    return RequestError("No pattern.", hint=hint, code="usage")


def _meant(command: str, words: Sequence[str], flags: Sequence[tuple[str, str]]) -> str:
    """The words that are no files behind the flags that they lack."""
    rest = list(words)
    line = ["astedit", command]
    for flag, what in flags:
        is_text = rest and not os.path.lexists(rest[0])
        line += [flag, shlex.quote(rest.pop(0)) if is_text else what]
    return " ".join([*line, *map(shlex.quote, rest)])


_FIXPOINT, _PASSES = "--fixpoint", 10  # which it means where no number follows
# what a flag means without `=`; `--error` and its kin belong to `scan`
_BARE = {
    "--json": "pretty",
    **dict.fromkeys(("--error", "--warning", "--info", "--hint", "--off"), ""),
}


class SpelledAsAstGrep(HelpPage):
    """A command whose flags take their values as those of ast-grep do.

    The form of `--json[=FORM]` follows only an `=`, where click would take the next PATH
    for it; and `-c=FILE` means `-c FILE`, where click would look for the file `=FILE`.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, spelled_out(args, taking_values(self)))


def taking_values(command: click.Command) -> set[str]:
    """The options of a command that take a value, as they are written."""
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
        elif arg == _FIXPOINT and not "".join(args[position + 1 : position + 2]).isdigit():
            written.append(f"{arg}={_PASSES}")
        elif arg[:2] in taking and arg[2:3] == "=":
            written += [arg[:2], arg[3:]]
        else:
            written.append(arg)
            value = arg in taking - {"--changed"}
    return written


_ORDER = "astedit.order"  # under which a context keeps the names of its flags as they came
_FOR_ALL = ("lang", "selector", "context")  # may stand before every pattern
_CONDITIONS = ("where", "where_kind")
_EACH = (*_FOR_ALL, *_CONDITIONS)


class Ordered(SpelledAsAstGrep):
    """A command that knows in which order its flags were given."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        written = spelled_out(args, taking_values(self))
        _, _, order = self.make_parser(ctx).parse_args(args=list(written))
        ctx.meta[_ORDER] = [parameter.name for parameter in order]
        return super().parse_args(ctx, args)


@dataclass(slots=True, eq=False, repr=False)
class Divided:
    """Flags by what they are about: the fields of all ops, and those of each pattern's."""

    everywhere: dict[str, str] = field(default_factory=dict)
    each: list[dict[str, Any]] = field(default_factory=list)

    @property
    def lang(self) -> str | None:
        """The one language that they name, if it is one."""
        names = {op.get("lang", self.everywhere.get("lang")) for op in self.each or [{}]}
        return names.pop() if len(names) == 1 else None


def divided(ctx: click.Context, flags: Mapping[str, Any]) -> Divided:
    """What the flags say of every pattern, and of each one; raises `RequestError`.

    With one pattern all of them are about the whole request, as it is stored.
    """
    parted = Divided()
    turns: dict[str, Iterator[str]] = {name: iter(flags[name]) for name in _EACH}
    for name in ctx.meta[_ORDER]:
        if name == "patterns":
            parted.each.append({})
        elif name in turns:
            _take(parted, name, next(turns[name]))
    if len(parted.each) == 1:
        (only,) = parted.each
        parted.everywhere |= {name: only.pop(name) for name in _FOR_ALL if name in only}
    return parted


def _take(divided: Divided, name: str, value: str) -> None:
    if name in _CONDITIONS:
        if not divided.each:
            hint = f"Write it behind its -p; in a document it is the key {name!r} of an op."
            raise RequestError(f"{flag_of(name)} belongs to the -p before it.", hint=hint)
        add_condition(divided.each[-1].setdefault(name, {}), name, value)
    elif divided.each:
        divided.each[-1][name] = value
    else:
        divided.everywhere[name] = value


def conditions(flags: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """The conditions of a command with one pattern, by key of an op."""
    made: dict[str, dict[str, str]] = {}
    for name in _CONDITIONS:
        for value in flags[name]:
            add_condition(made.setdefault(name, {}), name, value)
    return made


def add_condition(conditions: dict[str, str], name: str, value: str) -> None:
    """Adds `NAME=REGEX` or `NAME=KIND` to what is asked of captures."""
    flag = flag_of(name)
    capture, equals, text = value.partition("=")
    capture = capture.lstrip("$")
    if not (capture and equals and text):
        example = "A=^x" if name == "where" else "A=identifier"
        raise RequestError(f"{flag} {value!r} names no capture.", hint=f"Such as {flag} {example}.")
    if capture in conditions:
        raise RequestError(
            f"{flag} is given twice for ${capture}.", hint="Make one expression of them."
        )
    conditions[capture] = text
