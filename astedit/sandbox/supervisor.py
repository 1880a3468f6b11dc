"""The process that makes one sandbox, runs one command in it, and is gone with it.

Started by `sandbox.py` as a program. Descriptor 3 holds the task, and takes the result: plain
data both, JSON the latter, since what the command did has touched it.
"""

import contextlib
import errno
import fcntl
import json
import marshal
import os
import select
import signal
import stat
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from astedit.sandbox import namespace
from astedit.sandbox.contained_command import ContainedCommand, run
from astedit.sandbox.locked_directory import remove_tree
from astedit.sandbox.overlay import Overlay
from astedit.sandbox.tree_copy import TreeCopy, copy_changes, free_room, room_taken
from astedit.workspace.confined_open import closed_after, open_below, open_directory, read_regular

RESULT, LIFELINE = 3, 4
_TOP = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_COLLECTED = 64 << 20  # bytes of one file that the command made
_LARGEST = 16 << 20  # bytes of one file that it changed; a plan takes less
_TOGETHER = 64 << 20  # bytes of all such files
_LOOK = 0.5  # seconds between two looks at the room that is taken, at least
_MOST = 100_000  # changes; nobody looks at so many, and they are counted alone
_KINDS = {stat.S_IFREG: "file", stat.S_IFDIR: "directory", stat.S_IFLNK: "link"}
Found = TypeVar("Found")


def main() -> None:
    """Does the task and writes the result; a failure is a result, too."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal's Ctrl-C is for our parent
    os.set_inheritable(RESULT, False)
    _depend_on_parent()
    task: dict[str, Any] = marshal.loads(os.pread(RESULT, os.fstat(RESULT).st_size, 0))[0]
    os.ftruncate(RESULT, 0)
    os.lseek(RESULT, 0, os.SEEK_SET)
    try:
        result = _overlaid(task) if task["way"] == "overlay" else _copied(task)
    except OSError as error:
        where = error.filename or "the sandbox"
        result = {"refused": f"{where}: {error.strerror}"}
    with open(RESULT, "w") as answer:
        json.dump(result, answer)


def _depend_on_parent() -> None:
    """Sees to it that this process ends when its parent does, which sends it SIGIO.

    It ends its command first, and removes its copy, as when it is asked to end.
    """
    for number in (signal.SIGIO, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit(1))
    os.set_inheritable(LIFELINE, False)
    fcntl.fcntl(LIFELINE, fcntl.F_SETOWN, os.getpid())
    if select.select([LIFELINE], [], [], 0)[0]:  # it has ended already
        sys.exit(1)


def _overlaid(task: dict[str, Any]) -> dict[str, Any]:
    namespace.enter(network=task["network"])
    overlay = Overlay(task["root"], task["scratch"], None if task["kept"] else task["size"])
    if task["kept"]:  # of a layer that may have been there before
        return _ran(task, task["root"], _Room(f"{task['scratch']}/upper", task["size"]))
    result = _ran(task, task["root"], overlay.full)
    return result | _changed(task, task["root"], overlay.changes())


class _Room:
    """Whether what is in a directory takes up more than so many bytes.

    It is counted as often as is cheap, and at once where the file system has lost that much.
    """

    def __init__(self, place: str, size: int) -> None:
        self._place, self._size = place, size
        self._taken = self._free = 0
        self._soon = self._next = 0.0

    def __call__(self) -> bool:
        begun, free = time.monotonic(), free_room(self._place)
        if begun >= (self._soon if self._taken + self._free - free > self._size else self._next):
            self._taken, self._free = room_taken(self._place), free
            cost = time.monotonic() - begun
            self._soon, self._next = begun + 4 * cost, begun + max(_LOOK, 20 * cost)
        return self._taken > self._size


def _copied(task: dict[str, Any]) -> dict[str, Any]:
    try:
        namespace.enter(network=task["network"])
    except OSError:
        if not task["network"]:
            raise
    place = os.path.join(task["scratch"], "tree")
    if task["kept"]:  # it was made before
        return _ran(task, place, _Room(place, task["size"]))
    copy = TreeCopy(task["root"], place, task["size"])
    try:
        result = _ran(task, place, copy.full)
        return result | _changed(task, place, copy_changes(task["root"], place, copy.copied))
    finally:
        remove_tree(place)  # whatever modes its directories have by now


def _changed(task: dict[str, Any], root: str, changes: list[tuple[str, str]]) -> dict[str, Any]:
    """What was changed, and what that is by now if that was asked for."""
    if not task.get("keep"):
        return {"changes": changes}
    if len(changes) > _MOST:
        return {"changes": [], "too_many": len(changes)}
    return {"changes": changes, "kept": list(brought_out(root, changes))}


def _ran(task: dict[str, Any], root: str, full: Any) -> dict[str, Any]:
    """Puts the contents in place, runs the command there, and brings back what it made."""
    with closed_after(os.open(root, _TOP)) as top:
        contents = task.get("contents", ())
        gone = [path for path, content, _ in contents if content is None]
        for path in (*gone, *task.get("forget", ())):
            forget(top, path)
        for path, content, mode in contents:
            if content is not None:
                put(top, path, content, mode)
        if not task["words"]:
            return {"status": 0}
        command = ContainedCommand(
            task["words"],
            task["environment"],
            os.path.join(root, task["directory"]),
            task.get("seconds"),
            ends_when_full=task["way"] == "copy" or task["kept"],
            attached="attached" in task,
        )
        result = run(command, full)
        collected = {path: _content(top, path, _COLLECTED) for path in task.get("collect", ())}
        return result | {"made": collected}


def put(top: int, path: str, content: bytes, mode: int | None) -> None:
    """Makes or replaces one file as an apply would: another inode, the same mode."""
    above, _, name = path.rpartition("/")
    with closed_after(_made_directory(top, above)) as directory:
        old = _removed(name, directory)
        if mode is None:
            mode = 0o644 if old is None else old.st_mode & 0o7777
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        file = os.open(name, flags, 0o600, dir_fd=directory)
        with open(file, "wb") as new:
            new.write(content)
            os.fchmod(file, mode)
            new.flush()
            # A cache that knows a file by size and second must not take the new for the old.
            moment = max(time.time_ns(), (0 if old is None else old.st_mtime_ns) + 2_000_000_000)
            os.utime(file, ns=(moment, moment))


def _removed(name: str, directory: int) -> os.stat_result | None:
    """Removes a file, if it is there, and returns what it was like."""
    try:
        old = os.stat(name, dir_fd=directory, follow_symlinks=False)
    except FileNotFoundError:
        return None
    os.unlink(name, dir_fd=directory)
    return old


def _made_directory(top: int, path: str) -> int:
    """Opens a directory below the root; makes it, and those above it, where it is missing."""
    here = os.dup(top)
    for name in path.split("/") if path else ():
        with contextlib.suppress(FileExistsError):
            os.mkdir(name, dir_fd=here)
        with closed_after(here):
            here = open_below(here, name)
    return here


def forget(top: int, path: str) -> None:
    """Removes what an earlier run outside made, so that it is not taken for what comes."""
    above, _, name = path.rpartition("/")
    nothing = contextlib.suppress(FileNotFoundError, NotADirectoryError)
    with nothing, closed_after(open_directory(top, above)) as directory:
        os.unlink(name, dir_fd=directory)


def brought_out(
    root: str, changes: list[tuple[str, str]], room: int = _TOGETHER
) -> Iterator[list[Any]]:
    """Yields for each path that is there: path, kind, permissions, and content as Latin-1.

    What was there before comes first, since room for contents is bounded; those of files for
    which there is none are None, as of all that is no file.
    """
    with closed_after(os.open(root, _TOP)) as top:
        for path, how in sorted(changes, key=lambda change: (change[1] != "changed", change[0])):
            mode = None if how == "deleted" else _at(top, path, _mode)
            if mode is None:
                continue
            kind, content = _KINDS.get(stat.S_IFMT(mode), "device"), None
            if kind == "file":
                content = _content(top, path, min(room, _LARGEST))
                room -= len(content or "")
            yield [path, kind, stat.S_IMODE(mode), content]


def _mode(name: str, directory: int) -> int:
    return os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode


def _content(top: int, path: str, most: int) -> str | None:
    content = content_at(top, path, most)
    return None if content is None else content.decode("latin-1")


def content_at(top: int, path: str, most: int) -> bytes | None:
    """A file's content, None of a larger one, and of what is not a file."""
    content = _at(top, path, lambda name, directory: read_regular(name, most, directory)[0])
    return None if content is None or len(content) > most else content


def _at(top: int, path: str, look: Callable[[str, int], Found]) -> Found | None:
    """What a look at a path below the root gives; None where there is nothing to look at."""
    above, _, name = path.rpartition("/")
    try:
        with closed_after(open_directory(top, above)) as directory:
            return look(name, directory)
    except OSError as error:
        if error.errno == errno.EMFILE:
            raise
        return None
