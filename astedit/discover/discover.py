"""Finds the files of a run: named ones as they are, directories by git or by a walk.

No file git tracks is looked at here: that one is gone, has become a link or is a fifo
shows when it is opened, and `confined_open.skip_reason` says what it means.
"""

import os
import stat
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from astedit.discover.listing import Listing, Paths
from astedit.errors import RequestError
from astedit.limits import Deadline
from astedit.model.edit import Skip
from astedit.workspace.gitignore import LONGEST_PATH, Globs
from astedit.workspace.path_policy import folded_path
from astedit.workspace.root import Workspace, own_state

NO_IGNORE = ("hidden", "dot", "exclude", "global", "parent", "vcs", "generated", "vendored")
_LOOK = 16  # paths between two looks at the deadline


@dataclass(slots=True)
class Discovery:
    """Paths relative to the root with `/`, each once, in the order of their bytes.

    `links` maps a PATH that was named and is (or leads through) a link to where it really
    is; `files` and `explicit` hold real paths only. `explicit` are the files that were
    named: no ignore rule and no suffix keeps them out. `skipped` are links met on the way, and
    paths that are too long.
    """

    files: list[str] = field(default_factory=list)
    links: dict[str, str] = field(default_factory=dict)
    skipped: list[Skip] = field(default_factory=list)
    explicit: set[str] = field(default_factory=set)


class Search(AbstractContextManager["Search"]):
    """A discovery under way; a context manager, so that git never outlives it.

    `paths` are relative to the root and checked (`Workspace.check` or `.relative`).
    `no_ignore` takes the kinds of `NO_IGNORE`; the last two are not discovery's business.
    `known` is what is `listed` of the directories already, after `finish` what was.
    Raises `RequestError` for a PATH that does not exist and for an unknown kind,
    `OutsideRootError` for one that leads outside the root.
    """

    def __init__(
        self,
        workspace: Workspace,
        paths: Sequence[str],
        *,
        no_ignore: Collection[str] = (),
        suffixes: Collection[str] | None = None,
        known: Paths | None = None,
    ) -> None:
        if unknown := [kind for kind in no_ignore if kind not in NO_IGNORE]:
            raise RequestError(
                f"Unknown kind of ignore rule: {unknown[0]!r}.",
                hint=f"Known: {', '.join(NO_IGNORE)}.",
            )
        self._workspace = workspace
        self._discovery = Discovery()
        self._listing: Listing | None = None
        directories = [place for path in paths if (place := self._named(path)) is not None]
        self.listed = known if directories else None
        if directories and known is None:
            self._listing = Listing(
                workspace, list(dict.fromkeys(directories)), no_ignore, suffixes
            )

    def _named(self, path: str) -> str | None:
        """Notes a file that was named; a directory is returned."""
        place = self._workspace.resolve(path)
        try:
            mode = os.lstat(place, dir_fd=self._workspace.fd).st_mode
        except OSError as error:
            raise RequestError(
                f"{path!r} cannot be searched: {error.strerror}.", path=path
            ) from error
        if place != path:
            self._discovery.links[path] = place
        if stat.S_ISDIR(mode):
            return place
        self._discovery.explicit.add(place)
        return None

    def finish(
        self,
        *,
        globs: Sequence[str] = (),
        ignore: Sequence[str] = (),
        deadline: Deadline | None = None,
    ) -> Discovery:
        """Waits for the listing and puts the answer together.

        `globs` (gitignore syntax, relative to the root, `!` excludes) choose among all
        files, `ignore` (a configuration's patterns) hides those that were not named.
        """
        discovery = self._discovery
        deadline = deadline or Deadline()
        files, links, too_long = Paths([], [], [])
        if self._listing is not None:
            self.listed = self._listing.read(deadline)
        if self.listed is not None:
            files, links, too_long = (
                self._unhidden(paths, ignore, deadline) for paths in self.listed
            )
        files = self._each_once(files)
        if globs:
            chosen = Globs(globs)
            files = [path for path in _watched(files, deadline) if chosen.admits(path)]
            links = [path for path in _watched(links, deadline) if chosen.admits(path)]
        discovery.files = _in_byte_order(files)
        discovery.skipped = [Skip(path, "symlink") for path in _in_byte_order(links)]
        long = f"a path of {LONGEST_PATH:,} bytes or more, which nothing opens"
        discovery.skipped += [Skip(path, "unreadable", long) for path in _in_byte_order(too_long)]
        return discovery

    def _each_once(self, files: list[str]) -> list[str]:
        """With the named files. One of a name that the file system folds to another's is that
        other one, and is noted as a link is."""
        named = sorted(self._discovery.explicit)
        places = {folded_path(path): path for path in reversed(named)}
        if named:
            places |= {plain: path for path in files if (plain := folded_path(path)) in places}
        for path in named:
            place = places[folded_path(path)]
            if place != path and self._is_same(place, path):
                self._discovery.links[path] = place
                self._discovery.explicit.discard(path)
                self._discovery.explicit.add(place)
        return [*files, *self._discovery.explicit]

    def _is_same(self, place: str, path: str) -> bool:
        """Whether two names lead to one file, which has one name on the disk."""
        try:
            status, other = (os.lstat(name, dir_fd=self._workspace.fd) for name in (place, path))
        except FileNotFoundError:
            return False
        return os.path.samestat(status, other) and status.st_nlink == 1

    def _unhidden(self, paths: list[str], ignore: Sequence[str], deadline: Deadline) -> list[str]:
        """Without what the configuration ignores, and without our own state."""
        if ignore:
            hidden = Globs(ignore)
            paths = [path for path in _watched(paths, deadline) if not hidden.verdict(path)]
        if (state := own_state(self._workspace)) is not None:
            below = f"{state}/"
            paths = [path for path in paths if not path.startswith(below) and path != state]
        return paths

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends git if it still runs."""
        if self._listing is not None:
            self._listing.close()
            self._listing = None


def _watched(paths: Iterable[str], deadline: Deadline) -> Iterator[str]:
    """The paths; patterns of 64 KiB take up to 0.1 s for each."""
    for number, path in enumerate(paths):
        if not number % _LOOK:
            deadline.check()
        yield path


def _in_byte_order(paths: list[str]) -> list[str]:
    """Each once, sorted as bytes are; for text that is the order of its code points anyway."""
    ordered = sorted(dict.fromkeys(paths))  # git's order nearly is that: a set would lose it
    return ordered if "".join(ordered).isascii() else sorted(ordered, key=os.fsencode)


def discover(
    workspace: Workspace,
    paths: Sequence[str],
    *,
    globs: Sequence[str] = (),
    no_ignore: Collection[str] = (),
    suffixes: Collection[str] | None = None,
    ignore: Sequence[str] = (),
    deadline: Deadline | None = None,
) -> Discovery:
    """The files of a run, in one call; `Search` is the same in two, to overlap git's work."""
    with Search(workspace, paths, no_ignore=no_ignore, suffixes=suffixes) as search:
        return search.finish(globs=globs, ignore=ignore, deadline=deadline)
