"""What a client starts before each edit of its agent: `astedit hook CLIENT`.

It imports nothing of ours. The call goes to the resident, or to a copy of this process that
runs the command, and an answer comes within `SECONDS`, since a client takes a slow hook for
one that has nothing to say. A failure lets the call through, and says so; in the mode
`require` it denies it.
"""

import os
import select
import signal
import sys
import time
from collections.abc import Callable, Sequence
from typing import NoReturn

HookAnswer = tuple[int, bytes, bytes]  # exit code, standard output, standard error
Ask = Callable[[list[str], bytes, float], "HookAnswer | None"]
RunCommand = Callable[[list[str]], int]

SECONDS = 5.0
MOST = 128 * 1024 * 1024  # bytes of a call
_CLOSED = "require"
_CHUNK = 1 << 16


def main(args: Sequence[str], run: RunCommand, ask: Ask | None = None) -> int | None:
    """Answers the call on standard input; None where the arguments are for the command itself.

    `run` runs a command line in this process. `ask` is asked first, with the command line, the
    call, and for how many seconds it may take; it returns None where nobody else answers.
    """
    mode = mode_of(args)
    if mode is None:
        return None
    end = time.monotonic() + SECONDS
    try:
        call = _read(end)
        command = ["hook", *args]
        answer = ask(command, call, end - time.monotonic()) if ask is not None else None
        answer = answer or _forked(command, call, end, run)
    except (OSError, ValueError, MemoryError) as error:
        answer = failed(mode, str(error) or type(error).__name__)
    if answer[0] not in (0, 2 if mode == _CLOSED else 0):  # wrong arguments are a failure, too
        answer = failed(mode, answer[2].decode("utf-8", "replace").strip() or "astedit broke")
    return _print(answer, mode)


def mode_of(args: Sequence[str]) -> str | None:
    """The mode that arguments name; None where they ask for help, or name no client."""
    if not args or args[0].startswith("-") or not {"-h", "--help"}.isdisjoint(args):
        return None
    mode = "offer"
    for word, following in zip(args, [*args[1:], ""], strict=True):
        if word.startswith("--mode"):
            mode = word.partition("=")[2] or following
    return mode


def failed(mode: str, why: str) -> HookAnswer:
    """The answer of a hook that has none: open, or closed in the mode `require`."""
    why = " ".join(why.split())[:2_000]
    if mode == _CLOSED:
        text = f"astedit could not look at this call, and nothing passes unseen here: {why}\n"
        return 2, b"", text.encode("utf-8", "backslashreplace")
    text = f"astedit hook: let through, unseen: {why}\n"
    return 0, b"", text.encode("utf-8", "backslashreplace")


def _read(end: float) -> bytes:
    """The call; ValueError for one that is too long, or does not come to its end."""
    parts, size = list[bytes](), 0
    while True:
        if not select.select([0], [], [], max(end - time.monotonic(), 0))[0]:
            raise ValueError("the call did not come to its end in time")
        part = os.read(0, _CHUNK)
        if not part:
            return b"".join(parts)
        parts.append(part)
        size += len(part)
        if size > MOST:
            raise ValueError(f"the call has more than {MOST // 1024 // 1024} MiB")


def _forked(command: list[str], call: bytes, end: float, run: RunCommand) -> HookAnswer:
    """Runs the command in a copy of this process, which is killed when the time is over."""
    out, err = os.pipe(), os.pipe()
    pid = os.fork()
    if pid == 0:
        _child(command, call, out[1], err[1], run)
    os.close(out[1])
    os.close(err[1])
    texts: dict[int, list[bytes]] = {out[0]: [], err[0]: []}
    waiting = set(texts)
    try:
        while waiting:
            ready = select.select(list(waiting), [], [], max(end - time.monotonic(), 0))[0]
            if not ready:
                raise ValueError(f"no answer within {SECONDS:g} s")
            for file in ready:
                part = os.read(file, _CHUNK)
                texts[file].append(part)
                waiting -= set() if part else {file}
    except BaseException:
        os.kill(pid, signal.SIGKILL)
        raise
    finally:
        _, status = os.waitpid(pid, 0)
        os.close(out[0])
        os.close(err[0])
    code = os.waitstatus_to_exitcode(status)
    return code, b"".join(texts[out[0]]), b"".join(texts[err[0]])


def _child(command: list[str], call: bytes, out: int, err: int, run: RunCommand) -> NoReturn:
    code = 1
    try:
        import gc
        import io

        gc.disable()
        os.dup2(out, 1)
        os.dup2(err, 2)
        sys.stdin = io.TextIOWrapper(io.BytesIO(call))
        code = run(command)
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)


def _print(answer: HookAnswer, mode: str) -> int:
    """Hands the answer to the client; where nobody reads it any more, only the code is left."""
    code, out, err = answer
    for file, text in ((2, err), (1, out)):
        try:
            while text:
                text = text[os.write(file, text) :]
        except OSError:
            code = 2 if mode == _CLOSED else code
    return code
