"""One session for the command line, for agents and for campaigns."""

from pathlib import Path

import pytest

from astedit import ast_edit
from astedit.errors import PreconditionError
from astedit.staging.stage import stage
from astedit.staging.workspace_session import acting, workspace_session
from astedit.workspace.config import Config, load
from astedit.workspace.root import Workspace
from resolve import ToolError

OPS = [{"pat": "f($A)", "out": "g($A)"}]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "a.py").write_text("f(1)\n")
    return tmp_path / "root"


def staged(root: Path, state: Path) -> str:
    plan = ast_edit(OPS, root=root)
    with workspace_session(str(root), str(state), who="test", create=True) as session:
        return stage(plan, session).id


def test_only_who_stages_makes_a_state_file(root: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    with workspace_session(str(root), str(state), who="test") as session:
        assert session.store.list() == []
    assert not state.exists()
    found = staged(root, state)
    with workspace_session(str(root), str(state), who="test") as session:
        assert [action.id for action in session.store.list()] == [found]


def test_the_state_file_says_of_which_directory_it_is(root: Path, tmp_path: Path) -> None:
    from resolve import SqliteStore

    staged(root, tmp_path / "state")
    store = SqliteStore(tmp_path / "state" / "state.db")
    status = root.stat()
    known = [store.meta(key) for key in ("path", "device", "inode")]
    store.close()
    assert known == [str(root), str(status.st_dev), str(status.st_ino)]


def configured(root: Path) -> Config:
    with Workspace(root) as workspace:
        return load(workspace)


def applied(root: Path, state: Path, target: str, config: Config | None) -> None:
    with workspace_session(str(root), str(state), who="test", config=config) as session:
        session.resolve("apply", "wanted", target=target)


def test_an_apply_is_judged_by_the_configuration_that_was_read(root: Path, tmp_path: Path) -> None:
    found, config = staged(root, tmp_path / "state"), configured(root)
    (root / "astedit.toml").write_text('policy = "human"\n')
    applied(root, tmp_path / "state", found, config)
    assert (root / "a.py").read_text() == "g(1)\n"


@pytest.mark.parametrize("elsewhere", [False, True])
def test_without_one_of_this_workspace_an_apply_reads_the_one_of_now(
    root: Path, tmp_path: Path, elsewhere: bool
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    found = staged(root, tmp_path / "state")
    (root / "astedit.toml").write_text('policy = "human"\n')
    with pytest.raises(ToolError) as refused:
        applied(root, tmp_path / "state", found, configured(other) if elsewhere else None)
    assert refused.value.code == "approval_missing"
    assert isinstance(refused.value.__cause__, PreconditionError)
    assert (root / "a.py").read_text() == "f(1)\n"


def test_who_acts_is_the_surface_and_a_name() -> None:
    assert (acting("cli", None), acting("agent", "mia")) == ("cli", "agent:mia")
