"""Completion in the real shells: commands, paths, ids, languages and rules."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.lists import rows
from tests.support.patience import LAST
from tests.support.project import Project
from tests.support.terminal import Terminal

ROWS = rows(Path(__file__).with_suffix(".txt"))

pytestmark = pytest.mark.slow
SHELLS = {"bash": ["bash", "--norc", "--noprofile", "-i"], "zsh": ["zsh", "-f", "-i"]}
RULES = "id: no-print\nlanguage: python\nrule: {pattern: print($A)}\n"
SOURCE = {  # how the script is read, and a prompt that says when
    "bash": 'PS1="rea""dy> "; source <(astedit completion bash); echo do""ne\n',
    "zsh": 'PS1="rea""dy> "; autoload -Uz compinit; compinit -u; unsetopt LIST_AMBIGUOUS;'
    " source <(astedit completion zsh); echo do''ne\n",
}
CASES = ROWS["cases"]


@pytest.fixture
def place(project: Project, tmp_path: Path) -> tuple[Project, dict[str, str], str]:
    """A project with rules and one staged plan, and `astedit` on the path."""
    project.write(src__longer_name_py="print(1)\n")
    project.put("sgconfig.yml", "ruleDirs: [rules]\n")
    project.put("rules/a.yml", RULES)
    tool = tmp_path / "bin/astedit"
    tool.parent.mkdir()
    tool.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m astedit "$@"\n')
    tool.chmod(0o755)
    state = str(project.state)
    staged = project("edit", "-p", "print($A)", "-r", "log($A)", "--json", "--state-dir", state)
    settings = {
        "PATH": f"{tool.parent}:/usr/local/bin:/usr/bin:/bin",
        "ASTEDIT_STATE_DIR": state,
        "HOME": str(tmp_path),
        "PYTHONPATH": str(Path(__file__).parents[2]),
    }
    return project, settings, str(staged.json["actionId"])[-4:]


@pytest.mark.parametrize("shell", SHELLS)
def test_tab_completes(shell: str, place: tuple[Project, dict[str, str], str]) -> None:
    project, settings, id = place
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    with Terminal(SHELLS[shell], project.root, settings, columns=200) as terminal:
        terminal.type(SOURCE[shell])
        terminal.until("done\n")
        for typed, expected in CASES:
            terminal.until("ready> ")
            terminal.raw = ""
            terminal.type(typed + "\t")
            terminal.until(expected.format(id=id))
            terminal.type("\x15\n")  # the line is dropped


def test_fish_completes(place: tuple[Project, dict[str, str], str]) -> None:
    project, settings, id = place
    if (fish := shutil.which("fish")) is None:
        pytest.skip("fish is not installed")
    asked = "\n".join(f"complete -C '{typed}'; echo --" for typed, _ in CASES)
    done = subprocess.run(
        [fish, "--no-config", "-c", f"astedit completion fish | source\n{asked}"],
        cwd=project.root, env=settings, capture_output=True, text=True, timeout=LAST,
    )  # fmt: skip
    for answer, (typed, expected) in zip(done.stdout.split("--\n"), CASES, strict=False):
        wanted = expected.format(id=id).rpartition(" ")[2]
        words = [line.split("\t")[0] for line in answer.splitlines()]
        assert wanted in words or wanted.rpartition("=")[2] in words, (typed, answer, done.stderr)
