"""The steps of `action.yml`, run as GitHub runs them; `gh` alone is a script that takes notes."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support import REPOSITORY
from tests.support.project import Project

ACTION: dict[str, Any] = yaml.safe_load((REPOSITORY / "action.yml").read_text())
PLAN = "edit\n-p\nold($A)\n-r\nnew($A)\n"


def steps(project: Project, **inputs: str) -> "list[subprocess.CompletedProcess[str]]":
    """Runs every step but the one that installs, until one fails."""
    known = {name: row.get("default", "") for name, row in ACTION["inputs"].items()} | inputs
    tools = project.root.parent / "bin"
    tools.mkdir(exist_ok=True)
    script(tools / "astedit", f'exec "{sys.executable}" -m astedit "$@"')
    script(tools / "gh", 'printf "%s\\n" "$@" > ../gh; cat >> ../gh')
    done: list[subprocess.CompletedProcess[str]] = []
    for step in ACTION["runs"]["steps"][1:]:
        added = {key: filled(text, known) for key, text in step["env"].items()}
        environment = {**os.environ, **added, "PATH": f"{tools}:{os.environ['PATH']}"}
        command = ["bash", "-eo", "pipefail", "-c", step["run"]]
        done.append(subprocess.run(command, cwd=project.root, env=environment,
                                   capture_output=True, text=True))  # fmt: skip
        if done[-1].returncode:
            break
    return done


def script(path: Path, body: str) -> None:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


def filled(text: str, inputs: dict[str, str]) -> str:
    return re.sub(r"\$\{\{ (?:inputs\.(\w+)|github\.token) \}\}",
                  lambda hole: inputs[hole[1]] if hole[1] else "t", text)  # fmt: skip


@pytest.mark.slow
def test_a_plan_becomes_a_pull_request(project: Project) -> None:
    project.write(a_py="old(1)\n", b_py="old('$HOME')\n")
    project.git("init", "-q", "-b", "main")
    project.git("add", ".")
    project.git("commit", "-qm", "Base")
    project.git("init", "-q", "--bare", "../origin")
    project.git("remote", "add", "origin", "../origin")
    reason = '$(touch x); `it` is "gone"'
    done = steps(project, plan=PLAN, prove="test\n-e\na.py\n", by="file", branch="w", reason=reason)
    assert [each.returncode for each in done] == [0, 0, 0], done[-1].stderr
    assert project.git("--git-dir", "../origin", "show", "w:b.py") == b"new('$HOME')\n"
    assert project.read("../gh").splitlines() == [
        *("pr", "create", "--head", "w", "--title", reason, "--body-file", "-"),
        *("- b.py: old($A) → new($A)", "- a.py: old($A) → new($A)"),
    ]  # fmt: skip
    assert not (project.root / "x").exists()


@pytest.mark.slow
def test_what_breaks_the_tests_is_not_landed(project: Project) -> None:
    project.write(a_py="old(1)\n")
    project.git("init", "-q", "-b", "main")
    project.git("add", ".")
    project.git("commit", "-qm", "Base")
    done = steps(project, plan=PLAN, prove="grep\n-q\nold\na.py\n", branch="w", reason="r")
    assert [each.returncode for each in done] == [0, 1]
    assert project.git("for-each-ref").count(b"\n") == 1
