"""The root of a run by descriptor, and confined reads below it.

A path below the root is a `str` with `/`, decoded as `os.fsdecode` does (bytes that are
not UTF-8 are surrogates), without `.`, `..` or empty components. "." is the root.
"""

import functools
import hashlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from types import MappingProxyType
from typing import Any, Self

from astedit.errors import OutsideRootError, RequestError
from astedit.workspace.confined_open import FILE, open_below, read_regular, read_unwritten

CONFIG_LIMIT = 1_048_576  # bytes of one configuration file that are looked at
_DOTS = 200  # in one line; tomllib takes quadratic time over the parts of a dotted key


def parse(data: bytes, path: str) -> dict[str, Any]:
    """The document; raises `RequestError` naming `path` for one that is broken or a bomb."""
    if len(data) > CONFIG_LIMIT:
        raise _bad(path, f"is larger than {CONFIG_LIMIT} bytes")
    if max(line.count(b".") for line in data.split(b"\n")) > _DOTS:
        raise _bad(path, f"has a line with more than {_DOTS} dots")
    import tomllib  # 14 ms, for those who have a configuration

    try:
        return tomllib.loads(data.decode())
    except ValueError as error:
        raise _bad(path, f"is not TOML: {error}") from error
    except RecursionError as error:
        raise _bad(path, "is nested too deeply") from error


def _bad(path: str, why: str) -> RequestError:
    return RequestError(f"{path} {why}.", path=path, code="bad_config")


_ANY_SIZE = 1 << 40  # bytes; what was written once can be read again
STATE_FILE = "state.db"  # in the directory of a workspace's state
PROJECT_FILES = ("sgconfig.yml", "sgconfig.yaml")  # the second is read where the first is not
_MARKERS = (".git", "astedit.toml", *PROJECT_FILES)
_OF_GIT = ("HEAD", "objects", "refs")  # what makes a directory git's, for git itself
_ESCAPED = re.compile(r"%2e|%2f|%5c|%00", re.IGNORECASE)


def find_root(cwd: str | os.PathLike[str], paths: Sequence[str]) -> str:
    """The root for a command run in `cwd` on PATHS, when `--root` is not given.

    The nearest ancestor of `cwd` that holds `.git`, `astedit.toml`, `sgconfig.yml` or a
    `pyproject.toml` with `[tool.astedit]`, else `cwd`. If a PATH lies outside that: the
    same from the deepest directory that contains all PATHS.
    """
    if any("\0" in path for path in paths):
        raise RequestError("A path contains a NUL byte.")
    here = os.path.realpath(cwd)
    root = project_above(here) or here
    places = [os.path.realpath(os.path.join(here, path)) for path in paths]
    if None not in (path_below(root, place) for place in places):
        return root
    home = os.path.commonpath([p if os.path.isdir(p) else os.path.dirname(p) for p in places])
    return project_above(home) or home


def project_above(start: str) -> str | None:
    """The nearest directory, `start` or above it, that looks like a project's root."""
    here = start
    while True:
        if any(os.path.lexists(os.path.join(here, name)) for name in _MARKERS):
            return here
        if _configures(os.path.join(here, "pyproject.toml")):
            return here
        if (above := os.path.dirname(here)) == here:
            return None
        here = above


def _configures(pyproject: str) -> bool:
    """Whether a pyproject.toml has `[tool.astedit]`; a broken one that names it counts."""
    try:
        data, _ = read_regular(pyproject, CONFIG_LIMIT, flags=FILE & ~os.O_NOFOLLOW)
    except OSError:
        return False  # absent, or not ours to read: then it marks nothing
    if b"astedit" not in data:
        return False
    try:
        tool = parse(data, pyproject).get("tool")
    except RequestError:
        return b"[tool.astedit" in data
    return isinstance(tool, dict) and "astedit" in tool


def path_below(root: str, place: str) -> str | None:
    """A place as a path below `root`, "." for the root itself; None where it lies elsewhere."""
    above = root.rstrip("/") + "/"
    if place == root:
        return "."
    return place[len(above) :] if place.startswith(above) else None


def in_repository(root: str, directory: str, known: dict[str, bool]) -> bool:
    """Whether a directory below `root` is git's own, or lies in such a one, whatever its name.

    `git init --separate-git-dir` and bare repositories call it as they like. A worktree
    inside a bare repository (it has a `.git`) is none of git's own. `known` takes answers in.
    """
    inside, passed = known.get(directory), [directory]
    while inside is None:
        here = os.path.join(root, passed[-1])
        if os.path.lexists(os.path.join(here, ".git")):
            inside = False
        elif all(os.path.lexists(os.path.join(here, name)) for name in _OF_GIT):
            inside = True
        elif not passed[-1]:
            inside = ".git" in os.path.abspath(root).split("/")
        else:
            passed.append(os.path.dirname(passed[-1]))
            inside = known.get(passed[-1])
    known.update(dict.fromkeys(passed, inside))
    return inside


class Workspace(AbstractContextManager["Workspace"]):
    """A directory tree that is read through one descriptor, whatever its links say.

    `root` is the real path read back from the descriptor, `key` the first 16 hex digits
    of its SHA-256, `fd` the descriptor: close-on-exec, and inheritable by passing it to a
    child, which opens it again with `adopt`. Use it from one thread at a time: the last
    directory read from stays open, with those above it, so that reading in path order is fast.
    `overlay` holds, by path, contents that are read in the place of those on the disk.
    """

    overlay: Mapping[str, bytes] = MappingProxyType({})

    def __init__(self, root: str | os.PathLike[str]) -> None:
        """Opens `root`; raises `RequestError` if it is not a directory that can be read."""
        try:
            fd = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise RequestError(
                f"The root {os.fspath(root)!r} cannot be opened: {reason}."
            ) from error
        self._take(fd)

    @classmethod
    def adopt(cls, fd: int) -> Self:
        """The workspace of an inherited root descriptor, which it owns from now on."""
        self = cls.__new__(cls)
        self._take(fd)
        return self

    def _take(self, fd: int) -> None:
        self.fd = fd
        self._last: str | None = None
        self._open_directories: list[tuple[str, int]] = []

    @functools.cached_property
    def root(self) -> str:
        """The real path of the root."""
        return _path_of(self.fd)

    @functools.cached_property
    def key(self) -> str:
        """Names this workspace's state: the same through any link or spelling."""
        return hashlib.sha256(os.fsencode(self.root)).hexdigest()[:16]

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the descriptors; the workspace cannot be used afterwards."""
        self.forget()
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    def forget(self) -> None:
        """Lets go of the directories kept open, so that a renamed one is found anew."""
        self._last = None
        self._close(0)

    @contextmanager
    def overlaid(self, contents: Mapping[str, bytes]) -> Iterator[None]:
        """Reads these contents, by path, in the place of those on the disk."""
        before, self.overlay = self.overlay, contents
        try:
            yield
        finally:
            self.overlay = before

    def relative(self, path: str, cwd: str) -> str:
        """A command-line path, relative to the root.

        It may be absolute or hold `..`, which means what it means to the kernel. The last
        component is not followed. Raises `OutsideRootError` where it ends elsewhere.
        """
        _check_name(path)
        full = os.path.join(cwd, path)
        parent, name = os.path.split(full.rstrip("/") or "/")
        if name in ("", ".", ".."):
            place = os.path.realpath(full)
        else:
            place = os.path.join(os.path.realpath(parent), name)
        return self._below(place, path)

    def resolve(self, path: str) -> str:
        """Where `path` (relative to the root) really is, links followed, relative again.

        Raises `OutsideRootError` when it ends outside the root.
        """
        return self._below(os.path.realpath(os.path.join(self.root, path)), path)

    def _below(self, place: str, path: str) -> str:
        if (below := path_below(self.root, place)) is None:
            raise OutsideRootError(
                f"{path!r} is outside the root {self.root!r}.",
                path=path,
                hint="Name a path below the root, or choose another root with --root.",
            )
        return below

    def check(self, path: str) -> str:
        """A path from the API, a plan, a rule or a configuration, made plain.

        Looks at the text only: nothing is opened. Raises `OutsideRootError` for absolute
        paths, `..`, `~/` and percent-encoded dots and slashes, `RequestError` for an empty
        component, a NUL or text that is no file name. `.` components are dropped.
        """
        parts = path.split("/")
        if path[:1] == "/" or parts[0] == "~" or ".." in parts or _ESCAPED.search(path):
            raise OutsideRootError(
                f"{path!r} is not a path below the root.",
                path=path,
                hint="Give paths relative to the root, with `/`, without `..`.",
            )
        if "" in parts or "\0" in path:
            raise RequestError(f"{path!r} is not a plain path.", path=path)
        _check_name(path)
        return "/".join(part for part in parts if part != ".") or "."

    def read(self, path: str, limit: int) -> tuple[bytes, os.stat_result]:
        """At most `limit + 1` bytes of a regular file below the root, and its status.

        Never follows a link and never blocks. Raises OSError; `skip_reason` says what
        that means for a run.
        """
        if path in self.overlay:
            return self.overlay[path][: limit + 1], self.status(path)
        directory, _, name = path.rpartition("/")
        return read_regular(name, limit, self._open(directory) if directory else self.fd)

    def read_unwritten(self, path: str, limit: int) -> tuple[bytes, os.stat_result, bool | None]:
        """As `read` of what is on the disk, and whether nobody has it open for writing."""
        directory, _, name = path.rpartition("/")
        return read_unwritten(name, limit, self._open(directory) if directory else self.fd)

    def status(self, path: str) -> os.stat_result:
        """The status of what is at `path` below the root, no link followed; raises OSError."""
        directory, _, name = path.rpartition("/")
        fd = self._open(directory) if directory else self.fd
        return os.stat(name, dir_fd=fd, follow_symlinks=False)

    def _open(self, directory: str) -> int:
        """A directory, from the nearest one above it that is open from the last time."""
        chain = self._open_directories
        if directory != self._last:
            self._last = None
            names = directory.split("/")
            shared = 0
            while shared < min(len(chain), len(names)) and chain[shared][0] == names[shared]:
                shared += 1
            self._close(shared)
            for name in names[shared:]:
                chain.append((name, open_below(chain[-1][1] if chain else self.fd, name)))
            self._last = directory
        return chain[-1][1]

    def _close(self, count: int) -> None:
        """All directories but so many outer ones."""
        while len(self._open_directories) > count:
            os.close(self._open_directories.pop()[1])


def _check_name(path: str) -> None:
    if "\0" in path:
        raise RequestError("A path contains a NUL byte.", path=path)
    try:
        os.fsencode(path)
    except UnicodeEncodeError as error:
        raise RequestError(f"{path!r} is not a file name.", path=path) from error


def content_with_hash(workspace: Workspace, path: str, digest: str | None) -> bytes | None:
    """Returns what a file holds if that has this SHA-256; None for anything else, and no file."""
    try:
        content, _ = workspace.read(path, _ANY_SIZE)
    except OSError:
        return None
    return content if hashlib.sha256(content).hexdigest() == digest else None


def _path_of(fd: int) -> str:
    """The real path of an open directory, asked of the kernel."""
    try:
        return os.readlink(f"/proc/self/fd/{fd}")
    except FileNotFoundError:  # no /proc: macOS
        import fcntl

        name = fcntl.fcntl(fd, getattr(fcntl, "F_GETPATH", 50), b"\0" * 1024)
        return os.fsdecode(name.rstrip(b"\0"))


def user_directory(variable: str, default: str) -> str:
    """`$variable`, else `default` in the user's home; always absolute.

    The XDG specification has relative values ignored. Where there is no home, as in some
    containers, it is below `/`: in the working directory a repository could bring its own.
    """
    base = os.environ.get(variable, "")
    if not os.path.isabs(base):
        base = os.path.join(os.path.expanduser("~"), default)
    return base if os.path.isabs(base) else os.path.join("/", default)


def default_state() -> str:
    """`$XDG_STATE_HOME/astedit`, else `~/.local/state/astedit`."""
    return os.path.join(user_directory("XDG_STATE_HOME", ".local/state"), "astedit")


def state_dir(workspace: Workspace, flag: str | None) -> str:
    """The directory that holds this workspace's `state.db`; it may not exist yet.

    `<--state-dir | ASTEDIT_STATE_DIR | the user's state directory>/<key>`. Raises
    `RequestError` for a chosen one inside the root; the default one may lie there.
    """
    chosen = flag or os.environ.get("ASTEDIT_STATE_DIR")
    if not chosen:
        return os.path.join(default_state(), workspace.key)
    if path_below(workspace.root, os.path.realpath(chosen)) is not None:
        raise RequestError(
            f"The state directory {chosen!r} is inside the root {workspace.root!r}.",
            hint="Choose one outside the root: a repository could bring its own.",
        )
    if os.path.lexists(chosen) and not os.path.isdir(chosen):
        raise RequestError(f"The state directory {chosen!r} is not a directory.")
    return os.path.join(os.path.realpath(chosen), workspace.key)


def own_state(workspace: Workspace) -> str | None:
    """The default state directory relative to the root, when it lies there.

    It is neither searched nor edited.
    """
    return path_below(workspace.root, os.path.realpath(default_state()))
