"""The patches that Codex and its kin write: `*** Begin Patch` … `*** End Patch`.

Hunks have no numbers of lines. Each is found by the lines that it keeps and takes away, below
the one before it, and below the line that its `@@` names.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from itertools import pairwise

from astedit.errors import PreconditionError, RequestError
from astedit.text.source import end_of_line
from resolve.visible import one_line

_BEGIN, _END = "*** Begin Patch", "*** End Patch"
_SECTION = re.compile(r"\*\*\* (Add|Update|Delete) File: (.+)")
_MOVE, _LAST = "*** Move to: ", "*** End of File"
# A patch that a shell is to hand on.
_IN_SHELL = re.compile(
    r"(?:^|[;&\n])\s*(?P<run>apply_patch\s+<<-?\s*(['\"]?)(\w+)\2[^\n]*)\n(?P<patch>.*?)\n\3\s*(?:$|\n)",
    re.DOTALL,
)
_GOES = re.compile(r"\s*cd\s+('[^'\n]*'|\"[^\"$`\\\n]*\"|[\w./@+,][\w./@+,-]*)\s*(?:&&|;|\n)")

# How lines are compared: exactly, or else but for white space at their ends.
_LOOKS: Sequence[Callable[[str], str]] = (str, str.rstrip, str.strip)

ReadFile = Callable[[str], "bytes | None"]  # by a path; None: there is no file
PutFile = Callable[[str, "bytes | None"], None]


def in_shell(command: str) -> tuple[str, str, bool] | None:
    """A patch that a command hands on, where, and whether it runs more; None if nobody knows."""
    if (match := _IN_SHELL.search(command)) is None:
        return None
    goes = _GOES.match(command, 0, match.start("run"))
    rest = command[goes.end() if goes else 0 : match.start("run")]
    if re.search(r"\b(?:cd|pushd|popd)\b", rest):
        return None
    more = (rest + command[match.end() :]).strip(" \t\r\n;&")
    return match["patch"], goes[1].strip("'\"") if goes else "", more != ""


def patched(text: str, content: ReadFile, put: PutFile) -> None:
    """Reads and writes files, by the paths of the patch, as it says.

    Raises `RequestError` for what is no such patch, `PreconditionError` for what does not fit.
    """
    lines = [line.removesuffix("\r") for line in text.strip().split("\n")]
    if len(lines) < 2 or lines[0].strip() != _BEGIN or lines[-1].strip() != _END:
        raise _bad(f"it does not begin with {_BEGIN!r} and end with {_END!r}")
    heads = [(at, _SECTION.fullmatch(line.rstrip())) for at, line in enumerate(lines)]
    sections = [(at, head[1], head[2].strip()) for at, head in heads if head]
    if not sections or sections[0][0] != 1:
        raise _bad(f"line 2 begins no file: {one_line(lines[1])[:80]!r}")
    for (start, verb, path), (end, *_) in pairwise([*sections, (len(lines) - 1, "", "")]):
        _take(verb, path, lines[start + 1 : end], content, put)


def _take(verb: str, path: str, body: Sequence[str], content: ReadFile, put: PutFile) -> None:
    before = content(path)
    if verb == "Add":
        if not all(line.startswith("+") for line in body):
            raise _bad(f"a line of the new file {one_line(path)} has no `+`")
        put(path, encoded("".join(f"{line[1:]}\n" for line in body)))
    elif before is None:
        raise misfit(f"File does not exist: {one_line(path)}")
    elif verb == "Delete":
        put(path, None)
    else:
        place = path
        if body and body[0].startswith(_MOVE):
            place, body = body[0].removeprefix(_MOVE).strip(), body[1:]
        after = _updated(path, before, _hunks(path, body))
        if place != path:
            if content(place) is not None:
                raise misfit(f"File already exists: {one_line(place)}")
            put(path, None)
        put(place, after)


@dataclass(slots=True)
class _Hunk:
    """Lines with their marks, the line of its `@@`, and whether they end the file."""

    head: str | None = None
    lines: list[tuple[str, str]] = field(default_factory=list)
    last: bool = False


def _hunks(path: str, body: Sequence[str]) -> list[_Hunk]:
    hunks: list[_Hunk] = []
    for line in body:
        if line.startswith("@@"):
            hunks.append(_Hunk(line[2:].removeprefix(" ").rstrip() or None))
            continue
        if not hunks:
            hunks.append(_Hunk())
        if line.startswith(_LAST):
            hunks[-1].last = True
        elif line[:1] in ("", " ", "+", "-"):
            hunks[-1].lines.append((line[:1], line[1:]))
        else:
            raise _bad(f"a line of {one_line(path)} has no mark: {one_line(line)[:80]!r}")
    return hunks


def _updated(path: str, before: bytes, hunks: Sequence[_Hunk]) -> bytes:
    """The file with every hunk made; its line ends stay as they are."""
    end = end_of_line(before)
    missing = b"" if before[-1:] in (b"", b"\n") else end  # of its last line
    lines = BytesIO(before + missing).readlines()
    texts = [line.decode("utf-8", "surrogateescape").removesuffix("\n") for line in lines]
    views = [[look(text.removesuffix("\r")) for text in texts] for look in _LOOKS]
    at, result = 0, list[bytes]()
    for number, hunk in enumerate(hunks, 1):
        old = [line for mark, line in hunk.lines if mark != "+"]
        place = _place(views, hunk, old, at)
        if place is None:
            first = next((line for line in old if line.strip()), hunk.head or "")
            raise misfit(
                f"{one_line(path)}, hunk {number}: its lines do not stand there in this order, "
                f"from:\n| {one_line(first)[:160]}"
            )
        result += lines[at:place]
        at = place
        for mark, line in hunk.lines:
            if mark == "+":
                result.append(encoded(line) + end)
            else:  # the file's own line stays, whatever it ends in
                result += [] if mark == "-" else [lines[at]]
                at += 1
    return b"".join(result + lines[at:]).removesuffix(missing)


def _place(views: Sequence[list[str]], hunk: _Hunk, old: Sequence[str], start: int) -> int | None:
    """Where a hunk belongs: where its old lines stand, or for new ones alone below its head."""
    if hunk.head is not None:
        if (head := _find(views, [hunk.head], start)) is None:
            return None
        start = head + 1
    end = len(views[0])
    if not old:
        return end if hunk.head is None else start
    return _find(views, old, max(start, end - len(old)) if hunk.last else start)


def _find(views: Sequence[list[str]], sought: Sequence[str], start: int) -> int | None:
    """Where these lines stand, in the first view in which they do."""
    for lines, look in zip(views, _LOOKS, strict=True):
        wanted = [look(line) for line in sought]
        for at in range(start, len(lines) - len(wanted) + 1):
            if lines[at] == wanted[0] and lines[at : at + len(wanted)] == wanted:
                return at
    return None


def encoded(text: str) -> bytes:
    """The text of a call as bytes; raises `RequestError` for half of a character."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise RequestError("A text of the call holds half of a character.") from error


def ended_as(content: bytes, text: bytes) -> bytes:
    """The text with the line ends of a file: a call has them as `\\n`."""
    end = end_of_line(content)
    return text if end == b"\n" else text.replace(b"\r\n", b"\n").replace(b"\n", end)


def misfit(message: str) -> PreconditionError:
    """What is raised for a call that does not fit the files."""
    return PreconditionError(message, code="does_not_fit")


def _bad(why: str) -> RequestError:
    return RequestError(f"This is not a patch that can be taken: {why}.", code="bad_patch")
