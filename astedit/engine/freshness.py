"""How a server that lives on finds out what changed in a tree: of the kernel, or of the disk."""

from typing import TYPE_CHECKING, NamedTuple

from astedit.engine.listing_inputs import Identity, git_directories, identity, outside
from astedit.engine.listing_inputs import identity_of as identity_of

if TYPE_CHECKING:
    from astedit.engine.tree_watch import TreeWatch

INOTIFY = "inotify"


class Changes(NamedTuple):
    """Files that were written to, or only opened, and directories that came or went.

    `names`: the tree is to be listed again.
    """

    written: set[str]
    opened: set[str]
    directories: set[str]
    names: bool


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
            self._refuse("inotify_simple is not installed (pip install 'astedit[resident]')")
            return
        try:
            self._outside = outside(root)
            self._watch = TreeWatch(fd, git_directories(root))
            self._why = ""
        except Unwatchable as error:
            self._refuse(str(error))

    def _refuse(self, why: str) -> None:
        self._refused, self._why = True, why

    def changes(self) -> Changes | None:
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
        return Changes(heard.written, heard.opened, heard.directories, names)

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
