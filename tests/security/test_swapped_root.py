"""Another directory stands where the root was, with the same files: nothing is written."""

import json
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from astedit import ast_edit
from astedit.agents.calls import Calls, ToolCall
from astedit.agents.reply import Reply
from astedit.errors import PreconditionError
from astedit.model.plan import PlanOrigin
from astedit.staging import preview, undo
from astedit.staging.open_workspace import OpenWorkspace
from astedit.staging.stage import stage
from astedit.staging.workspace_session import workspace_session
from astedit.workspace.config import load
from astedit.workspace.root import Workspace
from resolve import PendingAction, Session, ToolError
from tests.support.faults.mutate import replace
from tests.support.slowly import slow_after

OLD, NEW = "f(1)\n", "g(1)\n"
OPS = [{"pat": "f($A)", "out": "g($A)"}]


class Place:
    """A root, its state, and a directory elsewhere with the very same file."""

    def __init__(self, path: Path) -> None:
        self.root, self.other, self.state = path / "root", path / "other", path / "state"
        for folder in (self.root, self.other):
            folder.mkdir()
            (folder / "a.py").write_text(OLD)
        with Workspace(self.root) as workspace:
            self.folder = self.state / workspace.key

    def contents(self) -> list[str]:
        """What any file of that name below holds, sorted."""
        return sorted(file.read_text() for file in self.root.parent.rglob("a.py"))

    def session(self) -> Any:
        return workspace_session(str(self.root), str(self.folder), who="test", create=True)

    def applied(self, action: str) -> None:
        with self.session() as session:
            session.resolve("apply", "wanted", target=action)

    def staged(self) -> str:
        with self.session() as session:
            return stage(ast_edit(OPS, root=self.root), session).id

    def staged_undo(self) -> str:
        """An applied edit, whose undo is staged; the other directory has the same bytes."""
        action = self.staged()
        self.applied(action)
        (self.other / "a.py").write_text(NEW)
        with self.session() as session:
            return undo.stage_shown(action, str(self.root), session)[0].id


def known(session: Session, action: str) -> PendingAction:
    stored = session.store.get(action)
    assert stored is not None
    return stored


def link(place: Place) -> None:
    place.root.rename(place.root.parent / "moved")
    place.root.symlink_to(place.other)


def link_to_itself(place: Place) -> None:
    """The same directory at another real path: what is locked and stored is of the old one."""
    place.root.rename(place.root.parent / "moved")
    place.root.symlink_to(place.root.parent / "moved")


def directory(place: Place) -> None:
    place.root.rename(place.root.parent / "moved")
    place.other.rename(place.root)


def link_above(place: Place) -> None:
    """Not the root itself but a directory above it becomes a link."""
    above = place.root.parent
    above.rename(above.with_name("elsewhere"))
    above.symlink_to(above.with_name("elsewhere"))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    (tmp_path / "above").mkdir()
    return Place(tmp_path / "above")


def refused(place: Place, action: str) -> str:
    before = place.contents()
    with pytest.raises(ToolError) as error:
        place.applied(action)
    assert place.contents() == before
    return error.value.code


@slow_after(
    3,
    "swap, staging",
    [
        (link, Place.staged),
        (link_to_itself, Place.staged),
        (directory, Place.staged),
        (link_above, Place.staged),
        (link, Place.staged_undo),
        (directory, Place.staged_undo),
    ],
)
def test_what_was_staged_is_of_one_directory(
    place: Place, swap: Callable[[Place], None], staging: Callable[[Place], str]
) -> None:
    action = staging(place)
    swap(place)
    assert refused(place, action) == "root_changed"


def test_it_stays_pending_and_is_applied_once_the_directory_is_back(place: Place) -> None:
    action = place.staged()
    directory(place)
    assert refused(place, action) == "root_changed"
    place.root.rename(place.other)
    (place.root.parent / "moved").rename(place.root)
    place.applied(action)
    assert ((place.root / "a.py").read_text(), (place.other / "a.py").read_text()) == (NEW, OLD)


def test_a_deleted_root_that_is_made_again_is_another_one(place: Place) -> None:
    action = place.staged()
    with Workspace(place.root):  # kept open, so that its inode is not given away
        (place.root / "a.py").unlink()
        place.root.rmdir()
        place.root.mkdir()
    (place.root / "a.py").write_text(OLD)
    assert refused(place, action) == "root_changed"


def test_a_refresh_never_stages_for_where_a_link_leads(place: Place) -> None:
    action = place.staged()
    link(place)
    with pytest.raises(ToolError) as error, place.session() as session:
        session.resolve("apply", "again", {"refresh": True}, action)
    assert error.value.code == "root_changed"


@pytest.mark.parametrize("swap", [link, directory])
def test_the_python_interface_is_refused_too(place: Place, swap: Callable[[Place], None]) -> None:
    with place.session() as session:
        action = stage(ast_edit(OPS, root=place.root), session)
        swap(place)
        before = place.contents()
        with session.claiming(action), pytest.raises(PreconditionError) as error:
            ast_edit(OPS, root=place.root, session=session, dry_run=False)
    assert error.value.code in ("root_changed", "not_staged")
    assert place.contents() == before


class Server:
    """A server of the place, as an agent calls it."""

    def __init__(self, place: Place) -> None:
        self.calls = Calls(OpenWorkspace(str(place.root), str(place.state)))

    def close(self) -> None:
        self.calls.close()

    def __call__(self, tool: str, **values: object) -> Reply:
        return self.calls(tool, values, ToolCall())

    def apply(self, action: str | None) -> Reply:
        return self("resolve", action="apply", reason="wanted", target=action)


@pytest.mark.parametrize("swap", [link_to_itself, directory])
def test_a_server_neither_reads_nor_writes_elsewhere(
    place: Place, swap: Callable[[Place], None]
) -> None:
    with closing(Server(place)) as server:
        action = server("ast_edit", ops=OPS).action_id
        swap(place)
        before = place.contents()
        calls = [
            server.apply(action),
            server("ast_edit", ops=OPS),
            server("ast_grep", pat="f($A)"),
            server("locate", identifier="f"),
            server("pending", target=action),
        ]
        assert [call.code for call in calls] == ["root_changed"] * len(calls)
        assert place.contents() == before


def test_a_server_compares_what_it_holds_open_with_the_path(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an earlier version staged says nothing of its directory."""
    monkeypatch.setattr(PlanOrigin, "restored", lambda row: None)
    with closing(Server(place)) as server:
        action = server("ast_edit", ops=OPS).action_id
        directory(place)
        assert server.apply(action).code == "root_changed"
        assert place.contents() == [OLD, OLD]


def test_with_a_mount_over_it_it_is_another_root(place: Place) -> None:
    if subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode:
        pytest.skip("mounts need privileges that are not here")
    action = place.staged()
    where = ["--root", str(place.root), "--state-dir", str(place.state)]
    apply = ["resolve", "apply", action, "--reason", "t", "--json", *where]
    script = f'mount --bind {place.other} {place.root} && exec "$@"'
    words = ["unshare", "-m", "sh", "-ec", script, "sh", sys.executable, "-m", "astedit", *apply]
    done = subprocess.run(words, capture_output=True, cwd=place.root.parent)
    assert json.loads(done.stdout)["error"]["code"] == "root_changed"
    assert (done.returncode, place.contents()) == (3, [OLD, OLD])


def test_after_a_restart_the_device_may_have_another_number(place: Place) -> None:
    with Workspace(place.root) as workspace:
        now = preview.origin_of(workspace, load(workspace))
        elsewhere = now._replace(device=now.device + 1)
        with pytest.raises(PreconditionError):
            preview.refuse_another_root(workspace, workspace.root, elsewhere)
        earlier = elsewhere._replace(boot="another start")
        preview.refuse_another_root(workspace, workspace.root, earlier)


# -- mutations: without the check, the other directory is written ------------------------------


def test_without_the_comparison_of_inodes_another_directory_is_written(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace(
        monkeypatch, preview.refuse_another_root, "moved or status.st_ino != origin.inode", "False"
    )
    action = place.staged()
    directory(place)
    place.applied(action)
    assert (place.root / "a.py").read_text() == NEW


def test_without_the_comparison_of_paths_a_write_follows_a_link(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace(monkeypatch, preview.refuse_another_root, "workspace.root != root", "False")
    action = place.staged()
    link_to_itself(place)
    place.applied(action)
    assert (place.root / "a.py").read_text() == NEW
