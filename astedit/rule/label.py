"""What a rule says about a match: its message, and labels on what it captured. (rule G2)"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tree_sitter import Node

from astedit.pattern.match import Found
from astedit.rule.failure import captured
from astedit.rule.match.node import Captures
from astedit.rule.scope import Scope
from astedit.text.indent import Text, leading, shift

STYLES = ("primary", "secondary")
_SLOT = re.compile(r"(\${1,3})([A-Z_][A-Z0-9_]*)")


@dataclass(frozen=True, slots=True)
class Label:
    """A capture to point at, and what to say there."""

    name: str
    style: str
    message: str | None


def compile_labels(
    content: Mapping[str, Any], scope: Scope, captures: Captures
) -> tuple[Label, ...]:
    """The labels of a document; each is of a capture, not of a transform's text."""
    raw = content.get("labels", {})
    made = content.get("transform", {})
    labels = []
    for name, one in raw.items():
        place = f"labels.{name}"
        mapping = scope.keys(one, place, ("style", "message"))
        if name not in captures or name in made:
            nodes = captures.keys() - made.keys()
            scope.fail(f"the rule captures no ${name}", place, captured(name, nodes))
        style = scope.choice(mapping.get("style"), f"{place}.style", "style", STYLES)
        text = mapping.get("message")
        labels.append(Label(name, style, text and scope.text(text, f"{place}.message")))
    return tuple(labels)


def labelled(label: Label, found: Found) -> list[Node]:
    """The nodes from first to last that a label is about; none for an untaken alternative."""
    node = found.single.get(label.name)
    return [node] if node is not None else list(found.multi.get(label.name, ()))


def interpolated(text: str, found: Found, source: bytes, known: Captures) -> str:
    """A message with its captures and transforms filled in; other names stay as written.

    Lines move as in a fix: ast-grep makes its messages in the same way.
    """
    if _SLOT.search(text) is None:
        return text
    out = b""
    at = 0
    for slot in _SLOT.finditer(text):
        out += text[at : slot.start()].encode("utf-8", "surrogateescape")
        before = text[: slot.start()].encode("utf-8", "surrogateescape")
        out += _filled(slot, found, source, known, leading(before, len(before)))
        at = slot.end()
    out += text[at:].encode("utf-8", "surrogateescape")
    start = found.node.start_byte
    return shift(Text(out), b"", leading(source, start)).data.decode("utf-8", "replace")


def _filled(
    slot: re.Match[str], found: Found, source: bytes, known: Captures, indent: bytes
) -> bytes:
    name = slot[2]
    texts = found.texts or {}
    if name in texts:
        return shift(texts[name], b"", indent).data
    if name not in known:
        return slot[0].encode()
    single = found.single.get(name)
    nodes = [single] if single is not None else found.multi.get(name) or []
    if not nodes:
        return b""
    start, end = nodes[0].start_byte, nodes[-1].end_byte
    return shift(Text(source[start:end]), leading(source, start), indent).data
