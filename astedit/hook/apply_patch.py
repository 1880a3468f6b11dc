"""The patches that Codex and its kin write: `*** Begin Patch` … `*** End Patch`.

Hunks have no numbers of lines. Each is found by the lines that it keeps and takes away, below
the one before it, and below the line that its `@@` names.
"""

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from astedit.errors import PreconditionError, RequestError
from resolve.visible import one_line

_BEGIN, _END = "*** Begin Patch", "*** End Patch"
_SECTION = re.compile(r"\*\*\* (Add|Update|Delete) File: (.+)")
_MOVE, _LAST = "*** Move to: ", "*** End of File"
# A patch that a shell is to hand on.
_IN_SHELL = re.compile(
    r"(?:^|[;&\n])\s*apply_patch\s+<<-?\s*(['\"]?)(\w+)\1[^\n]*\n(.*?)\n\2\s*(?:$|\n)", re.DOTALL
)


@dataclass(slots=True)
class _Hunk:
    head: str | None = None
    lines: list[tuple[str, str]] = field(default_factory=list)
    last: bool = False

    @property
    def old(self) -> list[str]:
        """The lines that it finds."""
        return [text for mark, text in self.lines if mark != "+"]


def in_shell(command: str) -> str | None:
    """The patch that a shell command hands to `apply_patch`, if that is what it does."""
    match = _IN_SHELL.search(command)
    return match[3] if match else None


def patched(
    text: str, content: Callable[[str], bytes | None], put: Callable[[str, bytes | None], None]
) -> None:
    """Reads and writes files, by the paths of the patch, as it says.

    Raises `RequestError` for what is no such patch, `PreconditionError` for what does not fit.
    """
    lines = [line.removesuffix("\r") for line in text.strip().split("\n")]
    if len(lines) < 2 or lines[0].strip() != _BEGIN or lines[-1].strip() != _END:
        raise _bad(f"it does not begin with {_BEGIN!r} and end with {_END!r}")
    at = 1
    while at < len(lines) - 1:
        section = _SECTION.fullmatch(lines[at].rstrip())
        if section is None:
            raise _bad(f"line {at + 1} begins no file: {one_line(lines[at])[:80]!r}")
        end = at + 1
        while end < len(lines) - 1 and not _SECTION.fullmatch(lines[end].rstrip()):
            end += 1
        _take(section[1], section[2].strip(), lines[at + 1 : end], content, put)
        at = end


def _take(
    verb: str,
    path: str,
    body: Sequence[str],
    content: Callable[[str], bytes | None],
    put: Callable[[str, bytes | None], None],
) -> None:
    before = content(path)
    if verb == "Add":
        if not all(line.startswith("+") for line in body):
            raise _bad(f"a line of the new file {one_line(path)} has no `+`")
        put(path, _encoded("".join(f"{line[1:]}\n" for line in body)))
        return
    if before is None:
        raise PreconditionError(f"File does not exist: {one_line(path)}", code="does_not_fit")
    if verb == "Delete":
        put(path, None)
        return
    place = path
    if body and body[0].startswith(_MOVE):
        place, body = body[0].removeprefix(_MOVE).strip(), body[1:]
    after = _updated(path, before, _hunks(path, body))
    if place != path:
        if content(place) is not None:
            raise PreconditionError(f"File already exists: {one_line(place)}", code="does_not_fit")
        put(path, None)
    put(place, after)


def _hunks(path: str, body: Sequence[str]) -> list[_Hunk]:
    hunks: list[_Hunk] = []
    for line in body:
        if line.startswith("@@"):
            hunks.append(_Hunk(line[2:].strip() or None))
            continue
        if not hunks:
            hunks.append(_Hunk())
        mark, rest = line[:1], line[1:]
        if line.startswith(_LAST):
            hunks[-1].last = True
        elif mark not in ("", " ", "+", "-"):
            raise _bad(f"a line of {one_line(path)} has no mark: {one_line(line)[:80]!r}")
        else:
            hunks[-1].lines.append((mark, rest))
    return hunks


def _updated(path: str, before: bytes, hunks: Sequence[_Hunk]) -> bytes:
    """The file with every hunk made; its line ends stay as they are."""
    try:
        text = before.decode("utf-8")
    except UnicodeDecodeError as error:
        raise PreconditionError(f"{one_line(path)} is not UTF-8", code="does_not_fit") from error
    end = "\r" if text.count("\r\n") * 2 > text.count("\n") else ""
    lines = text.split("\n")
    ended = lines[-1] == ""
    if ended:
        lines.pop()
    bare = [line.removesuffix("\r") for line in lines]
    at, result = 0, list[str]()
    for number, hunk in enumerate(hunks, 1):
        head = None if hunk.head is None else _find(bare, [hunk.head], at, last=False)
        start = at if head is None else head + 1
        lost = hunk.head is not None and head is None
        place = None if lost else _place(bare, hunk, start)
        if place is None:
            first = next((line for line in hunk.old if line.strip()), hunk.head or "")
            raise PreconditionError(
                f"{one_line(path)}, hunk {number}: its lines do not stand there in this order, "
                f"from:\n| {one_line(first)[:160]}",
                code="does_not_fit",
            )
        result += lines[at:place]
        at = place
        for mark, line in hunk.lines:
            if mark == "+":
                result.append(line + end)
                continue
            result += [lines[at]] if mark != "-" else []  # the file's own, whatever it ends in
            at += 1
    result += lines[at:]
    return _encoded("\n".join(result) + ("\n" if ended and result else ""))


def _place(bare: Sequence[str], hunk: _Hunk, start: int) -> int | None:
    if not hunk.old:  # lines that only come: below what `@@` names, else at the end
        return start if hunk.head is not None else len(bare)
    return _find(bare, hunk.old, start, last=hunk.last)


def _find(bare: Sequence[str], sought: Sequence[str], start: int, *, last: bool) -> int | None:
    """Where these lines stand, exactly, or else but for white space at their ends."""
    first = max(len(bare) - len(sought) if last else start, start)
    for look in (str, str.rstrip, str.strip):
        lines = bare if look is str else [look(line) for line in bare]
        wanted, at = [look(line) for line in sought], first - 1
        with suppress(ValueError):
            while True:
                at = lines.index(wanted[0], at + 1)
                if lines[at : at + len(wanted)] == wanted:
                    return at
    return None


def _encoded(text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise _bad("it holds half of a character") from error


def _bad(why: str) -> RequestError:
    return RequestError(f"This is not a patch that can be taken: {why}.", code="bad_patch")
