"""One file of a transaction: into its place, back again, and read from the names alone."""

import os
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from stat import S_ISREG

import pytest

from astedit.transaction import file_step
from astedit.transaction.disk import DISK, Disk
from astedit.transaction.file_metadata import FileMetadata
from astedit.transaction.file_step import Planted, Taken, clean, put, standing, take_back
from astedit.transaction.intent import Step
from astedit.transaction.temporary import prepare, prepare_new
from astedit.workspace.root import Workspace
from tests.support.faults import mutate
from tests.support.faults.disks import Watched, using, without_exchange

OLD, NEW = b"old\n", b"new\n"
BEFORE, AFTER = (sha256(content).hexdigest() for content in (OLD, NEW))
MODIFY = Step("a.py", ".t", BEFORE, AFTER, 0o644)
CREATE = Step("a.py", ".t", None, AFTER, 0o644)
DELETE = Step("a.py", ".t", BEFORE, None, 0o644)


@pytest.fixture
def root(tmp_path: Path) -> Iterator[int]:
    with Workspace(tmp_path) as workspace:
        yield workspace.fd


def prepared(tree: Path, root: int, step: Step) -> None:
    """The tree before the step, with the new content beside the file."""
    if step.before is not None:
        (tree / "a.py").write_bytes(OLD)
    if step.operation == "modify":
        prepare(root, "a.py", NEW, expected_sha256=BEFORE, temporary=".t")
    elif step.operation == "create":
        prepare_new(root, "a.py", NEW, wanted=FileMetadata(0o644), temporary=".t")


def contents(tree: Path) -> dict[str, bytes]:
    return {name: (tree / name).read_bytes() for name in os.listdir(tree)}


def no_image(digest: str) -> bytes | None:
    return None


@pytest.mark.parametrize("step", [MODIFY, CREATE, DELETE], ids=lambda step: step.operation)
def test_a_step_goes_forth_and_back(tmp_path: Path, root: int, step: Step) -> None:
    prepared(tmp_path, root, step)
    assert standing(root, step)[0] == "old"
    put(root, step)
    assert standing(root, step)[0] == "new"
    assert contents(tmp_path).get("a.py") == (None if step.after is None else NEW)
    take_back(root, step, no_image)
    assert standing(root, step)[0] == "old"
    assert clean(root, step) == []
    assert contents(tmp_path) == ({} if step.before is None else {"a.py": OLD})


@pytest.mark.parametrize("step", [MODIFY, CREATE, DELETE], ids=lambda step: step.operation)
def test_what_somebody_else_put_there_stays(tmp_path: Path, root: int, step: Step) -> None:
    prepared(tmp_path, root, step)
    (tmp_path / "a.py").write_bytes(b"mine\n")
    assert standing(root, step)[0] == "foreign"
    with pytest.raises(Taken):
        put(root, step)
    assert (tmp_path / "a.py").read_bytes() == b"mine\n"
    assert clean(root, step) == []
    assert contents(tmp_path) == {"a.py": b"mine\n"}


def test_an_old_content_that_is_gone_comes_from_its_image(tmp_path: Path, root: int) -> None:
    prepared(tmp_path, root, MODIFY)
    put(root, MODIFY)
    (tmp_path / ".t").unlink()
    with pytest.raises(LookupError):
        take_back(root, MODIFY, no_image)
    take_back(root, MODIFY, {BEFORE: OLD}.get)
    assert (tmp_path / "a.py").read_bytes() == OLD


def test_what_is_not_ours_beside_the_file_is_named_and_stays(tmp_path: Path, root: int) -> None:
    prepared(tmp_path, root, MODIFY)
    put(root, MODIFY)
    (tmp_path / ".t").write_bytes(b"mine\n")
    assert clean(root, MODIFY) == [".t"]
    assert (tmp_path / ".t").read_bytes() == b"mine\n"


# -- what somebody has planted under the sibling's name ------------------------------------------


def plant(tree: Path, how: str) -> None:
    """Puts something else under the sibling's name."""
    (tree / "outside").write_bytes(NEW)
    (tree / ".t").rename(tree / "aside")  # else what comes may get its inode
    if how == "link":
        (tree / ".t").symlink_to("outside")
    elif how == "pipe":
        os.mkfifo(tree / ".t")
    elif how == "hard link":
        os.link(tree / "outside", tree / ".t")
    else:
        (tree / ".t").write_bytes(NEW)


class Planting(Disk):
    """Somebody plants something at the very moment before it is put in place."""

    def __init__(self, tree: Path, how: str) -> None:
        self._tree, self._how = tree, how

    def exchange(self, directory: int, name: str, other: str) -> None:
        self._plant()
        super().exchange(directory, name, other)

    def link(self, directory: int, old: str, new: str) -> None:
        self._plant()
        super().link(directory, old, new)

    def _plant(self) -> None:
        if self._how:
            plant(self._tree, self._how)
            self._how = ""


HOWS = pytest.mark.parametrize("how", ["link", "pipe", "hard link", "copy"])


@HOWS
@pytest.mark.parametrize("step", [MODIFY, CREATE], ids=lambda step: step.operation)
def test_what_was_planted_is_not_put_in_place(
    tmp_path: Path, root: int, step: Step, how: str
) -> None:
    prepared(tmp_path, root, step)
    known = replace(step, inode=(tmp_path / ".t").stat().st_ino)
    disk = Planting(tmp_path, how)
    with using(disk), pytest.raises(Planted):
        put(root, known)
    assert (tmp_path / "a.py").exists() == (step.before is not None)
    assert step.before is None or (tmp_path / "a.py").read_bytes() == OLD
    assert not standing(root, known).ready, "and a recovery would not use it either"


@pytest.mark.parametrize("how", ["link", "pipe", "hard link"])
def test_what_was_planted_for_the_old_content_does_not_come_back(
    tmp_path: Path, root: int, how: str
) -> None:
    prepared(tmp_path, root, MODIFY)
    put(root, MODIFY)
    plant(tmp_path, how)
    assert standing(root, MODIFY).standing == "new"
    take_back(root, MODIFY, {BEFORE: OLD}.get)
    status = (tmp_path / "a.py").lstat()
    assert (tmp_path / "a.py").read_bytes() == OLD
    assert (S_ISREG(status.st_mode), status.st_nlink) == (True, 1)


def test_without_the_inode_a_copy_would_be_put_in_place(
    tmp_path: Path, root: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepared(tmp_path, root, MODIFY)
    known = replace(MODIFY, inode=(tmp_path / ".t").stat().st_ino)
    mutate.replace(monkeypatch, file_step._File._is_ours, "step.inode is None", "True")
    with using(Planting(tmp_path, "copy")):
        put(root, known)
    assert (tmp_path / "a.py").stat().st_ino != known.inode


# -- a file that is not there any more -------------------------------------------------------------


def test_a_missing_file_comes_back_from_what_lies_beside_it_or_its_image(
    tmp_path: Path, root: int
) -> None:
    had = FileMetadata(0o640, (os.geteuid(), os.getegid()), {}, 0, 0)
    for put_first in (False, True):
        prepared(tmp_path, root, MODIFY)
        if put_first:
            put(root, MODIFY)
        (tmp_path / "a.py").unlink()
        assert standing(root, MODIFY).standing == "missing"
        take_back(root, MODIFY, {BEFORE: OLD}.get, missing=False)
        assert not (tmp_path / "a.py").exists()
        take_back(root, replace(MODIFY, metadata=had), {BEFORE: OLD}.get)
        assert (tmp_path / "a.py").read_bytes() == OLD
        assert put_first or (tmp_path / "a.py").stat().st_mode & 0o777 == 0o640
        assert clean(root, MODIFY) == []
        assert contents(tmp_path) == {"a.py": OLD}


def test_a_missing_file_of_which_nothing_is_stored_is_an_error(tmp_path: Path, root: int) -> None:
    prepared(tmp_path, root, MODIFY)
    (tmp_path / "a.py").unlink()
    with pytest.raises(LookupError, match="not stored"):
        take_back(root, MODIFY, no_image)


# -- names: given, taken and exchanged, and nothing is overwritten ---------------------------------

DISKS = pytest.mark.parametrize("disk", [DISK, without_exchange(Watched())], ids=["", "links"])


@pytest.fixture
def file(tmp_path: Path, root: int) -> Iterator[file_step._File]:
    (tmp_path / "a.py").write_bytes(b"one")
    (tmp_path / ".t").write_bytes(b"other")
    with file_step._opened(root, MODIFY) as file:
        yield file


@DISKS
def test_two_names_are_exchanged(tmp_path: Path, file: file_step._File, disk: Disk) -> None:
    with using(disk):
        file.swap("")
    assert contents(tmp_path) == {"a.py": b"other", ".t": b"one"}


@DISKS
def test_what_is_gone_is_not_exchanged(tmp_path: Path, file: file_step._File, disk: Disk) -> None:
    (tmp_path / "a.py").unlink()
    with using(disk), pytest.raises(Taken):
        file.swap("")
    assert os.listdir(tmp_path) == [".t"]


def test_a_name_that_somebody_has_is_never_given(tmp_path: Path, file: file_step._File) -> None:
    with pytest.raises(Taken):
        file.appear("")
    file.name = "new.py"
    file.appear("")
    assert file.inode() == file.inode("")
    assert (tmp_path / "a.py").read_bytes() == b"one"


def test_only_the_expected_content_loses_its_name(tmp_path: Path, file: file_step._File) -> None:
    with pytest.raises(Taken):
        file.vanish("x", "0" * 64)
    assert sorted(os.listdir(tmp_path)) == [".t", "a.py"]
    file.vanish("x", file.digest())
    assert sorted(os.listdir(tmp_path)) == [".t", ".tx"]


def test_an_exchange_by_links_that_was_killed_is_settled(
    tmp_path: Path, file: file_step._File
) -> None:
    """After the first of its three calls: the file is absent, and gets its name again."""
    (tmp_path / "a.py").rename(tmp_path / ".tk")
    file.settle()
    assert contents(tmp_path) == {"a.py": b"one", ".t": b"other"}
