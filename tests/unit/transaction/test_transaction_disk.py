"""What a transaction asks of the disk below a root: harmless twice, never through a link."""

import os
import subprocess
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from astedit.errors import PreconditionError, TransactionError
from astedit.transaction.disk import (
    DISK,
    PINNED,
    Disk,
    digest,
    exists,
    flag_names,
    flags_of,
    make_directory,
    opened,
    private_file,
    project_of,
    remove,
    remove_directory,
    remove_private,
    split,
    sync_directory,
    write_all,
)
from astedit.workspace.confined_open import closed_after
from astedit.workspace.root import Workspace
from tests.support.faults.disks import using


@pytest.fixture
def root(tmp_path: Path) -> Iterator[int]:
    with Workspace(tmp_path) as workspace:
        yield workspace.fd


def test_directories_are_made_and_removed_harmlessly_twice(tmp_path: Path, root: int) -> None:
    make_directory(root, "a")
    make_directory(root, "a/b")
    make_directory(root, "a/b")
    assert (tmp_path / "a" / "b").is_dir()
    for _ in range(2):
        remove_directory(root, "a/b")
    assert not (tmp_path / "a" / "b").exists()


def test_a_directory_that_holds_something_stays(tmp_path: Path, root: int) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "mine").write_text("x")
    remove_directory(root, "a")
    assert (tmp_path / "a" / "mine").read_text() == "x"


def test_a_directory_is_never_reached_through_a_link(tmp_path: Path, root: int) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    with pytest.raises(PreconditionError):
        make_directory(root, "link/a")
    assert os.listdir(tmp_path / "real") == []


def test_what_stands_there_is_known_by_its_digest(tmp_path: Path, root: int) -> None:
    (tmp_path / "file").write_bytes(b"x")
    (tmp_path / "link").symlink_to("nowhere")
    os.mkfifo(tmp_path / "pipe")
    with opened(root, "", "file") as parent:
        assert digest(parent, "file") == sha256(b"x").hexdigest()
        assert [digest(parent, name) for name in ("none", "link", "pipe")] == [None, "", ""]
        assert [exists(parent, name) for name in ("file", "link", "none")] == [True, True, False]
        remove(parent, "file")
        remove(parent, "file")
    assert not (tmp_path / "file").exists()


class Slow(Disk):
    """A disk that takes three bytes at once, and confirms nothing."""

    def write(self, file: int, data: memoryview) -> int:
        return super().write(file, data[:3])

    def sync(self, file: int) -> None:
        raise OSError(5, "Input/output error")


def test_all_is_written_however_little_the_disk_takes(tmp_path: Path) -> None:
    with open(tmp_path / "a", "wb") as file, using(Slow()):
        write_all(file.fileno(), b"0123456789")
    assert (tmp_path / "a").read_bytes() == b"0123456789"


def test_a_disk_that_does_not_confirm_is_an_error_of_its_own(root: int) -> None:
    sync_directory(root, "")
    with using(Slow()), pytest.raises(TransactionError) as unsure:
        sync_directory(root, "")
    assert unsure.value.code == "durability_unknown"


def test_a_private_file_is_for_this_user_only(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    private_file(str(folder), "lock")
    private_file(str(folder), "lock")
    assert (folder.stat().st_mode & 0o777, (folder / "lock").stat().st_mode & 0o777) == (
        0o700,
        0o600,
    )
    remove_private(str(folder), "lock")
    (folder / "lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError):
        private_file(str(folder), "lock")
    assert not (tmp_path / "elsewhere").exists()


def test_a_path_is_parted_at_its_last_slash() -> None:
    assert [split("a/b/c.py"), split("c.py")] == [("a/b", "c.py"), ("", "c.py")]


def test_every_letter_has_its_word_and_an_unknown_bit_its_number() -> None:
    assert flag_names(PINNED) == "i (immutable), a (append only)"
    assert flag_names(0x800000 | 1 << 31) == "C (no copy on write), 0x80000000"


def test_what_chattr_sets_is_read_and_what_we_set_lsattr_shows(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.touch()
    try:
        done = subprocess.run(["chattr", "+dA", str(path)], capture_output=True, text=True)
    except FileNotFoundError:
        pytest.skip("chattr is not installed")
    if done.returncode:
        pytest.skip(done.stderr)
    with closed_after(os.open(path, os.O_RDONLY)) as file:
        assert (flags_of(file), project_of(file)) == (0x40 | 0x80, 0)
        DISK.set_flags(file, 0x8)
    shown = subprocess.run(["lsattr", str(path)], capture_output=True, text=True).stdout
    letters = shown.split()[0]
    assert "S" in letters and not set("dA") & set(letters)


def test_where_nobody_knows_them_there_are_none() -> None:
    with closed_after(os.open("/proc/self/status", os.O_RDONLY)) as file:
        assert (flags_of(file), project_of(file)) == (0, 0)
