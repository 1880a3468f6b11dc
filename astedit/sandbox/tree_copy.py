"""A copy of a tree, sharing its content with it where the file system can; and what changed.

Imports the standard library alone, as all that the process of a sandbox does.
"""

import contextlib
import errno
import fcntl
import os
import shutil
import stat
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple


class PathState(NamedTuple):
    """What a path is by: of a directory its mode alone, whose entries are looked at themselves."""

    mode: int
    size: int = 0
    time: int = 0
    inode: int = 0
    target: str = ""


TreeState = Mapping[str, PathState]


def tree_state(root: str, *, without: Collection[str] | None = None) -> dict[str, PathState]:
    """Every path below `root`, relative to it, as far as it can be read.

    With `without` neither those paths count nor what is git's own, which git itself changes.
    """
    state = {}
    for path, entry in _entries(root, without):
        with contextlib.suppress(OSError):
            state[path] = path_state(entry.path, entry.stat(follow_symlinks=False))
    return state


def changed_directories(before: TreeState, after: TreeState) -> list[str]:
    """The directories whose entries are not as they were, the root as `.`."""
    both = before.keys() | after.keys()
    changed = (path for path in both if before.get(path) != after.get(path))
    return sorted({os.path.dirname(path) or "." for path in changed})


def _entries(
    root: str, without: Collection[str] | None = None
) -> Iterator[tuple[str, "os.DirEntry[str]"]]:
    waiting = [""]
    while waiting:
        directory = waiting.pop()
        with contextlib.suppress(OSError), os.scandir(os.path.join(root, directory)) as entries:
            for entry in entries:
                path = os.path.join(directory, entry.name)
                if without is not None and (entry.name == ".git" or path in without):
                    continue
                yield path, entry
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(path)


def state_in(top: str, path: str) -> PathState | None:
    """What is at a path below a directory; None if nothing is."""
    place = os.path.join(top, path)
    try:
        return path_state(place, os.lstat(place))
    except OSError:
        return None


def path_state(place: str, status: os.stat_result) -> PathState:
    """What is at a place, whose status this is."""
    if stat.S_ISDIR(status.st_mode):
        return PathState(status.st_mode)
    if stat.S_ISLNK(status.st_mode):
        return PathState(stat.S_IFLNK, target=os.readlink(place))
    return PathState(status.st_mode, status.st_size, status.st_ctime_ns, status.st_ino)


_CHUNK = 1 << 20
_CLONE = 0x40049409  # FICLONE
_NONE_HERE = (errno.EOPNOTSUPP, errno.EXDEV, errno.EINVAL, errno.ENOTTY, errno.ENOSYS)


class TreeCopy:
    """A copy of `root` in the new directory `place`; `shared` says that content is shared.

    What is no file, link or directory is left out, as is what cannot be read: `missed`
    counts that. `size` bounds what is written to its file system afterwards.
    """

    def __init__(self, root: str, place: str, size: int) -> None:
        self.shared = True
        self.missed = 0
        self._place, self._size = place, size
        self._copy(root, place)
        self.copied = tree_state(place)
        self._room = free_room(place)
        if self._room < size:
            raise OSError(errno.ENOSPC, "less room is left than --sandbox-size", place)

    def full(self) -> bool:
        """Whether more was written than may be, as far as the file system tells."""
        return self._room - free_room(self._place) > self._size

    def _copy(self, root: str, top: str) -> None:
        waiting, directories = [(root, top)], []
        while waiting:
            source, target = waiting.pop()
            try:
                os.mkdir(target, 0o700)
                directories.append((source, target))
                for entry in os.scandir(source):
                    place = os.path.join(target, entry.name)
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append((entry.path, place))
                    else:
                        self._copy_entry(entry, place)
            except OSError as error:
                self._miss(error)
        for source, target in reversed(directories):
            shutil.copystat(source, target)

    def _copy_entry(self, entry: "os.DirEntry[str]", place: str) -> None:
        try:
            if entry.is_symlink():
                os.symlink(os.readlink(entry.path), place)
            elif entry.is_file():
                self._copy_file(entry.path, place)
        except OSError as error:
            self._miss(error)

    def _miss(self, error: OSError) -> None:
        """Goes on without what cannot be read, or lies deeper than a path can say."""
        if error.errno not in (errno.EACCES, errno.EPERM, errno.ENAMETOOLONG):
            raise error
        self.missed += 1

    def _copy_file(self, source: str, target: str) -> None:
        with open(source, "rb") as old, open(target, "xb") as new:
            if not (self.shared and _cloned(old.fileno(), new.fileno())):
                self.shared = False
                shutil.copyfileobj(old, new, _CHUNK)
        shutil.copystat(source, target)


def copy_changes(root: str, place: str, copied: TreeState) -> list[tuple[str, str]]:
    """Each path that is neither as it was copied nor as in the tree; sorted.

    With it comes `added`, `changed` or `deleted`, as seen from the tree.
    """
    new, rows = tree_state(place), []
    for path in sorted(copied.keys() | new.keys()):
        if copied.get(path) != new.get(path) and not is_alike(root, place, path):
            how = "added" if state_in(root, path) is None else "changed"
            rows.append((path, how if path in new else "deleted"))
    return rows


def is_alike(root: str, place: str, path: str) -> bool:
    """Whether a path is the same in both, by its content: a time can be set, and a size kept."""
    old, new = state_in(root, path), state_in(place, path)
    if old is None or new is None:
        return old is new
    if (old.mode, old.size, old.target) != (new.mode, new.size, new.target):
        return False
    both = os.path.join(root, path), os.path.join(place, path)
    return not stat.S_ISREG(new.mode) or _is_equal(*both)


def free_room(place: str) -> int:
    """The bytes that are left on the file system of a directory."""
    status = os.statvfs(place)
    return status.f_bavail * status.f_frsize


def room_taken(place: str) -> int:
    """The bytes that a directory and all below it take up on the disk."""
    total = 0
    for _, entry in _entries(place):
        with contextlib.suppress(OSError):
            total += entry.stat(follow_symlinks=False).st_blocks * 512
    return total


def _cloned(source: int, target: int) -> bool:
    try:
        fcntl.ioctl(target, _CLONE, source)
    except OSError as error:
        if error.errno not in _NONE_HERE:
            raise
        return False
    return True


def _is_equal(below: str, above: str) -> bool:
    """Whether two files have the same content, as far as both can be read."""
    try:
        with open(below, "rb") as first, open(above, "rb") as second:
            while part := first.read(_CHUNK):
                if part != second.read(_CHUNK):
                    return False
            return not second.read(1)
    except OSError:
        return False  # nobody may read it: it was written to, then
