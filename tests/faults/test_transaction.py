"""A transaction that meets a person, or what a kill has left, lands wholly or not at all."""

import errno
import json
import os
from hashlib import sha256
from pathlib import Path

import pytest

from astedit.errors import AstEditError, StaleError, TransactionError
from astedit.transaction.commit import FileChange, write
from astedit.transaction.intent import Step
from astedit.transaction.recovery import recover
from astedit.workspace.root import Workspace
from tests.support.faults.disks import Killed, Saving, Watched, kind
from tests.support.faults.journal import MemoryJournal
from tests.support.faults.tree import (
    FILES,
    NEW,
    OLD,
    applied,
    contents,
    interrupted,
    made,
    modes,
    recovered,
)

KINDS = pytest.mark.parametrize("exchanging", [True, False])


@KINDS
@pytest.mark.parametrize("how", ["in place", "by rename", "unlink"])
@pytest.mark.parametrize("path", sorted(FILES))
def test_what_a_person_saves_in_the_window_is_kept(
    tmp_path: Path, exchanging: bool, how: str, path: str
) -> None:
    root, journal = made(tmp_path / "root"), MemoryJournal()
    mine = b"mine, saved at the last moment\n"

    def save() -> None:
        if how == "in place":
            (root / path).write_bytes(mine)
        elif how == "by rename":
            (tmp_path / "mine").write_bytes(mine)
            os.rename(tmp_path / "mine", root / path)
        else:
            (root / path).unlink()

    place = sorted(FILES).index(path) + 1
    call = "exchange" if exchanging else "rename"
    at = place if exchanging else 2 * place - 1
    with pytest.raises(StaleError, match="Nothing was written"):
        applied(root, journal, kind(Saving(call, save, at), exchanging))
    expected = OLD | {path: mine}
    if how == "unlink":
        del expected[path]
    assert contents(root) == expected
    assert journal.intent is None
    assert journal.images  # kept


@KINDS
def test_a_kill_at_every_call_of_a_put_back_loses_no_byte(tmp_path: Path, exchanging: bool) -> None:
    mine = b"mine\n"
    for at in range(1, 60):
        root, journal = made(tmp_path / str(at)), MemoryJournal()

        def save(root: Path = root) -> None:
            (root / "src/b.py").write_bytes(mine)

        disk = Saving(*(("exchange", save, 2) if exchanging else ("rename", save, 3)), end=at)
        disk = kind(disk, exchanging)
        try:
            applied(root, journal, disk)
        except StaleError:
            break
        except Killed:
            recovered(root, journal)
        found = contents(root)
        expected = [OLD | {"src/b.py": mine}] if found["src/b.py"] == mine else [OLD, NEW]
        assert found in expected, (at, disk.made[at - 1])
    else:
        pytest.fail("it never ended")


@pytest.mark.parametrize("edited", sorted(FILES))
def test_what_was_edited_after_the_kill_is_kept_and_the_others_go_back(
    tmp_path: Path, edited: str
) -> None:
    root, journal = interrupted(tmp_path)
    (root / edited).write_bytes(b"mine\n")
    ended = recovered(root, journal)
    assert ended is not None and ended.outcome == "rolled_back"
    assert ended.trouble == [f"{edited}: changed by others"]
    assert contents(root) == OLD | {edited: b"mine\n"}


@pytest.mark.parametrize("damage", [b"", b"half", None])
def test_a_missing_or_damaged_sibling_is_taken_back(tmp_path: Path, damage: bytes | None) -> None:
    root, journal = interrupted(tmp_path)
    sibling = root / "src" / journal.parsed()["files"][1]["temporary"]
    sibling.write_bytes(damage) if damage is not None else sibling.unlink()
    ended = recovered(root, journal)
    assert ended is not None and ended.outcome == "rolled_back"
    assert contents(root) == OLD and modes(root) == FILES


def test_without_sibling_and_image_nothing_is_thrown_away(tmp_path: Path) -> None:
    root, journal = interrupted(tmp_path)
    rows = journal.parsed()["files"]
    (root / "src" / rows[1]["temporary"]).unlink()
    (root / rows[0]["temporary"]).unlink()  # the old content of a.py, which has its new one
    images, journal.images = journal.images, {}
    ended = recovered(root, journal)
    assert ended is not None and ended.outcome == "blocked"
    assert "not stored any more" in ended.text()
    assert contents(root)["a.py"] == NEW["a.py"]
    journal.images = images
    ended = recovered(root, journal)
    assert ended is not None and ended.outcome == "rolled_back"
    assert contents(root) == OLD and modes(root) == FILES


def test_a_directory_replaced_by_a_link_is_foreign(tmp_path: Path) -> None:
    root, journal = interrupted(tmp_path)
    os.rename(root / "src", tmp_path / "outside")
    (root / "src").symlink_to(tmp_path / "outside")
    before = contents(tmp_path / "outside")
    ended = recovered(root, journal)
    assert ended is not None and ended.outcome == "rolled_back"
    assert (root / "a.py").read_bytes() == OLD["a.py"]
    assert contents(tmp_path / "outside") == before, "nothing outside the root is touched"


def test_a_name_of_any_bytes_survives_the_intent() -> None:
    for path in ("caf\udce9/b.py", "café.py", "a\n.py"):
        step = Step(path, ".astedit-0", "b", "a", 0o644)
        assert Step.of(json.loads(json.dumps(step.to_json()).encode("ascii"))) == step
        assert step.to_json()["path"].encode()


def test_an_intent_of_a_later_version_is_refused(tmp_path: Path) -> None:
    root, journal = interrupted(tmp_path)
    with Workspace(root) as workspace, pytest.raises(AstEditError, match="version 2"):
        recover(journal.parsed() | {"v": 2}, workspace.fd, journal)


def test_many_files_of_one_directory_have_siblings_that_are_not_confused(tmp_path: Path) -> None:
    """No number of a sibling reads as another's number and a letter: 1b is not the b of 1."""
    root, texts = tmp_path / "root", {f"m{number:03}.py": b"old" for number in range(300)}
    root.mkdir()
    for path, text in texts.items():
        (root / path).write_bytes(text)
    old, new = (sha256(text).hexdigest() for text in (b"old", b"new"))
    many = [FileChange(path, b"old", old, b"new", new) for path in texts]
    with Workspace(root) as workspace:
        ended = write(list(texts), many, workspace.fd, MemoryJournal())
    assert ended.outcome == "applied" and set(contents(root).values()) == {b"new"}


def test_a_failed_restore_keeps_its_image_and_the_intent(tmp_path: Path) -> None:
    root, journal = made(tmp_path / "root"), MemoryJournal()

    class Stuck(Watched):
        def _before(self, name: str, arguments: tuple[object, ...]) -> None:
            super()._before(name, arguments)
            if self.made.count("exchange") >= 2 and name in ("exchange", "rename"):
                raise OSError(errno.EIO, os.strerror(errno.EIO))

    with pytest.raises(TransactionError) as raised:
        applied(root, journal, Stuck())
    assert raised.value.code == "needs_attention"
    assert journal.intent is not None and len(journal.images) == 3
    recovered(root, journal)
    assert contents(root) in (OLD, NEW) and modes(root) == FILES
