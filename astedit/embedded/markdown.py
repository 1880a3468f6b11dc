"""Fences of Markdown: code blocks that name their language."""

import re
from collections.abc import Iterator

from astedit.embedded.part import ByteRun, Part
from astedit.language import Row, named

_OPEN = re.compile(rb"([ ]*)(`{3,}|~{3,})[ \t]*\{?\.?([^\s`{},]*)[^`\r\n]*\r?\n?")
_CLOSE = re.compile(rb"[ ]*(`{3,}|~{3,})[ \t]*\r?\n?")


def parts(raw: bytes) -> Iterator[Part]:
    """Every fence in a language that is known, in order; one in a block quote is none."""
    lines = list(_lines(raw))
    at = 0
    while at < len(lines):
        start, end = lines[at]
        at += 1
        fence = _OPEN.fullmatch(raw, start, end)
        if fence is None:
            continue
        body = at
        while at < len(lines) and not _closes(raw, lines[at], fence[2]):
            at += 1
        row = named(fence[3].decode("ascii", "replace"))
        if row is not None and at > body:
            yield _part(row, raw, lines[body:at], len(fence[1]))
        at += 1


def _closes(raw: bytes, line: tuple[int, int], fence: bytes) -> bool:
    match = _CLOSE.fullmatch(raw, *line)
    return match is not None and match[1][:1] == fence[:1] and len(match[1]) >= len(fence)


def _part(row: Row, raw: bytes, lines: list[tuple[int, int]], indent: int) -> Part:
    """The lines without the fence's indentation, which new lines get again."""
    runs: list[ByteRun] = []
    texts: list[bytes] = []
    length = 0
    for start, end in lines:
        line = raw[start:end]
        white = min(indent, len(line) - len(line.lstrip(b" ")))
        texts.append(line[white:])
        size = len(line) - white
        runs.append(ByteRun(length, size, start + white, size))
        length += size
    prefix = b"\n" + b" " * indent
    return Part(row, raw, runs, b"".join(texts), lambda new, at: new.replace(b"\n", prefix))


def _lines(raw: bytes) -> Iterator[tuple[int, int]]:
    at = 0
    while at < len(raw):
        end = raw.find(b"\n", at) + 1 or len(raw)
        yield at, end
        at = end
