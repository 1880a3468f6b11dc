"""Whether a text reads a name from a module, judged by its words alone."""

import posixpath
import re
from collections.abc import Iterator


def module_stem(path: str) -> str:
    """The last part of a module's name."""
    return posixpath.splitext(path)[0].removesuffix("/__init__").rpartition("/")[2]


def reads(code: bytes, stem: str, name: str) -> bool:
    """Whether another module's text may read `name` of a module, however it imports that."""
    if name.encode() not in code or stem.encode() not in code:
        return False
    text = code.decode("utf-8", "replace")
    if any(re.search(rf"\b{each}\s*\.\s*{name}\b", text) for each in _called(text, stem)):
        return True
    brought = rf"\bfrom\s+[.\w]*\b{stem}\s+import\s+(\([^)]*\)|(?:\\\n|[^\n])*)"
    parts = [match[1] for match in re.finditer(brought, text)]
    return any("*" in part or re.search(rf"\b{name}\b", part) for part in parts)


def _called(text: str, stem: str) -> Iterator[str]:
    """What a text calls a module: its own name, and those after `as`."""
    yield stem
    for match in re.finditer(rf"\bimport\s[^\n]*\b{stem}\s+as\s+(\w+)", text):
        yield match[1]
