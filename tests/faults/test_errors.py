"""Errors, limits and odd trees on the way of an apply: nothing of it lands, or all of it."""

import errno
import json
import os
import resource
import socket
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import astedit
from astedit.errors import PreconditionError
from astedit.language import for_path, load
from astedit.staging.plan_contents import changes_of, new_directories, written_paths
from astedit.transaction import disk
from astedit.transaction.commit import write
from astedit.workspace.root import Workspace
from resolve import SqliteStore, StoreError
from tests.support.faults.cli import AFTER, APPLY, EDIT, Tree, let_go, need_strace
from tests.support.faults.disks import Watched, using
from tests.support.faults.journal import MemoryJournal
from tests.support.faults.tree import OLD, applied, contents, made
from tests.support.patience import LAST
from tests.support.project import Project
from tests.support.slowly import slow_after

STAGE = ("edit", "-p", "f($A)", "-r", "g($A)", "--quiet")
RESOLVE = ("resolve", "apply", "--reason", "t")
AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")


@pytest.fixture
def staged(project: Project) -> Project:
    project.write(a_py="f(1)\n", sub__b_py="f(2)\n")
    assert project(*STAGE).code == 0
    return project


def test_a_disk_that_does_not_confirm_the_end_is_told_apart(
    staged: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Applied and durability unknown: exit 5, and the files are new."""
    sync = disk.Disk.sync

    def fail(self: disk.Disk, file: int) -> None:
        if stat.S_ISDIR(os.fstat(file).st_mode) and staged.read("sub/b.py") == "g(2)\n":
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        sync(self, file)

    monkeypatch.setattr(disk.Disk, "sync", fail)
    done = staged(*RESOLVE, "--json")
    assert done.code == 5
    assert done.json["details"]["sourceResultDetails"]["durability"] == "unknown"
    assert "The disk does not confirm it in ., sub" in done.text
    assert (staged.read("a.py"), staged.read("sub/b.py")) == ("g(1)\n", "g(2)\n")
    assert staged("pending", "--json").json == []


@slow_after(2, "limit, most", [("AS", 1 << 30), ("NOFILE", 20), ("NOFILE", 12)])
def test_with_few_descriptors_an_apply_completes_or_refuses(
    project: Project, limit: str, most: int
) -> None:
    for number in range(500):
        project.put(f"d{number % 25}/m{number}.py", "f(1)\n")
    project.put("large.py", "f(1)\n" + "x = 1\n" * 50_000)  # of which only a worker sees
    before = project.files()
    assert project(*STAGE).code == 0

    def few() -> None:
        resource.setrlimit(getattr(resource, f"RLIMIT_{limit}"), (most, most))

    process = project.process(*RESOLVE, preexec_fn=few)
    _, err = process.communicate(timeout=LAST)
    after = {path: text.replace(b"f(", b"g(") for path, text in before.items()}
    assert project.files() == (after if process.returncode == 0 else before), err
    assert process.returncode in (0, 3, 4, 5) and b"Traceback" not in err
    assert project(*RESOLVE).code == (3 if process.returncode == 0 else 0)


def _directory(path: Path) -> None:
    path.mkdir()


def _socket(path: Path) -> None:
    here = os.getcwd()
    os.chdir(path.parent)  # the name of a socket is short
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(path.name)
    os.chdir(here)


@pytest.mark.parametrize(
    "make", [_directory, os.mkfifo, _socket], ids=["directory", "fifo", "socket"]
)
def test_what_became_no_file_is_refused_and_never_waited_for(
    staged: Project, make: Callable[[Path], None]
) -> None:
    (staged.root / "a.py").unlink()
    make(staged.root / "a.py")
    done = staged(*RESOLVE)
    assert done.code == 3
    assert "a.py" in done.err and staged.read("sub/b.py") == "f(2)\n"


def test_what_became_a_link_is_refused_with_its_target(staged: Project) -> None:
    (staged.root / "a.py").unlink()
    (staged.root / "real.txt").write_text("f(1)\n")
    (staged.root / "a.py").symlink_to("real.txt")
    done = staged(*RESOLVE)
    assert done.code == 3 and "a.py: a link to real.txt now" in done.err
    assert (staged.read("real.txt"), staged.read("sub/b.py")) == ("f(1)\n", "f(2)\n")


def test_another_version_of_a_grammar_is_refused(
    staged: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = load(for_path("a.py"))
    monkeypatch.setattr(loaded, "version", f"{loaded.version}.post1")
    refused = staged(*RESOLVE)
    assert refused.code == 3 and "a grammar or a setting has changed since" in refused.err
    assert staged.read("a.py") == "f(1)\n"


@AS_ROOT
def test_an_owner_that_cannot_be_kept_is_refused(tmp_path: Path) -> None:
    root = made(tmp_path / "root")
    os.chown(root / "src/b.py", 12_345, 12_345)

    class Denied(Watched):
        def _before(self, name: str, arguments: tuple[object, ...]) -> None:
            if name == "chown":
                raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    with pytest.raises(PreconditionError, match=r"src/b\.py cannot be replaced"):
        applied(root, MemoryJournal(), Denied())
    assert contents(root) == OLD


# -- who, where, and what is written ----------------------------------------------------------


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path).staged()


def run(
    tree: Tree, *args: str, cwd: Path | None = None, umask: int = -1, **variables: str
) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(
        tree.command(*args),
        cwd=cwd or tree.root,
        env=tree.environment() | variables,
        capture_output=True,
        umask=umask,
        timeout=LAST,
    )


def test_any_process_of_the_user_resolves_it_from_anywhere(tree: Tree, tmp_path: Path) -> None:
    """Another directory, another spelling of the root, another umask, another home."""
    (tmp_path / "link").symlink_to(tree.root)
    tree.keep("here")
    for place in (tree.root / "src", tmp_path / "link", tmp_path / "link/src"):
        tree.again("here")
        done = run(tree, *APPLY, cwd=place, umask=0o077, HOME=str(tmp_path))
        assert done.returncode == 0, done.stderr
        assert tree.contents() == AFTER
        assert tree.modes()["a.py"] == 0o755, "the umask is in no mode"
    tree.again("here")
    assert run(tree, *APPLY, "--root", f"{tree.root}/src/..", cwd=tmp_path).returncode == 0


@AS_ROOT
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_another_user_s_state_is_not_theirs_to_use(tree: Tree) -> None:
    (state,) = tree.state.rglob("state.db")
    for folder in state.parents[1:]:
        if tree.root.parents[1] in (folder, *folder.parents):
            folder.chmod(0o755)
    child = os.fork()
    if child == 0:
        os.setresuid(65_534, 65_534, 65_534)
        try:
            SqliteStore(state)
        except StoreError as error:
            os._exit(0 if error.code == "store_unwritable" else 2)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_an_id_of_another_root_or_a_guessed_one_is_refused(staged: Project) -> None:
    other = staged.root.parent / "elsewhere"
    other.mkdir()
    (other / "astedit.toml").write_text("")
    mine = staged("pending", "--json").json[0]["id"]
    for action in (mine, mine[:-1] + ("0" if mine[-1] != "0" else "1"), "a" + "0" * 17, "0000"):
        assert staged(*RESOLVE, action, "--root", str(other)).code == 3, action
    assert staged(*RESOLVE, mine).code == 0
    assert staged(*RESOLVE, mine).code == 3, "an id is good for once"


def test_a_preview_makes_no_call_that_writes_below_the_root(tree: Tree, tmp_path: Path) -> None:
    need_strace()
    before = (tree.contents(), tree.modes())
    log = tmp_path / "log"
    assert tree.run(*EDIT, trace=("-y", "-o", str(log), "-e", "trace=%file,%desc")).returncode == 0
    writing = ["rename", "unlink", "link", "mkdir", "chmod"]
    writing += ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC"]
    lines = log.read_text().splitlines()
    below = [line for line in lines if str(tree.root) in line and str(tree.state) not in line]
    assert below, "the trace saw the tree"
    found = [
        line for line in below if any(f" {word}" in line or f"|{word}" in line for word in writing)
    ]
    assert [line for line in found if "readlink" not in line] == []
    assert (tree.contents(), tree.modes()) == before


@pytest.mark.slow
def test_a_preview_in_the_middle_of_an_apply_is_refused_afterwards(tree: Tree) -> None:
    need_strace()
    running = tree.held(2, *APPLY)
    preview = tree.run("edit", "-p", "gg($A)", "-r", "h($A)", "--json")
    assert running.poll() is None, "it came in between"
    assert [file["path"] for file in json.loads(preview.stdout)["files"]] == ["a.py"]
    let_go(running)
    running.communicate(timeout=LAST)
    assert running.returncode == 0
    refused = tree.run(*APPLY)
    assert refused.returncode == 3 and b"src/b.py: newly matching" in refused.stderr
    assert tree.contents() == AFTER


@AS_ROOT
@pytest.mark.parametrize("call", ["chown", "chmod", "set_attribute"])
def test_a_moved_file_that_cannot_keep_all_that_it_has_is_refused(
    tmp_path: Path, call: str
) -> None:
    root = tmp_path / "root"
    (root / "old").mkdir(parents=True)
    (root / "old/m.py").write_bytes(b"x = 1\n")
    (root / "old/m.py").chmod(0o4750)
    os.chown(root / "old/m.py", 12_345, 12_345)
    os.setxattr(root / "old/m.py", "user.note", b"x")

    class Denied(Watched):
        def _before(self, name: str, arguments: tuple[object, ...]) -> None:
            if name == call:
                raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    with astedit.open(root, state_dir=tmp_path / "state") as work:
        plan = work.move_module("old/m.py", "new/m.py")
    refused = pytest.raises(PreconditionError, match=r"new/m\.py")
    with Workspace(root) as workspace, using(Denied()), refused:
        write(
            written_paths(plan), changes_of(plan, workspace), workspace.fd, MemoryJournal(),
            directories=new_directories(plan),
        )  # fmt: skip
    assert {path.name for path in root.rglob("*")} == {"old", "m.py"}
