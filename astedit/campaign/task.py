"""One repository's share of the work: plain data in, plain data out, in a process of its own.

So that a repository which crashes, hangs or eats its worker costs nothing but itself, on
this machine and on a cluster alike, and memory is given back after each.
"""

import ipaddress
import json
import os
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

from astedit.campaign.ledger import error_data
from astedit.engine.run.plan import check_limits
from astedit.engine.run_context import Run
from astedit.errors import AstEditError, LimitError, PreconditionError, RequestError
from astedit.limits import Deadline
from astedit.model.plan import Plan
from astedit.model.request import EditRequest
from astedit.programs import Child, scratch, spawn, written
from astedit.proving.plan_judge import TestCommand
from astedit.proving.prove import ProofOptions, Prover
from astedit.sandbox.sandbox import Sandbox
from astedit.staging.preview import preview
from astedit.staging.stored import packed
from astedit.version import __version__
from astedit.workspace.config import load
from astedit.workspace.root import Workspace, state_dir

GRACE = 10.0  # seconds beyond a task's own timeout, for starting and for its last file
_NO_PROOF = {"minutes": 0}
_TAIL = 500  # characters of what a dead process said
_running: set[Child] = set()


class WorkerLost(RuntimeError):
    """The process died before it answered; trying once more is worth it."""


def plan_repository(task: dict[str, Any]) -> dict[str, Any]:
    """The plan of one repository, or `{"error": {code, message, hint, path}}`.

    `task` holds `root`, `request`, `expect`, `timeout` (seconds, kept even when the engine
    hangs), `jobs` and `prove`. The answer holds `version` and `plan`, as an action stores it,
    and the `verdict` of the proof. Reads the repository; writes nothing. Raises `WorkerLost`.
    """
    files = scratch(json.dumps(task).encode()), scratch(), scratch()
    seconds = task["timeout"] + GRACE + 60 * (task.get("prove") or _NO_PROOF)["minutes"]
    command = [sys.executable, "-P", "-m", "astedit.campaign.task"]
    try:
        child = spawn(command, os.environ, files, lifeline=True)
        _running.add(child)
        try:
            status = child.wait(Deadline(seconds))
        except LimitError:
            message = f"Out of time after {task['timeout']:g} s; nothing was staged."
            hint = "Raise `timeout`."
            return {"error": {"code": "timeout", "message": message, "hint": hint, "path": None}}
        finally:
            child.let_go()
            child.wait()
            _running.discard(child)
        if status:
            output = written(files[2]).decode(errors="replace")[-_TAIL:].strip()
            raise WorkerLost(f"A worker ended with {status}. {output}".rstrip())
        answer: dict[str, Any] = json.loads(written(files[1]))
        return answer
    finally:
        for file in files:
            os.close(file)


def stop() -> None:
    """Ends the processes that this one's tasks run in."""
    for child in list(_running):
        child.let_go()


_CONNECT = 15  # seconds


@contextmanager
def on_cluster(address: str) -> Iterator[Executor]:
    """The workers of the scheduler at `tls://HOST:PORT`, or `tcp://` on this machine.

    Who can speak to a scheduler can run any code on it and its workers, so `tcp://` to
    another machine is refused; Dask's own configuration names the certificates for `tls://`.
    """
    _check(address)
    try:
        distributed: Any = import_module("distributed")  # it is typed in parts only
    except ImportError as error:
        raise PreconditionError(
            "Dask is not installed.",
            code="no_cluster",
            hint="In a checkout of astedit: pip install '.[cluster]'",
        ) from error
    try:
        client = distributed.Client(address, timeout=_CONNECT, set_as_default=False)
    except (OSError, ValueError, RuntimeError) as error:  # TimeoutError is an OSError
        raise PreconditionError(
            f"The scheduler {address} does not answer: {error}.",
            code="no_scheduler",
            hint="Start one with: python -m dask scheduler --host 127.0.0.1",
        ) from error
    with client:
        # Not `retries`: the driver counts attempts, alike on every executor.
        yield client.get_executor(pure=False)


def _check(address: str) -> None:
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise RequestError(f"{address!r} is not an address: {error}.") from error
    if parts.scheme not in ("tcp", "tls") or not host or port is None:
        raise RequestError(
            f"{address!r} is not the address of a scheduler.", hint="Like tcp://127.0.0.1:8786."
        )
    if parts.scheme == "tcp" and not _here(host):
        raise RequestError(
            f"{address} is another machine, and tcp:// has no protection.",
            hint="Use tls://, with Dask's certificates configured.",
            code="insecure",
        )


def _here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def main() -> None:
    """Answers one task."""
    os.chdir("/")  # so that no directory of a person is kept busy
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.stdout.buffer.write(json.dumps(answer(json.loads(sys.stdin.buffer.read()))).encode())


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
    run = Run(want_hunks=False, jobs=task["jobs"], inline=True, deadline=Deadline(task["timeout"]))
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
            sandbox = Sandbox(workspace.root, state_dir(workspace, load(workspace).state_dir))
            proving = Prover(plan, workspace, sandbox, options).prove()
    except AstEditError as error:
        return {"error": error_data(error)}
    return verdict_of(proving, plan, options)


if __name__ == "__main__":
    main()
