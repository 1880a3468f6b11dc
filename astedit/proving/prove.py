"""Runs the tests with a plan, while the tree stays as it is; says which edits break them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Literal

from astedit.errors import PreconditionError, StaleError
from astedit.limits import Deadline
from astedit.model.plan import Plan
from astedit.model.shapes import alike_edits
from astedit.proving.culprits import Culprits, CulpritSearch, OutOfBudget, Subset
from astedit.proving.plan_judge import Baseline, JudgedRun, PlanJudge, RunBudget, TestCommand
from astedit.review.units import EditUnit, ids_of, level, units_of
from astedit.sandbox.sandbox import Sandbox, SandboxError, SandboxWay, choose
from astedit.sandbox.tree_copy import TreeState, changed_directories, tree_state
from astedit.staging.plan_contents import PlanContents, written_paths
from astedit.text import first_names, number
from astedit.workspace.root import Workspace, own_state

ProofOutcome = Literal["proven", "broken", "out_of_budget"]
_NAMED = 5  # tests, or directories, in a message


@dataclass(frozen=True, slots=True)
class ProofOptions:
    """How a plan is proved: the command, the budget, and the sandbox."""

    command: TestCommand
    baseline_runs: int = 2
    runs: int = 60
    minutes: float = 20.0
    jobs: int = 1
    expect_failing: bool = False
    way: SandboxWay | None = None


@dataclass(slots=True)
class BlamedEdits:
    """One culprit: its units, those that it needs to be loaded, and the tests that fail."""

    units: list[EditUnit]
    needs: list[EditUnit]
    tests: list[str]


@dataclass(slots=True)
class Proving:
    """How it came out.

    `rest` are the units with which the tests pass, as `run` says; those left out are of the
    culprits. Out of budget there is no such run, and `bracket` holds one more culprit.
    """

    outcome: ProofOutcome
    rest: list[EditUnit]
    run: JudgedRun | None
    culprits: list[BlamedEdits] = field(default_factory=list)
    bracket: list[EditUnit] = field(default_factory=list)
    flaky: list[str] = field(default_factory=list)
    failing_before: list[str] = field(default_factory=list)
    runs: int = 0
    baseline_runs: int = 0
    way: SandboxWay = "overlay"
    warnings: list[str] = field(default_factory=list)


class Prover:
    """Proves one plan in one sandbox.

    `say` takes a line for people about each step: counts and times, no paths of edits.
    """

    def __init__(
        self,
        plan: Plan,
        workspace: Workspace,
        sandbox: Sandbox,
        options: ProofOptions,
        *,
        say: Callable[[str], None] = lambda _: None,
        deadline: Deadline | None = None,
    ) -> None:
        self._options, self._sandbox, self._say = options, sandbox, say
        self._numbers = count(1)
        self._left_out = [place] if (place := own_state(workspace)) else []
        self._before = self._state()
        self._units = units_of(plan)
        self._contents = PlanContents(plan, workspace)
        choose(sandbox, options.way, written_paths(plan))
        self._judge = PlanJudge(
            sandbox,
            options.command,
            RunBudget(options.runs + options.baseline_runs, options.minutes),
            lambda subset: self._contents.with_edits(ids_of(self._of(subset))),
            self._tell,
            deadline or Deadline(),
            options.jobs,
        )

    def prove(self) -> Proving:
        """Runs the baseline, then the whole plan, then whatever finds the culprits.

        Raises `PreconditionError` where the baseline fails or is missing, `StaleError` where
        the tree changed meanwhile, and `SandboxError`.
        """
        for warning in self._sandbox.warnings:
            self._say(f"warning: {warning}")
        try:
            self._judge.baseline = self._baseline()
            culprits = self._culprits()
        except OutOfBudget:
            culprits = Culprits(complete=False, bracket=frozenset(range(len(self._units))))
        self._refuse_changed()
        return self._proving(culprits)

    def _culprits(self) -> Culprits:
        search = CulpritSearch(
            self._judge, lambda position: level(self._units, position), self._options.jobs
        )
        return search.run(len(self._units))

    def _proving(self, culprits: Culprits) -> Proving:
        judge, options = self._judge, self._options
        outcome: ProofOutcome = "out_of_budget"
        if culprits.complete:
            outcome = "broken" if culprits.sets else "proven"
        blamed = [
            BlamedEdits(
                self._of(culprit.members),
                self._of(culprit.needs),
                judge.failed_tests(culprit.members | culprit.needs),
            )
            for culprit in culprits.sets
        ]
        return Proving(
            outcome,
            self._of(culprits.rest) if culprits.complete else [],
            judge.runs.get(culprits.rest) if culprits.complete else None,
            blamed,
            self._of(culprits.bracket),
            sorted(judge.baseline.flaky),
            sorted(judge.baseline.failing),
            max(0, judge.budget.used - options.baseline_runs),
            min(judge.budget.used, options.baseline_runs),
            self._sandbox.way,
            self._sandbox.warnings,
        )

    def _baseline(self) -> Baseline:
        """Runs the tests without the plan; refuses to go on where that says nothing."""
        try:
            judged = [self._judge.once(frozenset()) for _ in range(self._options.baseline_runs)]
        except SandboxError as error:
            if error.code != "no_command":
                raise
            raise PreconditionError(error.message, code="baseline") from error
        failed = [run.report.failed for run in judged if run.verdict != "pass"]
        seconds = max((run.run.seconds for run in judged), default=0.0)
        if not failed:
            return Baseline(seconds=seconds)
        always = frozenset.intersection(*failed) if len(failed) == len(judged) else frozenset()
        flaky = frozenset().union(*failed) - always
        if always or not flaky:
            self._refuse_failing(judged, always)
        if flaky:
            names = first_names(sorted(flaky), _NAMED)
            self._say(f"Flaky, and repeated where they decide something: {names}.")
        return Baseline(always, flaky, seconds)

    def _refuse_failing(self, judged: Sequence[JudgedRun], always: frozenset[str]) -> None:
        self._refuse_changed()
        last = next(run for run in reversed(judged) if run.verdict != "pass")
        if self._options.expect_failing and always:
            names = first_names(sorted(always), _NAMED)
            self._say(f"Without the plan these fail, and say nothing about it: {names}.")
            return
        how = "they say nothing about the plan then"
        tail = "\n".join(f"  {line}" for line in last.run.output.rstrip().splitlines()[-20:])
        raise PreconditionError(
            f"Without the plan the tests fail ({_ending(last)}): {how}.\n{tail}",
            code="baseline",
            hint="Which tests fail is not known: name them by --junit or --fail-regex."
            if self._options.expect_failing
            else "Repair them first, or go on with --expect-failing.",
        )

    def _refuse_changed(self) -> None:
        changed = changed_directories(self._before, self._state())
        if changed:
            raise StaleError(
                f"The tree changed meanwhile, and the proof is void: in "
                f"{first_names(changed, _NAMED)}.",
                code="void",
                hint="Leave the tree alone until it is proved.",
            )

    def _state(self) -> TreeState:
        return tree_state(self._sandbox.root, without=self._left_out)

    def _of(self, subset: Subset) -> list[EditUnit]:
        return [self._units[position] for position in sorted(subset)]

    def _tell(self, subset: Subset, judged: JudgedRun) -> None:
        edits = sum(len(self._units[position].edits) for position in subset)
        what = f"with {number(edits, 'edit')}" if subset else "without the plan"
        self._say(f"run {next(self._numbers)}, {what}: {_ending(judged)}")


def _ending(judged: JudgedRun) -> str:
    """`passed in 1.2 s`, `failed in 1.2 s, 3 tests`."""
    run, failed = judged.run, len(judged.report.failed)
    how = "passed" if judged.verdict == "pass" else "failed"
    if run.ended == "timeout":
        how = "ended, it did not come to an end"
    elif run.ended:
        how = "ended, the sandbox was full" if run.ended == "full" else "was killed"
    elif judged.verdict == "unresolved":
        how = "could not be loaded"
    full = ", the sandbox was full" if run.full and run.ended is None else ""
    counted = f", {number(failed, 'test')}" if failed else ""
    return f"{how} in {run.seconds:.1f} s{counted}{full}"


SCHEMA = "astedit/proof/1"


EditRows = dict[str, dict[str, Any]]


def edit_rows(plan: Plan) -> EditRows:
    """Each edit of a plan as every document names it, by its id."""
    return {
        member.edit.id: {
            "id": member.edit.id,
            "path": member.path,
            "line": member.edit.shown_line,
            "shape": group.shape.label,
        }
        for group in alike_edits(plan.files, plan.request)
        for member in group.edits
    }


def _rows(rows: EditRows, units: Iterable[EditUnit]) -> list[dict[str, Any]]:
    return [rows[edit_id] for unit in units for _, edit_id in unit.edits]


def lines(proving: Proving, plan: Plan) -> Iterator[str]:
    """One line for each edit that is to blame: its place, its shape, the tests that fail."""
    rows = edit_rows(plan) if proving.culprits else {}
    for culprit in proving.culprits:
        tests = ", ".join(culprit.tests) or "the command fails"
        for row in _rows(rows, culprit.units):
            yield f"{row['path']}:{row['line']}  {row['shape']}  {tests}"


def culprit_document(culprit: BlamedEdits, rows: EditRows) -> dict[str, Any]:
    """One culprit; `needs` are edits without which it could not be loaded."""
    return {
        "edits": _rows(rows, culprit.units),
        "needs": [row["id"] for row in _rows(rows, culprit.needs)],
        "tests": culprit.tests,
    }


def document(proving: Proving, plan: Plan, command: str) -> dict[str, Any]:
    """The whole of it."""
    rows, run = edit_rows(plan), proving.run
    return {
        "schema": SCHEMA,
        "actionId": plan.action_id,
        "fingerprint": plan.fingerprint,
        "command": command,
        "outcome": proving.outcome,
        "proven": proving.outcome == "proven",
        "culprits": [culprit_document(culprit, rows) for culprit in proving.culprits],
        "rest": [row["id"] for row in _rows(rows, proving.rest)],
        "bracket": _rows(rows, proving.bracket),
        "baseline": {
            "runs": proving.baseline_runs,
            "failing": proving.failing_before,
            "flaky": proving.flaky,
        },
        "runs": proving.runs,
        "sandbox": {"way": proving.way, "warnings": proving.warnings},
        "exitCode": run.run.status if run else None,
        "seconds": round(run.run.seconds, 3) if run else None,
        "tail": tail_of(proving),
    }


def tail_of(proving: Proving) -> str:
    """The end of what the run printed that passed."""
    return proving.run.run.output[-2_000:] if proving.run else ""
