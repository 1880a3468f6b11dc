"""A unified or git diff, read: which files it changes, and the hunks of each.

Read as `git apply` reads it, with one allowance: a hunk whose counts are wrong is taken as
the lines below its header, up to what can be none of it, and says so (`recounted`).
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from astedit.errors import RequestError
from astedit.workspace.gitignore import LONGEST_PATH

MAX_SIZE = 100 * 1024 * 1024  # bytes of a patch
NOWHERE = "/dev/null"
_LONGEST_NAME = 255  # bytes of a component: NAME_MAX
_AT = re.compile(rb"@@(?: -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))?)?.*?@@|@@\s*$")
_MODE = re.compile(rb"(old mode|new mode|deleted file mode|new file mode) (\d{6})\s*$")
_NAMED = re.compile(rb"(rename from|rename to|copy from|copy to) (.+?)\r?$")
_ESCAPED = re.compile(rb"\\([0-7]{3}|.)")
_LETTERS = dict(zip(b"abtnvfr", b"\a\b\t\n\v\f\r", strict=True))
_NO_NEWLINE = b"\\"
_DIGITS = 18  # of a line number; git takes no more than a long


@dataclass(slots=True)
class Hunk:
    """Lines that stand somewhere in a file, and what they become.

    `start` is the line (from 1) that the header names, None if it names none. Each of
    `lines` is a mark (` `, `-`, `+`) and the text with its end of line. `number` counts the
    hunks of the file from 1.
    """

    number: int
    start: int | None
    lines: list[tuple[str, bytes]]
    recounted: bool = False

    @property
    def old(self) -> bytes:
        """What stands there before."""
        return b"".join(text for mark, text in self.lines if mark != "+")


@dataclass(slots=True)
class FilePatch:
    """What a patch does to one file. `old` or `new` is None where there is no file.

    `binary` is the header and the lines of the binary content that the file becomes.
    """

    old: str | None
    new: str | None
    hunks: list[Hunk] = field(default_factory=list)
    copied: bool = False
    old_mode: int | None = None
    new_mode: int | None = None
    binary: tuple[bytes, list[bytes]] | None = None

    @property
    def name(self) -> str:
        """The path that messages call it by."""
        return self.new or self.old or ""


def read_patch(text: bytes) -> list[FilePatch]:
    """The files that a patch changes, in its order; `RequestError` for what is not a patch."""
    if len(text) > MAX_SIZE:
        raise _bad(f"it has more than {MAX_SIZE // 1024 // 1024} MiB")
    files = list(_Reader(text).files())
    for path in {path for file in files for path in (file.old, file.new) if path is not None}:
        _refuse_path(path)
    if not files:
        raise _bad("it names no file (`--- a/PATH` and `+++ b/PATH`)")
    return files


def _refuse_path(path: str) -> None:
    """Refuses what git takes for no path, and what none can be; `..` and `/` are for the policy."""
    parts = os.fsencode(path).split(b"/")
    if {b"", b"."}.intersection(parts[1:]) or parts[0] == b".":
        raise _bad(f"{path[:100]!r} is not the path of a file")
    if max(map(len, parts)) > _LONGEST_NAME or sum(map(len, parts)) + len(parts) > LONGEST_PATH:
        raise _bad(f"{path[:100]!r}… is longer than a name or a path can be")


class _Reader:
    """The lines of a patch, and where reading has come to."""

    def __init__(self, text: bytes) -> None:
        self._lines = text.split(b"\n")
        if self._lines[-1] == b"":
            del self._lines[-1]
        self._at = 0

    def files(self) -> Iterator[FilePatch]:
        while self._at < len(self._lines):
            if self._line().startswith(b"diff --git "):
                yield self._git_file()
            elif self._is_header():
                yield self._body(FilePatch(None, None))
            else:
                self._at += 1  # a message above the diff, or a mail's signature

    def _line(self) -> bytes:
        return self._lines[self._at]

    def _is_header(self) -> bool:
        two = self._lines[self._at : self._at + 2]
        return len(two) == 2 and two[0].startswith(b"--- ") and two[1].startswith(b"+++ ")

    def _git_file(self) -> FilePatch:
        file = FilePatch(*_git_names(self._line()[len(b"diff --git ") :].rstrip(b"\r")))
        self._at += 1
        while self._at < len(self._lines):
            line = self._line()
            if self._is_header() or line.startswith((b"diff --git ", b"@@ ")):
                break
            if line.startswith(b"GIT binary patch"):
                self._binary(file)
                break
            if line.startswith(b"Binary files "):
                raise _bad(f"{file.name} is binary, and its content is not in it (--binary)")
            _extend(file, line)
            self._at += 1
        if self._at < len(self._lines) and self._is_header():
            return self._body(file)
        return file

    def _body(self, file: FilePatch) -> FilePatch:
        """The two names of a file, and its hunks."""
        old, new = _name(self._line()[4:]), _name(self._lines[self._at + 1][4:])
        _refuse_other_names(file, old, new)
        both = {name for name in (old, new) if name is not None}
        prefixed = all(
            name is None or name.startswith(f"{side}/") for side, name in (("a", old), ("b", new))
        )
        old, new = (name[2:] if prefixed and name else name for name in (old, new))
        if not both:
            raise _bad("a file has no name on either side")
        if file.name == "":
            file.old, file.new = old, new
        elif old is None or new is None:
            file.old, file.new = (None if old is None else file.old), (new and file.new)
        self._at += 2
        while self._at < len(self._lines) and self._line().startswith(b"@@"):
            file.hunks.append(self._hunk(file, len(file.hunks) + 1))
        return file

    def _hunk(self, file: FilePatch, number: int) -> Hunk:
        if (header := _AT.match(self._line())) is None:
            raise _bad(f"hunk {number} of {file.name} has a header that is none")
        if any(text and len(text) > _DIGITS for text in header.groups()):
            raise _bad(f"hunk {number} of {file.name} names a line that no file has")
        start, old, _, new = (None if text is None else int(text) for text in header.groups())
        self._at += 1
        first = self._at
        if start is not None and self._counted(
            1 if old is None else old, 1 if new is None else new
        ):
            return Hunk(number, start, self._marked(first))
        self._at = first
        while self._at < len(self._lines) and self._goes_on():
            self._at += 1
        return Hunk(number, start, self._marked(first), recounted=start is not None)

    def _counted(self, old: int, new: int) -> bool:
        """Goes behind the lines that the header counts; False if that is not where it ends."""
        while (old > 0 or new > 0) and self._at < len(self._lines):
            mark = self._line()[:1]
            if mark not in (b" ", b"-", b"+", b"", b"\r", _NO_NEWLINE):
                return False
            old -= mark in (b" ", b"-", b"", b"\r")
            new -= mark in (b" ", b"+", b"", b"\r")
            self._at += 1
        if self._at < len(self._lines) and self._line().startswith(_NO_NEWLINE):
            self._at += 1
        return old == new == 0 and not self._goes_on(signature=True)

    def _goes_on(self, *, signature: bool = False) -> bool:
        """Whether the line here is one of a hunk's."""
        if self._at >= len(self._lines) or self._is_header():
            return False
        line = self._line()
        if signature and line.rstrip() == b"--":
            return False
        return line[:1] in (b" ", b"-", b"+", _NO_NEWLINE)

    def _marked(self, first: int) -> list[tuple[str, bytes]]:
        lines: list[tuple[str, bytes]] = []
        for line in self._lines[first : self._at]:
            if line.startswith(_NO_NEWLINE):
                if lines:
                    lines[-1] = (lines[-1][0], lines[-1][1][:-1])
                continue
            mark = chr(line[0]) if line[:1] in (b" ", b"-", b"+") else " "
            lines.append((mark, (line[1:] if line[:1] in (b" ", b"-", b"+") else line) + b"\n"))
        return lines

    def _binary(self, file: FilePatch) -> None:
        """Keeps the first section, which makes the new content; the second leads back."""
        self._at += 1
        sections: list[tuple[bytes, list[bytes]]] = []
        while self._at < len(self._lines) and self._line().startswith((b"literal ", b"delta ")):
            sections.append((self._line(), []))
            self._at += 1
            while self._at < len(self._lines) and self._line().rstrip(b"\r"):
                sections[-1][1].append(self._line().rstrip(b"\r"))
                self._at += 1
            self._at += 1
        if not sections:
            raise _bad(f"the binary content of {file.name} is missing")
        file.binary = sections[0]


def _refuse_other_names(file: FilePatch, old: str | None, new: str | None) -> None:
    """Refuses names under `diff --git` that are not those of its own line, as git does."""
    for own, other in ((file.old, old), (file.new, new)):
        if file.name and other is not None and own != (other.partition("/")[2] or other):
            raise _bad(f"`diff --git` names {own or 'no file'}, and the lines below {other}")


def _extend(file: FilePatch, line: bytes) -> None:
    """Takes in a line between `diff --git` and the hunks."""
    if mode := _MODE.match(line):
        number = int(mode[2], 8)
        if mode[1] in (b"old mode", b"deleted file mode"):
            file.old_mode = number
        else:
            file.new_mode = number
        if mode[1] == b"new file mode":
            file.old = None
        if mode[1] == b"deleted file mode":
            file.new = None
    elif named := _NAMED.match(line):
        name = _text(_unquoted(named[2]))
        if named[1].endswith(b"from"):
            file.old = name
        else:
            file.new = name
        file.copied = named[1].startswith(b"copy")


def _git_names(text: bytes) -> tuple[str | None, str | None]:
    """The names of `diff --git a/x b/y`; without quotes only if both are the same."""
    if text.startswith(b'"') or text.endswith(b'"'):
        parts = re.findall(rb'"(?:[^"\\]|\\.)*"|\S+', text)
        names = [_text(_unquoted(part)) for part in parts]
        if len(names) == 2:
            return names[0].partition("/")[2], names[1].partition("/")[2]
        return None, None
    half = len(text) // 2
    old, new = text[:half], text[half + 1 :]
    if old.partition(b"/")[2] != new.partition(b"/")[2]:
        return None, None  # a rename: `rename from` and `rename to` have the names
    name = _text(old.partition(b"/")[2])
    return name, name


def _name(text: bytes) -> str | None:
    """A name of a `---` or `+++` line; None for no file."""
    text = text.rstrip(b"\r")
    name = _text(_unquoted(text) if text.startswith(b'"') else text.partition(b"\t")[0])
    return None if name == NOWHERE else name


def _unquoted(text: bytes) -> bytes:
    if not (text.startswith(b'"') and text.endswith(b'"') and len(text) > 1):
        return text

    def plain(match: re.Match[bytes]) -> bytes:
        code = match[1]
        if len(code) == 3:
            return bytes([int(code, 8) & 0xFF])
        return bytes([_LETTERS.get(code[0], code[0])])

    return _ESCAPED.sub(plain, text[1:-1])


def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")


def _bad(why: str) -> RequestError:
    return RequestError(
        f"This is not a patch that can be taken: {why}.",
        code="bad_patch",
        hint="Give what `git diff` or `diff -u` prints.",
    )
