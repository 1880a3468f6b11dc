"""Lists a tree by walking it with ignore rules: what to do where git cannot be asked."""

import os
import stat
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial

from astedit.limits import Deadline
from astedit.workspace.confined_open import DIRECTORY, FILE, closed_after, read_regular, skip_reason
from astedit.workspace.gitignore import LONGEST_PATH, Ignore
from astedit.workspace.root import CONFIG_LIMIT, Workspace, user_directory

# One ignore file: what to put before a path relative to the root, and how much to cut off
# it, to make it relative to the file's directory; and its patterns.
Link = tuple[str, int, Ignore]
Chain = tuple[Link, ...]


class Walker:
    """Walks directories below a root and collects `files` and `links`, relative to it.

    A path that is `too_long` for the system is collected as that, and not gone into.

    Rules, the first that has an opinion decides: `.ignore` files from the innermost out,
    `.gitignore` files likewise, `.git/info/exclude`, the user's global git ignore file.
    `kinds` are the sources to disregard (`--no-ignore`). `top` is the work tree the root
    is in, if any: then repositories met on the way are left out, as git does.
    """

    def __init__(
        self, workspace: Workspace, kinds: Collection[str], top: str | None, deadline: Deadline
    ) -> None:
        self.files: list[str] = []
        self.links: list[str] = []
        self.too_long: list[str] = []
        self._workspace = workspace
        self._kinds = kinds
        self._top = top
        self._deadline = deadline
        self._known: dict[str, tuple[Chain, Chain]] = {}
        self._outer = tuple(self._outer_rules()) if "vcs" not in kinds else ()

    def walk(self, start: str) -> None:
        """Collects what lies below `start` ("." for the root), which is never ignored itself."""
        prefix = "" if start == "." else start + "/"
        if "/.git/" in "/" + prefix:
            return
        dots, gits = self._rules_above(prefix)
        stack = [(prefix, dots, gits)]
        while stack:
            self._deadline.check()
            prefix, dots, gits = stack.pop()
            entries = self._scan(prefix)
            names = {entry.name for entry in entries}
            if ".git" in names and self._top is not None and prefix not in ("", start + "/"):
                continue  # a submodule, or a repository inside this one
            dots, gits = self._own(prefix, names, dots, gits)
            stack.extend((name, dots, gits) for name in self._descend(prefix, entries, dots, gits))

    def ignores(self, path: str) -> bool:
        """Whether a rule leaves out this file or a directory that leads to it."""
        parts = [*prefixes(_prefix(path)), path][1:]  # not the root itself
        return any(map(self._ignored, parts))

    def _ignored(self, path: str) -> bool:
        prefix = _above(path)
        if prefix not in self._known:
            self._known[prefix] = self._rules_above(prefix)
        return ignored(path, *self._known[prefix])

    def _descend(
        self, prefix: str, entries: list[os.DirEntry[str]], dots: Chain, gits: Chain
    ) -> Iterator[str]:
        """Collects one directory's files and links, and yields its directories."""
        hidden = "hidden" in self._kinds
        for entry in entries:
            name = entry.name
            if name == ".git" or (name[0] == "." and not hidden):
                continue
            path = prefix + name
            if len(path) >= LONGEST_PATH // 4 and len(os.fsencode(path)) >= LONGEST_PATH:
                self.too_long.append(path)
            elif entry.is_symlink():
                if not ignored(path, dots, gits):
                    self.links.append(path)
            elif entry.is_dir(follow_symlinks=False):
                if not ignored(path + "/", dots, gits):
                    yield path + "/"
            elif not ignored(path, dots, gits):
                self.files.append(path)

    def _scan(self, prefix: str) -> list[os.DirEntry[str]]:
        """The entries of a directory; none if it is gone or must not be read."""
        path = os.path.join(self._workspace.root, prefix)
        try:
            if len(path) * 4 < LONGEST_PATH:
                with os.scandir(path) as entries:
                    return list(entries)
            return self._scan_long(prefix)
        except OSError as error:
            skip_reason(error)  # raises what says nothing about the directory
            return []

    def _scan_long(self, prefix: str) -> list[os.DirEntry[str]]:
        """The same where the path with the root may be longer than the system takes."""
        above = closed_after(os.open(prefix, DIRECTORY, dir_fd=self._workspace.fd))
        with above as directory, os.scandir(directory) as entries:
            return [entry for entry in entries if _is_known(entry)]

    def _rules_above(self, prefix: str) -> tuple[Chain, Chain]:
        """The rules of the directories above `prefix`, up to the root."""
        dots: Chain = ()
        gits = self._outer
        for above in [*prefixes(prefix)][:-1]:
            dots, gits = self._own(above, (".ignore", ".gitignore"), dots, gits)
        return dots, gits

    def _own(
        self, prefix: str, names: Collection[str], dots: Chain, gits: Chain
    ) -> tuple[Chain, Chain]:
        if ".ignore" in names and "dot" not in self._kinds:
            dots = _with_rules(self._workspace, dots, prefix, ".ignore")
        if ".gitignore" in names and "vcs" not in self._kinds:
            gits = _with_rules(self._workspace, gits, prefix, ".gitignore")
        return dots, gits

    def _outer_rules(self) -> Iterator[Link]:
        """From above the root: the work tree's ignore files, its exclude file, the user's."""
        lead = ""
        if self._top is not None:
            if self._top != self._workspace.root:  # which is then named as seen from there
                lead = self._workspace.root[len(self._top.rstrip("/")) + 1 :] + "/"
            if "parent" not in self._kinds:
                yield from _parents(self._top, lead)
            if "exclude" not in self._kinds:
                yield from _outer(os.path.join(self._top, ".git/info/exclude"), lead)
        if "global" not in self._kinds:
            home = user_directory("XDG_CONFIG_HOME", ".config")
            yield from _outer(os.path.join(home, "git/ignore"), lead)


def _is_known(entry: os.DirEntry[str]) -> bool:
    """Whether the entry is there; it knows what it is after its directory is closed, too."""
    try:
        entry.stat(follow_symlinks=False)
    except OSError:
        return False
    return True


def _parents(top: str, lead: str) -> Iterator[Link]:
    """The `.gitignore` files from just above the root up to `top`."""
    parts = lead.split("/")[:-1]
    for depth in reversed(range(len(parts))):
        below = "/".join(parts[depth:]) + "/"
        yield from _outer(os.path.join(top, *parts[:depth], ".gitignore"), below)


def _outer(file: str, lead: str) -> Iterator[Link]:
    """The rules of a file outside the root; the user may keep theirs behind a link."""
    read = partial(read_regular, file, CONFIG_LIMIT, flags=FILE & ~os.O_NOFOLLOW)
    if (patterns := _patterns(partial(os.stat, file), read)) is not None:
        yield lead, 0, patterns


def work_tree(root: str) -> str | None:
    """The nearest directory, the root or above it, that holds `.git`."""
    here = root
    while not os.path.lexists(os.path.join(here, ".git")):
        if (above := os.path.dirname(here)) == here:
            return None
        here = above
    return here


def ignored(path: str, *chains: Chain) -> bool:
    """What the first ignore file with an opinion says; a directory's path ends with `/`."""
    for chain in chains:
        for lead, cut, patterns in chain:
            verdict = patterns.verdict(lead + path[cut:])
            if verdict is not None:
                return verdict
    return False


def _with_rules(workspace: Workspace, chain: Chain, prefix: str, name: str) -> Chain:
    """The chain with an ignore file below the root, if that can be read.

    A link is not followed, and what lies beyond 1 MiB is not looked at.
    """
    path = prefix + name
    patterns = _patterns(
        partial(workspace.status, path), partial(workspace.read, path, CONFIG_LIMIT)
    )
    return chain if patterns is None else (("", len(prefix), patterns), *chain)


def _patterns(
    status: Callable[[], os.stat_result], read: Callable[[], tuple[bytes, os.stat_result]]
) -> Ignore | None:
    """The patterns of a regular file; None for what cannot be read, or is anything else.

    Opening a pipe, even without waiting, is seen by whoever writes into it.
    """
    try:
        if not stat.S_ISREG(status().st_mode):
            return None
        data, _ = read()
    except OSError as error:
        skip_reason(error)  # raises what says nothing about the file
        return None
    return Ignore(os.fsdecode(data.removeprefix(b"\xef\xbb\xbf")).split("\n"))


class Visible:
    """Sorts out, of paths git listed, what is hidden or named by an `.ignore` file.

    `directories` were named: neither they nor what leads to them is hidden or ignored.
    `includes` tells whether an `.ignore` file met so far has a `!` line.
    """

    def __init__(
        self, workspace: Workspace, directories: Iterable[str], kinds: Collection[str]
    ) -> None:
        self.includes = False
        self._workspace = workspace
        self._root = workspace.root
        self._dots = "dot" not in kinds
        self._hidden = "hidden" not in kinds
        self._dotted = tuple(f"{each}/" for each in directories if "/." in f"/{each}/")
        self._named = {part for each in directories for part in prefixes(f"{each}/")}
        self._known: dict[str, tuple[Chain, bool]] = {}

    def of(self, paths: Iterable[str]) -> list[str]:
        """The visible ones of some files or links."""
        if self._hidden:
            paths = [path for path in paths if "/." not in f"/{path}" or self._below_dotted(path)]
        paths = list(paths)
        if not self._dots or not self._ruled(paths):
            return paths
        states = {prefix: self._state(prefix) for prefix in {_prefix(path) for path in paths}}
        found = ((path, *states[_prefix(path)]) for path in paths)
        return [path for path, chain, hidden in found if not (hidden or ignored(path, chain))]

    def _ruled(self, paths: Iterable[str]) -> bool:
        """Whether a directory that leads to a path has an `.ignore` file: most trees have none."""
        prefixes = set(map(_prefix, paths))
        above = prefixes
        while above := {_above(prefix) for prefix in above if prefix} - prefixes:
            prefixes |= above
        return any(map(self._has_rules, prefixes))

    def _has_rules(self, prefix: str) -> bool:
        """`access` fails without an exception: 1,300 directories in 3 ms."""
        return os.access(f"{self._root}/{prefix}.ignore", os.F_OK)

    def _below_dotted(self, path: str) -> bool:
        return any(
            path.startswith(named) and "/." not in path[len(named) - 1 :] for named in self._dotted
        )

    def _state(self, prefix: str) -> tuple[Chain, bool]:
        """The `.ignore` files in effect in a directory, and whether they hide it."""
        if (known := self._known.get(_above(prefix))) is not None:  # as of all its siblings
            parts, (chain, hidden) = [prefix], known
        else:
            parts, chain, hidden = list(prefixes(prefix)), (), False
        for part in parts:
            if (known := self._known.get(part)) is None:
                hidden = part not in self._named and (hidden or ignored(part, chain))
                known = self._known[part] = self._extended(chain, part), hidden
            chain, hidden = known
        return chain, hidden

    def _extended(self, chain: Chain, prefix: str) -> Chain:
        if not self._has_rules(prefix):
            return chain
        extended = _with_rules(self._workspace, chain, prefix, ".ignore")
        self.includes |= extended is not chain and True in extended[0][2].include
        return extended


def _prefix(path: str) -> str:
    """A path's directory, ending with `/`; "" for the root."""
    return path[: path.rfind("/") + 1]


def _above(prefix: str) -> str:
    """The directory above one, both ending with `/`; that of the root is none."""
    return prefix[: prefix.rfind("/", 0, -1) + 1] if prefix else "/"


def prefixes(prefix: str) -> Iterator[str]:
    """A directory and all above it from the root (""), outermost first."""
    end = 0
    yield ""
    while end < len(prefix):
        end = prefix.index("/", end) + 1
        yield prefix[:end]
