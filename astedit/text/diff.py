"""Unified diffs built straight from known edits.

The engine knows exactly which bytes change, so a hunk is the lines those bytes touch
plus context. Only within an edit that has lines in common with what it becomes are the
lines compared. `difflib` was measured to report 3,831 changed lines where 40 had changed
(autojunk), and is quadratic without it.
"""

import re
import stat
import zlib
from base64 import b85encode
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from hashlib import sha1
from io import BytesIO
from typing import NamedTuple

from astedit.text.source import Change, alike_ends, line_end, splice

_MOST = 2_000_000  # pairs of lines to compare; more would take seconds
CommonLine = tuple[int, int, "CommonLine | None"]
"""A line of both sides, by its places, and the one before it."""


def changed_lines(before: bytes, after: bytes) -> list[Change]:
    """Changes of whole lines that turn `before` into `after`."""
    old, new = _lines(before), _lines(after)
    head, tail = alike_ends(old, new)
    gone, new_lines = old[head : len(old) - tail], new[head : len(new) - tail]
    starts = [0]
    for line in old:
        starts.append(starts[-1] + len(line))
    return [
        (starts[head + i], starts[head + j], b"".join(new_lines[k:m]))
        for i, j, k, m in differing_runs(gone, new_lines)
    ]


def differing_runs(
    old: Sequence[Hashable], new: Sequence[Hashable]
) -> Iterator[tuple[int, int, int, int]]:
    """The runs of items that differ: first and end in `old`, first and end in `new`.

    Many items are divided at those that stand once in both, which costs little.
    """
    if set(old).isdisjoint(new):
        if old or new:
            yield 0, len(old), 0, len(new)
        return
    if len(old) * len(new) <= _MOST:
        yield from unlike(old, new)
        return
    anchors = _anchors(old, new)
    if not anchors:
        yield 0, len(old), 0, len(new)
        return
    i = k = 0
    for j, m in [*anchors, (len(old), len(new))]:
        for differing in differing_runs(old[i:j], new[k:m]) if old[i:j] != new[k:m] else ():
            yield differing[0] + i, differing[1] + i, differing[2] + k, differing[3] + k
        i, k = j + 1, m + 1


def unlike(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[tuple[int, int, int, int]]:
    """The runs of items that differ: first and end in `old`, first and end in `new`."""
    from difflib import SequenceMatcher  # most edits need none of it

    blocks = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [block[1:] for block in blocks if block[0] != "equal"]


def _anchors(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[tuple[int, int]]:
    """As many items as possible that stand once in both, in the order of both."""
    from bisect import bisect_left  # only for many lines

    count, places = Counter(old), {line: at for at, line in enumerate(new)}
    once = {line for line, times in Counter(new).items() if times == 1 == count[line]}
    ends: list[int] = []  # the place in `new` where a row of each length ends earliest
    rows: list[CommonLine] = []
    for at, line in enumerate(old):
        if line in once:
            place = places[line]
            length = bisect_left(ends, place)
            row = (at, place, rows[length - 1] if length else None)
            ends[length : length + 1], rows[length : length + 1] = [place], [row]
    anchors: list[tuple[int, int]] = []
    last = rows[-1] if rows else None
    while last is not None:
        anchors.append(last[:2])
        last = last[2]
    return anchors[::-1]


_NO_NEWLINE = b"\n\\ No newline at end of file\n"
_UNSAFE = re.compile(rb'[\x00-\x1f"\\\x7f-\xff]')
_ESCAPES = dict(zip(b'\a\b\t\n\v\f\r"\\', b'abtnvfr"\\', strict=True))


def hunks(path: str, source: bytes, edits: Sequence[Change], context: int = 3) -> bytes:
    """One file's complete unified diff, empty if nothing changes.

    `git apply` turns `source` into exactly the spliced result. `edits` are sorted and do
    not overlap; that is the caller's promise. Work is linear in the bytes near the edits;
    the rest of `source` is only counted for newlines.
    """
    body = changed_hunks(source, edits, context)
    return header(side(b"a/", path), side(b"b/", path)) + body if body else b""


def changed_hunks(source: bytes, edits: Sequence[Change], context: int = 3) -> bytes:
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
        self._line, self._shift = line - source.count(b"\n", self._end, start), shift
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
            end = line_end(self._source, end)
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


def _blocks(source: bytes, edits: Sequence[Change]) -> Iterator[_Block]:
    """Changed line blocks in order; edits on the same or adjoining lines share one."""
    group: list[Change] = []
    start = end = 0
    for edit in edits:
        if group and edit[0] > end:
            yield from _block(source, start, end, group)
            group = []
        if not group:
            start = source.rfind(b"\n", end, edit[0]) + 1 or end
        if not group or edit[1] >= end:  # else the line's end is known: stay linear on one line
            end = line_end(source, edit[1])
        group.append(edit)
    if group:
        yield from _block(source, start, end, group)


def _block(source: bytes, start: int, end: int, group: list[Change]) -> Iterator[_Block]:
    """The lines from `start` to `end` without those that are equal."""
    parts = []
    at = start
    for first, last, text in group:
        parts += [source[at:first], text]
        at = last
    parts.append(source[at:end])
    before, after = source[start:end], b"".join(parts)
    old, new = _lines(before), _lines(after)
    if old != new and len(old) == len(new) == 1:  # as most edits
        yield _Block(start, end, old, new)
        return
    for low, high, other in changed_lines(before, after):
        yield _Block(start + low, start + high, _lines(before[low:high]), _lines(other))


def _lines(text: bytes) -> list[bytes]:
    """Lines with their `\\n`; nothing else ends a line for `git apply`."""
    return BytesIO(text).readlines()


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


_NOWHERE = b"/dev/null"
_NONE = b"0" * 40
_LINE = 52  # bytes of a compressed literal in one line


def file_diff(
    operation: str,
    source: str | None,
    path: str,
    before: bytes,
    edits: Sequence[Change],
    mode: int,
    new_mode: int | None = None,
) -> bytes:
    """One file's diff: `operation` is that of a `FilePlan`, a file moves from `source` to `path`.

    `before` is what the file holds (nothing, of one that is created), `edits` what becomes of
    that. Of the mode git knows only whether its owner may execute the file.
    """
    after = splice(before, edits)
    binary = b"\0" in before or b"\0" in after
    moded = new_mode is not None and _bits(new_mode) != _bits(mode)
    if operation == "modify" and not binary and not moded:
        return hunks(path, before, edits)
    old, new = side(b"a/", source or path), side(b"b/", path)
    lines = {
        "create": [b"new file mode " + _bits(mode)],
        "delete": [b"deleted file mode " + _bits(mode)],
        "move": [b"rename from " + side(b"", source or path), b"rename to " + side(b"", path)],
    }.get(operation, [])
    if moded:
        lines = [b"old mode " + _bits(mode), b"new mode " + _bits(new_mode or 0), *lines]
    head = b"\n".join([b"diff --git " + old + b" " + new, *lines, b""])
    if binary:
        return head + (_binary(operation, before, after) if before != after else b"")
    body = changed_hunks(before, edits)
    names = {"create": (_NOWHERE, new), "delete": (old, _NOWHERE)}.get(operation, (old, new))
    return head + (header(*names) + body if body else b"")


def content_diff(path: str, before: bytes | None, after: bytes | None, mode: int = 0o644) -> bytes:
    """One file's diff from its whole contents; None where there is no file."""
    if before is None:
        return file_diff("create", None, path, b"", [(0, 0, after or b"")], mode)
    if after is None:
        return file_diff("delete", None, path, before, [(0, len(before), b"")], mode)
    return file_diff("modify", None, path, before, changed_lines(before, after), mode)


def _bits(mode: int) -> bytes:
    return b"100755" if mode & stat.S_IXUSR else b"100644"


def _binary(operation: str, before: bytes, after: bytes) -> bytes:
    """Both contents as literals, since git needs the way back as well, and its name of each."""
    first = _NONE if operation == "create" else _name(before)
    last = _NONE if operation == "delete" else _name(after)
    head = b"index " + first + b".." + last + b"\nGIT binary patch\n"
    return head + b"".join([*_literal(after), *_literal(before)])


def _name(content: bytes) -> bytes:
    """What git calls a content, in a repository with the usual hashes."""
    blob = sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False)
    return blob.hexdigest().encode("ascii")


def _literal(content: bytes) -> Iterator[bytes]:
    yield b"literal %d\n" % len(content)
    packed = zlib.compress(content)
    for start in range(0, len(packed), _LINE):
        line = packed[start : start + _LINE]
        yield _length(len(line)) + b85encode(line, pad=True) + b"\n"
    yield b"\n"


def _length(count: int) -> bytes:
    """How many bytes a line stands for, as git writes it: A is 1, Z 26, a 27, z 52."""
    return bytes([ord("A") + count - 1 if count <= 26 else ord("a") + count - 27])
