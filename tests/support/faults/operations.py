"""Files that are created, deleted and moved, directories made for them, and the transaction."""

import os
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from astedit.transaction.commit import FileChange, write
from astedit.transaction.disk import DISK, Disk
from astedit.transaction.recovery import Ended
from astedit.workspace.root import Workspace
from tests.support.faults.disks import using
from tests.support.faults.tree import contents
from tests.support.faults.tree import recovered as recovered

MOVED = b"moved\r\n"
SAME = {"run.sh": b"echo\n"}  # whose mode alone changes
OLD = {"a.py": b"old a\n", "src/gone.py": b"gone\n", "src/here.py": MOVED} | SAME
NEW = {"a.py": b"new a\n", "src/made.py": b"made\n", "deep/er/there.py": MOVED} | SAME
MODES = {"a.py": 0o644, "src/gone.py": 0o755, "src/here.py": 0o640, "run.sh": 0o644}
_NEW_MODES = {"deep/er/there.py": 0o640, "run.sh": 0o755}
FOLDERS = ["deep", "deep/er"]


def hashed(text: bytes | None) -> str | None:
    return None if text is None else sha256(text).hexdigest()


def changes(paths: list[str], new: dict[str, bytes]) -> Iterator[FileChange]:
    for path in paths:
        one, other = OLD.get(path), new.get(path)
        mode = 0o640 if path.endswith("there.py") else _NEW_MODES.get(path)
        yield FileChange(path, one, hashed(one), other, hashed(other), mode)


def made(root: Path) -> Path:
    (root / "src").mkdir(parents=True)
    for path, text in OLD.items():
        (root / path).write_bytes(text)
        (root / path).chmod(MODES[path])
    return root


def applied(
    root: Path, journal: Any, disk: Disk = DISK, new: dict[str, bytes] = NEW, deep: bool = True
) -> Ended:
    paths = sorted({*OLD, *new})
    with Workspace(root) as workspace, using(disk):
        given = changes(paths, new)
        folders = FOLDERS if deep else []
        return write(paths, given, workspace.fd, journal, directories=folders)


def state(root: Path) -> str:
    """`old` or `new`, modes and directories included; else what there is."""
    found = contents(root)
    modes = {path: os.stat(root / path).st_mode & 0o7777 for path in found}
    folders = {str(path.relative_to(root)) for path in root.rglob("*") if path.is_dir()}
    if (found, modes, folders) == (OLD, MODES, {"src"}):
        return "old"
    wanted = {"a.py": 0o644, "src/made.py": 0o644} | _NEW_MODES
    if (found, modes, folders) == (NEW, wanted, {"src", *FOLDERS}):
        return "new"
    return repr((found, modes, folders))
