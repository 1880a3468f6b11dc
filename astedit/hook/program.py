"""What a client starts before each edit of its agent: `astedit hook CLIENT`.

It imports nothing of ours but the client of residents. The call and the answer are nameless
files: a resident fills in the answer, or else a copy of this process that runs the command. It
comes within `SECONDS`, since a client takes a slow hook for one that has nothing to say. A
failure lets the call through, and says so; in the mode `require` it denies it.
"""

import os
import select
import sys
import time

from astedit.resident import client

TYPE_CHECKING = False  # what imports `typing` takes longer than all of this
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import NoReturn

SECONDS = 5.0
MOST = 128 * 1024 * 1024  # bytes of a call
_CLOSED = "require"
_CHUNK = 1 << 16
_KILL = 9


def main(args: "Sequence[str]", run: "Callable[[list[str]], int]") -> int | None:
    """Answers the call on standard input; None where the arguments are for the command itself.

    `run` runs a command line in this process, which happens where no resident takes it.
    """
    mode = mode_of(args)
    if mode is None:
        return None
    end = time.monotonic() + SECONDS
    out = err = b""
    try:
        _take_call(call := client.scratch(), end)
        code, out, err = _answer(["hook", *args], call, end, run)
    except (OSError, ValueError, MemoryError) as error:
        code, err = failed(mode, str(error) or type(error).__name__)
    else:
        if code not in (0, 2 if mode == _CLOSED else 0):  # wrong arguments are a failure, too
            why = err.decode("utf-8", "replace").strip() or "astedit broke"
            (code, err), out = failed(mode, why), b""
    return _print(code, out, err, mode)


def _answer(
    words: "list[str]", call: int, end: float, run: "Callable[[list[str]], int]"
) -> tuple[int, bytes, bytes]:
    """Exit code, output and errors of a resident, or else of a copy of this process."""
    code, files = None, (call, client.scratch(), client.scratch())
    if os.environ.get("ASTEDIT_RESIDENT") != "0":
        try:
            os.lseek(call, 0, os.SEEK_SET)
            code = client.answered(words, files, end, start_one=True)
        except OSError:  # it was killed on the way: what it has said so far does not count
            files = call, client.scratch(), client.scratch()
    if code is None:
        os.lseek(call, 0, os.SEEK_SET)
        code = _forked(words, files, end, run)
    out, err = (os.pread(file, os.fstat(file).st_size, 0) for file in files[1:])
    return code, out, err


def mode_of(args: "Sequence[str]") -> str | None:
    """The mode that arguments name; None where they ask for help, or name no client."""
    if not args or args[0].startswith("-") or not {"-h", "--help"}.isdisjoint(args):
        return None
    mode = "offer"
    for word, following in zip(args, [*args[1:], ""], strict=True):
        if word.startswith("--mode"):
            mode = word.partition("=")[2] or following
    return mode


def failed(mode: str, why: str) -> tuple[int, bytes]:
    """Exit code and words of a hook without an answer: open, or closed in the mode `require`."""
    why = " ".join(why.split())[:2_000]
    if mode == _CLOSED:
        code, text = (
            2,
            f"astedit could not look at this call, and nothing passes unseen here: {why}",
        )
    else:
        code, text = 0, f"astedit hook: let through, unseen: {why}"
    return code, f"{text}\n".encode("utf-8", "backslashreplace")


def _take_call(file: int, end: float) -> None:
    """Takes in the call; ValueError for one that is too long, or does not come to its end."""
    size = 0
    while True:
        if not select.select([0], [], [], max(end - time.monotonic(), 0))[0]:
            raise ValueError("the call did not come to its end in time")
        part = os.read(0, _CHUNK)
        if not part:
            return
        size += len(part)
        if size > MOST:
            raise ValueError(f"the call has more than {MOST // 1024 // 1024} MiB")
        while part:
            part = part[os.write(file, part) :]


def _forked(
    words: "list[str]", files: "Sequence[int]", end: float, run: "Callable[[list[str]], int]"
) -> int:
    """Runs the command in a copy of this process, which is killed when the time is over."""
    ended, lifeline = os.pipe()
    pid = os.fork()
    if pid == 0:
        _child(files, words, run)
    os.close(lifeline)
    in_time = bool(select.select([ended], [], [], max(end - time.monotonic(), 0))[0])
    if not in_time:
        os.kill(pid, _KILL)
    _, status = os.waitpid(pid, 0)
    if not in_time:
        raise ValueError(f"no answer within {SECONDS:g} s")
    return os.waitstatus_to_exitcode(status)


def _child(
    files: "Sequence[int]", words: "list[str]", run: "Callable[[list[str]], int]"
) -> "NoReturn":
    code = 1
    try:
        for number, file in enumerate(files):
            os.dup2(file, number)
        code = run(words)
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)


def _print(code: int, out: bytes, err: bytes, mode: str) -> int:
    """Hands the answer to the client; where nobody reads it any more, only the code is left."""
    for file, text in ((2, err), (1, out)):
        try:
            while text:
                text = text[os.write(file, text) :]
        except OSError:
            code = 2 if mode == _CLOSED else code
    return code
