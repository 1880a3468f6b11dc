"""New content beside a file: the file itself is as it was, whatever happens."""

import os
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from astedit.errors import AstEditError, PreconditionError, StaleError, TransactionError
from astedit.transaction.disk import Disk
from astedit.transaction.file_metadata import FileMetadata
from astedit.transaction.temporary import check, prepare, prepare_new
from astedit.workspace.root import Workspace
from tests.support.faults.disks import using

OLD, NEW = b"old\n", b"new\n"
MARK = sha256(OLD).hexdigest()


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_bytes(OLD)
    (tmp_path / "a.py").chmod(0o640)
    return tmp_path


@pytest.fixture
def root(tree: Path) -> Iterator[int]:
    with Workspace(tree) as workspace:
        yield workspace.fd


def test_the_new_content_lies_beside_with_the_mode_of_the_file(tree: Path, root: int) -> None:
    had, inode = prepare(root, "a.py", NEW, expected_sha256=MARK, temporary=".t")
    assert (had.mode, inode) == (0o640, (tree / ".t").stat().st_ino)
    assert (tree / ".t").read_bytes() == NEW
    assert (tree / ".t").stat().st_mode & 0o7777 == 0o640
    assert (tree / "a.py").read_bytes() == OLD


def test_a_new_file_waits_beside_its_place(tree: Path, root: int) -> None:
    prepare_new(root, "new.py", NEW, wanted=FileMetadata(0o755), temporary=".t")
    assert sorted(os.listdir(tree)) == [".t", "a.py"]
    assert (tree / ".t").stat().st_mode & 0o7777 == 0o755
    with pytest.raises(StaleError, match="has appeared"):
        prepare_new(root, "a.py", NEW, wanted=FileMetadata(0o644), temporary=".u")


def test_a_file_that_may_be_deleted_tells_its_mode(root: int) -> None:
    assert check(root, "a.py", expected_sha256=MARK).mode == 0o640
    with pytest.raises(StaleError, match="has changed"):
        check(root, "a.py", expected_sha256="0" * 64)


def spoil(tree: Path, how: str) -> None:
    file = tree / "a.py"
    if how == "hard link":
        os.link(file, tree / "b.py")
        return
    if how == "changed":
        file.write_bytes(b"mine\n")
        return
    file.unlink()
    if how == "link":
        file.symlink_to("b.py")
    elif how == "pipe":
        os.mkfifo(file)


@pytest.mark.parametrize(
    ("how", "error"),
    [
        ("changed", StaleError), ("gone", StaleError), ("link", PreconditionError),
        ("hard link", PreconditionError), ("pipe", PreconditionError),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_replaced_leaves_nothing_beside(
    tree: Path, root: int, how: str, error: type[AstEditError]
) -> None:
    spoil(tree, how)
    before = sorted(os.listdir(tree))
    with pytest.raises(error):
        prepare(root, "a.py", NEW, expected_sha256=MARK, temporary=".t")
    assert sorted(os.listdir(tree)) == before


class Full(Disk):
    """A disk that takes two bytes and no more."""

    def write(self, file: int, data: memoryview) -> int:
        if os.fstat(file).st_size:
            raise OSError(28, "No space left on device")
        return super().write(file, data[:2])


def test_a_full_disk_leaves_nothing_beside(tree: Path, root: int) -> None:
    with using(Full()), pytest.raises(TransactionError):
        prepare(root, "a.py", NEW, expected_sha256=MARK, temporary=".t")
    assert os.listdir(tree) == ["a.py"]
    assert (tree / "a.py").read_bytes() == OLD
