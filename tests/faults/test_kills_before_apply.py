"""Killed at any write while something is staged, approved or handed on: no file is touched."""

import os
import re
from pathlib import Path

import pytest

from astedit.cli.main import run
from astedit.staging.approval import approve, decided
from astedit.staging.workspace_session import workspace_session
from tests.support.faults.cli import AFTER, APPLY, BEFORE, Tree, need_strace
from tests.support.faults.kills import killed, rows
from tests.support.gate.kill import every_kill

EDIT = ("edit", "-p", "f($A)", "-r", "gg($A)", "--quiet")


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


def command(tree: Tree, *words: str) -> int:
    """One command in this process."""
    place = ["--root", str(tree.root), "--state-dir", str(tree.state)]
    paths = [str(tree.root)] if words[0] == "edit" else []
    return run([*words, *place, *paths])


def applied(tree: Tree) -> None:
    """What is staged, or staged again, is applied as if nothing had been."""
    assert command(tree, *EDIT) == 0
    assert command(tree, "resolve", "apply", "--reason", "t") == 0
    assert tree.contents() == AFTER


@pytest.mark.slow
def test_killed_while_it_is_staged(tree: Tree) -> None:
    kills = 0
    for _ in every_kill(lambda: _stage(tree), lambda: _fresh(tree)):
        assert tree.contents() == BEFORE
        applied(tree)
        kills += 1
    assert kills > 5


def _fresh(tree: Tree) -> None:
    tree.fresh()


def _stage(tree: Tree) -> None:
    assert command(tree, *EDIT) == 0


def test_killed_while_a_person_approves(tree: Tree) -> None:
    """It counts as approved or not; what is approved is that very plan."""
    outcomes = set()
    for _ in every_kill(lambda: _approve(tree), lambda: _waiting(tree)):
        assert tree.contents() == BEFORE
        code = command(tree, "resolve", "apply", "--reason", "t")
        outcomes.add(code)
        assert tree.contents() == (AFTER if code == 0 else BEFORE)
    assert outcomes == {0, 3}


def _waiting(tree: Tree) -> None:
    tree.fresh()
    (tree.root / "astedit.toml").write_text('policy = "human"\n')
    assert command(tree, *EDIT) == 0


def _approve(tree: Tree) -> None:
    state = os.path.join(tree.state, *os.listdir(tree.state))
    with workspace_session(str(tree.root), state, who="person:a") as session:
        (action,) = session.store.list(("pending",))
        approve(action, decided(action, session).fingerprint, session)


def test_killed_while_a_stale_plan_is_refreshed(tree: Tree) -> None:
    for _ in every_kill(lambda: _refresh(tree), lambda: _stale(tree), step=2):
        assert (tree.root / "a.py").read_bytes() == b"f(1)\nf(4)\n"
        applied_again = AFTER | {"a.py": b"gg(1)\ngg(4)\n"}
        assert command(tree, *EDIT) == 0
        assert command(tree, "resolve", "apply", "--reason", "t") == 0
        assert tree.contents() == applied_again


def _stale(tree: Tree) -> None:
    tree.fresh()
    assert command(tree, *EDIT) == 0
    (tree.root / "a.py").write_bytes(b"f(1)\nf(4)\n")


def _refresh(tree: Tree) -> None:
    assert command(tree, "resolve", "apply", "--refresh", "--reason", "t") == 3


@pytest.mark.slow
@pytest.mark.parametrize(
    "at", [pytest.param(1, marks=pytest.mark.slow), 2, pytest.param(3, marks=pytest.mark.slow)]
)
def test_a_rename_that_is_killed_in_its_apply_is_ended(tree: Tree, at: int) -> None:
    need_strace()
    tree.fresh()
    files = {
        "a.py": b"def f(x): ...\n",
        "src/b.py": b"import a\na.f(1)\n",
        "src/c.py": b"import a\na.f(2)\n",
    }
    for path, text in files.items():
        (tree.root / path).write_bytes(text)
    assert tree.run("rename", "a.py::f", "g").returncode == 0
    killed(tree, "renameat2", at)
    assert tree.run("recover").returncode == 0
    after = {path: re.sub(rb"\bf\(", b"g(", text) for path, text in files.items()}
    (state,) = {row["state"] for row in rows(tree)}
    assert tree.contents() == (after if state == "applied" else files)


CODEMOD = """
import libcst
from libcst.codemod import VisitorBasedCodemodCommand


class Rename(VisitorBasedCodemodCommand):
    def leave_Name(self, original_node, updated_node):
        name = original_node.value
        return updated_node.with_changes(value={"f": "gg"}.get(name, name))
"""
NAMED = ("--codemod", "mine=own:Rename")


@pytest.mark.slow
@pytest.mark.parametrize("call", ["renameat2", "fsync", "unlink"])
@pytest.mark.parametrize("at", [1, 2, 3])
def test_a_codemod_that_is_killed_in_its_apply_is_ended(
    tree: Tree, monkeypatch: pytest.MonkeyPatch, call: str, at: int
) -> None:
    """By a recovery that knows nothing of the codemod: what it needs lies beside the files."""
    need_strace()
    pytest.importorskip("libcst")
    tree.fresh()
    (tree.root.parent / "own.py").write_text(CODEMOD)
    monkeypatch.setenv("PYTHONPATH", str(tree.root.parent))
    done = tree.run("codemod", "mine", *NAMED, "--quiet")
    assert done.returncode == 0, done.stderr
    trace = ("-o", "/dev/null", "-e", f"inject={call}:signal=KILL:when={at}")
    assert tree.run(*APPLY, *NAMED, trace=trace).returncode != 0
    assert tree.run("recover").returncode == 0
    (state,) = {row["state"] for row in rows(tree)}
    assert tree.contents() == (AFTER if state == "applied" else BEFORE)
