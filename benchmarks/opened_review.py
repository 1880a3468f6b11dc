"""The terminal's review of a pending plan: `python -m benchmarks.opened_review ROOT key|open`.

Starts `astedit review` on a terminal of 120 columns, and prints the seconds until the edits
are on the screen, or those that the answer to a key takes then.
"""

import fcntl
import os
import pty
import select
import struct
import sys
import termios
import time

_SHOWN, _QUIET = b" decided", 0.3  # what the screen says when it is there; seconds without output


def main(root: str, what: str) -> None:
    """Prints the seconds."""
    started = time.perf_counter()
    process, terminal = pty.fork()
    if process == 0:
        os.environ["TERM"] = "xterm-256color"
        os.chdir(root)
        os.execv(sys.executable, [sys.executable, "-m", "astedit", "review"])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    opened = _until(terminal, _SHOWN) - started
    while _next(terminal, _QUIET):
        pass
    pressed = time.perf_counter()
    os.write(terminal, b"j")
    _next(terminal, 10)
    key = time.perf_counter() - pressed
    os.write(terminal, b"q")
    while _next(terminal, 10):
        pass
    os.waitpid(process, 0)
    print(key if what == "key" else opened)


def _until(terminal: int, word: bytes) -> float:
    text = b""
    while word not in text:
        text += _next(terminal, 60) or sys.exit(f"no {word!r} on the screen: {text[-300:]!r}")
    return time.perf_counter()


def _next(terminal: int, seconds: float) -> bytes:
    """What is written next; nothing when it takes longer, or at the end."""
    ready, _, _ = select.select([terminal], [], [], seconds)
    try:
        return os.read(terminal, 65_536) if ready else b""
    except OSError:  # the other end is closed
        return b""


if __name__ == "__main__":
    main(*sys.argv[1:])
