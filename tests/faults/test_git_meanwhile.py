"""git changes the tree in the middle of an apply, or has put only a part of it there."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.support.faults.cli import AFTER, APPLY, BEFORE, Tree, let_go, need_strace
from tests.support.faults.kills import rows

OTHER = {path: text.replace(b"f(", b"other(") for path, text in BEFORE.items()}
PERSON = {
    f"GIT_{role}_{what}": value
    for role in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "a"), ("EMAIL", "a@example.org"))
}


def git(root: Path, *words: str) -> None:
    subprocess.run(
        ["git", "-C", str(root), *words], check=True, capture_output=True, env=os.environ | PERSON
    )


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """A repository with another branch, and the edit staged."""
    need_strace()
    tree = Tree(tmp_path).fresh()
    (tree.root / "astedit.toml").write_text("")
    git(tree.root, "init", "-q", "-b", "main")
    git(tree.root, "add", ".")
    git(tree.root, "commit", "-q", "-m", "one")
    git(tree.root, "tag", "before")
    git(tree.root, "checkout", "-q", "-b", "other")
    for path, text in OTHER.items():
        (tree.root / path).write_bytes(text)
    git(tree.root, "commit", "-q", "-a", "-m", "two")
    git(tree.root, "checkout", "-q", "main")
    assert tree.run("edit", "-p", "f($A)", "-r", "gg($A)", "--quiet").returncode == 0
    return tree


def contents(tree: Tree) -> dict[str, bytes]:
    return {path: (tree.root / path).read_bytes() for path in BEFORE}


def left_over(tree: Tree) -> list[str]:
    found = (path.name for path in tree.root.rglob("*") if ".git/" not in str(path))
    return [name for name in found if "astedit" in name and name != "astedit.toml"]


@pytest.mark.slow
@pytest.mark.parametrize("at", [1, 2, 3])
@pytest.mark.parametrize(
    "words", [("checkout", "-q", "-f", "other"), ("reset", "-q", "--hard", "other")]
)
def test_another_branch_in_the_middle_of_an_apply(
    tree: Tree, words: tuple[str, ...], at: int
) -> None:
    """What git has put there stays, or all is as the apply says: nothing is torn, none is lost."""
    running = tree.held(at, *APPLY)
    git(tree.root, *words)
    let_go(running)
    running.communicate()
    tree.run("recover")
    assert contents(tree) == OTHER, "the apply went over what git had put there"
    (state,) = {row["state"] for row in rows(tree)}
    assert (state == "applied") == (running.returncode == 0)
    assert left_over(tree) == []
    git(tree.root, "reset", "-q", "--hard", "before")
    assert contents(tree) == BEFORE


@pytest.mark.slow
@pytest.mark.parametrize("at", [1, 2, 3])
def test_a_rebase_in_the_middle_of_an_apply(tree: Tree, at: int) -> None:
    """Onto a branch that changes the same files: git refuses, or does it with what it has put
    aside; the apply is whole or gives way, and nothing of either is lost."""
    (tree.root / "more.txt").write_text("one commit more\n")
    git(tree.root, "add", ".")
    git(tree.root, "commit", "-q", "-m", "three")
    running = tree.held(at, *APPLY)
    words = ["git", "-C", str(tree.root), "rebase", "-q", "--autostash", "other"]
    rebased = subprocess.run(words, capture_output=True, env=os.environ | PERSON)
    let_go(running)
    running.communicate()
    tree.run("recover")
    found = contents(tree)
    assert left_over(tree) == []
    for path, text in found.items():
        if b"<<<<<<<" in text:  # git's, of what it had put aside
            assert {*OTHER[path].split(), *AFTER[path].split()} <= {*text.split()}, text
        else:
            assert text in (BEFORE[path], AFTER[path], OTHER[path]), path
    (state,) = {row["state"] for row in rows(tree)}
    assert (state == "applied") == (running.returncode == 0), (rebased, found)
    if state != "applied":
        assert all(text != AFTER[path] for path, text in found.items())


def test_a_stash_before_the_apply_makes_it_stale_and_its_pop_brings_it_back(tree: Tree) -> None:
    (tree.root / "a.py").write_bytes(b"f(1)\nx = 3\n")
    assert tree.run("edit", "-p", "f($A)", "-r", "gg($A)", "--quiet").returncode == 0
    git(tree.root, "stash", "-q")
    assert tree.run(*APPLY).returncode == 3
    assert contents(tree) == BEFORE
    git(tree.root, "stash", "pop", "-q")
    assert tree.run(*APPLY).returncode == 0
    assert contents(tree)["a.py"] == b"gg(1)\nx = 3\n"


@pytest.mark.slow
def test_a_sparse_checkout_gets_no_file_that_it_left_out(tree: Tree) -> None:
    git(tree.root, "sparse-checkout", "set", "--no-cone", "/*.py", "/astedit.toml")
    assert not (tree.root / "src").exists()
    assert tree.run(*APPLY).returncode == 3  # two files have vanished
    assert tree.run("edit", "-p", "f($A)", "-r", "gg($A)", "--quiet").returncode == 0
    assert tree.run(*APPLY).returncode == 0
    assert (tree.root / "a.py").read_bytes() == AFTER["a.py"]
    assert not (tree.root / "src").exists()
    git(tree.root, "sparse-checkout", "disable")
    assert (tree.root / "src/b.py").read_bytes() == BEFORE["src/b.py"]


@pytest.mark.slow
def test_a_work_tree_of_git_is_a_root_of_its_own(tree: Tree, tmp_path: Path) -> None:
    beside = tmp_path / "beside"
    git(tree.root, "worktree", "add", "-q", str(beside), "-b", "third")
    place = ("--root", str(beside), str(beside))
    assert tree.run("edit", "-p", "f($A)", "-r", "gg($A)", "--quiet", *place).returncode == 0
    assert tree.run(*APPLY, "--root", str(beside)).returncode == 0
    assert {path: (beside / path).read_bytes() for path in BEFORE} == AFTER
    assert contents(tree) == BEFORE
    assert tree.run(*APPLY).returncode == 0  # the other one's plan is still its own
    assert contents(tree) == AFTER


@pytest.mark.slow
def test_a_submodule_is_left_alone_unless_it_is_the_root(tree: Tree, tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "m.py").write_bytes(b"f(9)\n")
    git(inner, "init", "-q")
    git(inner, "add", ".")
    git(inner, "commit", "-q", "-m", "one")
    allowed = ("-c", "protocol.file.allow=always")
    git(tree.root, *allowed, "submodule", "--quiet", "add", str(inner), "sub")
    assert tree.run("edit", "-p", "f($A)", "-r", "gg($A)", "--quiet").returncode == 0
    assert tree.run(*APPLY).returncode == 0
    assert (tree.root / "sub/m.py").read_bytes() == b"f(9)\n"
    place = ("--root", str(tree.root / "sub"), str(tree.root / "sub"))
    assert tree.run("edit", "-p", "f($A)", "-r", "gg($A)", "--quiet", *place).returncode == 0
    assert tree.run(*APPLY, *place[:2]).returncode == 0
    assert (tree.root / "sub/m.py").read_bytes() == b"gg(9)\n"
