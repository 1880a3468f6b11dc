"""Flags as ast-grep spells them, and those about the pattern before them: `-p A --where X=…`."""

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import click

from astedit.cli.options import HelpPage
from astedit.errors import RequestError


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
        elif (arg == _FIXPOINT and not args[position + 1 : position + 2][:1]) or (
            arg == _FIXPOINT and not args[position + 1].isdigit()
        ):
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
            flag = f"--{name.replace('_', '-')}"
            hint = f"Write it behind its -p; in a document it is the key {name!r} of an op."
            raise RequestError(f"{flag} belongs to the -p before it.", hint=hint)
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
    flag = f"--{name.replace('_', '-')}"
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
