"""How every reader begins: a file's bytes, or why there are none."""

import errno
import os
from pathlib import Path

import pytest

from astedit.workspace.confined_open import FileBytes, read_within
from astedit.workspace.root import Workspace

LIMIT = 4


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "fits.py").write_bytes(b"1234")
    (tmp_path / "fits.py").chmod(0o640)
    (tmp_path / "large.py").write_bytes(b"123456")
    (tmp_path / "link.py").symlink_to("fits.py")
    return tmp_path


def read(root: Path, path: str) -> FileBytes:
    with Workspace(root) as workspace:
        return read_within(workspace.read, path, LIMIT)


def test_a_file_that_fits_has_its_bytes_and_its_mode(root: Path) -> None:
    assert read(root, "fits.py") == FileBytes(b"1234", 0o640, None)


def test_of_a_file_that_is_too_large_the_first_bytes_are_there(root: Path) -> None:
    raw, _, skip = read(root, "large.py")
    assert (raw, skip) == (b"12345", ("too_large", "more than 4 bytes"))


def test_a_link_is_skipped_and_what_is_gone_is_not_even_that(root: Path) -> None:
    raw, _, skip = read(root, "link.py")
    assert (raw, skip and skip[0]) == (None, "symlink")
    assert read(root, "gone.py") == FileBytes(None)


def test_an_error_that_says_nothing_about_the_file_is_raised() -> None:
    def without_descriptors(path: str, limit: int) -> tuple[bytes, os.stat_result]:
        raise OSError(errno.EMFILE, "Too many open files")

    with pytest.raises(OSError, match="Too many"):
        read_within(without_descriptors, "a.py", LIMIT)
