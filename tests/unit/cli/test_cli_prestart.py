"""What starts before the command line is read: only where it will be needed."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from astedit import git
from astedit.__main__ import prestart
from tests.support.forked_workers import children
from tests.support.patience import LAST
from tests.support.slowly import slow_after


@pytest.fixture
def large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A directory with a large index, and two cores, from which nothing is left behind."""
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git/index").write_bytes(bytes(git.LARGE_INDEX + 1))
    (tmp_path / "a.py").write_text("f(1)\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    before = os.listdir("/proc/self/fd")
    yield tmp_path
    assert children() == set()
    assert os.listdir("/proc/self/fd") == before


def begun() -> bool:
    """Whether a listing was begun, which is ended."""
    listing = git._begun is not None
    git.forget()
    return listing


@pytest.mark.parametrize(
    "arguments",
    [["-p", "f($A)"], ["-p", "f($A)", "."], ["--json", "./x*"], ["-r", "a.py"], ["--rule", "a.py"]],
)
def test_the_whole_of_a_large_tree_is_listed(large: Path, arguments: list[str]) -> None:
    prestart(arguments)
    assert begun()


@pytest.fixture
def lists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], list[str]]]:
    """How often git was started to list files: each start writes down its arguments."""
    program = shutil.which("git")
    log = tmp_path / "log"
    fake = tmp_path / "bin/git"
    fake.parent.mkdir()
    fake.write_text(f'#!/bin/sh\necho "$*" >> {log}\nexec {program} "$@"\n')
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{fake.parent}:{os.environ['PATH']}")
    yield lambda: [line for line in log.read_text().splitlines() if "ls-files" in line]


@slow_after(
    3,
    "arguments, expected",
    [([], 1), (["."], 1), (["--no-ignore", "vcs"], 2), (["a0.py"], 0), (["below"], 1)],
)
def test_git_lists_once(
    tmp_path: Path, lists: Callable[[], list[str]], arguments: list[str], expected: int
) -> None:
    """What is begun is what is asked for later, or it is done anew."""
    root = tmp_path / "tree"
    (root / "below").mkdir(parents=True)
    for number in range(5):
        (root / f"a{number}.py").write_text("f(1)\n")
    (root / "below/b.py").write_text("f(1)\n")
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    subprocess.run(["git", "add", "."], cwd=root, check=True)
    code = (
        "import os, sys\nfrom astedit import git\ngit.LARGE_INDEX = 0\n"
        "os.sched_getaffinity = lambda _: {0, 1}\n"
        f"sys.argv[1:] = {['search', '-p', 'f($A)', '-l', 'python', '--json', *arguments]}\n"
        "from astedit.__main__ import command\ncommand()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, timeout=LAST
    )
    assert len(json.loads(done.stdout)) == {"a0.py": 1, "below": 1}.get("".join(arguments), 6), done
    time.sleep(0.05)  # one that is not needed may be ended before it writes
    assert len(lists()) <= expected if expected == 2 else len(lists()) == expected


def test_a_path_is_less_than_the_tree(large: Path) -> None:
    prestart(["-p", "f($A)", "a.py"])
    assert not begun()


def test_a_small_tree_needs_none(large: Path) -> None:
    (large / ".git/index").write_bytes(bytes(git.LARGE_INDEX))
    prestart([])
    assert not begun()


def test_no_index_is_no_error(large: Path) -> None:
    (large / ".git/index").unlink()
    prestart([])
    assert not begun()


def test_one_core_has_no_use_for_it(large: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0})
    prestart([])
    assert not begun()


PRINTED = "import sys\nfrom astedit import __main__\n__main__.prestart = print\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(["search", "-p", "f"], "['-p', 'f']\n"), (["edit"], "[]\n"), (["log", "-p"], "")],
)
def test_commands_over_trees_ask_for_it(tmp_path: Path, arguments: list[str], said: str) -> None:
    code = f"{PRINTED}sys.argv[1:] = {arguments}\nfrom astedit.__main__ import main\nmain()\n"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=LAST
    )
    assert done.stdout == said
