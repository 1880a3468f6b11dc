"""Which files lie below the named directories: git's answer, else a walk.

git is started early and read late, so that its work overlaps with imports. It runs with
every `GIT_*` variable removed and with the settings by which a hostile repository would
start programs switched off; it reads names, never contents.
"""

import os
import stat
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from astedit.engine.child import Child, program, scratch, spawn, written
from astedit.engine.rules import Visible
from astedit.engine.walk import Walker, work_tree
from astedit.limits import Deadline
from astedit.workspace import Workspace

_SAFE = ("core.fsmonitor=false", "core.hooksPath=/dev/null", "core.untrackedCache=false")
_LINK, _MODULE = "120000", "160000"  # modes in git's index


class Found(NamedTuple):
    """What lies below the named directories, in no order and perhaps twice."""

    files: list[str]
    links: list[str]

    def and_also(self, other: "Found") -> "Found":
        """Both together."""
        return Found(self.files + other.files, self.links + other.links)


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
        git = program("git") if self._top is not None and asked else None
        self._files: _Git | None = None
        self._check: _Git | None = None
        if git is not None:
            self._files = _start(git, workspace.root, self._list_arguments(asked))
            named = [each for each in asked if each != "."]
            if named and "vcs" not in kinds:
                check = ["check-ignore", "-z", "--no-index", "--stdin"]
                self._check = _start(git, workspace.root, check, named)

    def _list_arguments(self, asked: Sequence[str]) -> list[str]:
        """`-t -s` tell links, submodules and untracked files apart, and cost nothing."""
        head = ["-c", "core.excludesFile=/dev/null"] if "global" in self._kinds else []
        others = [] if self._tracked_only else ["-o", "--exclude-standard"]
        if "vcs" in self._kinds:
            others = others[:1]
        below = [] if "." in asked else ["--", *asked]
        return [*head, "--literal-pathspecs", "ls-files", "-z", "-t", "-s", "-c", *others, *below]

    def read(self, deadline: Deadline) -> Found:
        """Waits for git; walks where git is missing, refuses or fails."""
        listed = self._files.names(deadline) if self._files else None
        if listed is None:
            return self._walked(self._directories, deadline)
        visible = Visible(self._workspace, self._directories, self._kinds)
        tracked, others = (self._kept(found, visible) for found in self._sorted_out(listed))
        if self._tracked_only or visible.includes:
            return tracked.and_also(self._walked(self._directories, deadline))
        ignored = self._check.names(deadline) if self._check else None
        aside = self._walked(self._nested + (ignored or []), deadline)
        return tracked.and_also(others).and_also(aside)

    def close(self) -> None:
        """Ends what is still running."""
        for run in (self._files, self._check):
            if run is not None:
                run.close()

    def _walked(self, directories: Iterable[str], deadline: Deadline) -> Found:
        walker = Walker(self._workspace, self._kinds, self._top, deadline)
        for directory in directories:
            walker.walk(directory)
        return Found(self._with_suffix(walker.files), walker.links)

    def _kept(self, found: Found, visible: Visible) -> Found:
        return Found(visible.of(self._with_suffix(found.files)), visible.of(found.links))

    def _with_suffix(self, paths: list[str]) -> list[str]:
        """`.py` is a name without a suffix, `a.py` has one."""
        if self._suffixes is None:
            return paths
        ends = tuple(f".{suffix}" for suffix in self._suffixes)
        bare = tuple(f"/{end}" for end in ends)
        return [
            path
            for path in paths
            if path.endswith(ends) and not path.endswith(bare) and path not in ends
        ]

    def _sorted_out(self, listed: list[str]) -> tuple[Found, Found]:
        """Tracked and untracked; directories and submodules fall away.

        Only what may be a link is looked at: of the rest git's index says what it is.
        """
        files: list[str] = []
        links: list[str] = []
        others: list[str] = []
        for entry in self._worth_reading(listed):
            head, _, path = entry.partition("\t")
            if entry.startswith("? "):
                others.append(entry[2:])
            elif head[2:8] == _LINK:
                links.append(path)
            elif head[2:8] != _MODULE:
                files.append(path)
        return Found(files, []).and_also(self._looked_at(links)), self._looked_at(others)

    def _worth_reading(self, listed: list[str]) -> list[str]:
        """Entries with a wanted suffix, and what may be a link: a fifth of many trees."""
        if self._suffixes is None:
            return listed
        ends = tuple(f".{suffix}" for suffix in self._suffixes)
        return [
            entry
            for entry in listed
            if entry.endswith(ends) or entry.startswith("? ") or entry[2:8] == _LINK
        ]

    def _looked_at(self, paths: Iterable[str]) -> Found:
        found = Found([], [])
        for path in paths:
            try:
                mode = os.lstat(path, dir_fd=self._workspace.fd).st_mode
            except OSError:
                continue  # gone meanwhile
            if not stat.S_ISDIR(mode):
                (found.links if stat.S_ISLNK(mode) else found.files).append(path)
        return found


class _Git:
    """One run of git; `output` is the nameless file it writes, so it never waits for us."""

    def __init__(self, child: Child, output: int) -> None:
        self._child = child
        self._output = output

    def names(self, deadline: Deadline) -> list[str] | None:
        """The names it printed; None when it failed."""
        if self._child.wait(deadline) > 1:  # check-ignore says 1 for "none of them"
            return None
        return os.fsdecode(written(self._output)).split("\0")[:-1]

    def close(self) -> None:
        """Ends it if it still runs."""
        self._child.kill()
        os.close(self._output)


def _start(git: str, root: str, arguments: Sequence[str], names: Iterable[str] = ()) -> _Git | None:
    """Starts git in the root, `names` on its input; None if it cannot be started."""
    argv = [git, "-C", root, *(word for each in _SAFE for word in ("-c", each)), *arguments]
    kept = {key: each for key, each in os.environ.items() if not key.startswith("GIT_")}
    # A partial clone would fetch what its index lacks, with whatever program it names.
    kept |= {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": ""}
    given = scratch(b"".join(os.fsencode(name) + b"\0" for name in names))
    output = scratch()
    complaints = scratch()
    try:
        return _Git(spawn(argv, kept, (given, output, complaints)), output)
    except OSError:  # too many names for one command line, or no more processes
        os.close(output)
        return None
    finally:
        os.close(complaints)
        os.close(given)


def _in_repository(root: str, directory: str) -> bool:
    """Whether a directory lies in a repository of its own, a submodule perhaps."""
    parts = directory.split("/") if directory != "." else []
    places = ("/".join(parts[: end + 1]) for end in range(len(parts)))
    return any(os.path.lexists(os.path.join(root, place, ".git")) for place in places)
