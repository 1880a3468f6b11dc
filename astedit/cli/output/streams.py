"""Where output goes: data to stdout as bytes, everything else to stderr as safe text."""

import errno
import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Any, TextIO

from resolve.visible import visible

STDOUT = "standard output"
PATH, NUMBER, HIT, ID = "35", "32", "1;31", "33"  # colours, as ripgrep and git have them
Paint = Callable[[str, str], str]  # a colour and a text, to the text in it
_RESET = "\x1b[0m"
DELAY = 1.0  # seconds; a shorter run needs no count of files
_PAUSE = 0.1  # seconds between two counts
_FLAGS = {"LESS": "FRX", "LV": "-c"}  # as git sets them: colours pass, one screen stays
_NO_PAGER: tuple[list[str], ...] = ([], ["cat"])
_pager: "Pager | None" = None


def page() -> None:
    """Lets what is written to stdout from now on go through the person's pager, if it is long."""
    global _pager
    _pager = None
    if terminal(sys.stdout):
        command = pager_command()
        _pager = Pager(command) if command and os.environ.get("TERM", "dumb") != "dumb" else None


def data(content: bytes) -> None:
    """Writes to stdout exactly these bytes. Raises OSError, BrokenPipeError included."""
    if sys.stdout is None:  # closed by the caller (`>&-`); fd 1 may be another file by now
        raise OSError(errno.EBADF, "it is closed", STDOUT)
    with _printing():
        (_pager or sys.stdout.buffer).write(content)


@contextmanager
def _printing() -> Iterator[None]:
    """Names what could not be written; a full disk names nothing."""
    try:
        yield
    except OSError as error:
        error.filename = STDOUT
        raise


def text(line: str) -> None:
    """Writes text and a newline to stdout, with what steers a terminal made visible."""
    data(visible(line).encode("utf-8") + b"\n")


def texts(lines: Iterable[str]) -> None:
    """Writes many lines of text, made visible at once: one write, whatever their number."""
    if content := "\n".join(lines):
        text(content)


def document(value: Any) -> None:
    """Writes one JSON document to stdout; file names that are not UTF-8 keep their surrogates."""
    data(as_json(value, indent=2) + b"\n")


def answer(value: Any, lines: Iterable[str], *, as_json: bool, nothing: str = "") -> None:
    """Writes what a command has found: as one document, or as lines for a person.

    Where there is no line the person reads `nothing`, on stderr.
    """
    if as_json:
        document(value)
    elif rows := [*lines]:
        texts(rows)
    elif nothing:
        note(nothing)


def as_json(value: Any, *, indent: int | None = None) -> bytes:
    """JSON as UTF-8; what cannot be UTF-8 (a surrogate) makes the whole text ASCII escapes."""
    separators = None if indent else (",", ":")
    try:
        shown = json.dumps(value, ensure_ascii=False, indent=indent, separators=separators)
        return shown.encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(value, indent=indent, separators=separators).encode("ascii")


def much_as_json(value: Any, *, indent: int | None = None) -> bytes:
    """The same bytes, four to six times as fast, for 15 ms once."""
    from pydantic_core import PydanticSerializationError, to_json

    try:
        return to_json(value, indent=indent)
    except PydanticSerializationError:  # a surrogate
        return as_json(value, indent=indent)


def note(line: str) -> None:
    """Writes one line to stderr for a person; a lost stderr never fails a command."""
    if sys.stderr is None:
        return
    if _pager is not None and _pager.holds:
        flush()  # what was written before is read before
    try:
        sys.stderr.write(visible(line) + "\n")
        sys.stderr.flush()
    except (OSError, ValueError):  # nobody reads it; what was asked for still happens
        return


def notes(lines: Iterable[str]) -> None:
    """Writes each of these lines as `note` does, when it is there."""
    for line in lines:
        note(line)


def warn(warnings: Iterable[str]) -> None:
    """Writes each of these as a warning, which ends nothing."""
    notes(f"warning: {warning}" for warning in warnings)


def prompt(question: str) -> None:
    """Writes a question to stderr; the answer is typed behind it."""
    if sys.stderr is not None:
        sys.stderr.write(visible(question))
        sys.stderr.flush()


def flush() -> None:
    """Hands buffered data to the system, so that a full disk is an error of the command.

    Where a pager shows it, that waits until the person has read it.
    """
    global _pager
    if sys.stdout is None:
        return
    ending, _pager = _pager, None
    with _printing():
        if ending is not None:
            ending.end()
        sys.stdout.buffer.flush()


def abandon_stdout() -> None:
    """Points stdout at nothing, so that the interpreter's last flush is quiet too."""
    if sys.stdout is None:
        return
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, sys.stdout.fileno())
    os.close(nothing)


def terminal(stream: TextIO | None) -> bool:
    """True if a person looks at this stream."""
    return stream is not None and stream.isatty()


def coloured() -> bool:
    """True if stdout takes colour: a terminal, unless NO_COLOR; or FORCE_COLOR."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return terminal(sys.stdout) and os.environ.get("TERM") != "dumb"


def paint(code: str, content: str) -> str:
    """The text in an ANSI colour such as `32` (green)."""
    return f"\x1b[{code}m{content}{_RESET}"


def painter() -> Paint:
    """How to colour text for stdout: by `paint`, or not at all."""
    return paint if coloured() else lambda code, content: content


def painted(lines: Iterable[str]) -> None:
    """Writes lines that are visible already, with the colours in them."""
    content = "".join(f"{line}\n" for line in lines)
    if content:
        data(content.encode())


class Pager:
    """Keeps what is written; in the end the program shows it, if it is longer than the screen.

    What fits on the screen is written there, and no program is started; so is all, where the
    program cannot be started. One that is left early ends nothing.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self._kept: list[bytes] = []

    @property
    def holds(self) -> bool:
        """Whether something was written that the person has not read."""
        return bool(self._kept)

    def write(self, content: bytes) -> None:
        """Takes output."""
        self._kept.append(content)

    def end(self) -> None:
        """Shows what was kept; waits until the person has read to the end."""
        from shutil import get_terminal_size

        content = b"".join(self._kept)
        columns, rows = get_terminal_size()
        if sum(1 + len(line) // columns for line in content.split(b"\n")) < rows:  # with the prompt
            sys.stdout.buffer.write(content)
            return
        import signal
        import subprocess

        environment = {**_FLAGS, **os.environ}
        try:
            program = subprocess.Popen(self._command, stdin=subprocess.PIPE, env=environment)
        except OSError as error:
            sys.stdout.buffer.write(content)
            note(f"warning: the pager cannot be started: {error.strerror or error}")
            return
        interrupt = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is its own now
        program.communicate(content)
        signal.signal(signal.SIGINT, interrupt)
        if (code := program.returncode) > 0:  # less than 0: somebody ended it
            note(f"warning: the pager ended with {code}; --no-pager prints without it")


def pager_command() -> list[str] | None:
    """The command that the person wants to read with, if its program is there.

    None in the working tree is started, though PATH may name a directory of it.
    """
    words = _words(os.environ.get("PAGER", "less"))
    if words in _NO_PAGER:
        return None
    program: str | None = words[0]
    if not os.path.isabs(words[0]):
        from astedit.programs import find_program
        from astedit.workspace.root import find_root

        program = find_program(words[0], find_root(os.getcwd(), ()))
    return None if program is None else [program, *words[1:]]


def _words(command: str) -> list[str]:
    import shlex

    try:
        return shlex.split(command)
    except ValueError:  # a quote that nothing closes
        return []


class Bar(AbstractContextManager["Bar"]):
    """Counts the files of a long run on stderr; removes itself when the run ends."""

    def __init__(self) -> None:
        self._wanted = terminal(sys.stderr)
        self._next = time.monotonic() + DELAY
        self._text = ""

    def __call__(self, done: int, total: int) -> None:
        """Told by the engine, between files."""
        now = time.monotonic()
        if self._wanted and now >= self._next and done < total:
            self._next = now + _PAUSE
            self._show(f"{done:,} of {total:,} files")

    def __exit__(self, *_: object) -> None:
        if self._text:
            self._show("")

    def _show(self, text: str) -> None:
        """Writes it in the place of what was shown; a lost stderr fails nothing."""
        gone = " " * (len(self._text) - len(text))
        with suppress(OSError, ValueError):
            sys.stderr.write(f"\r{text}{gone}" + ("" if text else "\r"))
            sys.stderr.flush()
        self._text = text
