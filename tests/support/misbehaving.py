"""What the workers of test_pool.py run: tasks that go wrong in every way."""

import ctypes
import os
import signal
import sys
import time
from collections.abc import Callable
from typing import Any


def prepare(setup: Any) -> Callable[[Any], Any]:
    if setup == "bad setup":
        raise ValueError("no such setup")
    if setup == "dies":
        os._exit(7)
    return lambda task: _named(setup, task)


def _named(setup: Any, task: Any) -> Any:
    return globals()[f"do_{task[0]}"](setup, *task[1:])


def do_echo(setup: Any, value: Any) -> Any:
    return (setup, value)


def do_pid(setup: Any) -> int:
    return os.getpid()


def do_nap(setup: Any, seconds: float) -> int:
    time.sleep(seconds)
    return os.getpid()


def do_meet(setup: Any, folder: str, count: int) -> int:
    """Ends when so many processes are at it."""
    open(os.path.join(folder, str(os.getpid())), "w").close()
    while len(os.listdir(folder)) < count:
        time.sleep(0.005)
    return os.getpid()


def do_segfault(setup: Any) -> None:
    ctypes.string_at(0)


def do_loop(setup: Any) -> None:
    """Holds the GIL in C code for a very long time, as a parser may."""
    sum(range(1 << 62))


def do_exit(setup: Any, status: int) -> None:
    os._exit(status)


def do_hog(setup: Any) -> int:
    return len([bytes(1 << 24) for _ in range(1 << 20)])


def do_native_hog(setup: Any) -> None:
    """What C code does that gets no memory: it says so and aborts."""
    os.write(2, b"tree-sitter failed to allocate 4096 bytes")
    os.abort()


def do_abort(setup: Any) -> None:
    os.abort()


def do_raise(setup: Any) -> None:
    raise LookupError("a bug in a task")


def do_unmarshallable(setup: Any) -> object:
    return object()


def do_chatter(setup: Any) -> str:
    print("to stdout")
    os.write(1, b"to descriptor 1")
    sys.stderr.write("to stderr")
    return "said"


def do_big(setup: Any, size: int) -> bytes:
    return b"x" * size


def do_length(setup: Any, data: bytes) -> int:
    return len(data)


def do_interrupt(setup: Any) -> str:
    os.kill(os.getpid(), signal.SIGINT)
    return "still here"


def do_read(setup: Any, file: int) -> bytes:
    return os.read(file, 100)


def do_world(setup: Any) -> tuple[list[str], str, list[str]]:
    import astedit

    return sys.path, str(astedit.__file__), sorted(os.listdir("/proc/self/fd"))


def do_state(setup: Any) -> tuple[bool, list[int], bool, object]:
    """Whether this is a copy, its descriptors, and what a parent has set and a worker has not."""
    from astedit import limits

    files = [int(name) for name in os.listdir("/proc/self/fd")]
    default = signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    return "FORKED" in globals(), sorted(files)[:-1], default, limits._parse_time.get()
