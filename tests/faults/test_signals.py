"""Signals and closed pipes during an apply: it finishes or has done nothing, and says which."""

import fcntl
import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from astedit.cli.main import run
from astedit.cli.output import report
from tests.support.faults.cli import AFTER, APPLY, BEFORE, EDIT, Tree, need_strace
from tests.support.patience import LAST, until
from tests.support.slowly import slow_after

STOPPING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
SIGNALS = slow_after(1, "number", STOPPING)
# Two things by three signals: every one of the five is met at once, every pair among the slow.
FEW = {(signal.SIGTERM, 0), (signal.SIGINT, 1), (signal.SIGHUP, 0)}


def crossed(name: str, values: tuple[object, object]) -> pytest.MarkDecorator:
    """The signals times two values of another argument."""
    return pytest.mark.parametrize(
        f"number, {name}",
        [
            pytest.param(number, values[at], marks=() if (number, at) in FEW else pytest.mark.slow)
            for number, at in [(number, at) for number in STOPPING for at in (0, 1)]
        ],
    )


PENDING = b"error: Interrupted: no file was changed, and the action is still pending.\n"


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path).staged()


@contextmanager
def locked(root: Path) -> Iterator[None]:
    """Somebody else applies."""
    descriptor = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    yield
    os.close(descriptor)


def listening(process: "subprocess.Popen[bytes]") -> bool:
    """Whether it takes SIGTERM itself: then it resolves, and may wait for the lock."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    (caught,) = (line for line in status.splitlines() if line.startswith("SigCgt:"))
    return bool(int(caught.split()[1], 16) >> (signal.SIGTERM - 1) & 1)


@crossed("verb", ("apply", "discard"))
def test_one_who_waits_for_the_lock_stops_at_once(tree: Tree, number: int, verb: str) -> None:
    with locked(tree.root):
        process = tree.start("resolve", verb, "--reason", "t")
        until(lambda: listening(process), process)
        process.send_signal(number)
        _, err = process.communicate(timeout=LAST)  # the lock is never given back
    assert process.returncode == 130 and err.endswith(PENDING), err
    assert tree.contents() == BEFORE
    assert tree.run(*APPLY).returncode == 0


def test_a_recovery_that_waits_for_the_lock_stops_at_once(tree: Tree) -> None:
    with locked(tree.root):
        process = tree.start("recover")
        until(lambda: listening(process), process)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=LAST)
    assert process.returncode == 130
    assert err.endswith(b"error: Interrupted: nothing was done.\n"), err


@crossed("at", (1, 3))
def test_one_who_writes_finishes(tree: Tree, number: int, at: int) -> None:
    need_strace()
    name = number.name if isinstance(number, signal.Signals) else str(number)
    inject = f"inject=renameat2:signal={name.removeprefix('SIG')}:when={at}"
    done = tree.run(*APPLY, trace=("-o", "/dev/null", "-e", inject))
    assert done.returncode == 0 and done.stdout.startswith(b"Applied "), done.stderr
    assert tree.contents() == AFTER


@SIGNALS
def test_before_the_commit_point_nothing_is_left(tree: Tree, number: int) -> None:
    need_strace()
    name = signal.Signals(number).name.removeprefix("SIG")
    done = tree.run(*APPLY, trace=("-o", "/dev/null", "-e", f"inject=fchmod:signal={name}:when=2"))
    assert done.returncode == 130 and done.stderr.endswith(PENDING), done.stderr
    assert tree.contents() == BEFORE
    assert not list(tree.state.rglob("intent"))
    assert len(json.loads(tree.run("pending", "--json").stdout)) == 1


def two_staged(tree: Tree) -> None:
    assert tree.run("edit", "-p", "x = 2", "-r", "x = 3", "--quiet", "a.py").returncode == 0
    assert len(json.loads(tree.run("pending", "--json").stdout)) == 2


@pytest.mark.slow
def test_of_all_actions_those_after_the_signal_are_left(tree: Tree) -> None:
    need_strace()
    two_staged(tree)
    inject = "inject=renameat2:signal=INT:when=1"
    done = tree.run(*APPLY, "--all", trace=("-o", "/dev/null", "-e", inject))
    assert done.returncode == 130 and done.stderr.endswith(PENDING), done.stderr
    assert done.stdout.startswith(b"Applied ")
    assert tree.contents() == BEFORE | {"a.py": b"f(1)\nx = 3\n"}


def test_a_ctrl_c_while_the_diff_is_printed_says_what_was_applied(
    tree: Tree, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(report, "print_diff", lambda diff: signal.raise_signal(signal.SIGINT))
    place = ("--root", str(tree.root), "--state-dir", str(tree.state), str(tree.root))
    assert run([*EDIT, "--apply", "--reason", "r", *place]) == 130
    assert "error: Interrupted: Applied a" in capfd.readouterr().err


@slow_after(1, "words", [APPLY, (*APPLY, "--json")])
def test_a_closed_stdout_changes_nothing_of_it(tree: Tree, words: tuple[str, ...]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = tree.command(*words)
    done = subprocess.run(
        command, cwd=tree.root, env=tree.environment(), stdout=writer, stderr=subprocess.PIPE
    )
    os.close(writer)
    assert done.returncode == 0 and b"Traceback" not in done.stderr
    assert tree.contents() == AFTER


@pytest.mark.slow
def test_all_are_discarded_into_a_closed_stdout(tree: Tree) -> None:
    two_staged(tree)
    reader, writer = os.pipe()
    os.close(reader)
    command = tree.command("resolve", "discard", "--all", "--reason", "t")
    done = subprocess.run(
        command, cwd=tree.root, env=tree.environment(), stdout=writer, stderr=subprocess.PIPE
    )
    os.close(writer)
    assert done.returncode == 0, done.stderr
    assert tree.run("pending", "--json").stdout == b"[]\n"
