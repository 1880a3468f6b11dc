"""The hooks, run by the real pre-commit with the command at hand: nothing is installed."""

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from astedit.rule.yaml import read_yaml
from tests.support import REPOSITORY
from tests.support.project import Project

pytestmark = pytest.mark.slow
PRE_COMMIT = Path(sysconfig.get_path("scripts")) / "pre-commit"
RULE = """\
id: no-print
language: python
severity: {}
message: Log instead.
rule: {{pattern: print($$$A)}}
fix: log($$$A)
"""


def hook(name: str) -> dict[str, object]:
    (hooks,) = read_yaml((REPOSITORY / ".pre-commit-hooks.yaml").read_bytes())
    found: dict[str, object] = next(one for one in hooks if one["id"] == name)
    return found


@pytest.fixture
def repository(project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A repository with a rule, a file that breaks it, one that does not, and no Python."""
    tool = tmp_path / "bin/astedit"
    tool.parent.mkdir()
    tool.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m astedit "$@"\n')
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tool.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path / "cache"))
    project.put("sgconfig.yml", "ruleDirs: [rules]\ntestConfigs: [{testDir: tests}]\n")
    project.put("rules/no-print.yml", RULE.format("error"))
    project.put("tests/t.yml", "id: no-print\nvalid: [log(1)]\n")
    project.put("clean.py", "log(1)\n")
    project.put("we ird.py", "print(1)\n")
    project.put("notes.txt", "print(1)\n")
    project.git("init", "-q")
    project.git("add", ".")
    return project


def run(repository: Project, name: str, *files: str, **more: object) -> tuple[int, str]:
    """Runs one hook, as its definition has it but for the environment it needs."""
    config = {"repos": [{"repo": "local", "hooks": [{**hook(name), "language": "system", **more}]}]}
    repository.put(".pre-commit-config.yaml", json.dumps(config))
    repository.git("add", ".")
    given = ["--files", *files] if files else ["--all-files"]
    command = [sys.executable, "-m", "pre_commit", "run", "--color=never", name, *given]
    done = subprocess.run(command, cwd=repository.root, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def test_pre_commit_accepts_the_definitions() -> None:
    manifest = REPOSITORY / ".pre-commit-hooks.yaml"
    subprocess.run([PRE_COMMIT, "validate-manifest", manifest], check=True)


def test_scan_looks_at_the_files_it_is_given(repository: Project) -> None:
    code, shown = run(repository, "astedit-scan")
    assert code == 1
    assert "we ird.py:1:1: error[no-print]: Log instead." in shown
    assert "notes.txt" not in shown
    code, shown = run(repository, "astedit-scan", "clean.py", "notes.txt")
    assert (code, "Passed" in shown) == (0, True)


def test_a_warning_does_not_stop_a_commit(repository: Project) -> None:
    repository.put("rules/no-print.yml", RULE.format("warning"))
    assert run(repository, "astedit-scan")[0] == 0


def test_check_fails_where_something_would_change(repository: Project) -> None:
    before = repository.files()
    args = ["-p", "print($$$A)", "-r", "log($$$A)"]
    code, shown = run(repository, "astedit-check", args=args)
    assert code == 1
    assert "+log(1)" in shown
    assert run(repository, "astedit-check", "clean.py", args=args)[0] == 0
    changed = {path for path, content in repository.files().items() if before.get(path) != content}
    assert changed == {".pre-commit-config.yaml"}


def test_test_runs_the_tests_of_the_rules(repository: Project) -> None:
    assert run(repository, "astedit-test")[0] == 0
    repository.put("tests/t.yml", "id: no-print\nvalid: [print(1)]\n")
    code, shown = run(repository, "astedit-test")
    assert code == 1
    assert "FAIL no-print  N" in shown
