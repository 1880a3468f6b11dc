"""Where output goes: data to stdout as bytes, everything else to stderr as safe text."""

import errno
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from astedit.cli.output.pager import Pager

STDOUT = "standard output"
PATH, NUMBER, HIT, ID = "35", "32", "1;31", "33"  # colours, as ripgrep and git have them
Paint = Callable[[str, str], str]  # a colour and a text, to the text in it
_RESET = "\x1b[0m"
_pager: "Pager | None" = None


def page() -> None:
    """Lets what is written to stdout from now on go through the person's pager, if it is long."""
    global _pager
    _pager = None
    if terminal(sys.stdout):
        from astedit.cli.output import pager

        command = pager.chosen()
        _pager = pager.Pager(command) if command and pager.usable() else None


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
    from resolve.visible import visible

    data(visible(line).encode("utf-8") + b"\n")


def texts(lines: Iterable[str]) -> None:
    """Writes many lines of text, made visible at once: one write, whatever their number."""
    content = "\n".join(lines)
    if content:
        text(content)


def document(value: Any, *, indent: int | None = 2) -> None:
    """Writes one JSON document to stdout; file names that are not UTF-8 keep their surrogates."""
    data(as_json(value, indent=indent) + b"\n")


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
    from resolve.visible import visible

    if sys.stderr is None:
        return
    if _pager is not None and _pager.holds:
        flush()  # what was written before is read before
    try:
        sys.stderr.write(visible(line) + "\n")
        sys.stderr.flush()
    except (OSError, ValueError):  # nobody reads it; what was asked for still happens
        return


def prompt(question: str) -> None:
    """Writes a question to stderr; the answer is typed behind it."""
    from resolve.visible import visible

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
    return paint if coloured() else _unpainted


def painted(lines: Iterable[str]) -> None:
    """Writes lines that are visible already, with the colours in them."""
    content = "".join(f"{line}\n" for line in lines)
    if content:
        data(content.encode())


def _unpainted(code: str, content: str) -> str:
    return content
