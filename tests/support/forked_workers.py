"""Processes of ours that are forked from one which has done their imports.

A worker takes a seventh of a second to start, a server a whole one, nearly all of it imports,
and the tests start a thousand. What is tested stays: a process of its own, its pipes, its
limits, its end. Real starts are those that a test asks for (`really`, `executable=`),
those from a shell or under strace, and where the environment that Python itself
reads, or the search path, is another.
"""

import ctypes
import fcntl
import gc
import importlib
import marshal
import os
import runpy
import signal
import socket
import subprocess
import sys
import termios
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from astedit import ast_edit, programs
from astedit.campaign import task
from astedit.workers import worker, worker_main
from tests.support import REPOSITORY

_CLONE_PARENT = 0x8000  # the child is one of our parent, who waits for it
_SYS_CLONE = {"x86_64": 56, "aarch64": 220}
_FAR = 600  # above every descriptor that a process is given
_RULE = "{id: r, language: python, rule: {pattern: f($A)}, fix: g($A)}"
# What is run as `python -m`, and the modules that it imports.
_MODULES = {
    ("-m", "astedit", "mcp"): "astedit.cli.commands.mcp astedit.mcp.server astedit.mcp.http",
    ("-P", "-m", "astedit.campaign.task"): "astedit.campaign.task",
    ("-m", "astedit", "lsp"): "astedit.cli.commands.lsp astedit.lsp.server",
    ("-m", "astedit"): "astedit.cli.main astedit.cli.commands.resolve",
}
_SCRIPT = str(Path(sys.executable).with_name("astedit"))
_HARMLESS = ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE")
really = programs.spawn  # as it is for a user
_servers: set[str] = set()  # their process ids, and those of what earlier tests left


def children() -> set[str]:
    """The processes that this one has started and not waited for, but for the one that forks."""
    started: set[str] = set()
    for thread in Path("/proc/self/task").glob("*/children"):
        with suppress(OSError):  # a thread that has just ended: its children are another one's
            started.update(thread.read_text().split())
    return started - _servers


def forget() -> None:
    """Takes those that are there for none of a test that begins: an earlier one left them."""
    _servers.update(children())


def start() -> None:
    """Has processes forked from now on, where the system can."""
    if sys.platform == "linux" and os.uname().machine in _SYS_CLONE:
        _Popen.server = server = _Server()
        programs.spawn = worker.spawn = task.spawn = server.spawn
        subprocess.Popen = _Popen  # type: ignore[misc]


class _Server:
    """The process that forks; it ends with this one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._owner = os.getpid()
        self._path = set(worker._search_path())
        code = worker._command(worker.MEMORY)[-1]
        self._worker = code[code.index("from astedit") :]
        self._ours, theirs = socket.socketpair(type=socket.SOCK_SEQPACKET)
        with theirs:
            command = [
                sys.executable,
                "-c",
                "from tests.support.forked_workers import serve; serve()",
            ]
            files = (theirs.fileno(), 1, 2)
            environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
            child = programs.spawn(command, environment, files)
        _servers.add(str(child.pid))

    def spawn(
        self,
        argv: Sequence[str],
        environment: Mapping[str, str],
        files: Sequence[int],
        *,
        own_group: bool = False,
        lifeline: bool = False,
    ) -> programs.Child:
        """A worker of a pool or of a campaign, or a server, as `programs.spawn` starts one."""
        if argv[0] == _SCRIPT:
            argv = [sys.executable, "-m", "astedit", *argv[1:]]
        module, imports = self.forks(argv, environment)
        usual = argv[-1].endswith(self._worker) and set(worker._search_path()) == self._path
        if lifeline or not (module or usual) or os.getpid() != self._owner:
            return really(argv, environment, files, own_group=own_group, lifeline=lifeline)
        more = {"cwd": os.getcwd(), "session": False, "imports": imports} if module else {}
        words = [*argv[argv.index(module) :]] if module else []
        pid = self.fork(module, words, environment, files, range(len(files)), **more)
        return programs.Child(pid)

    def fork(
        self, module: str, argv: list[str], environment: Mapping[str, str], *files: Any, **more: Any
    ) -> int:
        """The id of a new process; of `files` the numbers here, and those that they have there."""
        here, there = files
        order = (module, argv, dict(environment), tuple(there), more)
        with self._lock:
            socket.send_fds(self._ours, [marshal.dumps(order)], here)
            return int(self._ours.recv(16))

    def forks(self, args: Any, environment: Mapping[str, str] | None) -> tuple[str, str]:
        """The module that a command runs and what it imports; nothing if it is not forked."""
        words = tuple(args) if isinstance(args, list | tuple) else ()
        if words[:1] != (sys.executable,) or os.getpid() != self._owner:
            return "", ""
        for start, imports in _MODULES.items():
            if words[1 : 1 + len(start)] == start and _is_usual(environment):
                return start[start.index("-m") + 1], imports
        return "", ""


def _is_usual(environment: Mapping[str, str] | None) -> bool:
    """Whether nothing differs that an interpreter or a loader reads when it starts."""
    read = ("PYTHON", "LC_", "LANG", "LD_", "MALLOC")
    new = os.environ if environment is None else environment
    places = {"", str(REPOSITORY), *sys.path}
    return places.issuperset(new.get("PYTHONPATH", "").split(os.pathsep)) and all(
        name in _HARMLESS or os.environ.get(name) == new.get(name)
        for name in os.environ.keys() | new.keys()
        if name.startswith(read)
    )


class _Popen(subprocess.Popen[Any]):
    """Forks what can be; starts all else."""

    server: _Server

    def _execute_child(self, args: Any, *more: Any) -> None:
        preexec, _, passed, cwd, environment = more[1:6]
        pipes = more[9:15]
        real = more[0] or more[8] or preexec not in (None, take_terminal)
        module, imports = ("", "") if real else self.server.forks(args, environment)
        if not module:
            super()._execute_child(args, *more)  # type: ignore[misc]
            return
        streams = enumerate((pipes[0], pipes[3], pipes[5]))
        here = (*(own if pipe == -1 else pipe for own, pipe in streams), *passed)
        settings = {
            "cwd": os.fspath(cwd or os.getcwd()),
            "session": bool(more[-2]),
            "imports": imports,
        }
        argv = [*args[args.index(module) :]]
        new = os.environ if environment is None else environment
        try:
            self.pid = self.server.fork(module, argv, new, here, (0, 1, 2, *passed), **settings)
            self._child_created = True
        finally:
            self._close_pipe_fds(*pipes)  # type: ignore[attr-defined]


def take_terminal() -> None:
    """Makes the terminal on standard input that of this process, which leads a session."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def serve() -> None:
    """Forks a process for each message, until the other end is closed."""
    with TemporaryDirectory() as root:
        Path(root, "a.py").write_text("f(1)\n")
        ast_edit(rules=_RULE, root=root)  # imports what most workers need, and starts none
    importlib.import_module("libcst")
    gc.freeze()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    call = ctypes.PyDLL(None).syscall
    number = _SYS_CLONE[os.uname().machine]
    ours = socket.socket(fileno=os.dup(0))
    while True:
        message, files, *_ = socket.recv_fds(ours, 1 << 20, 16)
        if not message:
            return
        module, argv, environment, there, more = marshal.loads(message)
        for name in more.pop("imports", "").split():
            importlib.import_module(name)
        ctypes.pythonapi.PyOS_BeforeFork()
        pid = call(number, _CLONE_PARENT | signal.SIGCHLD, 0, 0, 0, 0)
        if pid == 0:
            ctypes.pythonapi.PyOS_AfterFork_Child()
            ours.close()
            _take(files, there)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            if not module:
                _be_worker()
            _run(module, argv, environment, **more)
            return
        ctypes.pythonapi.PyOS_AfterFork_Parent()
        ours.send(str(pid).encode())
        for file in files:
            os.close(file)


def _take(files: list[int], there: tuple[int, ...]) -> None:
    """Makes descriptors those with the numbers `there`, and closes all others."""
    copies = [fcntl.fcntl(file, fcntl.F_DUPFD, _FAR) for file in files]
    for place, copy in zip(there, copies, strict=True):
        os.dup2(copy, place)
    for name in os.listdir("/proc/self/fd"):
        if int(name) not in there:
            try:
                os.close(int(name))
            except OSError:  # that of the listing itself
                continue


def _stream(number: int, mode: str, **more: Any) -> Any:
    return open(number, mode, closefd=False, **more)


def _be_worker() -> None:
    sys.path = [entry for entry in sys.path if entry]
    os.setpgid(0, 0)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        worker_main.main(worker.MEMORY)
    except BaseException:
        sys.excepthook(*sys.exc_info())
        os._exit(1)
    os._exit(0)


def _run(
    module: str, argv: list[str], environment: dict[str, str], cwd: str, session: bool
) -> None:
    """Runs a module as `python -m` does."""
    if session:
        os.setsid()
        if os.isatty(0):
            take_terminal()
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = argv
    sys.path = [entry for entry in sys.path if entry]
    sys.stdin, sys.stdout = _stream(0, "r"), _stream(1, "w")
    sys.stderr = _stream(2, "w", buffering=1, errors="backslashreplace")
    runpy.run_module(module, run_name="__main__", alter_sys=True)
    sys.stdout.flush()
    os._exit(0)  # nobody needs the modules taken apart
