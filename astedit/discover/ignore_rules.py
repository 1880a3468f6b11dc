"""Ignore files in effect somewhere in a tree, and what they hide."""

import errno
import os
import stat
from collections.abc import Callable, Collection, Iterable, Iterator

from astedit.workspace.confined_open import FILE, read_regular
from astedit.workspace.gitignore import Ignore
from astedit.workspace.root import CONFIG_LIMIT, Workspace, skip_reason

# One ignore file: what to put before a path relative to the root, and how much to cut off
# it, to make it relative to the file's directory; and its patterns.
Link = tuple[str, int, Ignore]
Chain = tuple[Link, ...]


def ignored(path: str, *chains: Chain) -> bool:
    """What the first ignore file with an opinion says; a directory's path ends with `/`."""
    for chain in chains:
        for lead, cut, patterns in chain:
            verdict = patterns.verdict(lead + path[cut:])
            if verdict is not None:
                return verdict
    return False


def read_rules(workspace: Workspace, path: str) -> Ignore | None:
    """The patterns of an ignore file below the root; None if it cannot be read.

    A link is not followed, and what lies beyond 1 MiB is not looked at.
    """

    def load() -> tuple[bytes, os.stat_result]:
        _must_be_regular(workspace.status(path))
        return workspace.read(path, CONFIG_LIMIT)

    return _patterns(load)


def read_outer(file: str) -> Ignore | None:
    """Reads an ignore file outside the root, where the user may keep a link."""

    def load() -> tuple[bytes, os.stat_result]:
        _must_be_regular(os.stat(file))
        return read_regular(file, CONFIG_LIMIT, flags=FILE & ~os.O_NOFOLLOW)

    return _patterns(load)


def _must_be_regular(status: os.stat_result) -> None:
    """Opening a pipe, even without waiting, is seen by whoever writes into it."""
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EPERM, "not a regular file")


def _patterns(load: Callable[[], tuple[bytes, os.stat_result]]) -> Ignore | None:
    try:
        data, _ = load()
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
        self._named = {part for each in directories for part in _prefixes(f"{each}/")}
        self._known: dict[str, tuple[Chain, bool]] = {}

    def of(self, paths: Iterable[str]) -> list[str]:
        """The visible ones of some files or links."""
        if self._hidden:
            paths = [path for path in paths if "/." not in f"/{path}" or self._below_dotted(path)]
        paths = list(paths)
        if not self._dots or not self._ruled(paths):
            return paths
        states = {prefix: self._state(prefix) for prefix in {_prefix(path) for path in paths}}
        return [path for path in paths if not self._ignores(path, *states[_prefix(path)])]

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

    def _ignores(self, path: str, chain: Chain, hidden: bool) -> bool:
        return hidden or ignored(path, chain)

    def _state(self, prefix: str) -> tuple[Chain, bool]:
        """The `.ignore` files in effect in a directory, and whether they hide it."""
        if (known := self._known.get(_above(prefix))) is not None:  # as of all its siblings
            parts, (chain, hidden) = [prefix], known
        else:
            parts, chain, hidden = list(_prefixes(prefix)), (), False
        for part in parts:
            known = self._known.get(part)
            if known is None:
                hidden = part not in self._named and (hidden or ignored(part, chain))
                known = self._known[part] = self._extended(chain, part), hidden
            chain, hidden = known
        return chain, hidden

    def _extended(self, chain: Chain, prefix: str) -> Chain:
        if not self._has_rules(prefix):
            return chain
        patterns = read_rules(self._workspace, f"{prefix}.ignore")
        if patterns is None:
            return chain
        self.includes |= True in patterns.include
        return (("", len(prefix), patterns), *chain)


def _prefix(path: str) -> str:
    """A path's directory, ending with `/`; "" for the root."""
    return path[: path.rfind("/") + 1]


def _above(prefix: str) -> str:
    """The directory above one, both ending with `/`; that of the root is none."""
    return prefix[: prefix.rfind("/", 0, -1) + 1] if prefix else "/"


def _prefixes(prefix: str) -> Iterator[str]:
    """A directory and all above it from the root (""), outermost first."""
    end = 0
    yield ""
    while end < len(prefix):
        end = prefix.index("/", end) + 1
        yield prefix[:end]
