"""Runs the command lines that clients hand over, each in a fork of this process.

The process itself only accepts and forks: nobody who says nothing, or says it slowly, keeps
another one waiting. It must have one thread.
"""

import contextlib
import fcntl
import json
import marshal
import os
import resource
import select
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NoReturn

from astedit.resident.client import HEADER, HEARD, is_own, own_directory, path_of

_MOST = 64  # command lines at once; whoever comes then runs its own
_LARGEST = 16 << 20  # bytes of a message
_HEARING = 1.0  # seconds that a client has to say what it wants
LOOK = 0.05  # seconds between two looks at a process
_UNIT = 1 if sys.platform == "darwin" else 1024  # of what a process has had in memory at most
_BY_DEFAULT = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGCHLD, signal.SIGTSTP)

Runner = Callable[[list[str]], int]


@contextlib.contextmanager
def bound(place: str, name: str) -> Iterator[tuple[socket.socket, int]]:
    """A socket in a directory of this user alone, and the file beside it that is locked.

    It hears nobody yet; one that somebody left there is replaced. Raises OSError where the
    directory is another's, or others may enter it, and where somebody has that socket.
    """
    with contextlib.suppress(FileExistsError):
        os.mkdir(place, 0o700)
    with contextlib.ExitStack() as opened:
        above = own_directory(place)
        opened.callback(os.close, above)
        lock = os.open(f".{name}", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600, dir_fd=above)
        opened.callback(os.close, lock)
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name, dir_fd=above)
        listener = opened.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
        listener.bind(path_of(place, above, name))
        listener.setblocking(False)
        try:
            yield listener, lock
        finally:
            with contextlib.suppress(OSError):
                os.unlink(name, dir_fd=above)


@dataclass(slots=True)
class Host:
    """Who answers at a socket that is `bound`: `run` runs what `accepts` lets through.

    `own` has it run in our directory and environment, for clients that see another tree.
    """

    listener: socket.socket
    lock: int
    run: Runner
    accepts: Callable[[list[str]], bool]
    own: bool = False
    began: float = field(default_factory=time.time)
    answered: int = 0
    children: set[int] = field(default_factory=set)

    def serve(self, goes_on: Callable[[float], bool], look: float = 5.0) -> None:
        """Answers as long as `goes_on` says so, asked before every answer and each `look` seconds.

        It is told for how many seconds nobody has asked.
        """
        self.listener.listen(_MOST)
        last = time.monotonic()
        while True:
            ready, _, _ = select.select([self.listener], [], [], LOOK if self.children else look)
            self.children = {pid for pid in self.children if _runs(pid)}
            if ready or self.children:
                last = time.monotonic()
            if not goes_on(time.monotonic() - last):
                return
            if not ready:
                continue
            with contextlib.suppress(OSError):  # no more processes: whoever asked runs its own
                door, _ = self.listener.accept()
                with door:
                    if is_own(door) and len(self.children) < _MOST:
                        self.answered += 1
                        process = os.fork()
                        if process == 0:
                            self._serve(door)
                        self.children.add(process)

    def _serve(self, door: socket.socket) -> NoReturn:
        try:
            self.listener.close()
            os.close(self.lock)
            door.settimeout(None)
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.setitimer(signal.ITIMER_REAL, _HEARING)  # which ends this fork
            row = {"pid": os.getppid(), "started": self.began, "answered": self.answered}
            row["memory"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _UNIT
            door.send((b"a" + json.dumps(row).encode()).ljust(HEARD))
            task, files = _received(door)
            signal.setitimer(signal.ITIMER_REAL, 0)
            if self.accepts(task["args"]):
                _follow(door)
                try:
                    self._become(task, files)
                    code = self.run(task["args"])
                except KeyboardInterrupt:  # before the command could answer it by itself
                    code = 130
                door.sendall(b"c" + bytes([code & 0xFF]))
            else:
                door.send(b"n")
        finally:  # whatever came of it: who is not answered runs its own
            os._exit(0)

    def _become(self, task: dict[str, Any], files: list[int]) -> None:
        """Makes this process one that the client could have been."""
        for by_default in _BY_DEFAULT:
            signal.signal(by_default, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for target, file in enumerate(files[:3]):
            os.dup2(file, target)
        if self.own:  # nobody there is asked anything: what is asked decides about this tree
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        else:
            os.fchdir(files[3])
            os.environ.clear()
            os.environ.update(task["environment"])
            time.tzset()
        os.umask(task["umask"])
        for file in files:
            os.close(file)
        sys.argv[1:] = task["args"]
        for number, (encoding, errors) in enumerate(task["streams"]):
            mode, lines = "w" if number else "r", 1 if number == 2 else -1  # and on a terminal
            stream = os.fdopen(number, mode, lines, encoding, errors, closefd=False)
            setattr(sys, ("stdin", "stdout", "stderr")[number], stream)


def _runs(process: int) -> bool:
    """Whether a fork has not ended yet; one that has is taken up."""
    try:
        return os.waitpid(process, os.WNOHANG) == (0, 0)
    except ChildProcessError:  # the system has taken it up
        return False


def _received(door: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """A message, and the descriptors that came with it; raises for what is none of ours."""
    head, files, _, _ = socket.recv_fds(door, HEADER, 4, socket.MSG_WAITALL)
    size = int.from_bytes(head, "little")
    if size > _LARGEST:
        raise OSError("no message of ours")
    return marshal.loads(door.recv(size, socket.MSG_WAITALL)), files


def _follow(door: socket.socket) -> None:
    """Has the client's Ctrl-C interrupt this process, and its end end it."""

    def hear(*_: object) -> None:
        try:
            word = door.recv(1, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return
        if word == b"i":
            raise KeyboardInterrupt
        os._exit(137)

    signal.signal(signal.SIGIO, hear)
    fcntl.fcntl(door.fileno(), fcntl.F_SETOWN, os.getpid())
    flags = fcntl.fcntl(door.fileno(), fcntl.F_GETFL)
    fcntl.fcntl(door.fileno(), fcntl.F_SETFL, flags | os.O_ASYNC)
    hear()  # what came before
