"""The way back: exact for a thousand files, whole when it is killed, and through processes."""

import json
import os
import random
import shutil
import stat
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import astedit
from astedit.transaction.disk import DISK, Disk
from tests.support.faults.cli import AFTER, APPLY, BEFORE, MODES, Tree, need_strace
from tests.support.faults.disks import CALLS
from tests.support.faults.kills import killed, rows
from tests.support.project import Project


def everything(project: Project) -> dict[str, tuple[bytes, int]]:
    """Bytes and mode of every file."""
    found = project.files().items()
    modes = {path: stat.S_IMODE((project.root / path).stat().st_mode) for path, _ in found}
    return {path: (text, modes[path]) for path, text in found}


def test_hundreds_of_files_come_back_byte_for_byte_and_mode_for_mode(project: Project) -> None:
    chance = random.Random(7)
    ends = ["\n", "\r\n", ""]
    for number in range(300):
        path = f"d{number % 17}/m{number}.py"
        text = f"# é {number}\nf({number})" + chance.choice(ends) + chance.choice(ends)
        project.put(path, (b"\xef\xbb\xbf" if number % 5 == 0 else b"") + text.encode())
        (project.root / path).chmod(chance.choice([0o644, 0o755, 0o600, 0o664]))
    before = everything(project)
    assert project("edit", "-p", "f($A)", "-r", "gg($A)", "--quiet").code == 0
    assert project(*APPLY).code == 0
    after = everything(project)
    assert len([path for path in before if before[path] != after[path]]) == 300
    assert project("undo").code == 0
    assert everything(project) == after
    assert project(*APPLY).code == 0
    assert everything(project) == before


@pytest.mark.slow
def test_an_undo_that_is_killed_is_finished_and_can_be_undone(tmp_path: Path) -> None:
    need_strace()
    tree = Tree(tmp_path).staged()
    assert tree.run(*APPLY).returncode == 0 and tree.contents() == AFTER
    assert tree.run("undo").returncode == 0
    killed(tree, "renameat2", 2)
    assert tree.contents() not in (BEFORE, AFTER)
    done = tree.run("recover", "--json")
    assert done.returncode == 0
    assert [row["outcome"] for row in json.loads(done.stdout)] == ["applied"]
    assert tree.contents() == BEFORE and tree.modes() == MODES
    log = json.loads(tree.run("log", "--json").stdout)
    undo = next(row["actionId"] for row in log if row["kind"] == "undo")
    assert len({row["actionId"] for row in log}) == 2
    assert tree.run("undo", undo).returncode == 0
    assert tree.run(*APPLY).returncode == 0 and tree.contents() == AFTER
    assert {state["state"] for state in rows(tree)} == {"applied"}


def test_a_pending_undo_is_shown_as_its_diff(project: Project) -> None:
    project.write(a_py="f(1)\n")
    project("edit", "-p", "f($A)", "-r", "gg($A)", "--quiet")
    assert project(*APPLY).code == 0
    assert project("undo").code == 0
    shown = project("show")
    assert shown.code == 0 and "-gg(1)\n+f(1)\n" in shown.text


# -- killed at any call, directories that it removes included ------------------------------------

BEFORE_MOVE = {
    "app.py": b"from old.m import f\n\nf()\n",
    "old/__init__.py": b"",
    "old/m.py": b"def f():\n    return 1\n",
}


class Exiting(Disk):
    """Ends the process behind the `at`-th call that writes (from 1), as a kill would."""

    at = made = 0


def _exiting(name: str) -> Callable[..., Any]:
    def call(self: Exiting, *arguments: Any) -> Any:
        done = getattr(Disk, name)(self, *arguments)
        Exiting.made += 1
        if Exiting.made == Exiting.at:
            os._exit(KILLED)
        return done

    return call


for _name in CALLS:
    setattr(Exiting, _name, _exiting(_name))
KILLED = 9


def in_a_process(at: int, work: Callable[[], object]) -> bool:
    """Runs it in a process of its own that ends behind the call; whether it came so far."""
    if not (child := os.fork()):
        Exiting.at, Exiting.made = at, 0
        DISK.__class__ = Exiting
        try:
            work()
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, KILLED)
    return code == KILLED


def moved(place: Path) -> tuple[Path, Path, dict[str, bytes], str]:
    """A tree in which a module was moved into new directories, with the undo of that staged."""
    root, state = place / "root", place / "state"
    for name, text in BEFORE_MOVE.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(text)
    with astedit.open(root, state_dir=state) as work:
        work.move_module("old/m.py", "deep/er/m.py").apply("r")
        (applied,) = (row for row in work.log() if row.outcome == "applied")
        return root, state, held(root), str(work.undo(str(applied.action_id)).action_id)


def held(root: Path) -> dict[str, bytes]:
    """Every file below the root, and b"/" for every directory."""
    entries = {str(path.relative_to(root)): path for path in root.rglob("*")}
    return {name: b"/" if path.is_dir() else path.read_bytes() for name, path in entries.items()}


def again(root: Path, state: Path) -> None:
    """Brings back what was saved, in the same directories: an action is of one of them."""
    for folder in (root, state):
        for entry in folder.iterdir():
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        shutil.copytree(folder.with_name(f"{folder.name}-saved"), folder, dirs_exist_ok=True)


def swept(place: Path, second: range) -> Counter[str]:
    """Kills an undo behind every call, its recovery too, and says how all of that ended."""
    root, state, after, action = moved(place)
    before = {**BEFORE_MOVE, "old": b"/"}
    for folder in (root, state):
        shutil.copytree(folder, folder.with_name(f"{folder.name}-saved"))

    def undo() -> None:
        with astedit.open(root, state_dir=state) as work:
            work.resolve("apply", action, "r")

    def recover() -> None:
        with astedit.open(root, state_dir=state) as work:
            work.recover()

    ends: Counter[str] = Counter()
    for at in range(1, 200):
        again(root, state)
        if not in_a_process(at, undo):
            assert held(root) == before
            return ends
        for other in second:
            if not other or not in_a_process(other, recover):
                break
        recover()
        assert held(root) in (before, after), (at, held(root))
        with astedit.open(root, state_dir=state) as work:
            waits = [each.id for each in work.pending()] == [action]
        assert waits == (held(root) == after), at
        ends["as before" if waits else "undone"] += 1
    raise AssertionError("the undo never came to its end")


def test_an_undo_that_removes_directories_ends_whole_wherever_it_is_killed(tmp_path: Path) -> None:
    ends = swept(tmp_path, range(0))
    assert ends["as before"] > 5 and ends["undone"] > 5


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_so_it_does_where_its_recovery_is_killed_again_and_again(tmp_path: Path) -> None:
    for first in (1, 2, 4, 7, 11):
        place = tmp_path / str(first)
        place.mkdir()
        assert swept(place, range(first, 12))["undone"] > 5
