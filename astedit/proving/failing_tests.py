"""Which tests failed: read from a JUnit file, or from what the usual runners print."""

from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree import ElementTree

from astedit.errors import RequestError
from astedit.rule.regex import compile_regex
from astedit.sandbox.sandbox import SandboxRun

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
        self._pytest = any(compile_regex(_PYTEST).search(word) for word in words)
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
    found = (compile_regex(each).finditer(output) for each in expressions)
    return {match[1] for matches in found for match in matches}


def _of_junit(document: bytes) -> Iterator[tuple[str, bool]]:
    """Each test that failed, and whether it was loaded; nothing of what is no XML."""
    try:
        cases = list(ElementTree.fromstring(document).iter("testcase"))
    except ElementTree.ParseError:
        return
    for case in cases:
        trouble = [each for each in case if each.tag in ("failure", "error")]
        if trouble:
            place = case.get("classname") or case.get("file") or ""
            name = "::".join(filter(None, (place, case.get("name") or "")))
            yield name, all(each.get("message") != "collection failure" for each in trouble)
