"""One example and a tree: over the command line, in Python and over MCP."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import astedit
from astedit.agents.calls import Calls, ToolCall
from astedit.cli.main import run
from astedit.staging.open_workspace import OpenWorkspace
from tests.support.lists import rows

ROWS = rows(Path(__file__).with_suffix(".txt"))

Capture = pytest.CaptureFixture[str]
FILES = {
    "a.py": "import log\nlog.warn(1)\n",
    "b.py": "import log\nlog.warn(2, x)\nother.warn(1)\n",
    "c.py": "import log\ndef f():\n    return log.warn(3)\n",
    "d.py": "import warnings as log\nlog.warn(2)\n",
}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "tree"
    place.mkdir()
    for name, text in FILES.items():
        (place / name).write_text(text)
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "x"]):
        subprocess.run([*git, *words], cwd=place, check=True)
    monkeypatch.chdir(place)
    monkeypatch.setenv("ASTEDIT_STATE_DIR", str(tmp_path / "state"))
    return place


def begin(root: Path) -> None:
    (root / "a.py").write_text("import log\nlog.warning(1)\n")


def learned(capfd: Capture, *flags: str, code: int) -> Any:
    capfd.readouterr()
    assert run(["learn", "--json", *flags]) == code
    return json.loads(capfd.readouterr().out)


def test_what_was_begun_is_finished(root: Path, capfd: Capture) -> None:
    begin(root)
    document = learned(capfd, "--questions", "0", "--stage", code=0)

    assert document["questions"] == [] and document["token"] is None
    assert document["rules"][0]["matches"] == 2
    assert run(["resolve", "apply", "--reason", "x"]) == 0
    assert (root / "b.py").read_text() == "import log\nlog.warning(2, x)\nother.warn(1)\n"


def test_a_no_is_kept_over_a_token(root: Path, capfd: Capture) -> None:
    begin(root)
    first = learned(capfd, code=3)
    (question,) = first["questions"]
    assert question["path"] == "c.py" and first["actionId"] is None
    flags = ("--resume", str(first["token"]), "--answer", "1=no", "--stage")
    assert learned(capfd, *flags, code=0)["rules"][0]["matches"] == 1
    assert run(["resolve", "apply", "--reason", "x"]) == 0
    assert (root / "c.py").read_text() == FILES["c.py"]


def test_a_no_that_nothing_explains_is_kept_for_its_file(root: Path, capfd: Capture) -> None:
    (root / "[z]{").mkdir()  # what a glob reads otherwise
    (root / "[z]{" / "c.py").write_text(FILES["c.py"])
    begin(root)
    asked = learned(capfd, code=3)
    replies = {"c.py": "yes", "[z]{/c.py": "no"}
    answers = [f"--answer={one['id']}={replies[one['path']]}" for one in asked["questions"]]
    document = learned(capfd, "--resume", asked["token"], *answers, "--stage", code=0)
    assert document["rules"][0]["matches"] == 2  # b.py and c.py
    assert "ignores:\n- " in document["rules"][0]["yaml"]


@pytest.mark.parametrize(("flags", "code", "exit_code"), ROWS["what cannot be learned says why"])
def test_what_cannot_be_learned_says_why(
    root: Path, capfd: Capture, flags: tuple[str, ...], code: str, exit_code: int
) -> None:
    error = learned(capfd, *flags, code=exit_code)["error"]
    assert error["code"] == code and "message" in error


def test_answers_to_no_question_and_no_answers(root: Path, capfd: Capture) -> None:
    begin(root)
    answers = root.parent / "answers.json"
    for text, code in (('{"9": "yes"}', "unknown_question"), ('{"1": "oh"}', "unknown_answer")):
        answers.write_text(text)
        assert learned(capfd, "--answers", str(answers), code=2)["error"]["code"] == code


def test_the_rule_that_is_saved_passes_its_test(root: Path, capfd: Capture) -> None:
    assert run(["new", "project"]) == 0
    begin(root)
    assert run(["learn", "--questions", "0", "--save", "--no-stage"]) == 0
    assert run(["test", "--skip-snapshot-tests"]) == 0
    assert run(["learn", "--questions", "0", "--save", "--no-stage"]) == 3  # never over one


def test_a_program_gets_the_rest_of_a_plan(root: Path) -> None:
    with astedit.open(root) as work:
        plan = work.edit([{"pat": "log.warn(1)", "out": "log.warning(1)"}], paths=["a.py"])
        assert [file.path for file in work.learn(plan.action_id).files] == ["b.py", "c.py"]
        with pytest.raises(astedit.PreconditionError) as failure:
            work.learn(plan.action_id, questions=3)
        assert failure.value.code == "questions_open"
        less = work.learn(plan.action_id, questions=3, answers={"1": "no"})
        assert [file.path for file in less.files] == ["b.py"]


@pytest.fixture
def calls(root: Path, tmp_path: Path) -> Iterator[Calls]:
    with closing(Calls(OpenWorkspace(str(root), str(tmp_path / "state")))) as tools:
        yield tools


def test_an_agent_gets_the_rest_in_two_calls(calls: Calls) -> None:
    ops = [{"pat": "log.warn(1)", "out": "log.warning(1)"}]
    first = calls("ast_edit", {"ops": ops, "paths": ["a.py"]}, ToolCall())
    second = calls("ast_edit", {"like": first.action_id}, ToolCall())

    assert second.staged and second.counts["files"] == 2

    asked = calls("ast_edit", {"like": first.action_id, "questions": 2}, ToolCall())
    assert not asked.staged and asked.data["questions"][0]["id"] == "1"
    answers = {"token": asked.data["token"], "answers": {"1": "no"}}
    assert calls("ast_edit", {"like": first.action_id, **answers}, ToolCall()).counts["files"] == 1

    refused = calls("ast_edit", {"like": first.action_id, "patch": "x"}, ToolCall())
    assert refused.is_error and refused.code == "invalid_arguments"
