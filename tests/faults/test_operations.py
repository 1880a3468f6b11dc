"""What only a plan that creates, deletes and moves can meet: names that appear or come back."""

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from astedit.errors import StaleError
from astedit.staging import undo
from astedit.transaction.disk import DISK
from astedit.transaction.file_metadata import metadata_of
from astedit.transaction.file_step import clean, put
from astedit.transaction.intent import Step
from astedit.workspace.root import Workspace
from resolve import Session, SqliteStore, handlers
from resolve.handlers import Context
from tests.support.attributes import ACL, DEFAULT_ACL, give_acl, give_flags
from tests.support.faults.disks import Killed, Saving, Watched, using
from tests.support.faults.journal import MemoryJournal
from tests.support.faults.operations import (
    MODES,
    MOVED,
    NEW,
    OLD,
    applied,
    contents,
    hashed,
    made,
    recovered,
    state,
)
from tests.support.faults.power import PowerJournal, Recorder, verdicts

NO_DUMP = 0x40


def saved(root: Path, path: str) -> Callable[[], object]:
    return lambda: (root / path).write_bytes(b"mine\n")


@pytest.mark.parametrize(
    "call, at, path",
    [
        ("link", 1, "deep/er/there.py"),  # comes to be just before ours does
        ("link", 2, "src/made.py"),
        ("rename", 1, "src/gone.py"),  # is saved just before it goes
        ("rename", 2, "src/here.py"),
        ("exchange", 1, "a.py"),
    ],
)
def test_what_a_person_saves_is_kept(tmp_path: Path, call: str, at: int, path: str) -> None:
    root = made(tmp_path / "root")
    with pytest.raises(StaleError, match="changed by others"):
        applied(root, MemoryJournal(), Saving(call, saved(root, path), at))
    assert contents(root) == OLD | {path: b"mine\n"}


@pytest.mark.parametrize("end", range(1, 70, 3))
def test_a_kill_while_it_goes_back_loses_no_byte(tmp_path: Path, end: int) -> None:
    root, journal = made(tmp_path / "root"), MemoryJournal()
    try:
        applied(root, journal, Saving("rename", saved(root, "src/here.py"), 2, end=end))
    except (StaleError, Killed):
        recovered(root, journal)
    found = contents(root)
    mine = found.get("src/here.py") == b"mine\n"
    assert found in ([OLD | {"src/here.py": b"mine\n"}] if mine else [OLD, NEW]), end


@pytest.mark.parametrize("reordering", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_power_cut_at_any_moment(tmp_path: Path, reordering: bool) -> None:
    new = {"a.py": b"new a\n", "src/made.py": b"made\n", "src/there.py": MOVED}
    root = made(tmp_path / "root")
    disk = Recorder(root, reordering=reordering)
    journal = PowerJournal(disk)
    applied(root, journal, disk, new, deep=False)
    journal.close()
    assert len(disk.images) > 80
    modes = MODES | {"src/made.py": 0o644, "src/there.py": 0o640}
    wrong = verdicts(disk.images, tmp_path / "image", [OLD, new], modes, backwards=reordering)
    assert list(wrong) == []


@pytest.mark.parametrize("path", ["src/made.py", "deep/er/there.py"])
def test_a_file_that_has_appeared_is_never_written_over(tmp_path: Path, path: str) -> None:
    root = made(tmp_path / "root")
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).symlink_to("nowhere")
    with pytest.raises(StaleError, match="has appeared"):
        applied(root, MemoryJournal())
    assert (root / path).is_symlink() and contents(root) == OLD


class Moving:
    """Applies the changes of this file."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def apply(self, payload: Any, reason: str, extra: Any, context: Context) -> str:
        context.record_files(applied(self._root, context).files())
        return "done"


def test_undo_brings_back_what_was_deleted_and_removes_what_was_made(tmp_path: Path) -> None:
    root = made(tmp_path / "root")
    handlers.register("moving")(Moving(root))
    with SqliteStore(tmp_path / "state/state.db") as store:
        session = Session(store, workspace=True, lock=root)
        action = session.stage(handler="moving", payload={}, label="move")
        session.resolve("apply", "t")
        assert state(root) == "new"
        staged, diff, _ = undo.stage_shown(action.id, str(root), session)
        assert b"-made\n" in diff
        session.resolve("apply", "t")
        assert contents(root) == OLD
        assert (root / "src/gone.py").stat().st_mode & 0o777 == 0o755
        undo.stage_shown(staged.id, str(root), session)
        session.resolve("apply", "t")
        assert state(root) == "new"
    handlers.unregister("moving")


class Unable(Watched):
    """A disk on which nobody can give a file away."""

    def _before(self, name: str, arguments: tuple[Any, ...]) -> None:
        if name == "chown":
            raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))


def undone(root: Path, place: Path) -> str:
    """Deletes files and undoes that; returns what the undo says."""
    handlers.register("moving")(Moving(root))
    with SqliteStore(place / "state.db") as store:
        session = Session(store, workspace=True, lock=root)
        action = session.stage(handler="moving", payload={}, label="move")
        session.resolve("apply", "t")
        assert not (root / "src/gone.py").exists()
        undo.stage_shown(action.id, str(root), session)
        text = session.resolve("apply", "t").text
    handlers.unregister("moving")
    assert contents(root) == OLD
    return text


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_deleted_file_comes_back_with_all_that_it_had(tmp_path: Path) -> None:
    """Owner, mode, ACL, attributes; or it is said what it could not get."""
    for able in (True, False):
        root = made(tmp_path / str(able))
        gone = root / "src/gone.py"
        give_acl(root / "src", DEFAULT_ACL)
        os.chown(gone, 12_345, 54_321)
        os.setxattr(gone, "user.origin", b"\x00value")
        give_acl(gone, ACL, 77, 4)
        gone.chmod(0o4750)
        give_flags(gone, NO_DUMP)
        before = had(gone)
        with using(DISK if able else Unable()):
            text = undone(root, tmp_path / f"state-{able}")
        if able:
            assert had(gone) == before and "Not restored" not in text
        else:
            lost = "its owner 12345:54321 (Operation not permitted)"
            assert text.endswith(f"Not restored:\n  src/gone.py: {lost}"), text
            assert had(gone)["attributes"] == before["attributes"]


def had(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        return metadata_of(file.fileno()).to_json()


def test_a_deletion_that_went_back_and_was_killed_can_be_made_again(tmp_path: Path) -> None:
    """Then the file has two names, and renaming one to the other would do nothing."""
    root, gone = made(tmp_path / "root"), OLD["src/gone.py"]
    os.link(root / "src/gone.py", root / "src/.astedit-0")
    step = Step("src/gone.py", ".astedit-0", hashed(gone), None, 0o755)
    with Workspace(root) as workspace:
        put(workspace.fd, step)
        assert not (root / "src/gone.py").exists()
        assert (root / "src/.astedit-0").read_bytes() == gone
        assert clean(workspace.fd, step) == []
    assert "src/.astedit-0" not in contents(root)


def all_but_recorded(root: Path) -> MemoryJournal:
    """Applies everything, and dies before anybody knows."""
    journal = MemoryJournal()
    assert applied(root, journal).outcome == "applied"
    (root / "a.py").write_bytes(b"mine\n")  # so that it is taken back
    return journal


def test_a_moved_file_comes_back_with_the_directory_that_is_gone(tmp_path: Path) -> None:
    root = made(tmp_path / "root")
    journal = all_but_recorded(root)
    (root / "src/made.py").unlink()
    (root / "src").rmdir()
    recovered(root, journal)
    assert contents(root) == OLD | {"a.py": b"mine\n"}


def test_a_moved_file_that_cannot_come_back_stays_where_it_is(tmp_path: Path) -> None:
    root = made(tmp_path / "root")
    journal = all_but_recorded(root)
    (root / "src").rename(tmp_path / "away")
    (root / "src").symlink_to(tmp_path / "away")
    ended = recovered(root, journal)
    assert ended is not None
    assert "deep/er/there.py: kept, nothing else has its content" in ended.trouble
    assert (root / "deep/er/there.py").read_bytes() == MOVED
