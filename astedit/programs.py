"""Finds and starts other programs: the one place that looks into PATH.

An empty or relative entry of PATH means the directory that one happens to be in, which is
often a repository, and so may an absolute one: nothing that a repository brings is started
unasked. A child inherits nothing but the descriptors that it is given, as 0, 1, 2, ...

`os.posix_spawn` instead of subprocess, whose import alone costs 14 ms.
"""

import contextlib
import fcntl
import os
import shlex
import signal
import time
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from astedit.limits import Deadline

# Ignored by Python or perhaps by the host, and a child would inherit that.
RESET = (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGIO)
MARK = "ASTEDIT_STARTED"  # a variable by which all that a program has started is found
_NAP = 0.002  # seconds between two looks at a child


def find_program(name: str, root: str | None) -> str | None:
    """Returns the absolute path of a program that is not below `root`; None without one.

    `root` is None for a command that a person has typed: then only the relative and empty
    entries of PATH are left out.
    """
    for directory in search_path(root):
        place = os.path.join(directory, name)
        if os.path.isfile(place) and os.access(place, os.X_OK) and not _below(place, root):
            return place
    return None


def search_path(root: str | None) -> list[str]:
    """Returns the entries of PATH that are absolute, and none below `root`."""
    entries = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return [entry for entry in entries if os.path.isabs(entry) and not _below(entry, root)]


def clean_path(root: str | None) -> str:
    """Returns the PATH for what is started: its entries as `search_path`, the system's if none."""
    return os.pathsep.join(search_path(root)) or os.defpath


def end_marked(mark: str) -> None:
    """Kills every process whose environment has this mark, however it has detached itself.

    Only where the system shows the environment of processes, as Linux does.
    """
    needle = f"{MARK}={mark}".encode()
    if not os.path.isdir("/proc"):
        return
    while pids := [
        name for name in os.listdir("/proc") if name.isdecimal() and needle in _environment_of(name)
    ]:
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)
        time.sleep(_NAP)


def _environment_of(pid: str) -> list[bytes]:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return file.read().split(b"\0")
    except OSError:  # it has ended, or is another user's
        return []


def _below(place: str, root: str | None) -> bool:
    if root is None:
        return False
    root, place = os.path.realpath(root), os.path.realpath(place)
    return place == root or place.startswith(root.rstrip("/") + "/")


class Child:
    """A process that was started: wait for it, or kill it. Every one must be waited for.

    It dies with us if it has a `lifeline`, the end of a pipe that we keep open until then.
    """

    def __init__(self, pid: int, lifeline: int | None = None) -> None:
        self.pid = pid
        self._status: int | None = None
        self._lifeline = lifeline

    def poll(self) -> int | None:
        """Returns the exit status (negative for a signal), None while the process runs."""
        return self._wait(os.WNOHANG)

    def wait(self, deadline: Deadline | None = None) -> int:
        """Waits for the process to end; a `deadline` that runs out raises and leaves it running."""
        if deadline is not None:
            deadline.check()
            while self.poll() is None:
                time.sleep(_NAP)
                deadline.check()
        while (status := self._wait(0)) is None:
            pass
        return status

    def kill(self) -> int:
        """Kills the process, waits for it and returns its exit status; harmless later too."""
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)
        return self.wait()

    def _wait(self, options: int) -> int | None:
        if self._status is None:
            try:
                pid, status = os.waitpid(self.pid, options)
            except ChildProcessError:
                # The host ignores SIGCHLD or waited for all children: how it ended is lost.
                self._status = 255
            else:
                self._status = os.waitstatus_to_exitcode(status) if pid else None
            if self._status is not None:
                self.let_go()
        return self._status

    def let_go(self) -> None:
        """Closes the lifeline, if there is one: that ends the process. From any thread."""
        lifeline, self._lifeline = self._lifeline, None
        if lifeline is not None:
            os.close(lifeline)


def spawn(
    argv: Sequence[str],
    environment: Mapping[str, str],
    files: Sequence[int],
    *,
    own_group: bool = False,
    lifeline: bool = False,
) -> Child:
    """Starts `argv[0]` (an absolute path) with `files` as its descriptors 0, 1, 2, ...

    `own_group` keeps a terminal's Ctrl-C from it; SIGINT stays blocked until it ignores
    it and lets it through. With `lifeline` it ends when this process does, however that
    comes: for programs of others, which do not see to it. Raises OSError when it cannot start.
    """
    if lifeline:
        return _tied(argv, environment, files)
    # Copies far above the targets, so that no dup2 overwrites a source still needed.
    copies = [fcntl.fcntl(file, fcntl.F_DUPFD_CLOEXEC, len(files) + 3) for file in files]
    try:
        actions = [(os.POSIX_SPAWN_DUP2, copy, i) for i, copy in enumerate(copies)]
        group: dict[str, Any] = {"setpgroup": 0} if own_group else {}
        # A Ctrl-C may come before the child has left our group, or is ready for it.
        masked = (signal.SIGINT,) if own_group else ()
        signals: dict[str, Any] = {"setsigdef": RESET, "setsigmask": masked}
        pid = os.posix_spawn(
            argv[0], [*argv], environment, file_actions=actions, **signals, **group
        )
        return Child(pid)
    finally:
        for copy in copies:
            os.close(copy)


def _tied(argv: Sequence[str], environment: Mapping[str, str], files: Sequence[int]) -> Child:
    """Starts a child to which the kernel sends SIGIO, its end, when our end of a pipe closes."""
    theirs, ours = os.pipe()
    try:
        fcntl.fcntl(theirs, fcntl.F_SETFL, fcntl.fcntl(theirs, fcntl.F_GETFL) | os.O_ASYNC)
        pid = spawn(argv, environment, (*files, theirs)).pid
        with contextlib.suppress(OSError):  # it has ended already
            fcntl.fcntl(theirs, fcntl.F_SETOWN, pid)
        return Child(pid, ours)
    except OSError:
        os.close(ours)
        raise
    finally:
        os.close(theirs)


def scratch(data: bytes = b"") -> int:
    """A nameless file for a child to read or to write, at its beginning."""
    if hasattr(os, "memfd_create"):
        file = os.memfd_create("astedit")
    else:
        import tempfile

        with tempfile.TemporaryFile() as temporary:
            file = os.dup(temporary.fileno())
    os.write(file, data)
    os.lseek(file, 0, os.SEEK_SET)
    return file


def written(file: int) -> bytes:
    """Everything a child wrote to a scratch file."""
    size = os.fstat(file).st_size
    return os.pread(file, size, 0) if size else b""


def cores() -> int:
    """How many this process may use; two where the system does not say."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2


ANY = ("*",)  # of a person's own command line


def allowed(words: Sequence[str], patterns: Sequence[str]) -> bool:
    """Whether a command fits one of the patterns, word by word.

    It has no more words than the pattern, unless that ends in `*`: then the last word of the
    pattern fits by itself, and whatever follows is allowed. A `*` matches no `/`, but for one
    that is the last word. A program with a `/` fits only a pattern that has one, and that is
    compared with where the program lies. `*` alone allows everything.
    """
    return any(_fits(words, shlex.split(pattern)) for pattern in patterns)


def _fits(words: Sequence[str], pattern: Sequence[str]) -> bool:
    if tuple(pattern) == ANY:
        return True
    if len(words) < len(pattern) or not pattern:
        return False
    if len(words) > len(pattern) and not pattern[-1].endswith("*"):
        return False
    last = len(pattern) - 1
    others = range(1, last if pattern[last] == "*" else last + 1)
    return _is_program(words[0], pattern[0]) and all(_is_like(words[i], pattern[i]) for i in others)


def _is_program(word: str, pattern: str) -> bool:
    if "/" not in pattern:
        return "/" not in word and fnmatchcase(word, pattern)
    place = word if "/" in word else find_program(word, None)
    return place is not None and _is_like(os.path.normpath(place), os.path.normpath(pattern))


def _is_like(word: str, pattern: str) -> bool:
    parts, patterns = word.split("/"), pattern.split("/")
    return len(parts) == len(patterns) and all(map(fnmatchcase, parts, patterns))
