"""The options of commands as typed values.

click passes a command everything by name; `taken` takes out of that what is of one kind.
The fields are named like the parameters of the options that `cli.options` declares. Named
tuples are made in an eighth of the time that dataclasses take, at every start.
"""

import os
import sys
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeVar

import click

from astedit.cli.output.streams import terminal
from astedit.errors import RequestError
from astedit.workspace.config import Config

Kind = TypeVar("Kind", bound=tuple[Any, ...])

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
                raise RequestError(
                    f"{_flag(name)} and {_flag(other)} cannot be used together: {why}."
                )
        if self.apply and not self.yes and not self._has_reason():
            hint = "Say why with --reason TEXT; with -y it is what the plan does."
            raise RequestError("--apply needs a reason.", hint=hint)
        if self.yes and self.reason is not None and not self.reason.strip():
            raise RequestError("--reason is empty.", hint="Leave it out, or say why.")
        if self.reason is not None and not (self.applies or self._may_ask()):
            hint = "Or give it to `astedit resolve`."
            raise RequestError("--reason belongs to --apply.", hint=hint)
        if self.title is not None:
            from astedit.model.request import checked_title

            checked_title(self.title)
        if self.interactive:
            from astedit.cli.terminal_approval import check_possible

            check_possible()

    def _may_ask(self) -> bool:
        return self._replace(reason=None).asks(Config())

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
    return {name for name in flags if _is_written(ctx, name)}


def _is_written(ctx: click.Context, name: str) -> bool:
    source = ctx.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"


def _flag(name: str) -> str:
    return {"as_json": "--json", "replaces": "--replace"}.get(name, f"--{name.replace('_', '-')}")
