"""The options of a proof on the command line, and one proof of a staged action."""

import os
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from astedit.cli import options
from astedit.cli.options import HelpPage
from astedit.cli.output import streams
from astedit.cli.place import Place, is_within
from astedit.cli.session import listening
from astedit.engine.run_context import Run
from astedit.limits import Deadline
from astedit.text import number
from resolve.visible import one_line

if TYPE_CHECKING:
    from astedit.model.plan import Plan
    from astedit.proving.prove import ProofOptions, Proving
    from astedit.sandbox.sandbox import Sandbox
    from resolve import PendingAction, Session

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_SIZE = re.compile(r"(\d{1,12})([KMG]?)", re.IGNORECASE)
_SECONDS = click.FloatRange(min=0, min_open=True)
_STOPPED = "Interrupted: nothing was changed."
_ROOM = 2 << 30  # bytes that a run may write


class Size(click.ParamType[int]):
    """Bytes, or with a K, M or G behind them so many times 1024."""

    name = "SIZE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        if (size := _SIZE.fullmatch(value)) is None or not int(size[1]):
            self.fail(f"{value!r} is not a size such as 512M.", param, ctx)
        return int(size[1]) * _UNITS[size[2].upper()]


class WithCommand(HelpPage):
    """A command whose arguments end at `--`; what stands behind is another command's."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        at = args.index("--") if "--" in args else len(args)
        ctx.meta["words"], ctx.meta["arguments"] = args[at + 1 :], args[:at]
        return super().parse_args(ctx, args[:at])


def with_command(example: str) -> Callable[[Callable[..., Any]], click.Command]:
    """Such a command, whose help begins with the example, `astedit` left out."""
    epilog = f"Example: astedit {example}"
    return click.command(cls=WithCommand, epilog=epilog, options_metavar="[OPTIONS]")


def _counted(
    name: str, usual: float, kind: click.ParamType[Any], text: str, *short: str
) -> options.Decorator[Any]:
    """The option of a number, with its default in the help."""
    return click.option(
        *short, name, help=text, type=kind, default=usual, show_default=True, metavar="N"
    )


sandbox_limits = options.together(
    click.option("--sandbox-size", "size", type=Size(), default=_ROOM, metavar="SIZE",
                 help="How much a run may write to the tree. Default: 2G."),
    click.option("--no-network", is_flag=True, help="Run without network access."),
)  # fmt: skip

sandbox_way = click.option("--sandbox", "way", type=click.Choice(("overlay", "copy")),
                           help="Default: an overlay where that works.")  # fmt: skip
proof_options = options.together(
    _counted("--baseline-runs", 2, options.POSITIVE, "Runs without the plan, which must pass."),
    _counted("--runs", 60, options.POSITIVE, "At most N runs with parts of the plan."),
    _counted("--minutes", 20.0, _SECONDS, "Give up after so long."),
    _counted("--jobs", 1, options.POSITIVE, "N runs at once.", "-j"),
    click.option("--run-timeout", type=_SECONDS, metavar="SECONDS",
                 help="End a run after this many seconds; it counts as failed. "
                      "Default: five times the baseline, and half a minute."),
    click.option("--fail-regex", metavar="RE", help="Finds the failed tests in the output."),
    click.option("--junit", metavar="FILE", help="The JUnit file that the command writes."),
    click.option("--expect-failing", is_flag=True,
                 help="Go on if tests fail without the plan; these tests then prove nothing."),
    sandbox_way,
    sandbox_limits,
)  # fmt: skip


def proof_of(words: Sequence[str], place: Place, settings: Mapping[str, Any]) -> "ProofOptions":
    """What the command line says of a proof, as `proof_options` name it; it may say nothing."""
    from astedit.proving.plan_judge import TestCommand
    from astedit.proving.prove import ProofOptions

    command = TestCommand(
        words,
        settings.get("run_timeout"),
        place.below(settings.get("junit")),
        settings.get("fail_regex"),
    )
    names = ("baseline_runs", "runs", "minutes", "jobs", "expect_failing", "way")
    return ProofOptions(command, **{name: settings[name] for name in names if name in settings})


def prove_on(
    action: "PendingAction",
    session: "Session",
    place: Place,
    state: str,
    proof: "ProofOptions",
    settings: Mapping[str, Any],
) -> "tuple[Plan, Proving]":
    """Proves a staged plan; Ctrl-C ends that, and what it runs. `state` is beside the state."""
    from astedit.proving.staged_proof import prove_staged

    sandbox = sandbox_of(place, state, settings)
    with listening(_STOPPED) as signal:
        return prove_staged(
            action,
            session,
            place.workspace,
            sandbox,
            proof,
            say=lambda line: streams.note(line),
            deadline=Deadline(None, signal),
        )


def format_on(
    action: "PendingAction", session: "Session", place: Place, state: str, command: str
) -> "PendingAction":
    """The action of the plan with what a formatter does to its lines, in the place of this one."""
    from astedit.programs import ANY
    from astedit.proving.staged_proof import stage_formatted

    with listening(_STOPPED) as signal:
        run = Run(state=state, config=place.config, deadline=Deadline(None, signal), commands=ANY)
        made = stage_formatted(action, session, place.workspace, command, run)
    streams.note(made.note)
    return made.action


def sandbox_of(place: Place, state: str, settings: Mapping[str, Any]) -> "Sandbox":
    """The sandbox of a root, in which commands start where the caller is."""
    from astedit.sandbox.sandbox import Sandbox

    network, size = not settings.get("no_network"), settings.get("size", _ROOM)
    return Sandbox(place.workspace.root, state, directory_in(place), size, network)


def directory_in(place: Place) -> str:
    """Where the caller is below the root; "" anywhere else."""
    root = place.workspace.root
    return os.path.relpath(os.path.realpath("."), root) if is_within(place.workspace) else ""


def split(command: str, option: str) -> list[str]:
    """The words of a command that is one text; raises `click.UsageError`."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise click.UsageError(f"{option}: {error}.") from error
    if not words:
        raise click.UsageError(f"{option} names no command.")
    return words


def report(plan: "Plan", proving: "Proving", command: str, *, as_json: bool) -> int:
    """Prints how a proof came out, and returns the exit code for it."""
    from astedit.proving.prove import document, lines

    shown = map(one_line, lines(proving, plan))
    streams.answer(document(proving, plan, command), shown, as_json=as_json)
    streams.flush()
    streams.note(_summary(plan, proving, command))
    return {"proven": 0, "broken": 1, "out_of_budget": 4}[proving.outcome]


def _summary(plan: "Plan", proving: "Proving", command: str) -> str:
    edits = sum(len(unit.edits) for unit in proving.rest)
    if proving.outcome == "proven":
        return f"Proven: {one_line(command)} passes with {number(edits, 'edit')}."
    blamed = sum(len(culprit.units) for culprit in proving.culprits)
    if proving.outcome == "broken":
        rest = f"the other {edits:,} pass" if edits else "none is left"
        apply = f"\nhint: astedit resolve apply {plan.action_id} --proven --reason TEXT"
        return f"{number(blamed, 'edit')} to blame; {rest}.{apply if edits else ''}"
    known = "nothing is known of the plan yet."
    if proving.bracket and proving.runs:
        among = sum(len(unit.edits) for unit in proving.bracket)
        known = f"what breaks it is among {number(among, 'edit')}; --json lists them."
    return f"Out of budget after {number(proving.runs, 'run')}: {known}"
