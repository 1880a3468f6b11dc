"""A patch makes of a tree what `git apply` makes of it, and is taken back to the byte."""

from pathlib import Path
from random import Random

import pytest

from astedit.cli.main import run
from tests.support import REPOSITORY
from tests.support.patched_trees import (
    Files,
    changed_files,
    files_of,
    git,
    patch_between,
    some_files,
    write_files,
)


def astedit(place: Path, *words: str) -> int:
    return run([*words, "--root", str(place / "tree"), "--state-dir", str(place / "state")])


def check(place: Path, patch: bytes, before: Files, after: Files) -> None:
    """The patch is staged, shown as one that git takes, applied, and taken back."""
    root = place / "tree"
    (place / "change.diff").write_bytes(patch)
    assert astedit(place, "stage", "--patch", str(place / "change.diff"), "--quiet") == 0
    assert files_of(root) == before
    assert astedit(place, "resolve", "apply", "--reason", "t") == 0
    assert files_of(root) == after
    assert astedit(place, "undo") == 0
    assert astedit(place, "resolve", "apply", "--reason", "t") == 0
    assert files_of(root) == before
    assert {each for each in root.rglob("*") if each.is_dir() and ".git" not in each.parts} == {
        folder for path in before for folder in (root / path).parents if root in folder.parents
    }


def seeds(first: int, count: int, place: Path) -> None:
    root = place / "tree"
    root.mkdir()
    git(root, "init", "-q")
    for seed in range(first, first + count):
        by = Random(seed)
        before = some_files(by)
        after = changed_files(by, before)
        if before != after:
            options = ("--binary", by.choice(("-M", "--no-renames")), f"-U{by.randint(1, 3)}")
            check(place, patch_between(root, before, after, *options), before, after)


def test_a_patch_makes_what_git_makes_of_it(tmp_path: Path) -> None:
    seeds(0, 3, tmp_path)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_many_patches_make_what_git_makes_of_them(tmp_path: Path) -> None:
    seeds(1000, 150, tmp_path)


def test_git_takes_what_we_show_of_it(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    root = tmp_path / "tree"
    root.mkdir()
    git(root, "init", "-q")
    by = Random(3)
    before = some_files(by)
    after = changed_files(by, before)
    (tmp_path / "change.diff").write_bytes(patch_between(root, before, after, "--binary", "-M"))
    capsysbinary.readouterr()
    assert astedit(tmp_path, "stage", "--patch", str(tmp_path / "change.diff")) == 0
    git(root, "apply", "-", given=capsysbinary.readouterr().out)
    assert files_of(root) == after
    write_files(root, before)
    assert astedit(tmp_path, "show", "--format", "patch") == 0
    git(root, "apply", "-", given=capsysbinary.readouterr().out)
    assert files_of(root) == after


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_commits_of_this_project(tmp_path: Path) -> None:
    """Real changes: each commit as a patch, on the tree before it."""
    commits = git(REPOSITORY, "rev-list", "--no-merges", "-n", "150", "HEAD").decode().split()
    if len(commits) < 2:
        pytest.skip("the history of the project is not here")
    root = tmp_path / "tree"
    git(tmp_path, "clone", "-q", "--shared", "--no-checkout", str(REPOSITORY), str(root))
    for commit in commits[:-1]:
        patch = git(root, "diff", "-M", "--binary", f"{commit}^", commit)
        git(root, "clean", "-qfdx")
        git(root, "checkout", "-q", "-f", commit)
        after = files_of(root)
        git(root, "checkout", "-q", "-f", f"{commit}^")
        before = files_of(root)
        (tmp_path / "change.diff").write_bytes(patch)
        words = ("stage", "--patch", str(tmp_path / "change.diff"), "--quiet", "--allow-protected")
        assert astedit(tmp_path, *words) == 0, commit
        assert astedit(tmp_path, "resolve", "apply", "--reason", "t") == 0, commit
        changed = {
            path for path in before.keys() | after.keys() if before.get(path) != after.get(path)
        }
        now = files_of(root)
        assert {path: now.get(path) for path in changed} == {
            path: after.get(path) for path in changed
        }
        assert now == after
