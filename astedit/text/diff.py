"""Unified diffs built straight from known edits.

The engine knows exactly which bytes change, so a hunk is the lines those bytes touch
plus context. Only within an edit that has lines in common with what it becomes are the
lines compared. `difflib` was measured to report 3,831 changed lines where 40 had changed
(autojunk), and is quadratic without it.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from astedit.text.line_diff import changed_lines

Splice = tuple[int, int, bytes]
"""Bytes `start` to `end` of a source become the third item."""

_NO_NEWLINE = b"\n\\ No newline at end of file\n"
_UNSAFE = re.compile(rb'[\x00-\x1f"\\\x7f-\xff]')
_ESCAPES = dict(zip(b'\a\b\t\n\v\f\r"\\', b'abtnvfr"\\', strict=True))


def hunks(path: str, source: bytes, edits: Sequence[Splice], context: int = 3) -> bytes:
    """One file's complete unified diff, empty if nothing changes.

    `git apply` turns `source` into exactly the spliced result. `edits` are sorted and do
    not overlap; that is the caller's promise. Work is linear in the bytes near the edits;
    the rest of `source` is only counted for newlines.
    """
    body = changed_hunks(source, edits, context)
    return header(side(b"a/", path), side(b"b/", path)) + body if body else b""


def changed_hunks(source: bytes, edits: Sequence[Splice], context: int = 3) -> bytes:
    """The hunks alone, without the names of the file."""
    parts: list[_Hunk] = []
    at = line = shift = 0
    for block in _blocks(source, edits):
        gap = source.count(b"\n", at, block.start)
        line += gap
        if not parts or gap > 2 * context:
            parts.append(_Hunk(source, block.start, line, shift, context))
        parts[-1].add(block)
        at, line = block.end, line + len(block.old)
        shift += len(block.new) - len(block.old)
    return b"".join(hunk.render(context) for hunk in parts)


def quoted(name: bytes) -> bytes:
    """A file name as git writes it: C-style quotes if any byte could be misread."""
    if not _UNSAFE.search(name):
        return name
    return b'"' + _UNSAFE.sub(_escape, name) + b'"'


class _Block(NamedTuple):
    """Whole lines `old`, bytes `start` to `end` of the source, become `new`."""

    start: int
    end: int
    old: list[bytes]
    new: list[bytes]


class _Hunk:
    """One hunk while it grows; lines are counted from 0, `shift` is new minus old."""

    def __init__(self, source: bytes, start: int, line: int, shift: int, context: int) -> None:
        self._source = source
        self._end = start
        for _ in range(context):
            self._end = source.rfind(b"\n", 0, max(self._end - 1, 0)) + 1
        before = source.count(b"\n", self._end, start)
        self._line, self._shift = line - before, shift
        self._body: list[bytes] = []
        self._old = self._new = 0
        self._keep(start)

    def add(self, block: _Block) -> None:
        """Appends the unchanged lines up to the block, then the block."""
        self._keep(block.start)
        self._body += [b"-" + line for line in block.old]
        self._body += [b"+" + line for line in block.new]
        self._old += len(block.old)
        self._new += len(block.new)
        self._end = block.end

    def render(self, context: int) -> bytes:
        """The hunk's text, with its trailing context."""
        end = self._end
        for _ in range(context):
            end = _line_end(self._source, end)
        self._keep(end)
        old = b"%d,%d" % (self._line + (self._old > 0), self._old)
        new = b"%d,%d" % (self._line + self._shift + (self._new > 0), self._new)
        lines = (line if line.endswith(b"\n") else line + _NO_NEWLINE for line in self._body)
        return b"@@ -" + old + b" +" + new + b" @@\n" + b"".join(lines)

    def _keep(self, end: int) -> None:
        lines = _lines(self._source[self._end : end])
        self._body += [b" " + line for line in lines]
        self._old += len(lines)
        self._new += len(lines)
        self._end = end


def _blocks(source: bytes, edits: Sequence[Splice]) -> Iterator[_Block]:
    """Changed line blocks in order; edits on the same or adjoining lines share one."""
    group: list[Splice] = []
    start = end = 0
    for edit in edits:
        if group and edit[0] > end:
            yield from _block(source, start, end, group)
            group = []
        if not group:
            start = source.rfind(b"\n", end, edit[0]) + 1 or end
        if not group or edit[1] >= end:  # else the line's end is known: stay linear on one line
            end = _line_end(source, edit[1])
        group.append(edit)
    if group:
        yield from _block(source, start, end, group)


def _block(source: bytes, start: int, end: int, group: list[Splice]) -> Iterator[_Block]:
    """The lines from `start` to `end` without those that are equal."""
    parts = []
    at = start
    for first, last, text in group:
        parts += [source[at:first], text]
        at = last
    parts.append(source[at:end])
    old, new = _lines(source[start:end]), _lines(b"".join(parts))
    if old == new:
        return
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    start += sum(map(len, old[:head]))
    end -= sum(map(len, old[len(old) - tail :]))
    old, new = old[head : len(old) - tail], new[head : len(new) - tail]
    if not set(old) & set(new):
        yield _Block(start, end, old, new)
        return
    text = b"".join(old)
    for low, high, other in changed_lines(text, b"".join(new)):
        yield _Block(start + low, start + high, _lines(text[low:high]), _lines(other))


def _common(old: list[bytes], new: list[bytes]) -> int:
    """How many leading lines are equal."""
    count = 0
    for left, right in zip(old, new, strict=False):
        if left != right:
            break
        count += 1
    return count


def _lines(text: bytes) -> list[bytes]:
    """Lines with their `\\n`; nothing else ends a line for `git apply`."""
    *whole, rest = text.split(b"\n")
    lines = [line + b"\n" for line in whole]
    return [*lines, rest] if rest else lines


def _line_end(source: bytes, at: int) -> int:
    return source.find(b"\n", at) + 1 or len(source)


def side(prefix: bytes, path: str) -> bytes:
    """The name of a file on one side of a diff, such as `a/src/x.py`."""
    return quoted(prefix + path.encode("utf-8", "surrogateescape"))


def header(old: bytes, new: bytes) -> bytes:
    """The two lines before the hunks of a file."""
    return b"--- " + _ended(old) + b"\n+++ " + _ended(new) + b"\n"


def _ended(name: bytes) -> bytes:
    """A tab ends a name with a space, as in git: `patch` would take the rest for a date."""
    return name + b"\t" if b" " in name and not name.startswith(b'"') else name


def _escape(match: re.Match[bytes]) -> bytes:
    byte = match[0][0]
    short = _ESCAPES.get(byte)
    return b"\\%c" % short if short is not None else b"\\%03o" % byte
