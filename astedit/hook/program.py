"""What a client starts before each edit of its agent: `astedit hook CLIENT`.

It imports nothing of ours but the client of residents. A copy of this process takes the call
to a resident, or runs the command itself; the system ends it after `SECONDS`, since a client
takes a slow hook for one that has nothing to say. A failure lets the call through, and says so;
in the mode `require` it denies it.
"""

import os
import sys
import time

from astedit.resident import client

TYPE_CHECKING = False  # what imports `typing` takes longer than all of this
if TYPE_CHECKING:
    import signal
    from collections.abc import Callable, Sequence
else:
    import _signal as signal  # which the system knows; around it are names alone

SECONDS = 5.0
UNTIL = "ASTEDIT_HOOK_UNTIL"  # when nobody waits for the answer any more, by the system's clock
MOST = 128 * 1024 * 1024  # bytes of a call
_CLOSED = "require"
_BLIND = "astedit could not look at this call, and nothing passes unseen here"
_CHUNK = 1 << 16


def main(args: "Sequence[str]", run: "Callable[[list[str]], int]") -> int | None:
    """Answers the call on standard input; None where the arguments are for the command itself.

    That is so where they ask for help, or name no client. `run` runs a command line in this
    process, which happens where no resident takes it.
    """
    if not args or args[0].startswith("-") or not {"-h", "--help"}.isdisjoint(args):
        return None
    is_closed = any(word.endswith(_CLOSED) for word in args)
    try:
        code, out, err = _answer(["hook", *args], run)
    except OSError as error:
        code, out, err = 1, b"", str(error).encode("utf-8", "replace")
    if code:  # wrong arguments are a failure, too
        why = err.decode("utf-8", "replace").rpartition("\nerror: ")[2].removeprefix("error: ")
        head = _BLIND if is_closed else "astedit hook: let through, unseen"
        line = f"{head}: {' '.join(why.split())[:2_000] or 'astedit broke'}\n"
        code, out, err = 2 if is_closed else 0, b"", line.encode("utf-8", "backslashreplace")
    for file, text in ((2, err), (1, out)):
        try:
            _write(file, text)
        except OSError:  # nobody reads it any more: only the code is left
            code = 2 if is_closed else code
    return code


def _answer(words: "list[str]", run: "Callable[[list[str]], int]") -> tuple[int, bytes, bytes]:
    """Exit code, output and errors of a copy of this process, which ends when the time is over."""
    files = _scratch(), _scratch()
    pid = os.fork()
    if pid == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)  # whatever the client does with it
        signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGALRM,))
        signal.setitimer(signal.ITIMER_REAL, SECONDS)
        os.environ[UNTIL] = str(time.monotonic() + SECONDS)
        code = 1
        try:
            for number, file in enumerate((_taken_call(), *files)):
                os.dup2(file, number)
            code = _run(words, run)
            sys.stdout.flush()
            sys.stderr.flush()
        except (OSError, ValueError, MemoryError) as error:
            _write(files[1], f"error: {error}".encode("utf-8", "replace"))
        finally:
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if code == -signal.SIGALRM:
        return 1, b"", f"no answer within {SECONDS:g} s".encode()
    out, err = (os.pread(file, os.fstat(file).st_size, 0) for file in files)
    return code, out, err


def _taken_call() -> int:
    """A nameless file with the call; ValueError for one that is too long."""
    call, size = _scratch(), 0
    while part := os.read(0, _CHUNK):
        size += len(part)
        if size > MOST:
            raise ValueError(f"the call has more than {MOST // 1024 // 1024} MiB")
        _write(call, part)
    os.lseek(call, 0, os.SEEK_SET)
    return call


def _run(words: "list[str]", run: "Callable[[list[str]], int]") -> int:
    """The exit code of a resident, or else of the command in this process."""
    if os.environ.get("ASTEDIT_RESIDENT") != "0":
        try:
            code = client.answered(words, start_one=True)
            if code is not None:
                return code
        except OSError:  # it was killed on the way: what it has said so far does not count
            for file in range(3):
                os.lseek(file, 0, os.SEEK_SET)
                if file:
                    os.ftruncate(file, 0)
    return run(words)


def _scratch() -> int:
    """A nameless file."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create("astedit")
    import tempfile

    with tempfile.TemporaryFile() as temporary:
        return os.dup(temporary.fileno())


def _write(file: int, text: bytes) -> None:
    while text:
        text = text[os.write(file, text) :]
