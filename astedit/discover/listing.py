"""Which files lie below the named directories: git's answer, else a walk.

git is started early and read late, so that its work overlaps with imports.
"""

import os
import stat
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from operator import add
from typing import NamedTuple

from astedit.discover.walk import Visible, Walker, prefixes, work_tree
from astedit.git import Git, git, listing
from astedit.limits import Deadline
from astedit.workspace.gitignore import LONGEST_PATH, Ignore
from astedit.workspace.root import Workspace

_NAME_MAX = 256  # bytes of a name and its slash
_BLOCK = 1 << 20  # bytes of what git lists that are looked at together
_OTHER = b"? "  # how git's line about an untracked file begins
_LINK, _MODULE = b"120000 ", b"160000 "  # modes in git's index, behind a letter and a blank


class Paths(NamedTuple):
    """What lies below the named directories, in no order and perhaps twice.

    What is `too_long` for the system is not looked at, nor is what lies below it.
    """

    files: list[str]
    links: list[str]
    too_long: list[str]

    def and_also(self, other: "Paths") -> "Paths":
        """Both together."""
        return Paths(*map(add, self, other))

    def take(self, other: "Paths") -> None:
        """Adds what is in the other."""
        for mine, more in zip(self, other, strict=True):
            mine += more


class Listing:
    """The answer to come. `close` must be called, whether it was read or not.

    `kinds` are the ignore sources to disregard, `suffixes` (no dots) what a file's name
    must end with; links are listed whatever their name. Tracked files are listed even
    where an ignore rule of git names them; `.ignore` files apply to them too. A directory
    that was named is never ignored itself.
    """

    def __init__(
        self,
        workspace: Workspace,
        directories: Sequence[str],
        kinds: Collection[str],
        suffixes: Collection[str] | None,
    ) -> None:
        self._workspace = workspace
        self._directories = directories
        self._kinds = kinds
        self._suffixes = suffixes
        self._top = work_tree(workspace.root)
        self._nested = [each for each in directories if _in_repository(workspace.root, each)]
        # What git cannot leave out singly is left out by a walk beside the tracked files.
        self._tracked_only = not {"exclude", "parent"}.isdisjoint(kinds)
        asked = [each for each in directories if each not in self._nested]
        self._files: Git | None = None
        self._check: Git | None = None
        if self._top is not None and asked:
            arguments = listing(asked, kinds, untracked=not self._tracked_only)
            self._files = git(workspace.root, arguments)
            named = [each for each in asked if each != "." or self._top != workspace.root]
            if named and "vcs" not in kinds and self._files is not None:
                check = ["check-ignore", "-z", "--no-index", "--stdin"]
                self._check = git(workspace.root, check, named)

    def read(self, deadline: Deadline) -> Paths:
        """Waits for git; walks where git is missing, refuses or fails."""
        listed = self._files.printed(deadline) if self._files else None
        if listed is None:
            return self._walked(self._directories, deadline)
        visible = Visible(self._workspace, self._directories, self._kinds)
        tracked, others, longest = Paths([], [], []), Paths([], [], []), 0
        for block in _blocks(listed):
            entries = block.split(b"\0")[:-1]
            longest = max(longest, *map(len, entries))
            for paths, more in zip(
                (tracked, others), self._sorted_out(entries, block), strict=True
            ):
                paths.take(Paths(visible.of(more.files), visible.of(more.links), []))
        # git passes over what it cannot open: where that may be, a walk tells of it.
        if self._tracked_only or visible.includes or longest > LONGEST_PATH - _NAME_MAX:
            return tracked.and_also(self._walked(self._directories, deadline))
        ignored = self._check.printed(deadline) if self._check else None
        aside = self._walked([*self._nested, *_texts((ignored or b"").split(b"\0")[:-1])], deadline)
        return tracked.and_also(others).and_also(aside)

    def close(self) -> None:
        """Ends what is still running."""
        for run in (self._files, self._check):
            if run is not None:
                run.close()

    def _walked(self, directories: Iterable[str], deadline: Deadline) -> Paths:
        walker = Walker(self._workspace, self._kinds, self._top, deadline)
        for directory in directories:
            walker.walk(directory)
        return Paths(self._with_suffix(walker.files), walker.links, walker.too_long)

    def _with_suffix(self, paths: Iterable[str]) -> list[str]:
        """`.py` is a name without a suffix, `a.py` has one."""
        if self._suffixes is None:
            return list(paths)
        ends = tuple(f".{suffix}" for suffix in self._suffixes)
        bare = tuple(f"/{end}" for end in ends)
        return [
            path
            for path in paths
            if path.endswith(ends) and not path.endswith(bare) and path not in ends
        ]

    def _sorted_out(self, entries: list[bytes], listed: bytes) -> tuple[Paths, Paths]:
        """Tracked and untracked; directories and submodules fall away.

        Only what may be a link is looked at: of the rest git's index says what it is. Few
        of the entries are wanted, so that only those become text.
        """
        others = []
        if listed.startswith(_OTHER) or b"\0?" in listed:
            others = [entry for entry in entries if entry.startswith(_OTHER)]
        links = (
            [entry for entry in entries if entry.startswith(_LINK, 2)] if _LINK in listed else []
        )
        if self._suffixes is not None:
            ends = tuple(f".{suffix}".encode() for suffix in self._suffixes)
            entries = [entry for entry in entries if entry.endswith(ends)]
        apart = {*others, *links}
        if _MODULE in listed:
            apart.update(entry for entry in entries if entry.startswith(_MODULE, 2))
        if apart:
            entries = [entry for entry in entries if entry not in apart]
        tracked = Paths(self._with_suffix(_paths(entries)), [], [])
        untracked = self._looked_at(entry[2:] for entry in _texts(others))
        return (
            tracked.and_also(self._looked_at(_paths(links))),
            Paths(self._with_suffix(untracked.files), untracked.links, []),
        )

    def _looked_at(self, paths: Iterable[str]) -> Paths:
        looked_at = Paths([], [], [])
        for path in paths:
            try:
                mode = os.lstat(path, dir_fd=self._workspace.fd).st_mode
            except OSError:
                continue  # gone meanwhile
            if not stat.S_ISDIR(mode):
                (looked_at.links if stat.S_ISLNK(mode) else looked_at.files).append(path)
        return looked_at


def _paths(entries: Sequence[bytes]) -> list[str]:
    """Those of lines about tracked files, which say other things up to a tab."""
    return [entry[entry.index("\t") + 1 :] for entry in _texts(entries)]


def _texts(names: Sequence[bytes]) -> list[str]:
    return os.fsdecode(b"\0".join(names)).split("\0") if names else []


def _blocks(listed: bytes) -> Iterator[bytes]:
    """What git lists in parts of whole lines: of a million files, all at once takes much room."""
    at = 0
    while at < len(listed):
        end = listed.find(b"\0", at + _BLOCK) + 1 or len(listed)
        yield listed[at:end]
        at = end


def _in_repository(root: str, directory: str) -> bool:
    """Whether a directory lies in a repository of its own, a submodule perhaps."""
    places = [*prefixes(f"{directory}/")][1:] if directory != "." else []
    return any(os.path.lexists(os.path.join(root, place, ".git")) for place in places)


def ignored_paths(
    workspace: Workspace, paths: Sequence[str], coming: Mapping[str, bytes], deadline: Deadline
) -> set[str]:
    """The paths that git would leave out, or a walk with ignore rules where there is no git.

    What git tracks is never ignored. `coming` are `.gitignore` files that are to come with
    these paths: a cache brings its own.
    """
    named = _by_git(workspace, ["check-ignore", "-z", "--stdin"], paths, deadline)
    if named is None:
        walker = Walker(workspace, (), work_tree(workspace.root), deadline)
        named = {path for path in paths if walker.ignores(path)}
    rules = {
        name[: -len(".gitignore")]: Ignore(text.decode("utf-8", "surrogateescape").split("\n"))
        for name, text in coming.items()
    }
    ruled = {path for path in paths if _ruled(path, rules)}
    tracked = _by_git(workspace, ["ls-files", "-z"], (), deadline) if ruled else None
    return named | (ruled - (tracked or set()))


def _by_git(
    workspace: Workspace, arguments: Sequence[str], paths: Sequence[str], deadline: Deadline
) -> set[str] | None:
    if (run := git(workspace.root, arguments, paths)) is None:
        return None
    try:
        printed = run.printed(deadline)
    finally:
        run.close()
    if printed is None:
        return None
    return {name.decode("utf-8", "surrogateescape") for name in printed.split(b"\0") if name}


def _ruled(path: str, rules: Mapping[str, Ignore]) -> bool:
    """Whether one of the ignore files that come names this path or a directory above it."""
    parts = [*prefixes(path[: path.rfind("/") + 1]), path]
    return any(
        rule.verdict(part[len(prefix) :])
        for prefix, rule in rules.items()
        if path.startswith(prefix)
        for part in parts
        if len(part) > len(prefix)
    )
