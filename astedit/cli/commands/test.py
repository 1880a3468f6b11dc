"""`astedit test`: rules against the code they must and must not report."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from astedit.cli import completions, options, request
from astedit.cli.flags import Flags, SpelledAsAstGrep
from astedit.cli.output import streams
from astedit.cli.place import Place, find_place
from astedit.errors import RequestError
from astedit.semantic import NAMES

if TYPE_CHECKING:
    from astedit.rule.project import Project
    from astedit.testing.case import Test
    from astedit.testing.verdict import Verdict
    from astedit.workspace.root import Workspace

_SCHEMA = "astedit/test/1"


@click.command(cls=SpelledAsAstGrep, epilog="Example: astedit test --filter '^no-' --update")
@click.option("-U", "--update", "--update-all", is_flag=True, help="Write changed snapshots.")
@click.option("-f", "--filter", "only", metavar="REGEX", shell_complete=completions.rule_ids,
              help="Only rules whose id matches.")  # fmt: skip
@click.option("--skip-snapshot-tests", is_flag=True, help="Do not compare snapshots.")
@click.option("--include-off", is_flag=True, help="Test rules of severity off, too.")
@click.option("-t", "--test-dir", metavar="DIR", help="Instead of those of the project.")
@click.option("--snapshot-dir", metavar="DIR", help="Below --test-dir. [default: __snapshots__]")
@click.option("--near-misses", is_flag=True, help="Print the code around what is reported.")
@click.option("-c", "--config", metavar="FILE", help="Instead of sgconfig.yml.")
@options.as_json
@options.root
def command(**flags: Any) -> int:
    """Test rules against code that they must, or must not, report.

    Reads ast-grep's test files and snapshots. Exit code 1 means that a test failed.
    """
    _check(flags)
    place = find_place(flags["root"])
    project = request.project(place.workspace, place.below(flags["config"]))
    tests = list(_chosen(place, project, flags))
    documents = (*project.rules, *project.utils)
    with request.telling(documents, request.of_project(place.workspace)):
        if flags["near_misses"]:
            from astedit.testing.subject import Subject, near_misses

            for test, rule in tests:
                streams.texts(near_misses(test, Subject(rule, project.utils, names=NAMES)))
            return 0
        verdicts = _judged(place.workspace, project, tests, flags)
    streams.answer(_document(verdicts), _lines(verdicts), as_json=flags["as_json"])
    return 0 if all(verdict.passed for verdict in verdicts) else 1


def _check(flags: Flags) -> None:
    if flags["update"] and flags["skip_snapshot_tests"]:
        raise RequestError("--update and --skip-snapshot-tests cannot be used together.")
    if flags["snapshot_dir"] and not flags["test_dir"]:
        raise RequestError("--snapshot-dir belongs to --test-dir.")
    if flags["near_misses"] and (flags["update"] or flags["as_json"]):
        raise RequestError("--near-misses only prints; leave out --update and --json.")


def _chosen(place: Place, project: "Project", flags: Flags) -> "Iterator[tuple[Test, Any]]":
    """Each test with its rule, those left out with a note."""
    from astedit.testing.case import read_tests

    rules = {rule.id: rule for rule in project.rules}
    only = flags["only"]
    is_wanted = (lambda _: True) if only is None else request.filter_of(only, [*rules])
    for directory in _directories(place, project, flags):
        for test in read_tests(place.workspace, directory):
            rule = rules.get(test.id)
            if not is_wanted(test.id):
                continue
            if rule is None:
                streams.note(f"warning: {test.path} tests {test.id!r}, and no rule has this id")
            elif rule.severity == "off" and not flags["include_off"]:
                streams.note(f"{test.id}: not tested, its severity is off (--include-off)")
            else:
                yield test, rule


def _directories(place: Place, project: "Project", flags: Flags) -> Sequence[Any]:
    from astedit.rule.project import SNAPSHOTS, TestDirectory, below

    if (chosen := place.below(flags["test_dir"])) is None:
        return project.tests
    chosen = place.workspace.resolve(chosen)
    snapshots = below(place.workspace, chosen, flags["snapshot_dir"] or SNAPSHOTS)
    return [TestDirectory(chosen, snapshots)]


def _judged(
    workspace: "Workspace", project: "Project", tests: "Sequence[tuple[Test, Any]]", flags: Flags
) -> "list[Verdict]":
    from astedit.testing.snapshot import read_snapshots, snapshot_path, write_snapshots
    from astedit.testing.subject import Subject
    from astedit.testing.verdict import Judge
    from astedit.transaction import user_files

    judge = Judge(
        workspace,
        snapshots=not flags["skip_snapshot_tests"],
        update=flags["update"],
        rules=project.rules,
        names=NAMES,
    )
    verdicts = []
    for test, rule in tests:
        subjects = [Subject(rule, project.utils, row, NAMES) for row in rule.languages]
        verdict = judge.judge(test, *subjects)
        if verdict.updated:
            path = snapshot_path(test.snapshots, test.id)
            merged = read_snapshots(workspace, path) | verdict.updated
            write_snapshots(workspace, path, test.id, merged)
        for path, (old, new) in verdict.written.items():
            user_files.put(workspace.fd, path, old, new)
        verdicts.append(verdict)
    return verdicts


def _lines(verdicts: "Sequence[Verdict]") -> Iterator[str]:
    """As ast-grep prints it: the details, a line a test, and the totals."""
    from astedit.testing.verdict import LETTERS

    yield f"Running {len(verdicts)} tests"
    for verdict in verdicts:
        for outcome in verdict.outcomes:
            if not outcome.passed or outcome.status == "updated":
                yield f"\n[{outcome.status.capitalize()}] {verdict.test.id}, {verdict.test.path}:"
                yield from (f"  {line}" for line in outcome.code.split("\n"))
                yield from outcome.why
    yield ""
    for verdict in verdicts:
        letters = "".join(LETTERS[outcome.status] for outcome in verdict.outcomes)
        yield f"{'PASS' if verdict.passed else 'FAIL'} {verdict.test.id}  {letters}"
    passed = sum(verdict.passed for verdict in verdicts)
    result = "ok" if passed == len(verdicts) else "failed"
    yield f"\ntest result: {result}. {passed} passed; {len(verdicts) - passed} failed;"


def _document(verdicts: "Sequence[Verdict]") -> dict[str, Any]:
    tests = [
        {
            "id": verdict.test.id,
            "path": verdict.test.path,
            "passed": verdict.passed,
            "cases": [
                {"status": outcome.status, "code": outcome.code, "why": list(outcome.why)}
                for outcome in verdict.outcomes
            ],
        }
        for verdict in verdicts
    ]
    return {"schema": _SCHEMA, "passed": all(test["passed"] for test in tests), "tests": tests}
