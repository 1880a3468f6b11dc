"""`astedit campaign`: a plan and a pending action for each repository, each behind its own gate."""

import json
import os
import signal
import sys
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from astedit.campaign import task as tasks
from astedit.campaign.drive import plan
from astedit.campaign.file import Campaign
from astedit.campaign.ledger import Ledger
from astedit.campaign.task import WorkerLost, plan_repository
from astedit.cli.commands.campaign import Repositories
from astedit.errors import PreconditionError
from astedit.model.request import EditRequest, Op
from tests.support.faults.campaigns import alive, children
from tests.support.lists import rows
from tests.support.patience import LAST, until
from tests.support.project import Project
from tests.support.slowly import slow_after

ROWS = rows(Path(__file__).with_suffix(".txt"))

YAML = """\
repositories: ["../svc/*"]
ops:
  - pat: old($A)
    out: old(f($A))
"""
PLAN = ("campaign", "c.yml", "--jobs", "2")
APPLY = ("campaign", "c.yml", "apply", "--reason", "t")


@pytest.fixture
def svc(project: Project) -> Path:
    """Two repositories with a call each, and one without."""
    place = project.root.parent / "svc"
    for name, text in (("a", "old(1)\n"), ("b", "old(2)\n"), ("c", "x = 3\n")):
        (place / name).mkdir(parents=True)
        (place / name / "m.py").write_text(text)
    project.put("c.yml", YAML)
    return place


def states(project: Project, *flags: str) -> dict[str, str]:
    done = project("campaign", "c.yml", "--status", "--json", *flags)
    assert done.code == 0
    return {Path(row["root"]).name: row["state"] for row in done.json["repositories"]}


def texts(svc: Path) -> list[str]:
    return [(svc / name / "m.py").read_text() for name in "abc"]


def test_planning_stages_one_action_each_and_writes_nothing(project: Project, svc: Path) -> None:
    assert states(project) == {"a": "waiting", "b": "waiting", "c": "waiting"}
    assert not project.state.exists()
    done = project(*PLAN)
    assert done.code == 0
    assert done.text.splitlines()[0].split() == [
        *("REPOSITORY", "STATE", "FILES", "REPLACEMENTS", "ACTION")
    ]
    assert "3 repositories: 2 pending, 1 unchanged." in done.err
    assert texts(svc) == ["old(1)\n", "old(2)\n", "x = 3\n"]
    for name, count in (("a", 1), ("b", 1), ("c", 0)):
        assert len(project("pending", "--root", str(svc / name), "--json").json) == count


def test_the_repositories_may_lie_elsewhere(project: Project, svc: Path) -> None:
    project.put("c.yml", YAML.replace("../svc", "svc"))
    assert project(*PLAN).code == 2
    elsewhere = ("--root", str(svc.parent))
    assert states(project, *elsewhere) == {"a": "waiting", "b": "waiting", "c": "waiting"}
    missing = project(*PLAN, "--root", "missing", "--json")
    assert (missing.code, missing.json["error"]["code"]) == (2, "bad_campaign")


def test_what_is_done_is_not_done_again(project: Project, svc: Path) -> None:
    first = project(*PLAN, "--json").json
    assert project(*PLAN, "--json").json == first
    assert project(*APPLY).code == 0
    assert texts(svc) == ["old(f(1))\n", "old(f(2))\n", "x = 3\n"]
    for again in (PLAN, APPLY):
        assert project(*again).code == 0
        assert texts(svc) == ["old(f(1))\n", "old(f(2))\n", "x = 3\n"]
    assert states(project) == {"a": "applied", "b": "applied", "c": "unchanged"}


def test_the_json_names_action_fingerprint_and_counts(project: Project, svc: Path) -> None:
    document = project(*PLAN, "--json").json
    assert document["schema"] == "astedit/campaign/1"
    assert document["totals"] == {"pending": 2, "unchanged": 1}
    row = document["repositories"][0]
    (pending,) = project("pending", "--root", str(svc / "a"), "--json").json
    assert row["actionId"] == pending["id"]
    assert row["fingerprint"] == pending["details"]["fingerprint"]
    assert (row["files"], row["replacements"], row["error"]) == (1, 1, None)


@pytest.mark.slow
def test_what_somebody_resolves_by_hand_is_seen(project: Project, svc: Path) -> None:
    project(*PLAN)
    project("resolve", "discard", "--reason", "t", "--root", str(svc / "a"))
    project("resolve", "apply", "--reason", "t", "--root", str(svc / "b"))
    assert states(project) == {"a": "discarded", "b": "applied", "c": "unchanged"}
    project(*PLAN)
    assert states(project) == {"a": "discarded", "b": "applied", "c": "unchanged"}
    project("undo", "--root", str(svc / "b"))
    project("resolve", "apply", "--reason", "t", "--root", str(svc / "b"))
    assert states(project)["b"] == "undone"


@pytest.mark.slow
def test_what_was_staged_is_found_though_the_ledger_never_heard_of_it(
    project: Project, svc: Path
) -> None:
    first = project(*PLAN, "--json").json
    before = project("pending", "--root", str(svc / "a"), "--json").json
    for ledger in (project.state / "campaigns").glob("*/state.db*"):
        ledger.unlink()
    again = project(*PLAN, "--json").json
    assert project("pending", "--root", str(svc / "a"), "--json").json == before
    (shown, *_) = again["repositories"]
    assert shown["actionId"] == first["repositories"][0]["actionId"] == before[0]["id"]


def test_one_stale_repository_holds_up_no_other(project: Project, svc: Path) -> None:
    project(*PLAN)
    (svc / "a/m.py").write_text("old(11)\n")
    done = project(*APPLY)
    assert done.code == 3
    assert "m.py: changed" in done.text and "astedit campaign FILE --refresh" in done.text
    assert texts(svc)[:2] == ["old(11)\n", "old(f(2))\n"]
    assert states(project) == {"a": "stale", "b": "applied", "c": "unchanged"}
    assert project(*PLAN).code == 3, "what is stale is only planned again when asked"
    assert project(*PLAN, "--refresh").code == 0
    assert project(*APPLY).code == 0
    assert texts(svc)[:2] == ["old(f(11))\n", "old(f(2))\n"]


@pytest.mark.slow
def test_a_plan_for_what_the_file_does_not_say_any_more_is_not_applied(
    project: Project, svc: Path
) -> None:
    project(*PLAN)
    project.put("c.yml", YAML.replace("old(f($A))", "new($A)"))
    done = project(*APPLY)
    assert done.code == 3 and "has changed since this was planned" in done.text
    assert states(project) == {"a": "outdated", "b": "outdated", "c": "waiting"}
    assert project(*PLAN).code == 0
    assert len(project("pending", "--root", str(svc / "a"), "--json").json) == 1
    assert project(*APPLY).code == 0
    assert texts(svc)[:2] == ["new(1)\n", "new(2)\n"]


@pytest.mark.slow
def test_discard_closes_all_and_planning_does_not_open_them_again(
    project: Project, svc: Path
) -> None:
    project(*PLAN)
    assert project("campaign", "c.yml", "discard", "--reason", "t").code == 0
    project(*PLAN)
    assert states(project) == {"a": "discarded", "b": "discarded", "c": "unchanged"}


@pytest.mark.slow
def test_a_repository_whose_policy_wants_a_person_is_left_pending(
    project: Project, svc: Path
) -> None:
    (svc / "a/astedit.toml").write_text('policy = "human"\n')
    project(*PLAN)
    done = project(*APPLY, "--json")
    assert done.code == 3
    row = done.json["repositories"][0]
    assert (row["state"], row["error"]["code"]) == ("pending", "approval_missing")
    assert texts(svc)[:2] == ["old(1)\n", "old(f(2))\n"]


def test_a_repository_that_cannot_be_planned_is_a_row_with_its_error(
    project: Project, svc: Path
) -> None:
    (svc / "a/astedit.toml").write_text("jobs = [\n")
    done = project(*PLAN, "--json")
    assert done.code == 3
    row = done.json["repositories"][0]
    assert (row["state"], row["error"]["code"]) == ("failed", "bad_config")
    (svc / "a/astedit.toml").unlink()
    assert project(*PLAN).code == 0
    assert states(project) == {"a": "pending", "b": "pending", "c": "unchanged"}


def test_toml_globs_and_exclusions(project: Project, svc: Path) -> None:
    ops = 'ops = [{pat = "old($A)", out = "new($A)"}]\nname = "rename"\n'
    project.put("c.toml", f'repositories = ["../svc/*", "!../svc/b"]\n{ops}')
    done = project("campaign", "c.toml", "--json").json
    assert done["name"] == "rename"
    assert [Path(row["root"]).name for row in done["repositories"]] == ["a", "c"]


@pytest.mark.parametrize(("text", "said"), ROWS["a file that is no campaign is refused"])
def test_a_file_that_is_no_campaign_is_refused(
    project: Project, svc: Path, text: str, said: str
) -> None:
    project.put("c.yml", text)
    done = project("campaign", "c.yml")
    assert done.code == 2
    assert said in done.err
    assert not project.state.exists()


@pytest.mark.parametrize(("args", "code"), ROWS["flags that have no effect or are unsafe"])
def test_flags_that_have_no_effect_or_are_unsafe_are_refused(
    project: Project, svc: Path, args: tuple[str, ...], code: int
) -> None:
    assert project("campaign", "c.yml", *args).code == code
    assert states(project) == {"a": "waiting", "b": "waiting", "c": "waiting"}


# -- the driver, on executors of its own ---------------------------------------------------


def campaign(svc: Path, **more: Any) -> Campaign:
    request = EditRequest(ops=[Op(pat="old($A)", out="old(f($A))")])
    roots = sorted(str(path) for path in svc.iterdir())
    return Campaign(str(svc / "c.yml"), "c", roots, request, **more)


class Flaky(Executor):
    """Runs tasks in this thread; the first attempts of each lose their worker."""

    def __init__(self, lost: int, version: str | None = None) -> None:
        self.lost = lost
        self.version = version
        self.attempts: dict[str, int] = {}

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        root = args[0]["root"]
        self.attempts[root] = self.attempts.get(root, 0) + 1
        if self.attempts[root] <= self.lost:
            future.set_exception(WorkerLost("killed"))
        else:
            answer = fn(json.loads(json.dumps(args[0])))
            future.set_result(answer | ({"version": self.version} if self.version else {}))
        return future


@slow_after(1, "lost, state, tried", [(1, "pending", 2), (0, "pending", 1), (2, "failed", 2)])
def test_a_killed_worker_costs_one_retry(
    project: Project, svc: Path, lost: int, state: str, tried: int
) -> None:
    made, executor = campaign(svc), Flaky(lost)
    with Ledger(str(project.state), made, alone=True) as ledger:
        plan(made, ledger, executor, Repositories(None))
        rows = [ledger.row(root) for root in made.roots]
    assert set(executor.attempts.values()) == {tried}
    assert rows[0].state == state
    assert (rows[0].error or {}).get("code") == ("worker_lost" if lost == 2 else None)


@pytest.mark.slow
def test_a_worker_of_another_version_stops_the_campaign(project: Project, svc: Path) -> None:
    made = campaign(svc)
    with (
        Ledger(str(project.state), made, alone=True) as ledger,
        pytest.raises(PreconditionError, match=r"astedit 0\.0\.0") as caught,
    ):
        plan(made, ledger, Flaky(0, "0.0.0"), Repositories(None))
    assert caught.value.code == "other_versions"
    assert not (project.state / "pending").exists()
    assert project("pending", "--root", str(svc / "a"), "--json").json == []


def test_two_cannot_work_on_one_campaign(project: Project, svc: Path) -> None:
    made = campaign(svc)
    with Ledger(str(project.state), made, alone=True):
        with pytest.raises(PreconditionError) as caught:
            Ledger(str(project.state), made, alone=True)
        assert caught.value.code == "busy"
        with Ledger(str(project.state), made) as reading:
            assert reading.row(made.roots[0]).state == "waiting"


def test_a_worker_that_hangs_is_ended_from_outside(
    project: Project, svc: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "GRACE", 0.0)
    made = campaign(svc, timeout=1e-6)
    with Ledger(str(project.state), made, alone=True) as ledger, ThreadPoolExecutor(2) as pool:
        plan(made, ledger, pool, Repositories(None))
        row = ledger.row(made.roots[0])
    assert row.state == "failed" and row.error is not None
    assert row.error["code"] == "timeout"


def test_a_worker_that_dies_is_told_of(svc: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(WorkerLost, match="ended with 1"):
        plan_repository({"root": str(svc / "a"), "timeout": 9})
    assert os.path.exists("/bin/false")


@pytest.mark.slow
def test_rules_from_files_and_written_out(project: Project, svc: Path) -> None:
    rule = "id: one\nlanguage: python\nrule: {pattern: old($A)}\nfix: new($A)\n"
    project.put("rules/one.yml", rule)
    two = "{id: two, language: python, rule: {pattern: x = 3}, fix: x = 4}"
    project.put("c.yml", f"repositories: ['../svc/*']\nrules: [rules/one.yml, {two}]\n")
    assert project(*PLAN).code == 0
    assert project(*APPLY).code == 0
    assert texts(svc) == ["new(1)\n", "new(2)\n", "x = 4\n"]


@pytest.mark.slow
def test_within_names_a_place_in_each_repository(project: Project, svc: Path) -> None:
    (svc / "a/m.py").write_text("def f():\n    old(1)\n\n\nold(2)\n")
    ops = "ops: [{pat: old($A), out: new($A)}]\n"
    project.put("c.yml", f"repositories: ['../svc/*']\nwithin: m.py::f\n{ops}")
    rows = project(*PLAN, "--json").json["repositories"]
    assert [row["state"] for row in rows] == ["pending", "failed", "failed"]
    assert rows[1]["error"]["code"] == "not_found"
    project(*APPLY)
    assert (svc / "a/m.py").read_text() == "def f():\n    new(1)\n\n\nold(2)\n"


def test_a_state_directory_inside_a_repository_is_refused(project: Project, svc: Path) -> None:
    assert project(*PLAN, "--state-dir", str(svc / "a/state")).code == 2
    assert not (svc / "a/state").exists()


def test_ctrl_c_ends_it_and_its_workers_and_it_goes_on_later(project: Project, svc: Path) -> None:
    for number in range(40):
        (svc / f"a/large{number}.py").write_text("old(1)\n" + "a = [b, c]\n" * 20_000)
    running = project.process(*PLAN)
    workers = until(lambda: children(running.pid), running)
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=LAST)
    assert running.returncode == 130
    assert b"Traceback" not in err
    until(lambda: not any(map(alive, workers)))
    for large in svc.glob("a/large*"):
        large.unlink()
    assert project(*PLAN).code == 0
