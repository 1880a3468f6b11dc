"""A directory that becomes a link again and again: nothing outside is read or written."""

import os
from collections import Counter
from pathlib import Path

import pytest

from astedit.errors import AstEditError
from astedit.workspace import confined_open
from astedit.workspace.root import Workspace
from tests.support.faults.flipper import while_flipping
from tests.support.faults.journal import MemoryJournal
from tests.support.faults.tree import FILES, OLD, applied, made, recovered

TIMES = pytest.mark.parametrize(
    "times", [500, pytest.param(10_000, marks=[pytest.mark.slow, pytest.mark.timeout(900)])]
)


class Trap:
    """A root whose `src` is exchanged with `evil`, a link to a directory outside."""

    def __init__(self, place: Path) -> None:
        self.root, self.outside = made(place / "root"), place / "outside"
        self.outside.mkdir()
        (self.root / "evil").symlink_to(self.outside)
        self.src = os.open(self.root / "src", os.O_RDONLY | os.O_DIRECTORY)

    def reset(self) -> None:
        """The files as before, wherever the real directory is at the moment."""
        for name in os.listdir(self.src):
            os.unlink(name, dir_fd=self.src)
        for left in self.root.glob(".astedit-*"):
            left.unlink()
        for path, text in OLD.items():
            folder, _, name = path.rpartition("/")
            parent = self.src if folder else os.open(self.root, os.O_RDONLY)
            file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600, dir_fd=parent)
            os.write(file, text)
            os.fchmod(file, FILES[path])
            os.close(file)
            if not folder:
                os.close(parent)

    def seen_outside(self) -> dict[str, tuple[bytes, int, int]]:
        """Everything outside: content, inode and the time of its last change."""
        found = {}
        for path in (self.outside, *self.outside.iterdir()):
            status = path.stat()
            text = b"" if path.is_dir() else path.read_bytes()
            found[path.name] = (text, status.st_ino, status.st_ctime_ns)
        return found


def written_outside(place: Path, times: int, seen: Counter[str]) -> bool:
    """Applies while the directory is exchanged so often; counts how that went."""
    trap = Trap(place)
    for name in ("b.py", "c.py"):  # the very content that an apply looks for
        (trap.outside / name).write_bytes(OLD[f"src/{name}"])
        (trap.outside / name).chmod(0o666)
    before = trap.seen_outside()
    for _ in while_flipping(trap.root, "src", "evil", times):
        trap.reset()
        journal = MemoryJournal()
        try:
            seen[applied(trap.root, journal).outcome] += 1
        except AstEditError as error:
            seen[error.code] += 1
            recovered(trap.root, journal)
    return trap.seen_outside() != before


@TIMES
def test_nothing_outside_is_written(tmp_path: Path, times: int) -> None:
    seen = Counter[str]()
    assert not written_outside(tmp_path, times, seen)
    print(dict(seen))
    assert seen["applied"] and len(seen) > 1, "some came through, and some met the link"


def test_without_the_flag_that_follows_no_link_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(confined_open, "DIRECTORY", confined_open.DIRECTORY & ~os.O_NOFOLLOW)
    assert written_outside(tmp_path, 500, Counter())


@TIMES
def test_nothing_outside_is_read(tmp_path: Path, times: int) -> None:
    trap, seen = Trap(tmp_path), Counter[bytes | None]()
    for name in ("b.py", "c.py"):
        (trap.outside / name).write_bytes(b"secret\n")
    with Workspace(trap.root) as workspace:
        for _ in while_flipping(trap.root, "src", "evil", times):
            workspace.forget()
            try:
                seen[workspace.read("src/b.py", 100)[0]] += 1
            except OSError:
                seen[None] += 1
    assert set(seen) == {OLD["src/b.py"], None}
