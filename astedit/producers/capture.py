"""What a command changes, as a plan: it runs in a sandbox, and the tree stays as it is.

An apply runs it again and compares. Where that is not allowed, or was never wanted, the files
that the plan changes are compared instead.
"""

import shlex
import time
from collections.abc import Sequence
from typing import Any

from astedit.engine.run_context import Run
from astedit.errors import LimitError, PreconditionError, RequestError
from astedit.model.plan import CommandRun, Plan
from astedit.model.request import EditRequest, Operation
from astedit.producers.captured_files import CapturedFiles
from astedit.producers.previewed_files import unchanged
from astedit.producers.tree_change import TreeChange
from astedit.sandbox.allowed_commands import allowed
from astedit.sandbox.available import choose
from astedit.sandbox.sandbox import SIZE, Sandbox, SandboxRun
from astedit.workspace.config import load
from astedit.workspace.root import Workspace, state_dir

KIND = "capture"
REPLAYS = ("command", "never")
_TAIL = 4_000  # characters of output that are kept
_HINT = "Stage the rest with --allow-partial."


def request_of_capture(
    words: Sequence[str],
    *,
    label: str | None = None,
    directory: str = "",
    replay: str = "command",
    no_ignore: bool = False,
    network: bool = True,
    size: int = SIZE,
    allow_partial: bool = False,
    allow_protected: bool = False,
) -> EditRequest:
    """The request that makes what a command changes; `RequestError` if there is no command.

    `directory` is where it starts, below the root. Files that git ignores are left out unless
    `no_ignore`.
    """
    if not words:
        raise RequestError("There is no command to run.", code="no_command")
    if replay not in REPLAYS:
        raise RequestError(f"`replay` is one of {', '.join(REPLAYS)}.")
    arguments = {"command": shlex.join(words), "label": label or shlex.join(words)}
    arguments |= {"directory": directory, "replay": replay, "size": str(size)}
    arguments |= {} if network else {"network": "no"}
    return EditRequest(
        ops=[],
        operation=Operation(KIND, arguments),
        allow_partial=allow_partial,
        allow_protected=allow_protected,
        no_ignore=["generated", "vendored", *(["vcs"] if no_ignore else [])],
    )


def plan(request: EditRequest, workspace: Workspace, run: Run) -> Plan:
    """What the command makes of this tree, or the previewed plan if its files are the same.

    Raises `PreconditionError` (`command_not_allowed`) where the command may not run and
    nothing was previewed, `LimitError` and `SandboxError` where it does not come to an end.
    """
    assert request.operation is not None
    arguments = request.operation.arguments
    words = shlex.split(arguments["command"])
    admitted = allowed(words, run.commands)
    if run.previewed is not None and not (admitted and arguments["replay"] == "command"):
        return unchanged(run.previewed, workspace)
    if not admitted:
        raise PreconditionError(
            f"The command {arguments['command']!r} may not run here.",
            code="command_not_allowed",
            hint=f"On the command line: astedit capture -- {arguments['command']}",
        )
    if run.overlay:
        raise RequestError("A command cannot be captured on top of a pending plan.")
    started = time.time_ns()
    ended = _ended(arguments, words, workspace, run)
    change = TreeChange(request, workspace)
    captured = CapturedFiles(change, ended, started, run.deadline)
    change.notes.append(_how_it_ended(arguments["command"], ended))
    if arguments["replay"] == "never":
        change.notes.append("It is not run again: an apply compares the files.")
    captured.take()
    made = change.plan(run, KIND, captured.count, _HINT)
    made.command = CommandRun(
        words, ended.status or 0, round(ended.seconds, 3), ended.output[-_TAIL:],
        arguments["replay"],
    )  # fmt: skip
    return made


def _ended(arguments: Any, words: Sequence[str], workspace: Workspace, run: Run) -> SandboxRun:
    """Runs the command in a sandbox; raises unless it came to its own end."""
    settings = run.config or load(workspace)
    state = run.state or state_dir(workspace, settings.state_dir)
    network = arguments.get("network") != "no"
    sandbox = Sandbox(
        workspace.root, state, arguments["directory"], int(arguments["size"]), network
    )
    choose(sandbox, None, ())
    ended = sandbox.run(words, deadline=run.deadline, keep=True)
    if ended.start_error is not None:
        raise RequestError(f"{words[0]} cannot be started: {ended.start_error}.", code="no_command")
    if ended.full:
        raise LimitError(
            f"The command had no room: it may write {sandbox.size:,} bytes; nothing was staged.",
            code="sandbox_full",
            hint="Raise --sandbox-size.",
        )
    if ended.status is None or ended.status < 0:
        how = f"signal {-ended.status}" if ended.status else ended.ended
        raise PreconditionError(
            f"The command was ended by {how}; nothing was staged.{_last_line(ended)}",
            code="command_died",
        )
    if ended.too_many:
        raise LimitError(
            f"The command made {ended.too_many:,} changes; nothing was staged.",
            code="too_many_changes",
            hint="Give it fewer files.",
        )
    return ended


def _how_it_ended(command: str, ended: SandboxRun) -> str:
    after = f"{command} exited with {ended.status} after {ended.seconds:.1f} s."
    return after + (_last_line(ended) if ended.status else "")


def _last_line(ended: SandboxRun) -> str:
    lines = ended.output.strip().splitlines()
    return f" It said last: {lines[-1]}" if lines else ""
