"""Three files in two directories, and the transaction that changes them."""

import os
import stat
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from astedit.transaction.commit import FileChange, write
from astedit.transaction.disk import DISK, Disk
from astedit.transaction.recovery import Ended, recover
from astedit.workspace.root import Workspace
from tests.support.faults.disks import Killed, Watched, using
from tests.support.faults.journal import MemoryJournal

FILES = {"a.py": 0o755, "src/b.py": 0o640, "src/c.py": 0o644}


def old(path: str) -> bytes:
    return f"old {path}\r\n".encode()


def new(path: str) -> bytes:
    return f"new {path}\r\n".encode() * 3


OLD = {path: old(path) for path in FILES}
NEW = {path: new(path) for path in FILES}


def made(root: Path) -> Path:
    """Writes the files as they are before."""
    (root / "src").mkdir(parents=True, exist_ok=True)
    for path, mode in FILES.items():
        (root / path).write_bytes(old(path))
        (root / path).chmod(mode)
    return root


def changes() -> Iterator[FileChange]:
    for path in FILES:
        hashes = [sha256(text).hexdigest() for text in (old(path), new(path))]
        yield FileChange(path, old(path), hashes[0], new(path), hashes[1])


def applied(root: Path, journal: MemoryJournal, disk: Disk = DISK) -> Ended:
    """Runs the transaction."""
    with Workspace(root) as workspace, using(disk):
        return write(list(FILES), changes(), workspace.fd, journal)


def recovered(root: Path, journal: MemoryJournal, disk: Disk = DISK) -> Ended | None:
    """Ends it as the gate would; None without an intent."""
    if journal.intent is None:
        return None
    with Workspace(root) as workspace, using(disk):
        ended = recover(journal.parsed(), workspace.fd, journal)
    if ended.outcome != "blocked":
        journal.withdraw_intent()
    return ended


def interrupted(tmp_path: Path, exchanges: int = 1) -> tuple[Path, MemoryJournal]:
    """A transaction killed after that many files were put in place."""

    class Dies(Watched):
        def _before(self, name: str, arguments: tuple[object, ...]) -> None:
            super()._before(name, arguments)
            if self.made.count("exchange") > exchanges:
                raise Killed

    root, journal = made(tmp_path / "root"), MemoryJournal()
    with pytest.raises(Killed):
        applied(root, journal, Dies())
    return root, journal


def contents(root: Path) -> dict[str, bytes]:
    """Every file below the root, siblings included."""
    found = (path for path in root.rglob("*") if path.is_file())
    return {str(path.relative_to(root)): path.read_bytes() for path in found}


def modes(root: Path) -> dict[str, int]:
    return {path: stat.S_IMODE(os.stat(root / path).st_mode) for path in FILES}


def state(root: Path) -> str:
    """`old` or `new`, modes included; else what there is."""
    found = (contents(root), modes(root))
    for name, texts in (("old", OLD), ("new", NEW)):
        if found == (texts, FILES):
            return name
    return repr(found)
