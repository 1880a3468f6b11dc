"""Names of contents: given, taken and exchanged, and nothing is overwritten."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from astedit.transaction.disk import DISK, Disk, digest
from astedit.transaction.intent import Step
from astedit.transaction.names_of_contents import Taken, appear, inode_of, settle, swap, vanish
from tests.support.faults.disks import Watched, without_exchange

STEP = Step("a.py", ".t", "b" * 64, "a" * 64, 0o644)
DISKS = pytest.mark.parametrize("disk", [DISK, without_exchange(Watched())], ids=["", "links"])


@pytest.fixture
def parent(tmp_path: Path) -> Iterator[int]:
    (tmp_path / "a.py").write_bytes(b"one")
    (tmp_path / ".t").write_bytes(b"other")
    descriptor = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    yield descriptor
    os.close(descriptor)


@DISKS
def test_two_names_are_exchanged(tmp_path: Path, parent: int, disk: Disk) -> None:
    swap(parent, ".t", "a.py", STEP, disk)
    assert (tmp_path / "a.py").read_bytes() == b"other"
    assert (tmp_path / ".t").read_bytes() == b"one"
    assert sorted(os.listdir(tmp_path)) == [".t", "a.py"]


@DISKS
def test_what_is_gone_is_not_exchanged(tmp_path: Path, parent: int, disk: Disk) -> None:
    (tmp_path / "a.py").unlink()
    with pytest.raises(Taken):
        swap(parent, ".t", "a.py", STEP, disk)
    assert os.listdir(tmp_path) == [".t"]


def test_a_name_that_somebody_has_is_never_given(tmp_path: Path, parent: int) -> None:
    with pytest.raises(Taken):
        appear(parent, ".t", "a.py", STEP, DISK)
    appear(parent, ".t", "new.py", STEP, DISK)
    assert inode_of(parent, "new.py") == inode_of(parent, ".t")
    assert (tmp_path / "a.py").read_bytes() == b"one"


def test_only_the_expected_content_loses_its_name(tmp_path: Path, parent: int) -> None:
    with pytest.raises(Taken):
        vanish(parent, "a.py", ".x", "0" * 64, STEP, DISK)
    assert sorted(os.listdir(tmp_path)) == [".t", "a.py"]
    vanish(parent, "a.py", ".x", digest(parent, "a.py"), STEP, DISK)
    assert sorted(os.listdir(tmp_path)) == [".t", ".x"]


def test_an_exchange_by_links_that_was_killed_is_settled(tmp_path: Path, parent: int) -> None:
    """After the first of its three calls: the file is absent, and gets its name again."""
    (tmp_path / "a.py").rename(tmp_path / ".tk")
    settle(parent, "a.py", STEP, DISK)
    assert (tmp_path / "a.py").read_bytes() == b"one"
    assert sorted(os.listdir(tmp_path)) == [".t", "a.py"]
