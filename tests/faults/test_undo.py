"""The way back: exact for a thousand files, whole when it is killed, and through processes."""

import json
import random
import stat
from pathlib import Path

import pytest

from tests.support.faults.cli import AFTER, APPLY, BEFORE, MODES, Tree, need_strace
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
    states = {row["actionId"] for row in log}
    assert len(states) == 2
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
