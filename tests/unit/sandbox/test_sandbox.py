"""A command changes what it likes in a sandbox, and nobody else sees it."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from astedit.limits import Cancelled, Deadline
from astedit.sandbox.locked_directory import remove_tree
from astedit.sandbox.sandbox import FileState, Sandbox, SandboxError, SandboxWay, choose
from astedit.sandbox.tree_copy import changed_directories, tree_state
from tests.support import REPOSITORY
from tests.support.lists import rows
from tests.support.patience import LAST, until

ROWS = rows(Path(__file__).with_suffix(".txt"))

WAYS: tuple[SandboxWay, ...] = ("overlay", "copy")
EVERYTHING = """
id -u; cat a.txt; echo changed > a.txt; rm b.txt; mkdir new; echo x > new/x
rm -r d; mkdir d; echo 3 > d/3.txt; chmod +x e.txt; echo e >> f.txt; mv g.txt h.txt
cp -p i.txt j; mv j i.txt; exit 7
"""
CHANGES = ROWS["changes"]


@pytest.fixture(params=["overlay", pytest.param("copy", marks=pytest.mark.slow)])
def sandbox(request: pytest.FixtureRequest, tmp_path: Path) -> Sandbox:
    return made(tmp_path, request.param)


def made(place: Path, way: SandboxWay) -> Sandbox:
    root = place / "a root, with: \\ signs"
    (root / "d").mkdir(parents=True)
    for name in ("a", "b", "e", "f", "g", "i", "d/1", "d/2"):
        (root / f"{name}.txt").write_text(f"{name}\n")
    (root / "link").symlink_to("a.txt")
    # What a copy has taken is what its file system has lost, to whomever.
    size = 4 << 20 if way == "overlay" else 1 << 30
    return Sandbox(str(root), str(place / "state"), way=way, size=size)


def shell(sandbox: Sandbox, script: str, seconds: float = 20) -> str:
    return sandbox.run(["sh", "-c", script], seconds=seconds).output


@pytest.mark.parametrize("way", WAYS)
def test_all_that_a_command_changes_is_told_and_nothing_of_it_happens(
    tmp_path: Path, way: SandboxWay
) -> None:
    sandbox = made(tmp_path, way)
    before = tree_state(sandbox.root)
    run = sandbox.run(
        ["sh", "-c", EVERYTHING], {"a.txt": FileState(b"ours\n")}, collect=["new/x", "none"]
    )
    assert run.output == f"{os.getuid()}\nours\n"
    assert (run.status, run.ended, run.start_error, run.full) == (7, None, None, False)
    assert run.changes == CHANGES
    assert run.made == {"new/x": b"x\n", "none": None}
    assert changed_directories(before, tree_state(sandbox.root)) == []


def test_an_overlay_is_at_the_path_of_the_root_and_a_copy_is_not(sandbox: Sandbox) -> None:
    assert (shell(sandbox, "pwd -P") == f"{sandbox.root}\n") == (sandbox.way == "overlay")


def test_each_run_begins_with_the_tree_as_it_is(sandbox: Sandbox) -> None:
    assert shell(sandbox, "ls; touch made") == shell(sandbox, "ls")
    Path(sandbox.root, "later.txt").touch()
    assert "later.txt" in shell(sandbox, "ls")


@pytest.mark.parametrize(("script", "status", "ended"), ROWS["however a command behaves its end"])
def test_however_a_command_behaves_its_end_is_known_and_nothing_is_left(
    sandbox: Sandbox, script: str, status: int | None, ended: str | None
) -> None:
    run = sandbox.run(["sh", "-c", script], seconds=0.5 if ended else LAST)
    assert (run.status, run.ended) == (status, ended)
    assert processes_in(sandbox.root) == []


def test_a_command_that_does_not_exist_is_told(sandbox: Sandbox) -> None:
    assert sandbox.run(["no-such-command"]).start_error == "No such file or directory"


def test_what_fills_the_sandbox_is_stopped(sandbox: Sandbox) -> None:
    sandbox.size = 4 << 20
    run = sandbox.run(["sh", "-c", "cat /dev/zero > big; exit 1"], seconds=LAST)
    assert run.full
    assert (run.status, run.ended) == ((1, None) if sandbox.way == "overlay" else (None, "full"))


def test_only_the_end_of_much_output_is_kept(sandbox: Sandbox) -> None:
    output = shell(sandbox, "yes | head -c 9000000; echo end")
    assert output.endswith("y\nend\n") and len(output) == 1 << 20


def test_what_stays_outside_is_cut_off_with_the_network(sandbox: Sandbox) -> None:
    sandbox.network = False
    code = "import socket as s; l = s.create_server(('127.0.0.1', 0)); "
    code += "s.create_connection(l.getsockname()); s.create_connection(('192.0.2.1', 9), 1)"
    output = sandbox.run([sys.executable, "-c", code], seconds=LAST).output
    assert output.endswith("Network is unreachable\n")


def test_a_call_that_is_cancelled_ends_the_command(sandbox: Sandbox) -> None:
    class Soon:
        looks = 0

        @property
        def aborted(self) -> bool:
            self.looks += 1
            return self.looks > 3

    with pytest.raises(Cancelled):
        sandbox.run(["sleep", "3600"], deadline=Deadline(None, Soon()))
    assert processes_in(sandbox.root) == []


def test_a_cache_by_size_and_second_does_not_take_the_new_for_the_old(tmp_path: Path) -> None:
    sandbox = made(tmp_path, "overlay")
    Path(sandbox.root, "m.py").write_text("X = 1\n")
    words = [sys.executable, "-c", "import m; print(m.X)"]
    subprocess.run(words, cwd=sandbox.root, check=True, capture_output=True)
    assert sandbox.run(words, {"m.py": FileState(b"X = 2\n")}).output == "2\n"


def test_a_state_directory_that_cannot_be_used_is_an_error(sandbox: Sandbox) -> None:
    Path(sandbox.state).touch()
    with pytest.raises(SandboxError, match=r"cannot be made: .*state") as error:
        sandbox.run(["true"])
    assert error.value.exit_code == 5


def test_copies_of_killed_processes_are_removed(tmp_path: Path) -> None:
    sandbox = made(tmp_path, "copy")
    Path(sandbox.state, "copies", "left", "tree").mkdir(parents=True)
    sandbox.run(["true"])
    assert os.listdir(Path(sandbox.state, "copies")) == []


def test_an_overlay_is_chosen_where_it_works_and_a_copy_says_what_it_is(tmp_path: Path) -> None:
    sandbox = made(tmp_path, "overlay")
    choose(sandbox, None, ["a.txt"])
    assert (sandbox.way, sandbox.warnings) == ("overlay", [])
    environment = Path(sandbox.root, ".venv")
    environment.mkdir()
    (environment / "pyvenv.cfg").write_text(f"command = python -m venv {environment}\n")
    choose(sandbox, "copy", [])
    assert sandbox.way == "copy"
    assert [warning.split()[0] for warning in sandbox.warnings] == ["The", ".venv"]


def processes_in(root: str) -> list[str]:
    """Processes whose working directory is the root, or anywhere a sandbox shows it."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            here = os.readlink(process / "cwd")
        except OSError:
            continue
        if here.startswith((root, os.path.join(os.path.dirname(root), "state"))):
            found.append((process / "cmdline").read_text())
    return found


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("way", WAYS)
def test_kills_at_any_moment_leave_the_tree_as_it_is(tmp_path: Path, way: SandboxWay) -> None:
    """80 kills for each way: of us, of the process that supervises, of whoever there is."""
    sandbox = made(tmp_path, way)
    script = f"""
from astedit.sandbox.locked_directory import remove_tree
from astedit.sandbox.sandbox import FileState, Sandbox
sandbox = Sandbox({sandbox.root!r}, {sandbox.state!r}, way={way!r})
sandbox.run(["sh", "-c", {EVERYTHING + "; sleep 1"!r}], {{"a.txt": FileState(b"ours")}})
"""
    before, mounts = tree_state(sandbox.root), Path("/proc/mounts").read_text()
    chance = random.Random(way)
    for _ in range(80):
        process = subprocess.Popen(
            [sys.executable, "-c", script], cwd=REPOSITORY, stderr=subprocess.DEVNULL
        )
        time.sleep(chance.random() * 0.5)
        kill(chance.choice([process.pid, *children(process.pid)]))
        time.sleep(chance.random() * 0.02)
        process.kill()
        process.wait()
        assert changed_directories(before, tree_state(sandbox.root)) == []
    until(lambda: processes_in(sandbox.root) == [])
    assert Path("/proc/mounts").read_text() == mounts
    sandbox.run(["true"])
    assert sum(len(names) for _, _, names in os.walk(sandbox.state)) == 0


def children(process: int) -> list[int]:
    try:
        listed = Path(f"/proc/{process}/task/{process}/children").read_text()
    except OSError:
        return []
    return [pid for child in map(int, listed.split()) for pid in (child, *children(child))]


def kill(process: int) -> None:
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        return


@pytest.mark.parametrize("way", WAYS)
def test_a_change_that_keeps_size_and_time_is_told_and_a_link_that_is_turned(
    tmp_path: Path, way: SandboxWay
) -> None:
    sandbox = made(tmp_path, way)
    run = sandbox.run(
        ["sh", "-c", "printf 'A\\n' > x; touch -r a.txt x; cat x > a.txt; touch -r x a.txt; rm x;"
         "printf 'B\\n' > y; touch -r b.txt y; mv y b.txt; ln -sfn d link; "
         "touch -d 2001-01-01 e.txt"]
    )  # fmt: skip
    assert run.changes == [("a.txt", "changed"), ("b.txt", "changed"), ("link", "changed")]


def deep(root: Path, levels: int) -> None:
    """Makes directories in directories, deeper than any path can say."""
    here = os.open(root, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir("deeper", dir_fd=here)
        below = os.open("deeper", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(os.open("f", os.O_WRONLY | os.O_CREAT, dir_fd=here))
    os.close(here)


@pytest.mark.parametrize("levels", [300, 1_200])
def test_a_tree_deeper_than_python_recurses_is_copied_and_the_copy_goes(
    tmp_path: Path, levels: int
) -> None:
    sandbox = made(tmp_path, "copy")
    deep(Path(sandbox.root), levels)
    for _ in range(2):
        run = sandbox.run(["sh", "-c", "echo x > new"])
        assert (run.status, run.changes) == (0, [("new", "added")])
    assert os.listdir(tmp_path / "state/copies") == []
    remove_tree(sandbox.root)


def test_an_abandoned_copy_never_stops_the_next(tmp_path: Path) -> None:
    sandbox = made(tmp_path, "copy")
    abandoned = tmp_path / "state/copies/abandoned/tree"
    abandoned.mkdir(parents=True)
    deep(abandoned, 1_200)
    (abandoned / "closed").mkdir()
    (abandoned / "closed/f").write_text("x")
    (abandoned / "closed").chmod(0)
    assert sandbox.run(["true"]).status == 0
    assert os.listdir(tmp_path / "state/copies") == []


@pytest.mark.parametrize("way", WAYS)
def test_no_process_of_a_sandbox_leads_back_to_the_tree_as_it_is(
    tmp_path: Path, way: SandboxWay
) -> None:
    sandbox = made(tmp_path, way)
    script = (
        "for p in /proc/[0-9]*; do for d in $p/cwd $p/fd/*; do "
        "[ -d $d/. ] && [ $p != /proc/$$ ] && echo owned > $d/a.txt; done; done; true"
    )
    before = tree_state(sandbox.root)
    shell(sandbox, script)
    assert changed_directories(before, tree_state(sandbox.root)) == []
    assert shell(sandbox, "ls -l /proc/1/fd /proc/1/cwd 2>&1 | grep -c 'signs' || true") == "0\n"
