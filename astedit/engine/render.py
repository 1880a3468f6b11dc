"""The text that takes a match's place: template, captures, indentation. (spec: F7, F8, F15, M-8)"""

import re
from collections.abc import Callable
from functools import cached_property

from tree_sitter import Node

from astedit.language.facts import Facts
from astedit.pattern.indent import (
    SAMPLE,
    Text,
    join,
    leading,
    literal_lines,
    rescale,
    shift,
    template_unit,
    unit_of,
)
from astedit.pattern.match import Found
from astedit.pattern.template import Slot, Template
from astedit.source import end_of_line

_SEPARATOR = re.compile(rb"[ \t]*([,;])[ \t]*")
_COMMA_AT_END = re.compile(rb"[ \t]*,[ \t]*\Z")
_INDENT = re.compile(rb"\n([ \t]*)(?=[^ \t\n])")

# The text of a capture's span with the rewrites of inner matches already in it.
Fill = Callable[[int, int], Text | None]


class Style:
    """What rewritten text must fit: one per file, and looked up only when text has lines."""

    def __init__(self, source: bytes, root: Node, exact: bool, facts: Facts) -> None:
        self._source = source
        self._root = root
        self.exact = exact
        self.facts = facts

    @cached_property
    def newline(self) -> bytes:
        return end_of_line(self._source)

    @cached_property
    def unit(self) -> bytes:
        literals = literal_lines(self._root, self._source, self.facts.literals, SAMPLE)
        return unit_of(self._source, frozenset(literals))


def render(
    found: Found, start: int, template: Template, source: bytes, style: Style, fill: Fill
) -> Text:
    """Expands a template for one match that begins at byte `start`."""
    return _Rendering(found, start, template, source, style, fill).text()


class _Rendering:
    def __init__(
        self,
        found: Found,
        start: int,
        template: Template,
        source: bytes,
        style: Style,
        fill: Fill,
    ) -> None:
        self._found = found
        self._source = source
        self._style = style
        self._fill = fill
        self._parts = template.parts
        self._prefix = leading(source, start)  # of the line the match begins on
        self._white = b""  # the template's own indentation on the current line, scaled
        self._unit = template_unit(_widths(template))
        self._out: list[Text] = []
        self._break = False  # the text so far ends in a line comment
        self._swallow: str | None = None  # of the template's next separator: "mark" or "all"
        self._pending = b""  # indentation of a line on which nothing stands yet

    def text(self) -> Text:
        for part in self._parts:
            if isinstance(part, Slot):
                self._slot(part)
            else:
                self._literal(part)
        return join(self._out)

    def _literal(self, part: bytes) -> None:
        part = self._without_separator(part)
        if not part:
            return
        if self._break and not part.startswith(b"\n"):
            self._new_line()
            part = part.lstrip(b" \t")
        self._break = False
        first, *later = part.split(b"\n")
        self._emit(first)
        for line in later:
            rest = line.lstrip(b" \t")
            white = line[: len(line) - len(rest)]
            self._white = (
                white if self._style.exact else rescale(white, self._unit, self._style.unit)
            )
            self._new_line()
            self._emit(rest)

    def _without_separator(self, part: bytes) -> bytes:
        """M-8: no `,,` behind a capture that ends in one, no `,` behind an empty one."""
        wanted, self._swallow = self._swallow, None
        found = _SEPARATOR.match(part) if wanted else None
        if found is None:
            return part
        if wanted == "all":
            return part[found.end() :] if found[1] == b"," else part
        return part[found.end(1) :]

    def _slot(self, slot: Slot) -> None:
        nodes = self._nodes(slot)
        if not nodes:
            self._empty()
            return
        leaf = _last_leaf(nodes[-1])
        low, high = nodes[0].start_byte, nodes[-1].end_byte
        if self._source[leaf.end_byte : high].isspace():  # Go's newline, which has no node
            high = leaf.end_byte
        text = self._fill(low, high) or Text(self._source[low:high], [])
        if b"\n" in text.data:
            text = shift(text, leading(self._source, low), self._prefix + self._white)
        if self._break and text.data:
            self._new_line()
        self._emit_text(text)
        self._break = leaf.is_extra and self._style.facts.ends_line(leaf.text or b"")
        self._swallow = "mark" if slot.many and _ends_with_separator(nodes) else None

    def _nodes(self, slot: Slot) -> list[Node]:
        if not slot.many:
            return [self._found.single[slot.name]]
        return self._found.multi.get(slot.name, [])

    def _empty(self) -> None:
        """An empty many-hole takes one adjoining comma of the template with it."""
        if self._out and _COMMA_AT_END.search(self._out[-1].data):
            tail = self._out[-1]
            self._out[-1] = Text(_COMMA_AT_END.sub(b"", tail.data), tail.frozen)
        else:
            self._swallow = "all"

    def _new_line(self) -> None:
        """Ends the line; the next one is indented when something comes to stand on it."""
        self._out.append(Text(self._style.newline, []))
        self._pending = self._prefix + self._white

    def _emit(self, data: bytes) -> None:
        self._emit_text(Text(data, []))

    def _emit_text(self, text: Text) -> None:
        if text.data:
            if self._pending:
                self._out.append(Text(self._pending, []))
                self._pending = b""
            self._out.append(text)


def _last_leaf(node: Node) -> Node:
    while node.child_count and not node.is_extra:
        node = node.children[-1]
    return node


def _widths(template: Template) -> list[int]:
    text = b"".join(part if isinstance(part, bytes) else b"$" for part in template.parts)
    return [len(white) for white in _INDENT.findall(text) if b"\t" not in white]


def _ends_with_separator(nodes: list[Node]) -> bool:
    last = next((node for node in reversed(nodes) if not node.is_extra), None)
    return last is not None and not last.is_named and last.text in (b",", b";")
