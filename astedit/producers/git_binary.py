"""Binary contents in a diff of git's: `literal` and `delta`, each packed and in base 85."""

import zlib
from base64 import b85decode
from collections.abc import Sequence

from astedit.errors import RequestError

MOST = 256 * 1024 * 1024  # bytes of one content


def content_of(header: bytes, lines: Sequence[bytes], before: bytes) -> bytes:
    """The content that a `literal N` or `delta N` section stands for.

    `lines` are those below its header, `before` is what a delta starts from. Raises
    `RequestError` for anything that git would not write.
    """
    try:
        kind, count = header.split()
        packed = b"".join(map(_decoded, lines))
        unpacked = zlib.decompressobj().decompress(packed, MOST)
        if len(unpacked) != int(count):
            raise ValueError("its length is another one")
        return _patched(before, unpacked) if kind == b"delta" else unpacked
    except (ValueError, IndexError, zlib.error) as error:
        raise RequestError(
            f"A binary part of the patch is damaged: {error}.", code="bad_patch"
        ) from error


def _decoded(line: bytes) -> bytes:
    """The bytes of a line: its first letter says how many of them count."""
    letter = line[0]
    count = letter - ord("A") + 1 if letter <= ord("Z") else letter - ord("a") + 27
    return b85decode(line[1:])[:count]


def _patched(before: bytes, delta: bytes) -> bytes:
    """The result of a delta: pieces of `before` and new bytes, as in git's pack format."""
    at, size = _number(delta, 0)
    if size != len(before):
        raise ValueError("it is for another content")
    at, size = _number(delta, at)
    parts = []
    while at < len(delta):
        code = delta[at]
        at += 1
        if code & 0x80:
            at, start = _field(delta, at, code & 0x0F, 4)
            at, length = _field(delta, at, code >> 4 & 0x07, 3)
            parts.append(before[start : start + (length or 0x10000)])
        else:
            parts.append(delta[at : at + code])
            at += code
    result = b"".join(parts)
    if len(result) != size:
        raise ValueError("its result has another length")
    return result


def _number(delta: bytes, at: int) -> tuple[int, int]:
    """A size, seven bits a byte, the lowest first; and where it ends."""
    value = shift = 0
    while True:
        byte = delta[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            return at, value


def _field(delta: bytes, at: int, present: int, count: int) -> tuple[int, int]:
    """An offset or a length: of its bytes only those are there whose bit is set."""
    value = 0
    for index in range(count):
        if present >> index & 1:
            value |= delta[at] << (8 * index)
            at += 1
    return at, value
