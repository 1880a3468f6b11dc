"""Runs the tests in the sandbox with parts of a plan, within a budget, and judges the runs."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from xml.etree import ElementTree

from astedit.errors import RequestError
from astedit.limits import Deadline
from astedit.proving.culprits import OutOfBudget, PartVerdict, Subset
from astedit.rule.regex import compile_regex
from astedit.sandbox.sandbox import FileState, Sandbox, SandboxError, SandboxRun

# What runners print of a test that failed, and of a file that could not be loaded: the first
# group names it. RE2, since what a command prints is foreign text.
_FAILED = (
    r"(?m)^(?:FAILED|ERROR) ([^\s:]+::.+?)(?: - .*)?$",  # pytest
    r"(?m)^(?:FAIL|ERROR): \S+ \(([^\s()]+)\)",  # unittest
    r"(?m)^[ \t]*--- FAIL: (\S+)",  # go test
    r"(?m)^[ \t]*not ok \d+ - (.+?)(?: # .*)?$",  # TAP
    r"(?m)^[ \t]*✖ (.+?) \([\d.]+ms\)",  # node
)
_NOT_LOADED = (
    r"(?m)^ERROR ([^\s:]+)(?: - .*)?$",
    r"(?m)^ERROR: (\S+) \(unittest\.loader\._FailedTest",
    r"(?m)^FAIL\s+(\S+) \[(?:build|setup) failed\]",
    r"(?m)^[ \t]*not ok \d+ - (.+\.[cm]?[jt]s)$",
    r"(?m)^[ \t]*✖ (.+\.[cm]?[jt]s) \([\d.]+ms\)",
)
_NO_TEST = r"^(?:unittest\.loader|failing tests)|\.[cm]?[jt]s$"
_PYTEST = r"(?:^|/)(?:pytest|py\.test)(?:-[\d.]+)?$"
_NOTHING_RAN = (2, 3, 4, 5)  # exits of pytest: interrupted, broken, misused, nothing collected


@dataclass(frozen=True, slots=True)
class TestReport:
    """What is known of one run. `loaded` is False where no test came to run at all."""

    __test__ = False

    failed: frozenset[str]
    loaded: bool = True


class ReportReader:
    """Reads reports, from the JUnit file or by the expression that a person names, if any.

    Of the expression the first group names a test, or all of it. Raises `RequestError` for
    one that is none.
    """

    def __init__(self, words: list[str], junit: str | None, fail_regex: str | None) -> None:
        self._junit = junit
        texts = (word.encode(errors="replace").decode() for word in words)
        self._pytest = any(map(compile_regex(_PYTEST).search, texts))
        try:
            self._regex = compile_regex(f"(?m){fail_regex}") if fail_regex else None
        except ValueError as error:
            raise RequestError(
                f"--fail-regex: {error}.", hint="RE2 has no lookaround and no backreferences."
            ) from error

    def read(self, run: SandboxRun) -> TestReport:
        """What a run that ended says about its tests."""
        failed, missing = self._names(run)
        nothing_ran = self._pytest and run.status in _NOTHING_RAN
        return TestReport(frozenset(failed), bool(failed) or not (missing or nothing_ran))

    def _names(self, run: SandboxRun) -> tuple[set[str], set[str]]:
        document = run.made.get(self._junit) if self._junit else None
        if document is not None:
            failed, missing = set[str](), set[str]()
            for name, loaded in _of_junit(document):
                (failed if loaded else missing).add(name)
            return failed, missing
        if self._regex is not None:
            matches = self._regex.finditer(run.output)
            return {match[1 if self._regex.groups else 0] for match in matches}, set()
        failed = _all(_FAILED, run.output)
        tests = {name for name in failed if not compile_regex(_NO_TEST).search(name)}
        return tests, _all(_NOT_LOADED, run.output)


def _all(expressions: tuple[str, ...], output: str) -> set[str]:
    per_expression = (compile_regex(expression).finditer(output) for expression in expressions)
    return {match[1] for matches in per_expression for match in matches}


def _of_junit(document: bytes) -> Iterator[tuple[str, bool]]:
    """Each test that failed, and whether it was loaded; nothing of what is no XML."""
    try:
        cases = list(ElementTree.fromstring(document).iter("testcase"))
    except ElementTree.ParseError:
        return
    for case in cases:
        trouble = [child for child in case if child.tag in ("failure", "error")]
        if trouble:
            place = case.get("classname") or case.get("file") or ""
            name = "::".join(filter(None, (place, case.get("name") or "")))
            yield name, all(t.get("message") != "collection failure" for t in trouble)


_REPEATS = 3  # of a run in which nothing failed but what is flaky
_SLOWER = 5  # times as long as the baseline a run may take, and so many seconds more:
_GRACE = 30.0


@dataclass(frozen=True, slots=True)
class TestCommand:
    """What is run to see whether the tests pass, and how that is read.

    `seconds` bounds one run; None leaves that to the time the baseline takes.
    """

    __test__ = False

    words: Sequence[str]
    seconds: float | None = None
    junit: str | None = None
    fail_regex: str | None = None


class RunBudget:
    """How many runs there may be, and until when."""

    def __init__(self, runs: int, minutes: float) -> None:
        self.left = runs
        self.used = 0
        self._end = time.monotonic() + minutes * 60
        self._lock = threading.Lock()

    def take(self) -> float:
        """Takes one run and returns the seconds that are left; raises `OutOfBudget`."""
        with self._lock:
            seconds = self._end - time.monotonic()
            if self.left <= 0 or seconds <= 0:
                raise OutOfBudget
            self.left -= 1
            self.used += 1
            return seconds


@dataclass(slots=True)
class Baseline:
    """What is known of the tests without the plan: which fail, and which do so at times."""

    failing: frozenset[str] = frozenset()
    flaky: frozenset[str] = frozenset()
    seconds: float = 0.0


@dataclass(slots=True)
class JudgedRun:
    """A run, what it says about the tests, and whether it counts as passed."""

    run: SandboxRun
    report: TestReport
    verdict: PartVerdict


@dataclass(slots=True)
class PlanJudge:
    """Who runs the tests with a part of the edits, for a `CulpritSearch`.

    `contents` are the files with the edits of a part. `tell` is called after each run with
    the number of its units. What was run once is remembered.
    """

    sandbox: Sandbox
    command: TestCommand
    budget: RunBudget
    contents: Callable[[Subset], Mapping[str, FileState]]
    tell: Callable[[Subset, JudgedRun], None]
    deadline: Deadline
    jobs: int = 1
    baseline: Baseline = field(default_factory=Baseline)
    runs: dict[Subset, JudgedRun] = field(default_factory=dict)
    _reader: ReportReader = field(init=False)

    def __post_init__(self) -> None:
        command = self.command
        self._reader = ReportReader(list(command.words), command.junit, command.fail_regex)

    def verdicts(self, subsets: Sequence[Subset]) -> list[PartVerdict]:
        """How the tests end with each of these parts; as `Jury` says."""
        new = [subset for subset in dict.fromkeys(subsets) if subset not in self.runs]
        if len(new) == 1:
            self.runs[new[0]] = self._decided(new[0])
        elif new:
            with ThreadPoolExecutor(self.jobs) as pool:
                self.runs |= dict(zip(new, pool.map(self._decided, new), strict=True))
        return [self.runs[subset].verdict for subset in subsets]

    def again(self, subset: Subset) -> PartVerdict:
        """Runs a part that failed once more; as `Jury` says."""
        judged = self._decided(subset)
        if judged.verdict == "pass" or subset not in self.runs:
            self.runs[subset] = judged
        return judged.verdict

    def failed_tests(self, subset: Subset) -> list[str]:
        """The tests that fail with a part, and not without it."""
        judged = self.runs.get(subset)
        before = self.baseline.failing | self.baseline.flaky
        return sorted(judged.report.failed - before) if judged else []

    def once(self, subset: Subset) -> JudgedRun:
        """Runs the tests with a part, without asking whether that was done before."""
        left = self.budget.take()
        command = self.command
        limit = command.seconds
        if limit is None and self.baseline.seconds:
            limit = self.baseline.seconds * _SLOWER + _GRACE
        reports = [command.junit] if command.junit else []
        run = self.sandbox.run(
            command.words,
            self.contents(subset),
            forget=reports,
            collect=reports,
            seconds=left if limit is None else min(limit, left),
            deadline=self.deadline,
        )
        if run.ended == "timeout" and (limit is None or left < limit):
            raise OutOfBudget
        if run.start_error:
            raise SandboxError(f"{command.words[0]} cannot be started: {run.start_error}.",
                               code="no_command")  # fmt: skip
        report = self._reader.read(run)
        judged = JudgedRun(run, report, self._verdict(run, report))
        self.tell(subset, judged)
        return judged

    def _decided(self, subset: Subset) -> JudgedRun:
        """A run; where nothing failed but what is flaky, it is repeated."""
        judged = self.once(subset)
        for _ in range(_REPEATS):
            failed = judged.report.failed - self.baseline.failing
            if judged.verdict == "pass" or not failed or not failed <= self.baseline.flaky:
                break
            judged = self.once(subset)
        return judged

    def _verdict(self, run: SandboxRun, report: TestReport) -> PartVerdict:
        if run.status == 0:
            return "pass"
        if report.failed and report.failed <= self.baseline.failing and run.ended is None:
            return "pass"
        return "fail" if report.loaded or run.ended else "unresolved"
