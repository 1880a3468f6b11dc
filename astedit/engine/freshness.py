"""How a server that lives on finds out what changed in a tree: of the kernel, or of the disk."""

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from astedit.discover.walk import work_tree
from astedit.git import answer
from astedit.limits import Deadline
from astedit.workspace.root import user_directory

if TYPE_CHECKING:
    from astedit.engine.tree_watch import TreeChanges, TreeWatch

INOTIFY = "inotify"
Identity = tuple[int, ...] | None
_SYSTEM = "/etc/gitconfig"
_IGNORE = (".git", ".gitignore", ".ignore", ".rgignore")


class Freshness:
    """The watch of one root, where there can be one; `checked` says why there is none."""

    def __init__(self, *, asked: bool = True) -> None:
        self._watch: TreeWatch | None = None
        self._never = self._refused = not asked
        self._paused = False
        self._outside: dict[str, Identity] = {}
        self._why = "only a part of the tree was asked for" if asked else "not asked to watch"

    @property
    def checked(self) -> str:
        """As `Stats.checked`."""
        return INOTIFY if self.listens else f"stat: {self._why}"

    @property
    def listens(self) -> bool:
        """Whether the kernel tells of every change."""
        return self._watch is not None

    def watch(self, fd: int, root: str) -> None:
        """Watches the tree from now on, unless that is done or cannot be.

        The first run after a watch was lost does without: there is much to read already.
        """
        if self._watch is not None or self._refused or self._paused:
            self._paused = False
            return
        try:
            from astedit.engine.tree_watch import TreeWatch, Unwatchable
        except ImportError:
            self._refuse(
                "inotify_simple is not installed (in a checkout: pip install '.[resident]')"
            )
            return
        try:
            self._outside = outside(root)
            self._watch = TreeWatch(fd, git_directories(root))
            self._why = ""
        except Unwatchable as error:
            self._refuse(str(error))

    def _refuse(self, why: str) -> None:
        self._refused, self._why = True, why

    def changes(self) -> "TreeChanges | None":
        """Everything since the last time; None where nothing is known of what happened."""
        if self._watch is None:
            return None
        heard = self._watch.changes()
        if heard.lost is not None:
            self.close()
            self._why, self._paused = heard.lost, True
            return None
        now = {place: identity(place) for place in self._outside}
        names = heard.names or now != self._outside
        self._outside = now
        return heard._replace(names=names)

    def hears(self, path: str) -> bool:
        """Whether a change of this file would be heard of."""
        return self._watch is not None and self._watch.covers(path)

    def own(self, path: str) -> None:
        """Notes that we have opened a file ourselves."""
        if self._watch is not None:
            self._watch.own(path)

    def close(self) -> None:
        """Lets go of the watch; another one may follow."""
        if self._watch is not None:
            self._watch.close()
        self._watch, self._refused = None, self._never


def git_directories(root: str) -> tuple[str, ...]:
    """The directories that hold the index, the configuration and the excludes, if any do."""
    top = work_tree(root)
    if top is None:
        return ()
    own = _followed(os.path.join(top, ".git"), top)
    shared = _followed(os.path.join(own, "commondir"), own, b"")
    places = (own, shared, os.path.join(shared, "info"))
    return tuple(dict.fromkeys(place for place in places if os.path.isdir(place)))


def _followed(place: str, home: str, head: bytes = b"gitdir:") -> str:
    """The directory that a file names, as in a linked work tree; else the place itself."""
    if os.path.isdir(place):
        return place
    try:
        with open(place, "rb") as file:
            text = file.read(4_096)
    except OSError:
        return home
    return os.path.realpath(os.path.join(home, os.fsdecode(text.removeprefix(head).strip())))


def outside(root: str) -> dict[str, Identity]:
    """The files outside the root that say what is listed, each with what it is now."""
    return {place: identity(place) for place in dict.fromkeys(_places(root))}


def _places(root: str) -> Iterator[str]:
    """Settings of the user and the system, whether they are there or not, and of ancestors."""
    home = user_directory("XDG_CONFIG_HOME", ".config")
    yield from (os.path.join(home, "git", name) for name in ("config", "ignore"))
    yield from (_SYSTEM, os.path.expanduser("~/.gitconfig"))
    here = os.path.dirname(root)
    while True:
        yield from (os.path.join(here, name) for name in _IGNORE)
        if here == os.path.dirname(here):
            break
        here = os.path.dirname(here)
    listed = answer(root, ["config", "-z", "--list", "--show-origin"], Deadline(5.0)) or b""
    fields = listed.split(b"\0")
    for origin, setting in zip(fields[::2], fields[1::2], strict=False):
        if origin.startswith(b"file:"):
            yield os.path.join(root, os.fsdecode(origin.removeprefix(b"file:")))
        if setting.startswith(b"core.excludesfile\n"):
            yield os.path.join(root, os.path.expanduser(os.fsdecode(setting.split(b"\n", 1)[1])))


def identity(place: str) -> Identity:
    """What is another when the file is; None where there is none."""
    try:
        return identity_of(os.stat(place))
    except OSError:
        return None


def identity_of(status: os.stat_result) -> tuple[int, ...]:
    """What is another when a file is: nobody can set a change time back."""
    return (
        status.st_dev,
        status.st_ino,
        status.st_mode,
        status.st_size,
        status.st_mtime_ns,
        status.st_ctime_ns,
    )
