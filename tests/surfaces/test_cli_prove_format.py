"""`astedit prove --format-with`: what a formatter does to touched lines is part of the plan."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from astedit.staging.workspace_session import workspace_session
from astedit.workspace.root import Workspace, state_dir
from resolve import ToolError
from tests.support import REPOSITORY
from tests.support.cases import tree
from tests.support.lists import rows
from tests.support.project import Outcome, Project

ROWS = rows(Path(__file__).with_suffix(".txt"))

EDIT = ("edit", "-q", "-p", "old($$$A)", "-r", "a_much_longer_name($$$A)")
FORMATTER = f"{sys.executable} -m ruff format --isolated --line-length 60 -q {{files}}"
TEXTS = tree("cli-prove-format")
BEFORE = TEXTS["before.py"]
AFTER = TEXTS["after.py"]


def prove(project: Project, formatter: str, *flags: str) -> Outcome:
    return project("prove", *flags, "--format-with", formatter, "--", "true")


def test_touched_lines_are_formatted_and_no_others(project: Project) -> None:
    project.write(m_py=BEFORE)
    project(*EDIT)
    first = project.newest()
    proved = prove(project, FORMATTER, "--baseline-runs", "1", "--json")
    assert (proved.code, proved.json["proven"]) == (0, True)
    assert "changed 3 places in lines that the plan touches; 2 other places" in proved.err
    (waiting,) = project("pending", "--json").json
    assert waiting["id"] == proved.json["actionId"] != first
    plan = project("show", "--json").json
    edits = [(edit["line"], edit["matches"]) for edit in plan["files"][0]["edits"]]
    assert edits == [(5, 1), (7, 1), (8, 1)]
    assert "formatted already" in prove(project, FORMATTER).err
    assert project("resolve", "apply", "--reason", "r").code == 0
    assert project.read("m.py") == AFTER


@pytest.mark.slow
def test_a_formatter_that_does_something_else_by_then_makes_it_stale(project: Project) -> None:
    project.write(m_py="old(1)\n")
    project.put("style", "2")
    script = "import sys; p = sys.argv[1]; t = open(p).read(); n = int(open('style').read())"
    script += "; open(p, 'w').write(t.replace('(1', '(' + ' ' * n + '1'))"
    project(*EDIT)
    assert prove(project, f'{sys.executable} -S -c "{script}" {{files}}').code == 0
    assert "+a_much_longer_name(  1)" in project("show").text
    project.put("style", "3")
    stale = project("resolve", "apply", "--reason", "r", "--json")
    assert (stale.code, stale.json["error"]["code"]) == (3, "stale")
    assert project.read("m.py") == "old(1)\n"
    project.put("style", "2")
    assert project("resolve", "apply", "--reason", "r").code == 0
    assert project.read("m.py") == "a_much_longer_name(  1)\n"


@pytest.mark.parametrize(("formatter", "code", "message"), ROWS["what cannot format is refused"])
def test_what_cannot_format_is_refused(
    project: Project, formatter: str, code: int, message: str
) -> None:
    project.write(m_py="old(1)\n")
    project(*EDIT)
    refused = prove(project, formatter)
    assert refused.code == code
    assert message in refused.err
    assert len(project("pending", "--json").json) == 1


def test_no_request_from_outside_brings_a_formatter(project: Project) -> None:
    project.write(m_py="old(1)\n")
    project(*EDIT)
    prove(project, f"{sys.executable} -S -c pass {{files}}")
    (project.root.parent / "plan.json").write_bytes(project("show", "--format", "plan").out)
    refused = project("stage", str(project.root.parent / "plan.json"))
    assert refused.code == 2
    assert "`format_with` is not for a request to bring" in refused.err


@pytest.mark.slow
def test_what_runs_no_commands_applies_no_formatted_plan(project: Project) -> None:
    project.write(m_py="old(1)\n")
    project(*EDIT)
    prove(project, f"{sys.executable} -S -c pass {{files}}")
    with Workspace(str(project.root)) as workspace:
        state = state_dir(workspace, None)
    with (
        workspace_session(str(project.root), state, who="agent") as session,
        pytest.raises(ToolError, match="which is not allowed here"),
    ):
        session.resolve("apply", "r")
    assert project.read("m.py") == "old(1)\n"


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("pattern", "rewrite"), ROWS["formatted before"])
def test_what_is_formatted_before_is_formatted_after(
    project: Project, pattern: str, rewrite: str
) -> None:
    """Of files that the formatter leaves as they are it makes the same as with the plan."""
    shutil.copytree(REPOSITORY / "astedit", project.root / "astedit")
    shutil.copy(REPOSITORY / "pyproject.toml", project.root)
    assert project("edit", "-q", "-l", "python", "-p", pattern, "-r", rewrite).code == 0
    ruff = [sys.executable, "-m", "ruff", "format", "-q", "--no-cache"]
    assert prove(project, " ".join([*ruff, "{files}"])).code == 0
    assert project("resolve", "apply", "--reason", "r").code == 0
    made = project.files()
    subprocess.run([*ruff, "astedit"], cwd=project.root, check=True)
    assert [path for path, content in project.files().items() if content != made[path]] == []
