"""Every command in the README and the docs is run, and what they print is compared.

In a `console` block, lines that start with `$ ` are commands, run in order in a copy of the
example project, one copy a document; `# exit N` at the end says that it exits with N. The
lines below are what it prints: `…` stands for anything, `<id>` for the id of an action.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import click
import pytest

import astedit as package
from astedit.cli.main import astedit, every_command
from tests.support import operation_rows

REPOSITORY = Path(__file__).resolve().parents[2]
# Pages whose commands take seconds each: the slow run has them.
_SLOW_PAGES = (
    "tutorial how-to campaigns names rule-projects packs review blocked undo commits listed ci "
    "proving learn"
)
LONG = [f"docs/{name}.md" for name in _SLOW_PAGES.split()]
_QUICK = ("reference", "locate", "performance", "rules")
DOCUMENTS = ["README.md", *LONG, *(f"docs/{name}.md" for name in _QUICK)]
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_EXIT = re.compile(r"  # exit (\d)$")


class Step(NamedTuple):
    """One command of a document, and what the document says of it."""

    command: str
    code: int
    shown: list[str]


def blocks(document: str, language: str) -> list[str]:
    text = (REPOSITORY / document).read_text()
    return [body for name, body in _BLOCK.findall(text) if name == language]


def steps(document: str) -> list[Step]:
    found: list[Step] = []
    for line in "".join(blocks(document, "console")).splitlines():
        if line.startswith("$ "):
            code = _EXIT.search(line)
            found.append(Step(_EXIT.sub("", line[2:]), int(code[1]) if code else 0, []))
        else:
            found[-1].shown.append(line)
    return found


@pytest.fixture
def sandbox(tmp_path: Path) -> Path:
    """A committed copy of the example project, with `astedit` on the path."""
    project = tmp_path / "project"
    shutil.copytree(REPOSITORY / "fixtures/demo/shop", project / "shop")
    tool = tmp_path / "bin/astedit"
    tool.parent.mkdir()
    tool.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m astedit "$@"\n')
    tool.chmod(0o755)
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org"]
    for args in (["init", "-q"], ["add", "."], ["commit", "-qm", "The shop"]):
        subprocess.run([*git, *args], cwd=project, check=True)
    return project


def environment(sandbox: Path) -> dict[str, str]:
    return os.environ | {
        "PATH": f"{sandbox.parent}/bin{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(REPOSITORY),
        "ASTEDIT_STATE_DIR": str(sandbox.parent / "state"),
        "XDG_CONFIG_HOME": str(sandbox.parent / "config"),
    }


@pytest.mark.parametrize(
    "document",
    [
        pytest.param(document, marks=[pytest.mark.slow] if document in LONG else [])
        for document in DOCUMENTS
    ],
)
def test_every_command_does_what_the_document_says(document: str, sandbox: Path) -> None:
    for step in steps(document):
        done = subprocess.run(
            started(step.command, document),
            cwd=sandbox,
            env=environment(sandbox),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        printed = done.stdout.decode()
        assert done.returncode == step.code, f"{step.command}\n{printed}"
        for piece in pieces(step.shown):
            assert re.search(piece, printed, re.MULTILINE), f"{step.command}\n{printed}\n{piece}"


def started(command: str, document: str) -> list[str]:
    """The words to start: a shell's, but for a plain `astedit …` of what is not the README."""
    is_plain = not re.search(r"[^\w\s./:=,-]", re.sub("'[^']*'", "", command))
    if is_plain and command.startswith("astedit ") and document != "README.md":
        return [sys.executable, "-m", *shlex.split(command)]
    return ["bash", "-o", "pipefail", "-c", command]


def pieces(shown: list[str]) -> list[str]:
    """Runs of lines between lines of `…`, each as an expression for whole lines."""
    groups = re.split(r"^…\n", "".join(f"{line}\n" for line in shown), flags=re.MULTILINE)
    return ["^" + expression(group) for group in groups if group]


def expression(group: str) -> str:
    return re.escape(group).replace("…", ".*").replace("<id>", "a[0-9a-z]{17}")


def test_the_two_commands_of_the_readme_are_targets_that_make_their_environment() -> None:
    (shell,) = blocks("README.md", "sh")
    commands = re.findall(r"^make (\w+)", shell, re.MULTILINE)
    makefile = (REPOSITORY / "Makefile").read_text()
    assert commands == ["demo", "test"]
    for target in commands:
        assert re.search(rf"^{target}: \$\((INSTALLED|READY)\)$", makefile, re.MULTILINE)


def test_the_demo_prints_the_diff_and_that_it_applied_and_leaves_no_trace(tmp_path: Path) -> None:
    before = state_of(REPOSITORY / "fixtures/demo")
    demo = [sys.executable, str(REPOSITORY / "fixtures/demo/run.py")]
    done = subprocess.run(demo, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("--- a/shop/cart.py\n+++ b/shop/cart.py\n@@ ")
    last = done.stdout.splitlines()[-1]
    assert re.fullmatch(r"Applied a[0-9a-z]{17}: 3 replacements in 2 files\.", last)
    assert state_of(REPOSITORY / "fixtures/demo") == before
    assert list(tmp_path.iterdir()) == []


def state_of(folder: Path) -> dict[str, bytes]:
    return {str(p): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_the_python_of_the_readme_runs(sandbox: Path) -> None:
    (code,) = blocks("README.md", "python")
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=sandbox,
        env=environment(sandbox),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("3 2 --- a/shop/cart.py\n")


def test_every_public_name_has_an_example_in_the_reference() -> None:
    code = "".join(blocks("docs/reference.md", "python")) + operation_rows.table()
    named = set(re.findall(r"\bastedit\.(\w+)", code))
    assert set(package.__all__) - named == set()


@pytest.mark.slow
def test_the_python_of_the_reference_runs(sandbox: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "".join(blocks("docs/reference.md", "python"))],
        cwd=sandbox,
        env=environment(sandbox),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    printed = done.stdout
    assert "already_resolved" in printed and "['applied', 'applied']" in printed
    assert "shop/log.py:5 no-print" in printed and "LimitError timeout preview again" in printed


@pytest.mark.parametrize("name", every_command())
def test_the_reference_names_every_flag_of_every_command(name: str) -> None:
    text = (REPOSITORY / "docs/reference.md").read_text()
    with astedit.make_context("astedit", [name], resilient_parsing=True) as context:
        command = astedit.get_command(context, name)
    assert command is not None
    assert f"`astedit {name}" in text
    options = (one for one in command.params if isinstance(one, click.Option))
    assert [flag for one in options for flag in one.opts if flag.strip("-") not in text] == []


def test_the_configuration_page_names_every_key_and_variable() -> None:
    from astedit.workspace.config import KEYS, VARIABLES

    text = (REPOSITORY / "docs/configuration.md").read_text()
    for name in (*KEYS, *VARIABLES):
        assert f"`{name}`" in text


def test_every_page_that_is_linked_exists() -> None:
    for document in [*DOCUMENTS, "docs/configuration.md", "CHANGELOG.md"]:
        for target in re.findall(r"\]\(([^)#]+)\)", (REPOSITORY / document).read_text()):
            if "://" not in target:
                assert (REPOSITORY / document).parent.joinpath(target).exists(), target
