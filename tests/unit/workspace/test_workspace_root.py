"""The root, path rules and confined reads."""

import errno
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from astedit.errors import AstEditError, OutsideRootError, RequestError
from astedit.workspace.config import user_file
from astedit.workspace.confined_open import skip_reason
from astedit.workspace.root import Workspace, find_root, own_state, state_dir
from tests.support.lists import rows

ROWS = rows(Path(__file__).with_suffix(".txt"))


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "src" / "deep").mkdir(parents=True)
    (root / "src" / "a.py").write_bytes(b"x = 1\n")
    (tmp_path / "outside.py").write_bytes(b"secret\n")
    (tmp_path / "root-evil").mkdir()
    return root


@pytest.fixture
def workspace(tree: Path) -> Iterator[Workspace]:
    with Workspace(tree) as opened:
        yield opened


def root_of(cwd: Path, *paths: str) -> str:
    return find_root(cwd, paths)


@pytest.mark.parametrize(("marker", "text"), ROWS["the nearest marked ancestor is the root"])
def test_the_nearest_marked_ancestor_is_the_root(tree: Path, marker: str, text: str | None) -> None:
    if text is None:
        (tree / marker).mkdir()
    else:
        (tree / marker).write_text(text)
    assert root_of(tree / "src" / "deep") == str(tree)
    assert root_of(tree / "src" / "deep", "../a.py") == str(tree)


@pytest.mark.parametrize(
    "text", ["[tool.other]\n", "# astedit\n", "astedit = 1\n", "\xff astedit ["]
)
def test_a_pyproject_of_something_else_marks_nothing(tree: Path, text: str) -> None:
    (tree / "pyproject.toml").write_text(text, encoding="latin-1")
    assert root_of(tree / "src") == str(tree / "src")


def test_a_fifo_named_as_a_marker_does_not_block(tree: Path) -> None:
    os.mkfifo(tree / "src" / "pyproject.toml")
    assert root_of(tree / "src") == str(tree / "src")


def test_paths_elsewhere_bring_their_own_root(tree: Path, tmp_path: Path) -> None:
    (tree / ".git").mkdir()
    other = tmp_path / "other"
    (other / "x" / "y").mkdir(parents=True)
    (other / "x" / "y" / "b.py").touch()
    assert root_of(tree, str(other / "x" / "y" / "b.py")) == str(other / "x" / "y")
    assert root_of(tree, str(other / "x")) == str(other / "x")
    assert root_of(tree, str(other / "x"), "../other/x/y") == str(other / "x")
    (other / "astedit.toml").touch()
    assert root_of(tree, str(other / "x")) == str(other)


def test_the_key_is_that_of_the_real_path(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tree)
    with Workspace(tmp_path / "link") as through_link, Workspace(f"{tree}/src/..") as spelled:
        assert through_link.root == spelled.root == str(tree)
        assert through_link.key == spelled.key == hashlib.sha256(bytes(tree)).hexdigest()[:16]


@pytest.mark.parametrize("name", ["missing", "src/a.py", "nul\0"])
def test_a_root_that_is_no_directory_is_a_bad_request(tree: Path, name: str) -> None:
    with pytest.raises(RequestError, match="cannot be opened"):
        Workspace(f"{tree}/{name}")


def test_descriptors_are_closed_and_not_inherited(tree: Path) -> None:
    before = os.listdir("/proc/self/fd")
    with Workspace(tree) as workspace:
        workspace.read("src/a.py", 10)
        assert not os.get_inheritable(workspace.fd)
    assert os.listdir("/proc/self/fd") == before


def test_an_inherited_descriptor_opens_the_same_workspace(workspace: Workspace) -> None:
    with Workspace.adopt(os.dup(workspace.fd)) as other:
        assert (other.root, other.read("src/a.py", 99)[0]) == (workspace.root, b"x = 1\n")


@pytest.mark.parametrize(("path", "cwd", "expected"), ROWS["command line paths"])
def test_command_line_paths(workspace: Workspace, path: str, cwd: str, expected: str) -> None:
    os.symlink("src", f"{workspace.root}/sl")
    here = os.path.join(workspace.root, cwd)
    assert workspace.relative(path, here) == expected
    assert workspace.relative(os.path.join(here, path), "/") == expected


@pytest.mark.parametrize(
    "path", ["..", "../outside.py", "/etc/passwd", "/", "../root-evil/x", "out/x"]
)
def test_command_line_paths_that_leave_the_root(workspace: Workspace, path: str) -> None:
    os.symlink("..", f"{workspace.root}/out")
    with pytest.raises(OutsideRootError) as raised:
        workspace.relative(path, workspace.root)
    assert (raised.value.exit_code, raised.value.path) == (3, path)


@pytest.mark.parametrize(("path", "code"), ROWS["api paths that are refused"])
def test_api_paths_that_are_refused(workspace: Workspace, path: str, code: str) -> None:
    with pytest.raises(AstEditError) as raised:
        workspace.check(path)
    assert raised.value.code == code


@pytest.mark.parametrize(("path", "plain"), ROWS["api paths that are fine"])
def test_api_paths_that_are_fine(workspace: Workspace, path: str, plain: str) -> None:
    assert workspace.check(path) == plain


@pytest.mark.parametrize(("limit", "expected"), [(99, b"x = 1\n"), (6, b"x = 1\n"), (3, b"x = ")])
def test_a_read_stops_one_byte_after_the_limit(
    workspace: Workspace, limit: int, expected: bytes
) -> None:
    data, status = workspace.read("src/a.py", limit)
    assert (data, status.st_size) == (expected, 6)


def test_a_sparse_giant_is_read_to_the_limit_only(workspace: Workspace) -> None:
    with open(f"{workspace.root}/giant", "wb") as file:
        file.truncate(1 << 40)
    data, _ = workspace.read("giant", 1_000)
    assert data == bytes(1_001)


def test_files_of_proc_that_claim_to_be_empty_are_read() -> None:
    with Workspace("/proc/self") as workspace:
        data, status = workspace.read("status", 100_000)
        assert status.st_size == 0
        assert data.startswith(b"Name:")
        assert workspace.read("status", 4)[0] == b"Name:"


def test_what_cannot_be_read_says_why(workspace: Workspace, tmp_path: Path) -> None:
    root = Path(workspace.root)
    (root / "out.py").symlink_to(tmp_path / "outside.py")
    (root / "in.py").symlink_to("src/a.py")
    (root / "dangling.py").symlink_to("nowhere")
    (root / "loop.py").symlink_to("loop.py")
    (root / "linked").symlink_to("src")
    (root / "up").symlink_to("..")
    os.mkfifo(root / "fifo.py")
    with pytest.raises(OSError, match="leaves the root") as left:
        workspace.read("src/../../outside.py", 100)
    assert skip_reason(left.value) == "outside_root"
    reasons = {}
    for name in (
        "out.py", "in.py", "dangling.py", "loop.py", "linked/a.py", "up/outside.py", "fifo.py",
        "src", "gone.py", "src/a.py/b", "gone/b.py",
    ):  # fmt: skip
        with pytest.raises(OSError) as raised:
            workspace.read(name, 100)
        reasons[name] = skip_reason(raised.value)
    links = dict.fromkeys(list(reasons)[:6], "symlink")
    assert reasons == links | {"fifo.py": "unreadable"} | dict.fromkeys(list(reasons)[7:])


def test_running_out_of_descriptors_is_not_a_file_s_fault() -> None:
    with pytest.raises(OSError, match="too many"):
        skip_reason(OSError(errno.EMFILE, "too many"))


def test_a_directory_replaced_by_a_link_is_noticed(workspace: Workspace, tmp_path: Path) -> None:
    workspace.read("src/a.py", 100)
    workspace.forget()
    os.rename(f"{workspace.root}/src", f"{workspace.root}/was")
    os.symlink(tmp_path, f"{workspace.root}/src")
    with pytest.raises(OSError) as raised:
        workspace.read("src/outside.py", 100)
    assert skip_reason(raised.value) == "symlink"


def test_state_lies_outside_the_root(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ASTEDIT_STATE_DIR", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert state_dir(workspace, None) == f"{tmp_path}/state/astedit/{workspace.key}"
    assert own_state(workspace) is None
    monkeypatch.setenv("ASTEDIT_STATE_DIR", f"{tmp_path}/chosen")
    assert state_dir(workspace, None) == f"{tmp_path}/chosen/{workspace.key}"
    assert state_dir(workspace, f"{tmp_path}/flag") == f"{tmp_path}/flag/{workspace.key}"


@pytest.mark.parametrize("home", ["", "rel", "~"])
def test_without_a_home_nothing_of_ours_is_looked_for_in_the_working_directory(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, home: str
) -> None:
    for name in ("ASTEDIT_STATE_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", home)
    assert state_dir(workspace, None) == f"/.local/state/astedit/{workspace.key}"
    assert user_file() == "/.config/astedit/config.toml"


def test_only_the_default_state_may_lie_in_the_root(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ASTEDIT_STATE_DIR", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", f"{workspace.root}/.state")
    assert state_dir(workspace, None) == f"{workspace.root}/.state/astedit/{workspace.key}"
    assert own_state(workspace) == ".state/astedit"
    (tmp_path / "link").symlink_to(workspace.root)
    for place in (workspace.root, f"{workspace.root}/x/y", f"{tmp_path}/link/x"):
        with pytest.raises(RequestError, match="inside the root"):
            state_dir(workspace, place)
    monkeypatch.setenv("ASTEDIT_STATE_DIR", f"{workspace.root}/x")
    with pytest.raises(RequestError, match="inside the root"):
        state_dir(workspace, None)
