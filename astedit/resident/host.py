"""Runs the command lines that clients hand over, each in a fork of this process.

The process itself only accepts and forks: nobody who says nothing, or says it slowly, keeps
another one waiting. It must have one thread.
"""

import contextlib
import fcntl
import io
import marshal
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from astedit.resident.client import HEADER, is_own, path_of

IDLE = 900.0  # seconds without a command line, after which a resident ends
_MOST = 64  # command lines at once; whoever comes then runs its own
_LARGEST = 16 << 20  # bytes of a message
_HEARING = 1.0  # seconds that a client has to say what it wants
_LOOK = 5.0  # between two looks at what may end a resident
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_BY_DEFAULT = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGCHLD, signal.SIGTSTP)
_CHANGED = 75  # the exit status of a fork that has seen other files than were imported

Runner = Callable[[list[str]], int]


@contextlib.contextmanager
def bound(place: str, name: str) -> Iterator[socket.socket]:
    """A socket in a directory of this user alone; one that somebody left there is replaced.

    It hears nobody yet. Raises OSError where the directory is another's, or others may enter
    it, and where somebody has that socket: the lock beside it says so.
    """
    with contextlib.suppress(FileExistsError):
        os.mkdir(place, 0o700)
    with contextlib.ExitStack() as opened:
        above = os.open(place, _DIRECTORY)
        opened.callback(os.close, above)
        status = os.fstat(above)
        if status.st_uid != os.geteuid() or status.st_mode & 0o077:
            raise PermissionError(1, "not a directory of this user alone", place)
        lock = os.open(f".{name}", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600, dir_fd=above)
        opened.callback(os.close, lock)
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name, dir_fd=above)
        listener = opened.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
        listener.bind(path_of(place, above, name))
        listener.setblocking(False)
        try:
            yield listener
        finally:
            with contextlib.suppress(OSError):
                os.unlink(name, dir_fd=above)


@dataclass(slots=True)
class Host:
    """Who answers at a socket: `run` runs what `accepts` lets through.

    It ends when one of `files`, those that it was made of, is newer than `began`. `own` has it
    run in our directory and environment, for clients that see another tree.
    """

    listener: socket.socket
    run: Runner
    accepts: Callable[[list[str]], bool]
    own: bool = False
    files: Sequence[str] = ()
    began: float = field(default_factory=time.time)
    answered: int = 0
    children: set[int] = field(default_factory=set)

    def answer(self) -> None:
        """Takes one connection, if there is one, and leaves it to a fork."""
        try:
            door, _ = self.listener.accept()
        except OSError:
            return
        try:
            if is_own(door) and len(self.children) < _MOST:
                self.answered += 1
                process = os.fork()
                if process == 0:
                    self._serve(door)
                self.children.add(process)
        except OSError:  # no more processes: whoever asked runs its own
            pass
        finally:
            door.close()

    def reap(self) -> bool:
        """Takes up the forks that have ended; whether one saw that our files are others now."""
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
            if not _is_current(self.files, self.began):
                os._exit(_CHANGED)
            door.settimeout(_HEARING)
            door.send(b"a")
            task, files = _received(door)
            args = task["args"]
            if args[:1] == ["resident"] and not self.own:
                os.write(files[1], marshal.dumps(self._status(stops=args[1] == "stop"), 4))
                door.sendall(b"c\0")
            elif self.accepts(args):
                _follow(door)
                self._become(task, files)
                door.sendall(b"c" + bytes([self.run(args) & 0xFF]))
            else:
                door.send(b"n")
        except OSError:
            pass
        finally:
            os._exit(0)

    def _status(self, *, stops: bool) -> dict[str, Any]:
        """How the process is that answers, which ends if it `stops`."""
        process = os.getppid()
        memory = 0
        with contextlib.suppress(OSError), open(f"/proc/{process}/statm", "rb") as file:
            memory = int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        if stops:
            os.kill(process, signal.SIGTERM)
        known = {"pid": process, "started": self.began, "answered": self.answered}
        return known | {"memory": memory}

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


def serve(host: Host, idle: float, is_there: Callable[[], bool]) -> None:
    """Answers until nobody has asked for `idle` seconds, it is told to end, or is replaced."""
    host.listener.listen(_MOST)
    stop: list[int] = []
    signal.signal(signal.SIGTERM, lambda *_: stop.append(1))
    signal.signal(signal.SIGCHLD, lambda *_: None)  # so that it wakes us
    wake, woken = os.pipe()
    for file in (wake, woken):
        os.set_blocking(file, False)
    signal.set_wakeup_fd(woken)
    last = time.monotonic()
    while not stop and is_there():
        listener = host.listener.fileno()
        ready, _, _ = select.select([listener, wake], [], [], _LOOK)
        if wake in ready:
            with contextlib.suppress(OSError):
                os.read(wake, 1 << 10)
        if listener in ready:
            last = time.monotonic()
            host.answer()
        if host.reap():
            return
        if not host.children and time.monotonic() - last > idle:
            return


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


def _is_current(files: Sequence[str], began: float) -> bool:
    """Whether files are as they were then."""
    try:
        return all(os.stat(place).st_mtime <= began for place in files)
    except OSError:
        return False
