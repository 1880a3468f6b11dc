"""Plans every repository that waits, on any executor, and stages what comes back."""

from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from dataclasses import asdict
from typing import Any

from astedit.campaign.file import Campaign
from astedit.campaign.ledger import Ledger, LedgerRow, error_data
from astedit.campaign.repository import (
    RepositoryGate,
    checked_answer,
    current,
    plan_of,
    same_versions,
    take,
    tidy,
    verdict_of,
)
from astedit.campaign.task import plan_repository
from astedit.errors import AstEditError, PreconditionError
from astedit.limits import Progress
from resolve import ToolError

AHEAD = 256  # tasks handed out at once: plans that wait here to be staged cost memory
ATTEMPTS = 2  # a killed worker costs one retry
_SETTLED = ("unchanged", "pending", "stale", "applying", "applied", "landed", "discarded",
            "undone")  # fmt: skip

Answers = Iterator[tuple[str, dict[str, Any]]]


def plan(
    campaign: Campaign,
    ledger: Ledger,
    executor: Executor,
    gate: RepositoryGate,
    *,
    jobs: int = 1,
    refresh: bool = False,
    progress: Progress = lambda done, total: None,
) -> None:
    """Plans and stages what has not been, and notes each repository as it is done.

    A second run, after a crash or a failure, goes on where the first one stopped; nothing is
    staged twice. With `refresh` also what is stale, had nothing to change, or could not be
    proved is planned again. `jobs` processes may work within one repository. One repository's
    trouble is its row's `error`; raises `PreconditionError` for workers of other versions, and
    whatever keeps the ledger from being written.
    """
    waiting = [root for root in campaign.roots if _waits(root, campaign, ledger, gate, refresh)]
    settled = len(campaign.roots) - len(waiting)
    progress(settled, len(campaign.roots))
    tasks = [_task(root, campaign, jobs) for root in waiting]
    for done, (root, answer) in enumerate(_answers(executor, tasks), settled + 1):
        ledger.put(_taken(root, answer, campaign, gate))
        progress(done, len(campaign.roots))


def _waits(
    root: str, campaign: Campaign, ledger: Ledger, gate: RepositoryGate, refresh: bool
) -> bool:
    """Whether a repository has to be planned; what is known of it is noted."""
    row = ledger.row(root)
    try:
        with gate.session(root, create=False) as session:
            session.recover()  # an apply that was killed left a mix, which nobody should plan
            row = current(campaign, row, session)
            if row.state in _SETTLED:
                tidy(campaign, row, session)
    except (AstEditError, ToolError) as error:
        row.state = "failed"
        row.error = error_data(error)
    ledger.put(row)
    if refresh and (row.state in ("unchanged", "stale") or _unproven(campaign, row)):
        return True
    return row.state not in _SETTLED or (_unproven(campaign, row) and row.error is None)


def _unproven(campaign: Campaign, row: LedgerRow) -> bool:
    """Whether a proof is wanted and there is none: of the whole, or of a part."""
    return campaign.prove is not None and row.state == "pending" and row.proof is None


def _task(root: str, campaign: Campaign, jobs: int) -> dict[str, Any]:
    return {
        "root": root,
        "request": asdict(campaign.request),
        "expect": campaign.expect,
        "timeout": campaign.timeout,
        "jobs": jobs,
        "prove": asdict(campaign.prove) if campaign.prove else None,
    }


def _answers(executor: Executor, tasks: list[dict[str, Any]]) -> Answers:
    """Each repository's answer as it comes; a lost worker's task is handed out once more."""
    todo = iter(tasks)
    open_: dict[Future[dict[str, Any]], tuple[dict[str, Any], int]] = {}
    try:
        while True:
            while len(open_) < AHEAD and (task := next(todo, None)) is not None:
                open_[_submit(executor, task)] = task, 1
            if not open_:
                return
            for future in wait(open_, return_when=FIRST_COMPLETED).done:
                task, attempt = open_.pop(future)
                if (lost := future.exception()) is None:
                    yield task["root"], future.result()
                elif attempt < ATTEMPTS:
                    open_[_submit(executor, task)] = task, attempt + 1
                else:
                    yield task["root"], {"error": _lost(lost, attempt)}
    finally:
        for future in open_:
            future.cancel()


def _submit(executor: Executor, task: dict[str, Any]) -> Future[dict[str, Any]]:
    try:
        return executor.submit(plan_repository, task)
    except BrokenExecutor as error:
        raise PreconditionError(
            f"The workers cannot go on: {error}", code="no_workers", hint="Run the campaign again."
        ) from error


def _lost(error: BaseException, attempts: int) -> dict[str, Any]:
    """What an executor raises is about the worker: the task's own errors are answers."""
    reason = f"{type(error).__name__}: {error}".splitlines()[0]
    return {
        "code": "worker_lost",
        "message": f"The worker was lost {attempts} times ({reason}).",
        "hint": "Run the campaign again; it goes on with what is not done.",
        "path": None,
    }


def _taken(
    root: str, answer: dict[str, Any], campaign: Campaign, gate: RepositoryGate
) -> LedgerRow:
    """The row of an answer, whose plan is staged by now."""
    try:
        answer = checked_answer(answer)
        if "error" in answer:
            return LedgerRow(root, campaign.digest, "failed", error=answer["error"])
        plan = plan_of(answer, root, campaign.request)
        verdict = verdict_of(answer, plan, campaign.prove)
    except AstEditError as error:
        return LedgerRow(root, campaign.digest, "failed", error=error_data(error))
    same_versions(answer["version"], plan)
    try:
        with gate.session(root, create=plan.total_replacements > 0) as session:
            return take(campaign, plan, verdict, session)
    except (AstEditError, ToolError) as error:
        return LedgerRow(root, campaign.digest, "failed", error=error_data(error))
