"""What a rule says about a match: its message, and labels on what it captured. (rule G2)"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from astedit.pattern.match import Found
from astedit.pattern.template import Slot
from astedit.rule.environment import Bindings, Environment
from astedit.rule.failure import captured
from astedit.rule.fixes.pieces import expanded
from astedit.rule.match.node import Captures
from astedit.rule.scope import Scope

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


def interpolated(text: str, found: Found, source: bytes, known: Captures) -> str:
    """A message with its captures and transforms filled in; other names stay as written.

    Lines move as in a fix: ast-grep makes its messages in the same way.
    """
    parts: list[bytes | Slot] = []
    at = 0
    for slot in _SLOT.finditer(text):
        if (name := slot[2]) in known:
            is_many = name in found.multi and name not in found.single
            parts += text[at : slot.start()].encode("utf-8", "surrogateescape"), Slot(name, is_many)
            at = slot.end()
    if not parts:
        return text
    parts.append(text[at:].encode("utf-8", "surrogateescape"))
    bindings = Bindings(found.single, found.multi)
    env = Environment(found.node, source, bindings, texts=found.texts or {})
    return expanded(parts, env, found.node).data.decode("utf-8", "replace")
