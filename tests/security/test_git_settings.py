"""No setting of a repository starts a program, in whatever of ours calls git."""

import subprocess
from pathlib import Path

import pytest

from tests.support.project import Project

TRAPS = """
core.fsmonitor core.pager core.editor core.sshCommand core.gitProxy core.askPass
core.alternateRefsCommand sequence.editor gpg.program gpg.openpgp.program gpg.ssh.program
gpg.x509.program gpg.ssh.defaultKeyCommand diff.external diff.trap.command diff.trap.textconv
merge.trap.driver filter.trap.clean filter.trap.smudge filter.trap.process credential.helper
uploadpack.packObjectsHook pager.log pager.show pager.diff trailer.trap.command
interactive.diffFilter
""".split()  # noqa: SIM905
YES = """
log.showSignature commit.gpgSign tag.gpgSign push.gpgSign
""".split()  # noqa: SIM905
HOOKS = """
pre-commit commit-msg prepare-commit-msg post-commit reference-transaction post-index-change
pre-auto-gc post-rewrite fsmonitor-watchman
""".split()  # noqa: SIM905
EDIT = ("edit", "-p", "f($A)", "-r", "g($A)")
COMMANDS = {
    "search": [("search", "-p", "f($A)")],
    "changed": [(*EDIT, "--no-stage", "--changed=HEAD")],
    "scan": [(*EDIT, "--no-stage", "--changed=HEAD~1")],
    "apply": [(*EDIT, "--quiet"), ("resolve", "apply", "--reason", "r"), ("undo",)],
    "land": [(*EDIT, "--quiet"), ("land", "--by", "file", "--branch", "w", "--reason", "r")],
}


@pytest.fixture
def trapped(project: Project) -> Project:
    """A repository of signed commits, in which every setting that we know names a trap."""
    project.put("a.py", "f(1)\n")
    project.put(".gitattributes", "*.txt diff=trap merge=trap\n")
    for words in (
        "init -q -b main",
        "add .",
        "commit -qm first",
        "commit -qm second --allow-empty",
    ):
        project.git(*words.split())
    signed(project, "main")
    trap = program(project)
    for name in TRAPS:
        project.git("config", name, str(trap))
    for name in YES:
        project.git("config", name, "true")
    for name in HOOKS:
        (project.root / ".git/hooks").mkdir(exist_ok=True)
        (project.root / ".git/hooks" / name).symlink_to(trap)
    return project


def signed(project: Project, branch: str) -> None:
    """Gives the last commit of a branch a signature, which only a program could check."""
    head, _, message = project.git("cat-file", "commit", branch).partition(b"\n\n")
    head += b"\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n"
    words = ("hash-object", "-t", "commit", "-w", "--stdin")
    commit = project.git(*words, input=head + message).decode().strip()
    project.git("update-ref", f"refs/heads/{branch}", commit)


def program(project: Project) -> Path:
    trap = project.root.parent / "trap"
    trap.write_text(f"#!/bin/sh\necho $0 >> {project.root.parent}/sprung\nexit 1\n")
    trap.chmod(0o755)
    return trap


@pytest.mark.parametrize("name", COMMANDS)
def test_no_call_of_git_springs_a_trap(trapped: Project, name: str) -> None:
    for command in COMMANDS[name]:
        done = trapped(*command)
        assert done.code in (0, 3), done.err
    assert not (trapped.root.parent / "sprung").exists()


def test_a_landing_that_finds_its_branch_springs_none(trapped: Project) -> None:
    """It compares what is there with what it has made, a signed commit too."""
    for command in COMMANDS["land"]:
        assert trapped(*command).code == 0
    hooks, away = trapped.root / ".git/hooks", trapped.root.parent / "hooks"
    hooks.rename(away)
    signed(trapped, "w")
    away.rename(hooks)
    for command in COMMANDS["land"]:
        assert trapped(*command).code in (0, 3)
    assert not (trapped.root.parent / "sprung").exists()


def test_the_traps_would_be_sprung(trapped: Project) -> None:
    """By git itself, as a person calls it."""
    subprocess.run(["git", "log", "-1"], cwd=trapped.root, capture_output=True, check=False)
    assert (trapped.root.parent / "sprung").exists()
