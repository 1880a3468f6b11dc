"""One file's bytes, and the UTF-8 view of them that is parsed.

Almost every file is UTF-8 and is its own view. A file whose encoding was declared (by
`--encoding` or a Python coding line) is decoded for the parser and for display; its
edits are carried back, so that bytes outside an edit never pass through a codec.
"""

import codecs
import re
from collections.abc import Sequence

from astedit.text.splice import Change

BOMS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
UNKNOWN = "unknown"  # bytes taken as they are: they can be searched, not edited
DECLARABLE = {"iso8859-1": "latin-1", "cp1252": "cp1252", "utf-16": "utf-16"}
_BINARY_WINDOW = 8_000  # git's own rule: a NUL this early means binary
_CODING = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")


class NotDecodable(Exception):
    """The bytes are not text in the encoding that was assumed."""


class NotEncodable(Exception):
    """New text has a character that the file's encoding lacks."""


def is_binary(raw: bytes) -> bool:
    """A NUL byte near the start, in what is not UTF-16."""
    return raw[:2] not in BOMS and b"\0" in raw[:_BINARY_WINDOW]


def declared(raw: bytes) -> str | None:
    """The encoding a Python coding line names, if it is one we edit."""
    end = raw.find(b"\n", raw.find(b"\n") + 1)
    head = raw[:end] if end >= 0 else raw
    for line in head.split(b"\n") if b"coding" in head else ():
        if match := _CODING.match(line):
            return canonical(match[1].decode("ascii"))
    return None


def canonical(name: str) -> str | None:
    """Our name for an encoding that can be edited byte-exactly, or None."""
    try:
        known = codecs.lookup(name).name
    except (LookupError, ValueError):
        return None
    return DECLARABLE.get(known, "utf-8" if known == "utf-8" else None)


def source_of(raw: bytes, language: str, encoding: str | None = None) -> "Source":
    """A file's bytes with the UTF-8 view of them; may raise `NotDecodable`.

    `encoding` is the request's; without it a Python file's coding line decides.
    """
    forced = encoding and canonical(encoding)
    own = declared(raw) if language == "python" else None
    return Source(raw, forced or own, declared=not forced)


def end_of_line(text: bytes) -> bytes:
    """The newline most lines of the file end with."""
    return b"\r\n" if text.count(b"\r\n") * 2 > text.count(b"\n") else b"\n"


class Source:
    """A file as read: `raw`, its `text` in UTF-8, and the way back.

    The encoding is that of bytes which are not UTF-8, and of new text among ASCII; with
    `declared`, by the file itself, of all of them. Raises `NotDecodable` if the bytes are
    neither UTF-8 nor in that encoding.
    """

    is_script = False  # of a page; see `Part`

    def __init__(self, raw: bytes, encoding: str | None = None, *, declared: bool = False) -> None:
        self.raw = raw
        self.text = raw
        self.encoding = "utf-8"
        self._codec = ""
        self._bom = 0
        if encoding == UNKNOWN:
            self.encoding = UNKNOWN
        elif encoding in ("latin-1", "cp1252") and (declared or raw.isascii()):
            self.encoding = encoding
            self._decode()
        elif not self._is_utf8(encoding):
            if encoding in (None, "utf-8"):
                raise NotDecodable
            self.encoding = encoding or "utf-8"
            self._decode()

    @property
    def codec(self) -> str:
        """Python's name for how `raw` is decoded; a byte order mark tells UTF-16's order."""
        return self._codec or "utf-8"

    def _is_utf8(self, encoding: str | None) -> bool:
        if self.raw.isascii():
            return encoding != "utf-16" or b"\0" not in self.raw
        try:
            self.raw.decode("utf-8")
        except UnicodeDecodeError:
            return False
        return encoding != "utf-16" or b"\0" not in self.raw

    def _decode(self) -> None:
        self._codec = self.encoding
        if self.encoding == "utf-16":
            big = self.raw[:2] == codecs.BOM_UTF16_BE
            self._codec = "utf-16-be" if big else "utf-16-le"
            self._bom = 2 if self.raw[:2] in BOMS else 0
        body = self.raw[self._bom :]
        try:
            decoded = body.decode(self._codec)
            if decoded.encode(self._codec) != body:
                raise NotDecodable
            self.text = decoded.encode("utf-8")
        except UnicodeError as error:
            raise NotDecodable from error

    def back(self, changes: Sequence[Change]) -> list[Change]:
        """Changes of `text`, as changes of `raw`; raises `NotEncodable`."""
        if not self._codec:
            return list(changes)
        carried: list[Change] = []
        at_text, at_raw = 0, self._bom
        for start, end, new in changes:
            at_raw += self._width(at_text, start)
            stop = at_raw + self._width(start, end)
            carried.append((at_raw, stop, self._encode(new)))
            at_text, at_raw = end, stop
        return carried

    def ahead(self, start: int, end: int) -> tuple[int, int]:
        """A range of `raw`, as a range of `text`."""
        if not self._codec:
            return start, end
        parts = (self.raw[self._bom : start], self.raw[max(self._bom, start) : end])
        before, within = (len(part.decode(self._codec).encode("utf-8")) for part in parts)
        return before, before + within

    def _width(self, start: int, end: int) -> int:
        return len(self.text[start:end].decode("utf-8").encode(self._codec))

    def _encode(self, new: bytes) -> bytes:
        try:
            return new.decode("utf-8").encode(self._codec)
        except UnicodeError as error:
            raise NotEncodable(str(error)) from error
