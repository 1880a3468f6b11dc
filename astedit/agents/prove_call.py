"""The tool `prove`: an agent runs the tests with its plan, if a person allowed that command."""

import shlex
from collections.abc import Iterator, Sequence
from typing import Any

from astedit.agents.reply import Reply, ToolCall
from astedit.engine.run_context import Run
from astedit.errors import PreconditionError
from astedit.limits import Deadline
from astedit.model.plan import Plan
from astedit.producers.capture import request_of_capture
from astedit.programs import allowed
from astedit.proving.plan_judge import TestCommand
from astedit.proving.prove import ProofOptions, Proving, document, lines
from astedit.proving.staged_proof import prove_staged
from astedit.sandbox.sandbox import Sandbox
from astedit.staging.open_workspace import ServedStack
from astedit.staging.preview import preview
from astedit.text import first_lines, number
from astedit.workspace.root import Workspace, state_dir
from resolve.visible import one_line

_SHOWN = 20  # lines about culprits


def refuse_unless_allowed(words: Sequence[str], patterns: Sequence[str]) -> None:
    """Raises `PreconditionError` (`command_not_allowed`) for a command that fits no pattern."""
    if not allowed(words, patterns):
        raise PreconditionError(
            f"The command {shlex.join(words)!r} is not allowed here.",
            code="command_not_allowed",
            hint=f"Allowed: {', '.join(patterns)}.",
        )


def prove(
    values: dict[str, Any], call: ToolCall, served: ServedStack, patterns: Sequence[str]
) -> Reply:
    """Proves a staged plan; a command that nobody allowed is refused."""
    words: list[str] = values["command"]
    refuse_unless_allowed(words, patterns)
    options = ProofOptions(TestCommand(words))
    numbers = iter(range(1, options.runs + options.baseline_runs + 1))

    def say(line: str) -> None:
        if line.startswith("run "):
            call.progress(next(numbers, 1), options.runs + options.baseline_runs)

    with served.session() as session, Workspace(served.root) as workspace:
        action = session.store.find(values["target"])
        sandbox = Sandbox(served.root, state_dir(workspace, served.state_dir))
        deadline = Deadline(None, call.signal)
        plan, proving = prove_staged(
            action, session, workspace, sandbox, options, say=say, deadline=deadline
        )
    counts = {"culprits": len(proving.culprits), "runs": proving.runs}
    shown = [one_line(line) for line in lines(proving, plan)]
    text = "\n".join([*_head(proving, words), *first_lines(shown, _SHOWN)]) + "\n"
    body = document(proving, plan, shlex.join(words))
    return Reply(text, body, action_id=action.id, counts=counts)


def _head(proving: Proving, words: Sequence[str]) -> Iterator[str]:
    edits = sum(len(unit.edits) for unit in proving.rest)
    if proving.outcome == "proven":
        yield f"Proven: {shlex.join(words)} passes with {number(edits, 'edit')}."
    elif proving.outcome == "broken":
        yield f"These edits break it; {number(edits, 'other edit')} pass together:"
    else:
        yield f"Out of budget after {number(proving.runs, 'run')}; nothing is decided."


def captured(
    values: dict[str, Any], call: ToolCall, served: ServedStack, patterns: Sequence[str]
) -> Plan:
    """The plan of what a command changes; one that nobody allowed is refused."""
    words: list[str] = values["command"]
    refuse_unless_allowed(words, patterns)
    request = request_of_capture(
        words, label=values.get("label", shlex.join(words)), replay=values.get("replay", "command")
    )
    with Workspace(served.root) as workspace:
        run = Run(deadline=Deadline(None, call.signal), commands=patterns, state=served.state_dir)
        return preview(request, workspace, run)
