"""A copy of a tree, sharing its content with it where the file system can."""

import contextlib
import errno
import fcntl
import os
import shutil
import stat
from collections.abc import Iterator

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
        self._room = self._free()
        if self._room < size:
            raise OSError(errno.ENOSPC, "less room is left than --sandbox-size", place)

    def full(self) -> bool:
        """Whether more was written than may be, as far as the file system tells."""
        return self._room - self._free() > self._size

    def remove(self) -> None:
        """Removes the copy, whatever modes its directories have by now."""
        for directory, names, _ in os.walk(self._place):
            for name in names:
                with contextlib.suppress(OSError):
                    os.chmod(os.path.join(directory, name), 0o700, follow_symlinks=False)
        shutil.rmtree(self._place, ignore_errors=True)

    def changes(self, root: str) -> list[tuple[str, str]]:
        """Each path that is not as in `root`, with `added`, `changed` or `deleted`; sorted."""
        old, new = dict(_listed(root)), dict(_listed(self._place))
        both = sorted(old.keys() & new.keys())
        found = [(path, "deleted") for path in old.keys() - new.keys()]
        found += [(path, "added") for path in new.keys() - old.keys()]
        return sorted(found + [(path, "changed") for path in both if old[path] != new[path]])

    def _free(self) -> int:
        status = os.statvfs(self._place)
        return status.f_bavail * status.f_frsize

    def _copy(self, source: str, target: str) -> None:
        os.mkdir(target, 0o700)
        for entry in os.scandir(source):
            place = os.path.join(target, entry.name)
            try:
                if entry.is_symlink():
                    os.symlink(os.readlink(entry.path), place)
                elif entry.is_dir():
                    self._copy(entry.path, place)
                elif entry.is_file():
                    self._copy_file(entry.path, place)
            except PermissionError:
                self.missed += 1
        shutil.copystat(source, target)

    def _copy_file(self, source: str, target: str) -> None:
        with open(source, "rb") as old, open(target, "xb") as new:
            if not (self.shared and _cloned(old.fileno(), new.fileno())):
                self.shared = False
                shutil.copyfileobj(old, new, 1 << 20)
        shutil.copystat(source, target)


def _cloned(source: int, target: int) -> bool:
    try:
        fcntl.ioctl(target, _CLONE, source)
    except OSError as error:
        if error.errno not in _NONE_HERE:
            raise
        return False
    return True


def _listed(root: str) -> Iterator[tuple[str, tuple[int, int, int]]]:
    """Every path below `root`, with what tells whether it is as it was copied."""
    for directory, names, files in os.walk(root):
        for name in (*names, *files):
            path = os.path.join(directory, name)
            status = os.lstat(path)
            kept = stat.S_ISREG(status.st_mode)
            shape = (status.st_mode, status.st_size, status.st_mtime_ns) if kept else (0, 0, 0)
            yield os.path.relpath(path, root), shape
