"""Runs the command lines that clients hand over, each in a fork of this process.

The process itself only accepts and forks: nobody who says nothing, or says it slowly, keeps
another one waiting. It must have one thread.
"""

import contextlib
import fcntl
import io
import json
import marshal
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NoReturn

from astedit.resident.client import HEADER, is_own, own_directory, path_of

IDLE = 900.0  # seconds without a command line, after which a resident ends
_MOST = 64  # command lines at once; whoever comes then runs its own
_LARGEST = 16 << 20  # bytes of a message
_HEARING = 1.0  # seconds that a client has to say what it wants
_LOOK = 5.0  # between two looks at what may end a resident
_BY_DEFAULT = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGCHLD, signal.SIGTSTP)
_NOTE = 120  # bytes of what it says of itself, always as many
_CHANGED = 75  # the exit status of a fork that has seen other files than were imported

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
        os.ftruncate(lock, 0)
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
    """Who answers at a socket: `run` runs what `accepts` lets through.

    How it is stands in the file `lock`. It ends when it is not `current` any more. `own` has it
    run in our directory and environment, for clients that see another tree.
    """

    listener: socket.socket
    lock: int
    run: Runner
    accepts: Callable[[list[str]], bool]
    current: Callable[[], bool] = lambda: True
    own: bool = False
    began: float = field(default_factory=time.time)
    answered: int = 0
    children: set[int] = field(default_factory=set)

    def serve(self, idle: float, is_there: Callable[[], bool]) -> None:
        """Answers until nobody has asked for `idle` seconds, it is told to end, or is replaced."""
        self.listener.listen(_MOST)
        self._note()
        stop: list[int] = []
        signal.signal(signal.SIGTERM, lambda *_: stop.append(1))
        signal.signal(signal.SIGCHLD, lambda *_: None)  # so that it wakes us
        wake, woken = os.pipe()
        for file in (wake, woken):
            os.set_blocking(file, False)
        signal.set_wakeup_fd(woken)
        last = time.monotonic()
        while not stop and is_there():
            listener = self.listener.fileno()
            ready, _, _ = select.select([listener, wake], [], [], _LOOK)
            if wake in ready:
                with contextlib.suppress(OSError):
                    os.read(wake, 1 << 10)
            if listener in ready:
                last = time.monotonic()
                self._answer()
            if self._reap() or (not self.children and time.monotonic() - last > idle):
                return

    def _note(self) -> None:
        """Writes down how it is, over what stood there."""
        row = {"pid": os.getpid(), "started": self.began, "answered": self.answered}
        os.pwrite(self.lock, json.dumps(row).encode().ljust(_NOTE), 0)

    def _answer(self) -> None:
        """Takes one connection, if there is one, and leaves it to a fork."""
        try:
            door, _ = self.listener.accept()
        except OSError:
            return
        try:
            if is_own(door) and len(self.children) < _MOST:
                self.answered += 1
                self._note()
                process = os.fork()
                if process == 0:
                    self._serve(door)
                self.children.add(process)
        except OSError:  # no more processes: whoever asked runs its own
            pass
        finally:
            door.close()

    def _reap(self) -> bool:
        """Takes up the forks that have ended; whether one saw that this is not current."""
        changed = False
        for process in list(self.children):
            try:
                ended, status = os.waitpid(process, os.WNOHANG)
            except ChildProcessError:  # the system has taken it up
                ended, status = process, 0
            if ended:
                self.children.discard(process)
                changed |= os.waitstatus_to_exitcode(status) == _CHANGED
        return changed

    def _serve(self, door: socket.socket) -> NoReturn:
        try:
            self.listener.close()
            os.close(self.lock)
            if not self.current():
                os._exit(_CHANGED)
            door.settimeout(_HEARING)
            door.send(b"a")
            task, files = _received(door)
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
        except OSError:
            pass
        finally:
            os._exit(0)

    def _become(self, task: dict[str, Any], files: list[int]) -> None:
        """Makes this process one that the client could have been."""
        signal.set_wakeup_fd(-1)
        for by_default in _BY_DEFAULT:
            signal.signal(by_default, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for target, file in enumerate(files[:3]):
            os.dup2(file, target)
        if not self.own:
            os.fchdir(files[3])
            os.environ.clear()
            os.environ.update(task["environment"])
            time.tzset()
        os.umask(task["umask"])
        for file in files:
            os.close(file)
        sys.argv[1:] = task["args"]
        for number, (encoding, errors) in enumerate(task["streams"]):
            raw = io.FileIO(number, "wb" if number else "rb", closefd=False)
            buffered = io.BufferedWriter(raw) if number else io.BufferedReader(raw)
            lines = number == 2 or os.isatty(number)
            stream = io.TextIOWrapper(buffered, encoding, errors, line_buffering=lines)
            setattr(sys, ("stdin", "stdout", "stderr")[number], stream)


def _received(door: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """A message, and the descriptors that came with it. Raises OSError."""
    data, files, _, _ = socket.recv_fds(door, 1 << 16, 4)
    size = HEADER + int.from_bytes(data[:HEADER], "little")
    if not HEADER < size <= _LARGEST:
        raise OSError("no message of ours")
    while len(data) < size:
        part = door.recv(1 << 16)
        if not part:
            raise OSError("the client has gone")
        data += part
    try:
        task = marshal.loads(data[HEADER:size])
    except (ValueError, EOFError, TypeError) as error:
        raise OSError("no message of ours") from error
    if not isinstance(task, dict) or len(files) != 4:
        raise OSError("no message of ours")
    for file in files:
        os.set_inheritable(file, False)
    return task, files


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

    door.settimeout(None)
    signal.signal(signal.SIGIO, hear)
    fcntl.fcntl(door.fileno(), fcntl.F_SETOWN, os.getpid())
    flags = fcntl.fcntl(door.fileno(), fcntl.F_GETFL)
    fcntl.fcntl(door.fileno(), fcntl.F_SETFL, flags | os.O_ASYNC)
    hear()  # what came before
