"""The prefilter of symbols: whether a file's bytes can define a name. Nothing is parsed."""

import re
from collections.abc import Callable

from astedit.locating.inventory.source_roots import SourceRoots

FileTest = Callable[[str, str, bytes], bool]  # of a path, its language and its bytes


def may_define(roots: SourceRoots, name: tuple[str, ...]) -> FileTest:
    """The prefilter of a symbol's name: False only where nothing so named is defined.

    What is not part of the module's own name stands in the file, the last name where a
    definition can be.
    """
    segments = [part.encode("utf-8", "surrogateescape") for part in name]
    last = re.compile(re.escape(segments[-1]) + rb"(?!\w)")

    def test(path: str, language: str, raw: bytes) -> bool:
        if segments[-1] not in raw and name[-1] != "<init>":
            return False
        may_bind = _TESTS.get(language)
        if may_bind is not None and not may_bind(last, raw):
            return False
        count = _in_module(roots.module(path, language), name) if len(name) > 1 else 0
        return all(part in raw for part in segments[count:-1])

    return test


# What may stand behind a Python name that is bound there. A pattern that begins with the
# name itself is searched ten times faster than one that begins with what is before it.
_BOUND = re.compile(rb"[\s\\]*(?:[,:)\]#]|=(?!=)|in\b)")
_SET = re.compile(rb"[\s\\]*(?::|=(?!=))")
_INTRODUCED = (b"def", b"class")
_LOOK_BACK = 64  # bytes before a name in which `def` stands


def _binds(name: "re.Pattern[bytes]", raw: bytes) -> bool:
    """Whether a Python name stands where one is bound, as far as a glance can tell."""
    for match in name.finditer(raw):
        start, end = match.span()
        if start and (raw[start - 1 : start].isalnum() or raw[start - 1] in b"_"):
            continue
        before = raw[max(0, start - _LOOK_BACK) : start].rstrip(b" \t\r\n\\\f")
        if before.endswith(_INTRODUCED):
            return True
        after = _BOUND
        if before.endswith(b"."):
            after = _BOUND if before.endswith((b"self.", b"cls.")) else _SET
        if after.match(raw, end):
            return True
    return False


def _declares(name: "re.Pattern[bytes]", raw: bytes) -> bool:
    """Whether a name of a script stands where more than a member of something is used."""
    for match in name.finditer(raw):
        start, end = match.span()
        if start and (raw[start - 1 : start].isalnum() or raw[start - 1] in b"_"):
            continue
        is_member = raw[max(0, start - _LOOK_BACK) : start].rstrip().endswith(b".")
        if not is_member or _ASSIGNED.match(raw, end):
            return True
    return False


_ASSIGNED = re.compile(rb"\s*(?:=(?!=)|/[/*])")  # a comment may stand before the `=`
_TESTS = {
    "python": _binds,
    "javascript": _declares,
    "typescript": _declares,
    "tsx": _declares,
}


def _in_module(module: tuple[str, ...], name: tuple[str, ...]) -> int:
    """How many of a name's first segments are the end of its module's name, at most."""
    for count in range(min(len(module), len(name) - 1), 0, -1):
        if module[-count:] == name[:count]:
            return count
    return 0
