"""Which tests failed, out of whatever a command prints."""

from pathlib import Path

import pytest

from astedit.errors import RequestError
from astedit.proving.plan_judge import ReportReader, TestReport
from astedit.sandbox.sandbox import SandboxRun
from tests.support.lists import rows

ROWS = rows(Path(__file__).with_suffix(".txt"))

SIZE = 300_000


def read(output: str, fail_regex: str | None = None) -> TestReport:
    run = SandboxRun(1, None, None, False, 0.1, output, [], {})
    return ReportReader(["tool", "not UTF-8: \udcff"], None, fail_regex).read(run)


@pytest.mark.parametrize(("line", "failed", "loaded"), ROWS["what runners print is read"])
def test_what_runners_print_is_read(line: str, failed: set[str], loaded: bool) -> None:
    report = read(f"before\n{line}\nafter\n")
    assert (report.failed, report.loaded) == (failed, loaded)


@pytest.mark.parametrize("text", [" ", "\n", "\t\n", "a", "not ok 1 - ", "✖ ", "FAIL\t"])
@pytest.mark.parametrize("fail_regex", [None, "(a+)+$", r"^(\s*)*(x)$"])
def test_no_output_takes_long_to_read(text: str, fail_regex: str | None) -> None:
    read(text * (SIZE // len(text)), fail_regex)


def test_an_expression_that_a_person_names_is_re2() -> None:
    assert read("bad: one\nbad: two\n", r"^bad: (\w+)$").failed == {"one", "two"}
    for wrong in ("(?=a)b", "(", r"(a)\1"):
        with pytest.raises(RequestError, match="--fail-regex") as caught:
            read("", wrong)
        assert "lookaround" in str(caught.value.hint)
