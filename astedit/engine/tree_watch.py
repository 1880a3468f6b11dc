"""Which files of a tree may have changed, asked of the kernel: an inotify watch per directory.

The kernel queues an event before the call that changes a name or writes returns, so what is
read empty now tells of everything until now. It tells nothing of writes through a mapping.
Such a file was opened for writing first, and that is an event too: whoever opens a file may
write to it from then on, unheard. Reading opens files as well; `own` takes those off again.
"""

import os
import re
import threading
import time
from collections import Counter
from contextlib import suppress
from select import POLLERR, POLLIN, POLLPRI, poll
from typing import NamedTuple

from inotify_simple import Event, INotify, flags, parse_events  # type: ignore[import-untyped]

LOCAL = frozenset(
    {"bcachefs", "btrfs", "exfat", "ext2", "ext3", "ext4", "f2fs", "jfs", "ntfs3"}
    | {"overlay", "ramfs", "tmpfs", "vfat", "xfs", "zfs"}
)
_GIT = frozenset({"index", "config", "config.worktree", "HEAD", "exclude", "info"})
_RULES = re.compile(r"\.(git|\w*ignore)")
_NAMES = flags.CREATE | flags.DELETE | flags.MOVED_FROM | flags.MOVED_TO
_WRITTEN = flags.MODIFY | flags.ATTRIB | flags.CLOSE_WRITE
_GONE = flags.DELETE_SELF | flags.IGNORED
# CLOSE_NOWRITE stands between two openings, which the kernel would otherwise tell as one.
_MASK = _NAMES | _WRITTEN | flags.OPEN | flags.CLOSE_NOWRITE | flags.DELETE_SELF
_PLAIN = flags.ONLYDIR | flags.DONT_FOLLOW | flags.EXCL_UNLINK
FULL = "the queue of events was full"
_PAUSE = 0.01  # seconds between two looks at the queue, so that events come in numbers
_MOST = 16 << 20  # bytes of events that are kept for the next question


class Unwatchable(Exception):
    """The tree cannot be watched; the text says why."""


class TreeChanges(NamedTuple):
    """What happened since the last time: to `written` files, and which were only `opened`.

    `directories` are those that came or went, with all that is or was in them.

    `names`: a name came or went, or what is ignored may be another. `lost` says why nothing
    is known, if so.
    """

    written: set[str]
    opened: set[str]
    directories: set[str]
    names: bool
    lost: str | None = None


class TreeWatch:
    """The watches of all directories below an open root, and of git's own directory."""

    def __init__(self, root: int, git: tuple[str, ...]) -> None:
        """`git` are the directories that hold git's index and configuration.

        Raises `Unwatchable`.
        """
        self._at = f"/proc/self/fd/{root}"
        self._real = os.readlink(self._at)
        self._inotify = INotify(nonblocking=True)
        self._places: dict[int, str] = {}
        self._watched: dict[str, int] = {}
        self._git: set[int] = set()
        self._own: Counter[str] = Counter()
        self._collected: list[bytes] = []
        self._failure: str | None = None
        self._size = 0
        self._taking = threading.Lock()
        self._end = os.eventfd(0)
        self._thread: threading.Thread | None = None
        self._mounts = os.open("/proc/self/mountinfo", os.O_RDONLY | os.O_CLOEXEC)
        try:
            self._near = self._mounted()
            self._poll = poll()
            self._poll.register(self._mounts, POLLERR | POLLPRI)
            for place in git:
                self._git.add(self._inotify.add_watch(place, _NAMES | _WRITTEN | flags.ONLYDIR))
            self._thread = threading.Thread(target=self._empty, daemon=True)
            self._thread.start()
            self._add("")
        except OSError as error:
            self.close()
            raise Unwatchable(f"a watch cannot be added: {error.strerror}") from error
        except Unwatchable:
            self.close()
            raise

    def close(self) -> None:
        """Lets go of all watches."""
        if self._thread is not None:
            os.eventfd_write(self._end, 1)
            self._thread.join()
        os.close(self._end)
        self._inotify.close()
        os.close(self._mounts)

    def covers(self, path: str) -> bool:
        """Whether a file would be heard of."""
        return path.rpartition("/")[0] in self._watched

    def own(self, path: str) -> None:
        """Notes that the caller itself has opened a file."""
        self._own[path] += 1

    def _empty(self) -> None:
        """Takes what is in the queue whenever something is, so that it does not fill up."""
        ready = poll()
        ready.register(self._inotify.fileno(), POLLIN)
        ready.register(self._end, POLLIN)
        while all(file != self._end for file, _ in ready.poll()):
            with self._taking:
                self._take()
            time.sleep(_PAUSE)

    def _take(self) -> None:
        while True:
            try:
                data = os.read(self._inotify.fileno(), 1 << 20)
            except BlockingIOError:
                return
            self._size += len(data)
            if self._size <= _MOST:
                self._collected.append(data)
            else:
                self._failure = FULL

    def changes(self) -> TreeChanges:
        """Everything until now. With `lost` the watch is of no more use."""
        with self._taking:
            self._take()
            collected, self._collected, self._size = self._collected, [], 0
        if self._poll.poll(0) and self._mounted() != self._near:
            self._failure = "a mount came or went"
        heard = TreeChanges(set(), set(), set(), False)
        names = False
        for data in collected:
            for event in parse_events(data):
                if event.mask & (flags.Q_OVERFLOW | flags.UNMOUNT):
                    self._failure = FULL
                names |= self._heard(event, heard)
        return heard._replace(names=names, lost=self._failure)

    def _heard(self, event: Event, heard: TreeChanges) -> bool:
        """Sorts one event; returns whether names changed."""
        if event.wd in self._git:
            return bool(event.name in _GIT)
        directory = self._places.get(event.wd)
        if directory is None or event.mask & _GONE:
            self._forget(event.wd)
            return True
        path = f"{directory}/{event.name}" if directory else event.name
        if event.mask & flags.ISDIR:
            return self._heard_of_directory(event, path, heard)
        if event.mask & _NAMES:
            heard.written.add(path)
            return True
        if event.mask & _WRITTEN:
            heard.written.add(path)
            return _RULES.fullmatch(event.name) is not None
        if event.mask & flags.OPEN:
            if self._own[path] > 0:
                self._own[path] -= 1
            else:
                heard.opened.add(path)
        return False

    def _heard_of_directory(self, event: Event, path: str, heard: TreeChanges) -> bool:
        if event.mask & (_NAMES | flags.ATTRIB):
            heard.directories.add(path)
        if event.mask & flags.MOVED_FROM:
            for below in [each for each in self._watched if f"{each}/".startswith(f"{path}/")]:
                with suppress(OSError):  # it is deleted by now
                    self._inotify.rm_watch(self._watched[below])
                self._forget(self._watched[below])
        if event.mask & (flags.CREATE | flags.MOVED_TO) and event.name != ".git":
            try:
                self._add(path)
            except OSError as error:
                self._failure = f"a watch cannot be added: {error.strerror}"
        return bool(event.mask & (_NAMES | flags.ATTRIB))

    def _forget(self, descriptor: int) -> None:
        place = self._places.pop(descriptor, None)
        if place is not None and self._watched.get(place) == descriptor:
            del self._watched[place]

    def _add(self, directory: str) -> None:
        """Watches a directory, then what is in it: what comes later is heard of.

        What is gone again, or cannot be read, is passed over; `covers` knows of it.
        """
        left = [directory]
        while left:
            here = left.pop()
            place = f"{self._at}/{here}"
            try:
                descriptor = self._inotify.add_watch(place, _MASK | _PLAIN)
                self._forget(descriptor)  # it was moved here, as a later event will tell
                self._places[descriptor], self._watched[here] = here, descriptor
                with os.scandir(place) as entries:
                    left += [
                        f"{here}/{entry.name}" if here else entry.name
                        for entry in entries
                        if entry.is_dir(follow_symlinks=False) and entry.name != ".git"
                    ]
            except (FileNotFoundError, NotADirectoryError, PermissionError):
                continue

    def _mounted(self) -> list[bytes]:
        """The mount that holds the root, and those below it.

        Raises `Unwatchable` for another kind of file system than local ones: others change
        it without this kernel.
        """
        data = b""
        os.lseek(self._mounts, 0, os.SEEK_SET)
        while part := os.read(self._mounts, 1 << 16):
            data += part
        root, lines = os.fsencode(self._real).rstrip(b"/") + b"/", data.splitlines()
        below = [line for line in lines if _point(line).startswith(root)]
        around = [line for line in lines if root.startswith(_point(line))]
        # of those around it a later one lies over an earlier
        near = [*below, max(reversed(around), key=lambda line: len(_point(line)))]
        for line in near:
            fields = line.split(b" ")
            kind = os.fsdecode(fields[fields.index(b"-") + 1])
            if kind not in LOCAL:
                raise Unwatchable(f"it is on a file system of another kind ({kind})")
        return near


def _point(line: bytes) -> bytes:
    """Where a mount of this line of mountinfo is, with a slash at its end."""
    return line.split(b" ")[4].replace(rb"\040", b" ").rstrip(b"/") + b"/"
