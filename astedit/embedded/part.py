"""One piece of embedded code: its text, and how its bytes lie in the file."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from astedit.language import Row
from astedit.text.source import Change


class ByteRun(NamedTuple):
    """Bytes of a text that lie together in the file; of equal lengths unless escaped."""

    text_at: int
    text_length: int
    raw_at: int
    raw_length: int


@dataclass(frozen=True, eq=False)
class Part:
    """Code of one language in a file; stands where the engine has a file's `Source`.

    `raw` is the whole file, `text` the code alone. `write` turns new text into what the
    file has for it. `masked` are offsets of the text that are not what the file has: no
    edit may touch them. `is_script` says that a page runs it as a script, not as a module.
    """

    encoding = "utf-8"
    codec = "utf-8"

    row: Row
    raw: bytes
    runs: Sequence[ByteRun]
    text: bytes
    write: Callable[[bytes, int], bytes]
    masked: Sequence[int] = ()
    is_script: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether the file has the text as it is."""
        at = self.runs[0].raw_at
        return self.raw[at : at + len(self.text)] == self.text

    def back(self, changes: Sequence[Change]) -> list[Change]:
        """Changes of `text`, as changes of `raw`."""
        carried = []
        for start, end, new in changes:
            low = self.start(start)
            carried.append((low, self.end(end) if end > start else low, self.write(new, low)))
        return carried

    def start(self, offset: int) -> int:
        """Where what begins at this offset of the text begins in the file."""
        run = self._run(offset)
        inside = min(offset - run.text_at, run.text_length)
        if inside == run.text_length:
            return run.raw_at + run.raw_length
        return run.raw_at + (inside if run.text_length == run.raw_length else 0)

    def end(self, offset: int) -> int:
        """Where what ends at this offset of the text ends in the file."""
        if offset == 0:
            return self.start(0)
        run = self._run(offset - 1)
        inside = offset - run.text_at
        return run.raw_at + (inside if run.text_length == run.raw_length else run.raw_length)

    def _run(self, offset: int) -> ByteRun:
        return self.runs[max(0, bisect_right(self.runs, offset, key=lambda run: run.text_at) - 1)]

    def touches_masked(self, start: int, end: int) -> bool:
        """Whether these bytes of the file hold something that was masked."""
        return any(start <= self.start(at) < end for at in self.masked)


def piece(row: Row, raw: bytes, start: int, end: int, is_script: bool = False) -> Part:
    """A part whose text is in the file as it is."""
    run = ByteRun(0, end - start, start, end - start)
    return Part(row, raw, [run], raw[start:end], lambda new, at: new, (), is_script)
