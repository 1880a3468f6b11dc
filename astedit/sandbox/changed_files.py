"""What the files are that a command changed, brought out of a sandbox before it is gone.

Runs where the sandbox is made, see `supervisor.py`, and imports the standard library alone.
"""

import os
import stat
from collections.abc import Iterable, Iterator
from typing import Any

from astedit.workspace.confined_open import open_directory, read_regular

_LARGEST = 16 << 20  # bytes of one file; a plan takes less
_TOGETHER = 64 << 20  # bytes of all files
MOST = 100_000  # changes; nobody looks at so many, and they are counted alone


def brought_out(root: str, changes: Iterable[tuple[str, str]]) -> Iterator[list[Any]]:
    """Yields for each path that is there: path, kind, permissions, and content as Latin-1.

    What was there before comes first, since room for contents is bounded; those of files for
    which there is none are None, as of all that is no file.
    """
    room = _TOGETHER
    ordered = sorted(changes, key=lambda change: (change[1] != "changed", change[0]))
    top = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for path, how in ordered:
            if how == "deleted":
                continue
            row, content = _row(top, path), None
            if row is not None and row[1] == "file":
                content = _content(top, path, min(room, _LARGEST))
                room -= len(content or "")
            if row is not None:
                yield [*row, content]
    finally:
        os.close(top)


def _row(top: int, path: str) -> list[Any] | None:
    above, _, name = path.rpartition("/")
    try:
        directory = open_directory(top, above)
    except OSError:
        return None
    try:
        mode = os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode
    except OSError:
        return None
    finally:
        os.close(directory)
    kinds = {stat.S_IFREG: "file", stat.S_IFDIR: "directory", stat.S_IFLNK: "link"}
    return [path, kinds.get(stat.S_IFMT(mode), "device"), stat.S_IMODE(mode)]


def _content(top: int, path: str, most: int) -> str | None:
    above, _, name = path.rpartition("/")
    directory = open_directory(top, above)
    try:
        content, _ = read_regular(name, most, directory)
    except OSError:
        return None
    finally:
        os.close(directory)
    return content.decode("latin-1") if len(content) <= most else None
