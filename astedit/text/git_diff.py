"""Diffs of files that are created, deleted or moved, or are no text: with git's headers.

`git apply` makes of such a diff what a plan makes of the files, whatever is in them: what is
no text goes as a binary literal, as in `git diff --binary`.
"""

import stat
import zlib
from base64 import b85encode
from collections.abc import Iterator, Sequence
from hashlib import sha1

from astedit.text.diff import Splice, changed_hunks, header, hunks, side
from astedit.text.splice import splice

_NOWHERE = b"/dev/null"
_NONE = b"0" * 40
_LINE = 52  # bytes of a compressed literal in one line


def file_diff(
    operation: str,
    source: str | None,
    path: str,
    before: bytes,
    edits: Sequence[Splice],
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
