"""Workers that are forked from a process which has imported what a worker needs.

A worker takes a seventh of a second to start, nearly all of it imports, and the tests start
a thousand. What is tested stays: a process of its own, its pipes, its limits, its end. Whoever
tests how a worker starts takes `programs.spawn`, as do other interpreters and search paths.
"""

import ctypes
import gc
import importlib
import os
import signal
import socket
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from astedit import ast_edit, programs
from astedit.workers import worker, worker_main

_CLONE_PARENT = 0x8000  # the child is one of our parent, who waits for it
_SYS_CLONE = {"x86_64": 56, "aarch64": 220}
_FAR = 64  # above every descriptor that a worker is given
_RULE = "{id: r, language: python, rule: {pattern: f($A)}, fix: g($A)}"


_servers: set[str] = set()  # their process ids


def children() -> set[str]:
    """The processes that this one has started and not waited for, but for the one that forks."""
    tasks = Path("/proc/self/task").glob("*/children")
    return {child for task in tasks for child in task.read_text().split()} - _servers


class ForkedWorkers:
    """Starts workers as `programs.spawn` does, from one process that ends with this one."""

    def __init__(self) -> None:
        self._owner = os.getpid()
        self._path = set(worker._search_path())
        *command, code = worker._command(worker.MEMORY)
        start, own, self._end = code.partition("from astedit")
        self._end = own + self._end
        start += f"from tests.support.forked_workers import serve; serve({worker.MEMORY})"
        self._ours, theirs = socket.socketpair()
        with theirs:
            child = programs.spawn([*command, start], os.environ, (theirs.fileno(), 1, 2))
        _servers.add(str(child.pid))

    def spawn(
        self,
        argv: Sequence[str],
        environment: Mapping[str, str],
        files: Sequence[int],
        *,
        own_group: bool = False,
    ) -> programs.Child:
        usual = argv[-1].endswith(self._end) and set(worker._search_path()) == self._path
        if not usual or os.getpid() != self._owner:
            return programs.spawn(argv, environment, files, own_group=own_group)
        socket.send_fds(self._ours, [b"x"], files)
        return programs.Child(int(self._ours.recv(16)))


def start() -> None:
    """Has workers forked from now on, where the system can."""
    if sys.platform == "linux" and os.uname().machine in _SYS_CLONE:
        worker.spawn = ForkedWorkers().spawn


def serve(memory: int) -> None:
    """Forks a worker for each message, until the other end is closed."""
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
        word, files, *_ = socket.recv_fds(ours, 1, 16)
        if not word:
            return
        ctypes.pythonapi.PyOS_BeforeFork()
        pid = call(number, _CLONE_PARENT | signal.SIGCHLD, 0, 0, 0, 0)
        if pid == 0:
            ctypes.pythonapi.PyOS_AfterFork_Child()
            _become(files, memory)
        ctypes.pythonapi.PyOS_AfterFork_Parent()
        ours.send(str(pid).encode())
        for file in files:
            os.close(file)


def _become(files: list[int], memory: int) -> None:
    """The new process is the worker, with these descriptors as 0, 1, 2, ..."""
    os.setpgid(0, 0)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    copies = [os.dup2(file, _FAR + place) for place, file in enumerate(files)]
    for place, copy in enumerate(copies):
        os.dup2(copy, place)
    os.closerange(len(files), _FAR + len(files))
    try:
        worker_main.main(memory)
    except BaseException:
        sys.excepthook(*sys.exc_info())
        os._exit(1)
    os._exit(0)
