"""The process that plans one repository: a task on standard input, the answer on standard output.

It ends with the process that started it, even inside a C call that never returns: see
`programs.spawn`.
"""

import json
import os
import signal
import sys
from typing import Any

from astedit.campaign.ledger import error_data
from astedit.engine.run.plan import check_limits
from astedit.engine.run_context import Run
from astedit.errors import AstEditError
from astedit.limits import Deadline
from astedit.model.plan import Plan
from astedit.model.request import EditRequest
from astedit.proving.plan_judge import TestCommand
from astedit.proving.prove import ProofOptions, Prover
from astedit.sandbox.sandbox import Sandbox
from astedit.staging.preview import preview
from astedit.staging.stored import packed
from astedit.version import __version__
from astedit.workspace.config import load
from astedit.workspace.root import Workspace, state_dir


def main() -> None:
    """Answers one task."""
    os.chdir("/")  # so that no directory of a person is kept busy
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    task = json.loads(sys.stdin.buffer.read())
    sys.stdout.buffer.write(json.dumps(answer(task)).encode())


def answer(task: dict[str, Any]) -> dict[str, Any]:
    """The plan as an action stores it, and by which version; or the error."""
    try:
        plan = _planned(task)
        answered = {"version": __version__, "plan": packed(plan)}
        if task.get("prove") is not None and plan.total_replacements:
            answered["verdict"] = _proved(task, plan)
        return answered
    except AstEditError as error:
        return {"version": __version__, "error": error_data(error)}


def _planned(task: dict[str, Any]) -> Plan:
    request = EditRequest.restored(task["request"])
    deadline = Deadline(task["timeout"])
    run = Run(want_hunks=False, jobs=task["jobs"], inline=True, deadline=deadline)
    with Workspace(task["root"]) as workspace:
        plan = preview(request, workspace, run)
    check_limits(plan, task["expect"])
    return plan


def _proved(task: dict[str, Any], plan: Plan) -> dict[str, Any]:
    """What came of proving the plan here, or the error that kept it from being proved."""
    from astedit.campaign.file import ProveStep
    from astedit.proving.staged_proof import verdict_of

    step = ProveStep(**task["prove"])
    command = TestCommand(step.words, step.run_timeout, step.junit, step.fail_regex)
    options = ProofOptions(command, step.baseline_runs, step.runs, step.minutes,
                           expect_failing=step.expect_failing)  # fmt: skip
    try:
        with Workspace(task["root"]) as workspace:
            state = state_dir(workspace, load(workspace).state_dir)
            sandbox = Sandbox(workspace.root, state)
            proving = Prover(plan, workspace, sandbox, options).prove()
    except AstEditError as error:
        return {"error": error_data(error)}
    return verdict_of(proving, plan, options)


if __name__ == "__main__":
    main()
