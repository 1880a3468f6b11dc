"""An overlay over a directory, at its own path: what is written goes to a layer above it.

Reading the layer tells what a command changed, whatever the size of the tree: files that were
only copied up are as before, a device 0:0 stands for what was deleted, and the attribute
`user.overlay.opaque` marks a directory that replaces the one below.
"""

import os
import stat
from collections.abc import Iterator

from astedit.sandbox import namespace
from astedit.sandbox.tree_copy import is_alike

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Layers:
    """A tree and the layer above it, both open: what the one changes in the other."""

    def __init__(self, root: str, upper: str) -> None:
        self._lower, self._upper = os.open(root, _DIRECTORY), os.open(upper, _DIRECTORY)

    def close(self) -> None:
        """Closes both."""
        os.close(self._lower)
        os.close(self._upper)

    def changes(self) -> list[tuple[str, str]]:
        """Each path that is not as below, with `added`, `changed` or `deleted`; sorted.

        Of a directory that is gone those that were in it and are none.
        """
        return sorted(self._changes(""))

    def _changes(self, directory: str) -> Iterator[tuple[str, str]]:
        upper = f"/proc/self/fd/{self._upper}/{directory}"
        try:
            with os.scandir(upper) as entries:
                listed = sorted(entries, key=lambda entry: entry.name)
        except FileNotFoundError:  # a program has just removed it
            return
        except PermissionError:
            yield directory, "changed"
            return
        if directory and opaque(upper):
            yield from self._gone(directory, {entry.name for entry in listed})
        for entry in listed:
            yield from self._change(os.path.join(directory, entry.name), entry)

    def _gone(self, directory: str, present: set[str]) -> Iterator[tuple[str, str]]:
        try:
            names = os.listdir(f"/proc/self/fd/{self._lower}/{directory}")
        except OSError:
            return
        for name in names:
            if name not in present:
                yield from self._deleted(os.path.join(directory, name))

    def _deleted(self, path: str) -> Iterator[tuple[str, str]]:
        old = self._old(path)
        if old is not None and stat.S_ISDIR(old.st_mode):
            yield from self._gone(path, set())
        elif old is not None:
            yield path, "deleted"

    def _change(self, path: str, entry: "os.DirEntry[str]") -> Iterator[tuple[str, str]]:
        new, old = entry.stat(follow_symlinks=False), self._old(path)
        if stat.S_ISCHR(new.st_mode) and new.st_rdev == 0:
            yield from self._deleted(path)
            return
        if stat.S_ISDIR(new.st_mode) and (old is None or stat.S_ISDIR(old.st_mode)):
            if old is None or old.st_mode != new.st_mode:
                yield path, "changed" if old else "added"
            yield from self._changes(path)
            return
        if not is_alike(f"/proc/self/fd/{self._lower}", f"/proc/self/fd/{self._upper}", path):
            yield path, "added" if old is None else "changed"
        if stat.S_ISDIR(new.st_mode):
            yield from self._changes(path)

    def _old(self, path: str) -> os.stat_result | None:
        try:
            return os.stat(path, dir_fd=self._lower, follow_symlinks=False)
        except OSError:
            return None


class Overlay(Layers):
    """An overlay that this process has mounted over `root`.

    `scratch` is a directory for the upper layer. With a `size` it is empty, and memory of that
    size is mounted over it; without one the layer lies in it, is kept, and may be there already.
    Raises OSError where the kernel refuses. It ends with the namespace.
    """

    def __init__(self, root: str, scratch: str, size: int | None) -> None:
        if size is not None:
            namespace.mount_memory(scratch, size)
        upper, work = os.path.join(scratch, "upper"), os.path.join(scratch, "work")
        for place in (upper, work):
            os.makedirs(place, 0o700, exist_ok=True)
        super().__init__(root, upper)
        _like(upper, os.fstat(self._lower))
        os.setxattr(upper, "user.overlay.probe", b"")  # without attributes it cannot replace
        os.removexattr(upper, "user.overlay.probe")
        behind = os.open(work, _DIRECTORY)
        layers = {"lowerdir": self._lower, "upperdir": self._upper, "workdir": behind}
        options = ",".join(f"{name}=/proc/self/fd/{file}" for name, file in layers.items())
        namespace.mount("overlay", root, "overlay", 0, f"{options},userxattr")

    def full(self) -> bool:
        """Whether no room is left for what is written."""
        return os.fstatvfs(self._upper).f_bavail == 0


def _like(place: str, model: os.stat_result) -> None:
    """Gives the layer's top the mode and owner of the root, which it stands for."""
    if (model.st_uid, model.st_gid) != (os.geteuid(), os.getegid()):
        os.chown(place, model.st_uid, model.st_gid)
    os.chmod(place, stat.S_IMODE(model.st_mode))


def opaque(directory: str) -> bool:
    """Whether a directory of the layer shows nothing of the one below it."""
    try:
        return os.getxattr(directory, "user.overlay.opaque") == b"y"
    except OSError:
        return False
