"""A campaign that proves and lands: in real repositories, pushed only where somebody says so."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from astedit.campaign.file import ProveStep
from astedit.campaign.repository import checked_answer, verdict_of
from astedit.errors import PreconditionError
from astedit.model.edit import Edit, FilePlan
from astedit.model.plan import Plan
from astedit.model.request import EditRequest
from tests.support.lists import rows
from tests.support.project import Project

ROWS = rows(Path(__file__).with_suffix(".txt"))

YAML = """\
name: to new
repositories: ["../svc/*"]
prove: {command: sh check, baselineRuns: 1}
land: {branch: fix/new, by: file}
ops:
  - {pat: old($A), out: new($A)}
"""
LAND = ("campaign", "c.yml", "land", "--reason", "why | not", "--json")


def git(root: Path, *words: str) -> str:
    who = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main")
    done = subprocess.run(["git", *who, *words], cwd=root, check=True, capture_output=True)
    return done.stdout.decode().strip()


@pytest.fixture
def svc(project: Project, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two repositories with a remote each; in `broken` one of two edits fails the check."""
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "t")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "t@example.org")
    place = project.root.parent / "svc"
    for name, check in (("broken", "! grep -q 'new(2' m.py"), ("whole", "true")):
        root = place / name
        root.mkdir(parents=True)
        (root / "m.py").write_text("old(1)\nold(2)\n")
        (root / "check").write_text(check)
        git(root, "init", "-q")
        git(root, "add", ".")
        git(root, "commit", "-qm", "Base")
        git(root, "init", "-q", "--bare", str(place.parent / f"{name}.git"))
        git(root, "remote", "add", "origin", str(place.parent / f"{name}.git"))
    project.put("c.yml", YAML)
    return place


def rows(answer: Any) -> list[Any]:
    found: list[Any] = answer.json["repositories"]
    return found


def test_what_is_proven_is_landed_and_pushed_when_asked(project: Project, svc: Path) -> None:
    planned = project("campaign", "c.yml", "--json")
    assert planned.code == 3
    broken, whole = rows(planned)
    assert (broken["state"], broken["proof"], broken["error"]["code"]) == (
        "pending",
        "broken",
        "not_proven",
    )
    assert (whole["state"], whole["proof"], whole["error"]) == ("pending", "proven", None)
    assert "1 rejected" in project("review", "--root", str(svc / "broken"), "--summary").text
    broken, whole = rows(project(*LAND))
    assert (broken["state"], broken["error"]["code"]) == ("pending", "not_proven")
    assert (whole["state"], whole["branches"], whole["pushed"]) == ("landed", ["fix/new"], None)
    remote = svc.parent / "whole.git"
    assert git(remote, "for-each-ref") == ""
    script = Path(whole["commands"])
    body = (script.parent / "body.md").read_text()
    assert "git push origin fix/new\ngh pr create --head fix/new" in script.read_text()
    assert body.startswith("why | not\n\n| edits |") and "`sh check` passes with 2 edits" in body
    assert "<dt>Proof<dd>sh check passes" in (script.parent / "report.html").read_text()
    whole = rows(project(*LAND, "--push", "origin"))[1]
    assert (whole["pushed"], whole["error"]) == ("origin", None)
    assert git(remote, "show", "fix/new:m.py") == "new(1)\nnew(2)"
    assert git(svc / "whole", "status", "--porcelain") == ""
    whole = rows(project(*LAND, "--push", "nowhere"))[1]
    assert (whole["state"], whole["error"]["code"]) == ("landed", "push")
    assert "does not appear to be a git repository" in whole["error"]["message"]
    script.unlink()
    assert rows(project(*LAND, "--push", "nowhere"))[1]["commands"] == str(script)


@pytest.mark.parametrize(("line", "said"), ROWS["steps that mean nothing are refused"])
def test_steps_that_mean_nothing_are_refused(project: Project, line: str, said: str) -> None:
    (project.root.parent / "svc/a").mkdir(parents=True)
    project.put("c.yml", f"repositories: [../svc/a]\nops: [{{pat: x, out: y}}]\n{line}\n")
    refused = project("campaign", "c.yml")
    assert (refused.code, said in refused.err) == (2, True), refused.err


@pytest.mark.parametrize(("line", "args", "said"), ROWS["flags of landing are checked"])
def test_flags_of_landing_are_checked(
    project: Project, line: str, args: tuple[str, ...], said: str
) -> None:
    (project.root.parent / "svc/a").mkdir(parents=True)
    project.put("c.yml", f"repositories: [../svc/a]\nops: [{{pat: x, out: y}}]\n{line}\n")
    refused = project("campaign", "c.yml", *args)
    assert (refused.code, said in refused.err) == (2, True), refused.err


def plan() -> Plan:
    edits = [Edit(mark, 0, None, at, at, 1, 1, "", "x", new=b"x") for at, mark in enumerate("ab")]
    files = [FilePlan("m.py", "modify", None, None, 0o644, 2, edits)]
    return Plan("/", EditRequest(), files, total_replacements=2, fingerprint="f")


PROOF = {"command": "true", "fingerprint": "f", "edits": 2, "excluded": [], "tail": "ok"}
BLAMED = {"edits": [{"id": "b"}], "tests": ["t"]}


def test_what_a_worker_says_of_a_proof_is_of_this_plan() -> None:
    step = ProveStep("true")
    verdict = verdict_of({"verdict": {"proof": PROOF, "culprits": []}}, plan(), step)
    assert verdict is not None and verdict.proof is not None and verdict.proof.proven
    part = PROOF | {"edits": 1, "excluded": ["b"]}
    assert verdict_of({"verdict": {"proof": part, "culprits": [BLAMED]}}, plan(), step)
    assert verdict_of({}, plan(), None) is None


@pytest.mark.parametrize(
    "verdict",
    [
        None, {}, {"error": 3}, {"culprits": 3}, {"proof": 3, "culprits": []},
        {"culprits": [BLAMED | {"edits": [{"id": "z"}]}]}, {"culprits": [BLAMED | {"tests": [1]}]},
        *({"proof": PROOF | other, "culprits": []} for other in (
            {"command": "false"}, {"fingerprint": "g"}, {"edits": 1}, {"excluded": ["z"]},
            {"excluded": 3}, {"tail": 3}, {"seconds": "x"}, {"runs": None}, {"exit_code": 1},
        )),
    ],
)  # fmt: skip
def test_a_worker_that_answers_something_else_is_not_believed(verdict: Any) -> None:
    answer = {"version": "1", "plan": {}, "verdict": verdict}
    with pytest.raises(PreconditionError, match="worker"):
        verdict_of(checked_answer(answer), plan(), ProveStep("true"))
