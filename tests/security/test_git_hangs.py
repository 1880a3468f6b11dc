"""What stands in the place of git's files cannot make us wait, nor leave git behind."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from astedit import git, search
from astedit.cli.place import changed_files
from astedit.errors import LimitError
from astedit.limits import Deadline
from astedit.workspace.root import Workspace
from tests.support.patience import is_gone, until
from tests.support.project import Project
from tests.support.slowly import slow_after


def made(root: Path) -> Path:
    """A repository with a file that is committed and one that is not."""
    root.mkdir()
    (root / "a.py").write_text("f(1)\n")
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "one"]):
        person = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run(["git", "-C", str(root), *person, *words], check=True)
    (root / "b.py").write_text("f(2)\n")
    return root


def pipe(place: Path) -> None:
    place.unlink(missing_ok=True)
    os.mkfifo(place)


def bound(place: Path) -> None:
    place.unlink(missing_ok=True)
    here = os.getcwd()
    os.chdir(place.parent)  # the path of a socket must be short
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(place.name)
    finally:
        os.chdir(here)


def endless(place: Path) -> None:
    place.unlink(missing_ok=True)
    place.symlink_to("/dev/zero")


def add(place: Path, text: str) -> None:
    place.write_text(place.read_text() + text)


def excludes(root: Path) -> None:
    os.mkfifo(root / ".git/pipe")
    add(root / ".git/config", f"[core]\nexcludesFile = {root}/.git/pipe\n")


def includes(root: Path) -> None:
    os.mkfifo(root / ".git/pipe")
    add(root / ".git/config", "[include]\npath = pipe\n")


PLACES = [".gitignore", ".ignore", ".git/config", ".git/HEAD", ".git/index", ".git/info/exclude"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return made(tmp_path / "repository")


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """git gets a second instead of thirty."""
    monkeypatch.setattr(git, "SECONDS", 1.0)


def children() -> set[int]:
    """Those of this process, ended or not, that are git."""
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                name, _, rest = (entry / "stat").read_text().partition(")")
            except OSError:
                continue
            if name.endswith("(git") and int(rest.split()[1]) == os.getpid():
                found.add(int(entry.name))
    return found


def found(root: Path, **more: float) -> list[str]:
    return sorted({match.file for match in search("f($A)", root=root, jobs=1, **more).matches})


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize(
    "place",
    [
        *PLACES[:1],
        *(pytest.param(each, marks=pytest.mark.slow) for each in PLACES[1:-1]),
        *PLACES[-1:],
    ],
)
@pytest.mark.parametrize("make", [pipe, bound, endless])
def test_the_files_are_found_all_the_same(
    root: Path, place: str, make: Callable[[Path], None]
) -> None:
    if (make, place) == (endless, ".gitignore"):
        pytest.skip("git follows no link there")
    make(root / place)
    assert found(root) == ["a.py", "b.py"]
    assert children() == set()


@pytest.mark.usefixtures("hurried")
@slow_after(1, "make", [excludes, includes])
def test_what_the_configuration_names_may_hang_too(
    root: Path, make: Callable[[Path], None]
) -> None:
    make(root)
    assert found(root) == ["a.py", "b.py"]
    assert children() == set()


def test_a_timeout_is_that_of_git_too(root: Path) -> None:
    pipe(root / ".gitignore")
    with pytest.raises(LimitError, match="Out of time after 1 s"):
        found(root, timeout=1)
    assert children() == set()


@pytest.mark.slow
@pytest.mark.usefixtures("hurried")
def test_what_needs_git_says_that_it_does_not_answer(root: Path) -> None:
    pipe(root / ".git/config")
    with Workspace(root) as workspace, pytest.raises(LimitError) as raised:
        changed_files(workspace, ["."], "HEAD", None)
    assert raised.value.code == "git_timeout"
    assert children() == set()


@pytest.mark.slow
def test_a_timeout_is_that_of_what_asks_git_for_changes_too(root: Path) -> None:
    pipe(root / ".git/config")
    with Workspace(root) as workspace, pytest.raises(LimitError, match="Out of time after 1 s"):
        changed_files(workspace, ["."], "HEAD", 1)
    assert children() == set()


def test_the_walk_opens_no_pipe(root: Path) -> None:
    """Who writes into one would see it."""
    (root / "sub").mkdir()
    for place in (".gitignore", ".ignore", "sub/.gitignore", "sub/.ignore", "c.py"):
        os.mkfifo(root / place)
    subprocess.run(["rm", "-r", str(root / ".git")], check=True)
    writers = [
        subprocess.Popen(["sh", "-c", f"exec 3> {root / place}; echo opened"],
                         stdout=subprocess.PIPE, text=True)
        for place in (".gitignore", ".ignore", "sub/.gitignore", "sub/.ignore")
    ]  # fmt: skip
    try:
        time.sleep(0.2)
        assert found(root) == ["a.py", "b.py"]
        time.sleep(0.2)
        assert [writer.poll() for writer in writers] == [None] * 4
    finally:
        for writer in writers:
            writer.kill()
            writer.communicate()


def test_git_ends_when_we_are_killed(root: Path) -> None:
    pipe(root / ".gitignore")
    code = (
        "from astedit.git import git, listing\n"
        f"run = git({str(root)!r}, listing(['.']))\n"
        "print(run._child.pid, flush=True)\n"
        "input()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    pid = int(process.stdout.readline())
    time.sleep(0.3)
    assert Path(f"/proc/{pid}").exists(), "git must be waiting for the pipe"
    process.send_signal(signal.SIGKILL)
    process.communicate()
    until(lambda: is_gone(pid))


def test_a_run_that_was_not_waited_for_is_ended(root: Path) -> None:
    pipe(root / ".gitignore")
    run = git.git(str(root), git.listing(["."]))
    assert run is not None and len(children()) == 1
    run.close()
    assert children() == set()


def test_git_that_answers_has_its_descriptors_closed(root: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        run = git.git(str(root), git.listing(["."]))
        assert run is not None and run.printed(Deadline()) is not None
        run.close()
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("place", [".gitattributes", ".git/info/attributes"])
def test_a_landing_says_that_git_does_not_answer(project: Project, place: str) -> None:
    project.write(a_py="f(1)\n")
    for words in ("init -q", "add .", "commit -qm one"):
        project.git(*words.split())
    assert project("edit", "-p", "f($A)", "-r", "g($A)", "--quiet", "a.py").code == 0
    pipe(project.root / place)
    landed = project("land", "--reason", "r", "--json")
    assert landed.json["error"]["code"] == "git_timeout", landed
    assert children() == set()
    assert len(project("pending", "--json").json) == 1
