"""Files written for a user: never over another, never through a link, all or nothing."""

import errno
import os
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from astedit.errors import AstEditError, PreconditionError, StaleError
from astedit.transaction.disk import Disk
from astedit.transaction.user_files import create, create_all, replace
from tests.support.faults.disks import using


@pytest.fixture
def root(tmp_path: Path) -> Iterator[int]:
    (tmp_path / "root").mkdir()
    descriptor = os.open(tmp_path / "root", os.O_RDONLY)
    yield descriptor
    os.close(descriptor)


def test_a_file_is_made_with_its_directories(root: int, tmp_path: Path) -> None:
    create(root, "a.yml", b"1")
    create(root, "b/c/d.yml", b"2")
    create(root, "b/c/e.yml", b"3")
    assert [
        (tmp_path / "root" / name).read_bytes() for name in ("a.yml", "b/c/d.yml", "b/c/e.yml")
    ] == [b"1", b"2", b"3"]


def test_nothing_is_written_over(root: int, tmp_path: Path) -> None:
    create(root, "a/b", b"1")
    with pytest.raises(PreconditionError, match="a/b exists already") as caught:
        create(root, "a/b", b"2")
    assert caught.value.code == "exists"
    assert (tmp_path / "root/a/b").read_bytes() == b"1"


@pytest.mark.parametrize("path", ["link/new", "a/link/new", "dangling", "link", "file/new"])
def test_no_link_is_followed(root: int, tmp_path: Path, path: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    inside = tmp_path / "root"
    (inside / "a").mkdir()
    (inside / "file").touch()
    for place in (inside / "link", inside / "a/link"):
        place.symlink_to(outside)
    (inside / "dangling").symlink_to(outside / "new")
    with pytest.raises(PreconditionError) as refused:
        create(root, path, b"x")
    assert list(outside.iterdir()) == []
    assert "--exclude" not in str(refused.value.hint)  # which a plan has


def test_a_file_is_replaced_if_it_is_what_was_read(root: int, tmp_path: Path) -> None:
    file = tmp_path / "root/a"
    file.write_bytes(b"old")
    file.chmod(0o640)
    replace(root, "a", b"old", b"new")
    assert file.read_bytes() == b"new"
    assert file.stat().st_mode & 0o777 == 0o640
    with pytest.raises(StaleError):
        replace(root, "a", b"old", b"newer")
    assert file.read_bytes() == b"new"
    assert os.listdir(root) == ["a"]


class Broken(Disk):
    """A disk on which one call fails."""

    def __init__(self, call: str, error: BaseException) -> None:
        def fail(*arguments: object) -> None:
            raise error

        setattr(self, call, fail)


@pytest.mark.parametrize("call", ["create", "write", "sync", "rename", "mkdir"])
@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space"), KeyboardInterrupt()])
def test_a_failure_leaves_things_as_they_were(
    root: int, tmp_path: Path, call: str, error: BaseException
) -> None:
    (tmp_path / "root/old").write_bytes(b"old")
    disk = Broken(call, error)
    expected = AstEditError if isinstance(error, OSError) else KeyboardInterrupt
    if call != "rename":
        with using(disk), pytest.raises(expected):
            create(root, "x/new", b"new")
    if call != "mkdir":
        with using(disk), pytest.raises(expected):
            replace(root, "old", b"old", b"new")
    assert (tmp_path / "root/old").read_bytes() == b"old"
    assert [name for _, _, names in os.walk(tmp_path / "root") for name in names] == ["old"]


def test_a_kill_leaves_no_part_of_a_file_and_what_it_left_goes(root: int) -> None:
    disk = Broken("link", KeyboardInterrupt())
    disk.unlink = disk.link  # type: ignore[method-assign]  # nothing runs after a kill
    with using(disk), pytest.raises(KeyboardInterrupt):
        create(root, "new", b"new")
    (left,) = {*os.listdir(root)} - {"new"}
    os.utime(left, (0, 0), dir_fd=root)
    create(root, "new", b"new")
    os.link("new", left, src_dir_fd=root, dst_dir_fd=root)  # killed between two names
    replace(root, "new", b"new", b"newer")
    assert os.listdir(root) == ["new"]
    os.link("new", left, src_dir_fd=root, dst_dir_fd=root)
    assert create_all(root, {"new": "newer", "./d/b": "b"}) == ["new", "d/b"]  # the rest of them
    assert sorted(os.listdir(root)) == ["d", "new"]
    for again in ({"new": "newer", "d/b": "b"}, {"new": "other", "c": ""}):
        with pytest.raises(PreconditionError, match="new exists already; nothing was written"):
            create_all(root, again)


def test_of_two_that_replace_a_file_at_once_one_is_refused(root: int, tmp_path: Path) -> None:
    """The second waits until the first has renamed: both would have seen the old content."""
    (tmp_path / "root/a").write_bytes(b"old")
    refused: list[bool] = []

    def again() -> None:
        try:
            replace(root, "a", b"old", b"second")
        except StaleError:
            refused.append(True)

    second = Thread(target=again)

    class Slow(Disk):
        def rename(self, *names: Any) -> None:
            second.start()
            second.join(0.3)
            super().rename(*names)

    with using(Slow()):
        replace(root, "a", b"old", b"first")
    second.join()
    assert (refused, (tmp_path / "root/a").read_bytes()) == ([True], b"first")
