"""What a rewritten file keeps beside its bytes."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from astedit.transaction.disk import DISK, Disk
from astedit.transaction.file_metadata import attributes_of, keep_metadata


@pytest.fixture
def file(tmp_path: Path) -> Iterator[int]:
    fd = os.open(tmp_path / "new", os.O_RDWR | os.O_CREAT, 0o600)
    yield fd
    os.close(fd)


def test_the_mode_is_kept_with_bits_that_writing_clears(tmp_path: Path, file: int) -> None:
    original = tmp_path / "a.py"
    original.touch()
    keep_metadata(file, original.stat(), 0o2751, {}, DISK)
    assert os.fstat(file).st_mode & 0o7777 == 0o2751


def test_extended_attributes_are_kept(tmp_path: Path, file: int) -> None:
    original = tmp_path / "a.py"
    original.touch()
    try:
        os.setxattr(original, "user.note", b"why")
    except (OSError, AttributeError):
        pytest.skip("no extended attributes here")
    with original.open() as opened:
        attributes = attributes_of(opened.fileno())
    assert attributes["user.note"] == b"why"
    keep_metadata(file, original.stat(), 0o600, attributes, DISK)
    assert attributes_of(file)["user.note"] == b"why"


def test_a_mode_that_the_disk_does_not_keep_is_refused(tmp_path: Path, file: int) -> None:
    class Forgetful(Disk):
        def chmod(self, file: int, mode: int) -> None:
            super().chmod(file, mode & 0o777)

    with pytest.raises(OSError, match="its mode 4755 cannot be kept"):
        keep_metadata(file, tmp_path.stat(), 0o4755, {}, Forgetful())
