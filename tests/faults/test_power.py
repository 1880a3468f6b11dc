"""A power cut at any moment leaves all old or all new, once recovered."""

import errno
from pathlib import Path

import pytest

from tests.support.faults.disks import Killed, kind
from tests.support.faults.power import PowerJournal, Recorder, recording, verdicts
from tests.support.faults.tree import OLD, applied, made, recovered

KINDS = pytest.mark.parametrize("exchanging", [True, False])
SLOWLY = pytest.mark.slow
ORDERS = pytest.mark.parametrize(
    "exchanging, reordering",
    [
        (True, False),
        (False, False),
        pytest.param(True, True, marks=SLOWLY),
        pytest.param(False, True, marks=SLOWLY),
    ],
)
MINE = OLD | {"src/b.py": b"mine\n"}


@ORDERS
def test_a_power_cut_at_any_moment(tmp_path: Path, exchanging: bool, reordering: bool) -> None:
    """A disk that takes long to sync may have any of what waits, in any order."""
    disk = recording(
        tmp_path / "root", change=lambda disk: kind(disk, exchanging), reordering=reordering
    )
    assert len(disk.images) > 100
    assert {image.closed for image in disk.images} == {True, False}
    assert list(verdicts(disk.images, tmp_path / "image", backwards=reordering)) == []


@KINDS
def test_a_power_cut_while_a_person_saves_and_ours_goes_back(
    tmp_path: Path, exchanging: bool
) -> None:
    """The person's file is whole whenever the power goes, and ours is as before."""
    call, at = ("exchange", 2) if exchanging else ("rename", 3)
    saved: list[int] = []

    def save(disk: Recorder) -> None:
        if disk.made.count(call) == at and disk.made[-1] == call and not saved:
            (tmp_path / "root/src/b.py").write_bytes(b"mine\n")
            disk.save(disk.folders["src"].now["b.py"], b"mine\n", 0o640)
            saved.append(len(disk.images))
            disk.cut()

    disk = recording(tmp_path / "root", before=save, change=lambda disk: kind(disk, exchanging))
    assert saved
    assert list(verdicts(disk.images[: saved[0]], tmp_path / "image")) == []
    assert list(verdicts(disk.images[saved[0] :], tmp_path / "image", [MINE])) == []


@KINDS
def test_a_power_cut_in_the_recovery_of_a_kill(tmp_path: Path, exchanging: bool) -> None:
    """What the killed process had not synced is still not synced when the next one dies."""
    for at in range(1, 60, 2):

        def die(disk: Recorder, at: int = at) -> None:
            if len(disk.made) == at:
                raise Killed

        root = made(tmp_path / str(at))
        disk = kind(Recorder(root, before=die), exchanging)
        journal = PowerJournal(disk)
        try:
            applied(root, journal, disk)
        except Killed:
            recovered(root, journal, disk)
        else:
            assert at > 20
            break
        assert list(verdicts(disk.images, tmp_path / "image")) == []
    else:
        pytest.fail("it never ended")


@pytest.mark.parametrize("at", range(1, 6))
def test_a_power_cut_after_a_disk_that_was_full(tmp_path: Path, at: int) -> None:
    """What was given up before the commit point leaves no sibling that comes back."""

    def full(disk: Recorder) -> None:
        if disk.made.count("write") == at and disk.made[-1] == "write":
            raise OSError(errno.ENOSPC, "full")

    disk = recording(tmp_path / "root", before=full)
    assert list(verdicts(disk.images, tmp_path / "image")) == []
