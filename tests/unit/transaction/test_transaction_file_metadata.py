"""What a file has besides bytes is kept, or the file is not replaced and the reason is named."""

import errno
import os
import subprocess
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from astedit.errors import PreconditionError
from astedit.transaction import file_metadata
from astedit.transaction.commit import FileChange, write
from astedit.transaction.disk import DISK, Disk
from astedit.transaction.file_metadata import FileMetadata, give, give_empty, metadata_of
from astedit.workspace.confined_open import closed_after
from astedit.workspace.root import Workspace
from tests.support.attributes import ACL, DEFAULT_ACL, acl, flags, give_acl, give_flags, mounted
from tests.support.faults.disks import using
from tests.support.faults.journal import MemoryJournal
from tests.support.faults.mutate import replace

OLD, NEW = b"old\n", b"new\n"
APPEND, IMMUTABLE, NO_DUMP, NO_TIMES, NO_COPY = 0x20, 0x10, 0x40, 0x80, 0x800000


@pytest.fixture
def tree(tmp_path: Path) -> Iterator[Path]:
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.py").write_bytes(OLD)
    (root / "a.py").chmod(0o600)
    yield root
    for path in (root, *root.iterdir()):
        if flags(path):
            give_flags(path, 0)


def applied(root: Path, disk: Disk = DISK) -> None:
    hashes = sha256(OLD).hexdigest(), sha256(NEW).hexdigest()
    change = FileChange("a.py", OLD, hashes[0], NEW, hashes[1])
    with Workspace(root) as workspace, using(disk):
        assert write(["a.py"], [change], workspace.fd, MemoryJournal()).outcome
    assert (root / "a.py").read_bytes() == NEW


def refused(root: Path, disk: Disk = DISK) -> str:
    """Why it was not written; nothing of it is left."""
    with pytest.raises(PreconditionError) as raised:
        applied(root, disk)
    assert os.listdir(root) == ["a.py"] and (root / "a.py").read_bytes() == OLD
    return raised.value.message


# -- ACLs ------------------------------------------------------------------------------------


def opened_to_others(root: Path) -> list[str]:
    """A private file below a directory whose default ACL lets somebody in stays private."""
    give_acl(root, DEFAULT_ACL)
    applied(root)
    return [name for name in os.listxattr(root / "a.py") if name == ACL]


def test_what_a_directory_would_hand_down_is_not_taken(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert opened_to_others(tree) == []
    assert (tree / "a.py").stat().st_mode & 0o777 == 0o600
    (tree / "a.py").write_bytes(OLD)
    check = "has.keys() - attributes.keys()"
    replace(monkeypatch, file_metadata._give_attributes, check, "has.keys() - has.keys()")
    assert opened_to_others(tree) == [ACL], "without the removal it is open to others"


def test_a_file_keeps_its_own_acl_and_no_other(tree: Path) -> None:
    give_acl(tree, DEFAULT_ACL)
    give_acl(tree / "a.py", ACL, 4321, 4)
    mode = (tree / "a.py").stat().st_mode
    applied(tree)
    assert os.getxattr(tree / "a.py", ACL) == acl(4321, 4)
    assert (tree / "a.py").stat().st_mode == mode


# -- chattr ----------------------------------------------------------------------------------


@pytest.mark.parametrize("wanted", [NO_DUMP, NO_TIMES, NO_DUMP | NO_TIMES])
def test_attributes_of_chattr_are_kept(tree: Path, wanted: int) -> None:
    give_flags(tree / "a.py", wanted)
    applied(tree)
    assert flags(tree / "a.py") == wanted


def test_attributes_that_a_directory_would_hand_down_are_not_taken(tree: Path) -> None:
    give_flags(tree, NO_DUMP | NO_TIMES)
    give_flags(tree / "a.py", NO_TIMES)
    applied(tree)
    assert flags(tree / "a.py") == NO_TIMES


@pytest.mark.parametrize("where", ["a.py", "."])
@pytest.mark.parametrize(
    ("wanted", "name"), [(APPEND, "a (append only)"), (IMMUTABLE, "i (immutable)")]
)
def test_what_nobody_may_replace_is_refused_with_the_attribute(
    tree: Path, where: str, wanted: int, name: str
) -> None:
    give_flags(tree / where, wanted)
    what = "it has" if where == "a.py" else "its directory has"
    assert refused(tree) == (
        f"a.py cannot be replaced: {what} the attribute {name}; it was not written."
    )


class Unable(Disk):
    """A disk on which attributes cannot be set: quietly, or with an error."""

    def __init__(self, number: int | None) -> None:
        self._number = number

    def set_flags(self, file: int, flags: int) -> None:
        if self._number is not None:
            raise OSError(self._number, os.strerror(self._number))


@pytest.mark.parametrize("number", [errno.ENOTSUP, errno.EPERM, None])
def test_an_attribute_that_cannot_be_kept_is_named(tree: Path, number: int | None) -> None:
    give_flags(tree / "a.py", NO_DUMP)
    assert "its attribute d (no dump) cannot be kept" in refused(tree, Unable(number))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("maker", "options", "size", "attribute", "shown"),
    [
        ("mkfs.xfs", ("-q",), 400 << 20, ("-p", "42"), " 42 "),
        ("mkfs.btrfs", ("-q",), 128 << 20, ("+C",), "C"),
    ],
)
def test_projects_and_no_copy_on_write_are_kept_where_there_are_such(
    tmp_path: Path,
    maker: str,
    options: tuple[str, ...],
    size: int,
    attribute: tuple[str, ...],
    shown: str,
) -> None:
    point = mounted(tmp_path, maker, *options, size=size)
    try:
        root = point / "root"
        root.mkdir()
        (root / "a.py").touch()
        subprocess.run(["chattr", *attribute, str(root / "a.py")], check=True)
        (root / "a.py").write_bytes(OLD)
        before = listed(root)
        assert shown in before
        applied(root)
        assert listed(root) == before
    finally:
        subprocess.run(["umount", str(point)], check=True)


def listed(root: Path) -> str:
    command = ["lsattr", "-p", str(root)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


# -- the functions ---------------------------------------------------------------------------


def test_a_mode_that_the_disk_does_not_keep_is_refused(tree: Path) -> None:
    class Forgetful(Disk):
        def chmod(self, file: int, mode: int) -> None:
            super().chmod(file, mode & 0o777)

    (tree / "a.py").chmod(0o4755)
    assert "its mode 4755 cannot be kept" in refused(tree, Forgetful())


def test_what_is_lost_is_listed_where_it_does_not_stop(tree: Path) -> None:
    class Denied(Unable):
        def chown(self, file: int, user: int, group: int) -> None:
            raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    lost, opened = list[str](), closed_after(os.open(tree / "a.py", os.O_RDWR))
    with opened as file, using(Denied(errno.ENOTSUP)):
        wanted = FileMetadata(0o640, (12_345, 12_345), {}, NO_DUMP, 0)
        give_empty(file, wanted, lost)
        give(file, wanted, lost)
        assert metadata_of(file).mode == 0o640
    assert lost == [
        "its attribute d (no dump) (Operation not supported)",
        "its owner 12345:12345 (Operation not permitted)",
    ]


def test_a_new_file_is_as_its_directory_makes_it(tree: Path) -> None:
    with closed_after(os.open(tree / "a.py", os.O_RDONLY)) as file:
        before = metadata_of(file)
        give_empty(file, FileMetadata(0o755))
        give(file, FileMetadata(0o755))
        assert metadata_of(file) == FileMetadata(0o755, before.owner, {}, 0, 0)
