"""Another directory is mounted over one of the root's in the middle of an apply."""

import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from astedit.errors import AstEditError
from astedit.transaction import recovery
from tests.support.faults.disks import Killed, Watched, kind
from tests.support.faults.journal import MemoryJournal
from tests.support.faults.mutate import replace
from tests.support.faults.tree import FILES, OLD, applied, made, recovered, state

CALLS = 22  # of the transaction; some more where nothing exchanges


def mount(*words: object) -> bool:
    return subprocess.run(["mount", *map(str, words)], capture_output=True).returncode == 0


@contextmanager
def unmounted(*places: Path) -> Iterator[None]:
    """Takes away whatever is mounted there at the end."""
    try:
        yield
    finally:
        for place in places:
            subprocess.run(["umount", "-l", place], capture_output=True)


class Mounting(Watched):
    """Mounts `other` over a directory just before the `at`-th call; dies at `end`, if given."""

    def __init__(self, other: Path, over: Path, at: int, end: int | None) -> None:
        super().__init__()
        self._other, self._over, self._at, self._end = other, over, at, end

    def _before(self, name: str, arguments: tuple[Any, ...]) -> None:
        super()._before(name, arguments)
        if len(self.made) == self._at:
            assert mount("--bind", self._other, self._over)
        if len(self.made) == self._end:
            raise Killed(name)


@pytest.fixture
def tempting(tmp_path: Path) -> Path:
    """A directory outside with the very files that an apply looks for below `src`."""
    other = tmp_path / "other"
    other.mkdir()
    for name in ("b.py", "c.py"):
        (other / name).write_bytes(OLD[f"src/{name}"])
        (other / name).chmod(FILES[f"src/{name}"])
    with unmounted(other):
        if not mount("--bind", other, other):
            pytest.skip("mounts need privileges that are not here")
    return other


def seen(folder: Path) -> dict[str, tuple[bytes, int, int]]:
    return {
        path.name: (path.read_bytes(), path.stat().st_ino, path.stat().st_ctime_ns)
        for path in folder.iterdir()
    }


def after_a_mount(root: Path, disk: Watched, journal: MemoryJournal) -> str:
    """How the apply ends, and a recovery while the other directory is mounted."""
    outcome = "killed"
    try:
        outcome = applied(root, journal, disk).outcome
    except AstEditError as error:
        outcome = error.code
    except Killed:
        pass
    recovered(root, journal)
    return outcome


@pytest.mark.parametrize("exchanging", [True, False])
@pytest.mark.parametrize("dies", [False, True])
@pytest.mark.parametrize(
    "points", [range(9, 18, 4), pytest.param(range(1, CALLS + 7), marks=pytest.mark.slow)]
)
def test_a_directory_mounted_in_the_middle_of_an_apply_is_left_alone(
    tmp_path: Path, tempting: Path, exchanging: bool, dies: bool, points: range
) -> None:
    """All old or all new once it is gone again, and nothing was written where it leads to."""
    outcomes, before = Counter[str](), seen(tempting)
    for at in points:
        root, journal = made(tmp_path / str(at)), MemoryJournal()
        disk = kind(Mounting(tempting, root / "src", at, at + 2 if dies else None), exchanging)
        with unmounted(root / "src"):
            outcomes[after_a_mount(root, disk, journal)] += 1
            assert seen(tempting) == before, at
        recovered(root, journal)
        assert state(root) in ("old", "new"), (at, state(root), outcomes)
    print(dict(outcomes))


def test_a_root_mounted_over_is_not_the_one_that_is_written(tmp_path: Path, tempting: Path) -> None:
    """The descriptor that is open leads to the directory that was there."""
    root, journal, before = made(tmp_path / "root"), MemoryJournal(), seen(tempting)
    with unmounted(root):
        assert applied(root, journal, Mounting(tempting, root, 10, None)).outcome == "applied"
        assert seen(tempting) == before
    assert state(root) == "new"


def test_without_the_question_for_mounts_a_mix_is_forgotten(
    tmp_path: Path, tempting: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check = "covered := changed(root, stored.mounts, folders)"
    replace(monkeypatch, recovery.recover, check, "covered := []")
    root, journal = made(tmp_path / "root"), MemoryJournal()
    with unmounted(root / "src"):
        after_a_mount(root, Mounting(tempting, root / "src", 17, 17), journal)
    assert journal.intent is None and state(root) not in ("old", "new")
