"""An answer of none mentions the pending action that would write the name."""

from pathlib import Path

import pytest

from astedit import ast_edit, locate
from astedit.locating import LocateResult
from astedit.staging.ast_edit import stage
from astedit.staging.pending_names import mention
from astedit.staging.workspace_session import workspace_session
from astedit.workspace.root import Workspace


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "a.py").write_text("def old():\n    pass\n")
    return tmp_path / "root"


def staged(root: Path, state: Path) -> str:
    plan = ast_edit([{"pat": "def old(): $$$B", "out": "def fresh(): $$$B"}], root=root)
    with workspace_session(str(root), str(state), who="test", create=True) as session:
        return stage(plan, session).id


def mentioned(root: Path, state: Path, name: str) -> LocateResult:
    result = locate(name, root=root)
    with Workspace(root) as workspace:
        mention(result, name, workspace, str(state))
    return result


def test_a_name_that_waits_is_mentioned_with_its_action(root: Path, tmp_path: Path) -> None:
    action = staged(root, tmp_path / "state")
    message = mentioned(root, tmp_path / "state", "fresh").message
    assert str(message).endswith(f"The pending action {action} would write that name.")


@pytest.mark.parametrize("name", ["fres", "other"])
def test_another_name_is_not(root: Path, tmp_path: Path, name: str) -> None:
    staged(root, tmp_path / "state")
    assert "pending action" not in str(mentioned(root, tmp_path / "state", name).message)


def test_without_a_state_file_none_is_made(root: Path, tmp_path: Path) -> None:
    assert "pending action" not in str(mentioned(root, tmp_path / "state", "fresh").message)
    assert not (tmp_path / "state").exists()


def test_a_state_file_that_cannot_be_read_leaves_the_answer(root: Path, tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "state.db").write_bytes(b"no database at all" * 100)
    assert mentioned(root, tmp_path / "state", "fresh").status == "none"
