"""Runs one command to its end, and ends whatever it leaves behind.

Between this process and the command stands another one, which waits for it: where there is
a namespace of process ids that one is number 1, and the kernel ends the rest with it. The
command has no terminal, and its input is empty, unless it is attached to ours.
"""

import contextlib
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

from astedit.sandbox import namespace

_TAIL = 1 << 20  # bytes of output that are kept
_LOOK = 0.02  # seconds between two looks at the clock and at the room
# What Python ignores, or we handle, and a program would inherit.
_FOR_IT = (signal.SIGINT, signal.SIGQUIT)  # what a terminal sends to a command that has it
_RESET = (signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ, signal.SIGIO, signal.SIGTERM)


class ContainedCommand(NamedTuple):
    """What is run: its words, its environment, its directory, and for how long at most.

    With `ends_when_full` it is ended where it has no room; else its writes fail by themselves.
    `attached`, it has our own input, output and terminal.
    """

    words: Sequence[str]
    environment: Mapping[str, str]
    directory: str
    seconds: float | None
    ends_when_full: bool = False
    attached: bool = False


def run(command: ContainedCommand, full: Callable[[], bool]) -> dict[str, Any]:
    """Runs it and returns how it ended, as plain data.

    `status` is its exit status, negative for a signal; None if it was ended here, then
    `ended` says why: `timeout`, `full` or `killed`; or if it could not be started, then
    `error` holds the number of the error.
    """
    started = time.monotonic()
    namespace.adopt_orphans()
    output, status, lifeline = os.pipe(), os.pipe(), os.pipe()
    process = os.fork()
    if process == 0:
        os.close(lifeline[1])
        _wait_as_first(command, output[1], status[1], lifeline[0])
    for file in (output[1], status[1], lifeline[0]):
        os.close(file)
    try:
        tail, ended, was_full = _followed(process, output[0], command, full)
    finally:
        _end_all(process)
    report = os.read(status[0], 100).split()
    result: dict[str, Any] = {"status": None, "error": None, "ended": ended, "full": was_full}
    if report and ended is None:
        result["error" if report[0] == b"error" else "status"] = int(report[1])
    elif ended is None:
        result["ended"] = "killed"
    end = tail[-_TAIL:].decode("latin-1")
    return result | {"seconds": time.monotonic() - started, "output": end}


def _followed(
    process: int, output: int, command: ContainedCommand, full: Callable[[], bool]
) -> tuple[bytearray, str | None, bool]:
    """Reads what it prints until it ends; returns the end of that, and why it was ended."""
    end = None if command.seconds is None else time.monotonic() + command.seconds
    tail, was_full, open_ = bytearray(), False, True
    os.set_blocking(output, False)
    while not _ended(process):
        was_full = was_full or full()
        if was_full and command.ends_when_full:
            return tail, "full", True
        if end is not None and time.monotonic() > end:
            return tail, "timeout", was_full
        if open_:
            open_ = _read(output, tail, _LOOK)
        else:
            time.sleep(_LOOK)
    while open_ and _read(output, tail, 0):
        pass
    return tail, None, was_full or full()


def _read(output: int, tail: bytearray, wait: float) -> bool:
    """Reads once; False at the end, or if nothing came though nobody waited for it."""
    ready, _, _ = select.select([output], [], [], wait)
    if not ready:
        return wait > 0
    part = os.read(output, 1 << 16)
    tail += part
    if len(tail) > 2 * _TAIL:
        del tail[:-_TAIL]
    return bool(part)


def _ended(process: int) -> bool:
    """Whether it has ended; other orphans are taken up on the way."""
    with contextlib.suppress(ChildProcessError):
        while True:
            pid, _ = os.waitpid(-1, os.WNOHANG)
            if pid == process:
                return True
            if pid == 0:
                return False
    return True


def _end_all(process: int) -> None:
    """Kills it and whatever it leaves to this process, however deep."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)
    own = f"/proc/self/task/{os.getpid()}/children"
    with contextlib.suppress(ChildProcessError, FileNotFoundError):
        while True:
            with open(own) as file:
                for child in file.read().split():
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(int(child), signal.SIGKILL)
            os.waitpid(-1, 0)


def _wait_as_first(command: ContainedCommand, output: int, status: int, lifeline: int) -> NoReturn:
    """Starts the command, waits for it, and says how it ended; never returns."""
    try:
        for number in _RESET:
            signal.signal(number, signal.SIG_DFL)
        os.chdir("/")  # what the command can see of us leads nowhere into the tree as it is
        for number in _FOR_IT if command.attached else ():
            signal.signal(number, signal.SIG_IGN)
        _close_all_but({output, status, lifeline} | ({0, 1, 2} if command.attached else set()))
        namespace.die_with_parent()
        if select.select([lifeline], [], [], 0)[0]:  # it has ended before that
            os._exit(1)
        if os.getpid() == 1:
            namespace.mount_processes()
        process = os.fork()
        if process == 0:
            _become(command, output, status)
        while True:
            pid, state = os.wait()
            if pid == process:
                os.write(status, f"exit {os.waitstatus_to_exitcode(state)}".encode())
                os._exit(0)
    finally:
        os._exit(1)


def _close_all_but(files: set[int]) -> None:
    for name in os.listdir("/dev/fd"):
        if int(name) not in files:
            with contextlib.suppress(OSError):  # the one that was listed by
                os.close(int(name))


def _become(command: ContainedCommand, output: int, status: int) -> NoReturn:
    """Turns this process into the command."""
    try:
        namespace.die_with_parent()
        for number in _FOR_IT:
            signal.signal(number, signal.SIG_DFL)
        if not command.attached:
            os.setsid()
            for target, file in enumerate((os.open(os.devnull, os.O_RDWR), output, output)):
                os.dup2(file, target)
        os.chdir(command.directory)
        namespace.restrain()
        os.execvpe(command.words[0], list(command.words), dict(command.environment))
    except OSError as error:
        os.write(status, f"error {error.errno}\n".encode())
    finally:
        sys.stdout = None
        os._exit(127)
