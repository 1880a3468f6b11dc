"""Places in a text as language servers name them: a line, and units of some encoding."""

import re
from bisect import bisect_right

from astedit.errors import PreconditionError

_END = re.compile(rb"\r\n|\r|\n")
_WIDTHS = {"utf-8": 1, "utf-16": 2, "utf-32": 4}
_MARK = b"\xef\xbb\xbf"


class Positions:
    """The lines of a UTF-8 text, and its bytes by line and unit in an `encoding`.

    Raises `PreconditionError` for a text in another encoding than UTF-8, and for an unknown
    `encoding` of positions.
    """

    def __init__(self, path: str, content: bytes, encoding: str) -> None:
        if encoding not in _WIDTHS:
            raise PreconditionError(f"The language server counts in {encoding!r}.")
        try:
            content.decode("utf-8")
        except UnicodeDecodeError as error:
            raise PreconditionError(f"{path} is not UTF-8") from error
        self._path, self._content, self._encoding = path, content, encoding
        first = len(_MARK) if content.startswith(_MARK) else 0  # no server counts the mark
        self._starts = [first, *(match.end() for match in _END.finditer(content))]

    def offset(self, line: int, character: int) -> int:
        """The byte at a position; one behind the end of a line is its end, as servers mean it."""
        if not 0 <= line <= len(self._starts):
            raise PreconditionError(
                f"{self._path}: the language server named line {line + 1}, and there are "
                f"{len(self._starts)}"
            )
        if line == len(self._starts):
            return len(self._content)
        text = self._line(line)
        if self._encoding == "utf-8":
            return self._starts[line] + min(character, len(text))
        name = f"{self._encoding}-le"
        units = text.decode("utf-8").encode(name)[: character * _WIDTHS[self._encoding]]
        return self._starts[line] + len(units.decode(name, "ignore").encode("utf-8"))

    def position(self, offset: int) -> tuple[int, int]:
        """The line and the unit in it of a byte; the way back of `offset`."""
        line = max(bisect_right(self._starts, offset) - 1, 0)
        text = self._content[self._starts[line] : offset].decode("utf-8", "ignore")
        if self._encoding == "utf-8":
            return line, len(text.encode("utf-8"))
        return line, len(text.encode(f"{self._encoding}-le")) // _WIDTHS[self._encoding]

    def _line(self, line: int) -> bytes:
        """Its text without what ends it."""
        end = self._starts[line + 1] if line + 1 < len(self._starts) else len(self._content)
        return self._content[self._starts[line] : end].rstrip(b"\r\n")
