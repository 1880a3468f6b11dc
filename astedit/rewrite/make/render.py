"""The text that takes a match's place: template, captures, indentation. (rules F7, F8, F15, M-8)"""

import re
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from itertools import chain
from typing import NamedTuple

from tree_sitter import Node

from astedit.language.brackets import nearest
from astedit.language.facts import Facts
from astedit.pattern.match import Found
from astedit.pattern.template import Slot, Template
from astedit.text.indent import (
    SAMPLE,
    Mark,
    Text,
    join,
    leading,
    literal_lines,
    rescale,
    shift,
    unit_of,
)
from astedit.text.source import end_of_line, line_start, lines_begun

_SEPARATOR = re.compile(rb"[ \t]*([,;])[ \t]*")
_BEHIND_NOTHING = b","  # separators of a template that an empty capture takes with it
_BEHIND_ONE = b",;"  # and those that a capture which ends in one does not want again
_LISTS = re.compile("argument|parameter|^list$|^array$|^set$")
_COMMA_AT_END = re.compile(rb"[ \t]*,[ \t]*\Z")
_WHITE_AT_END = re.compile(rb"[ \t]*,?[ \t]*\Z")
_ENDS_LIST = re.compile(rb"[\s)>\]}/:;.]|\Z")

# The text of a capture's span with the rewrites of inner matches already in it.
Fill = Callable[[int, int], Text | None]


class Style:
    """What rewritten text must fit: one per file, and looked up only when text has lines."""

    def __init__(self, source: bytes, root: Node, exact: bool, facts: Facts) -> None:
        self.source = source
        self.root = root
        self.exact = exact or facts.bullets  # below a mark stands what is as far in
        self.facts = facts
        self.leading = partial(leading, bullets=facts.bullets)
        self._frozen: tuple[Found | None, list[int]] = None, []

    @cached_property
    def newline(self) -> bytes:
        return end_of_line(self.source)

    @cached_property
    def unit(self) -> bytes:
        literals = literal_lines(self.root, self.source, self.facts.literals, SAMPLE)
        return unit_of(self.source, frozenset(literals))

    def frozen(self, found: Found) -> list[int]:
        """Offsets of lines in a match, and in captures outside of it, that begin in a literal."""
        if self._frozen[0] is not found:
            low, high = found.node.byte_range
            captured = chain(found.single.values(), *found.multi.values())
            others = (one.parent or one for one in captured if not low <= one.start_byte < high)
            kinds = self.facts.literals
            lines = [literal_lines(node, self.source, kinds) for node in (found.node, *others)]
            if (output := self.facts.output) is not None:
                spans = (one.span() for one in output.finditer(self.source, low, high))
                lines += (lines_begun(self.source, *span) for span in spans)
            self._frozen = found, sorted({*chain.from_iterable(lines)})
        return self._frozen[1]

    def indent(self, found: Found, at: int) -> bytes:
        """What the line of a place in a match begins with; within a literal, the literal's."""
        line = line_start(self.source, at)
        if line > found.node.start_byte and line in self.frozen(found):
            node = self.root.descendant_for_byte_range(line, line)
            if node is not None and node.type not in self.facts.literals:
                node = nearest(node, self.facts.literals)
            if node is not None and node.start_byte < line:
                return self.indent(found, node.start_byte)
        return self.leading(self.source, at)


class TextStart(NamedTuple):
    """Where new text begins: the indentation of the match's line, and of this one.

    `indent` is the template's own of the line, `behind` what a slot holds that is right
    before it, `inner` says that something of the match follows on its last line, `ends` that
    captures keep the line breaks that their nodes end with. `row` is the template's line.
    """

    prefix: bytes
    line: bytes
    indent: bytes = b""
    behind: tuple[Node, ...] = ()
    inner: bool = False
    ends: bool = False
    row: int = 0


def render(
    found: Found, start: int, template: Template, style: Style, fill: Fill, *, ends: bool = False
) -> Text:
    """Expands a template for one match that begins at byte `start`.

    With `ends` captures keep the line breaks that their nodes end with, as ast-grep's do.
    """
    prefix = style.leading(style.source, start)  # of the line the match begins on
    place = TextStart(prefix, prefix, ends=ends)
    return Rendering(found, place, template, style, fill).rendered(template.parts)


class Rendering:
    """Expands some parts of a template, which are to stand at `place`."""

    def __init__(
        self, found: Found, place: TextStart, template: Template, style: Style, fill: Fill
    ) -> None:
        self._matched = found
        self._source = style.source
        self._style = style
        self._fill = fill
        self._template = template
        self._place = place
        self._line = place.line  # the indentation of the line that is being written
        self._white = self._indentation(place.indent)  # the template's own, scaled
        self._row = place.row
        self._out: list[Text] = []
        self._newlines = 0  # to be written before the next text, with its indentation
        self._in_comment = False  # the text so far ends in a line comment
        self._swallow = b""  # separators of the template that are not to be repeated
        self._hollow = False  # the current line holds nothing but an empty slot
        if place.behind:
            text = self._source[place.behind[0].start_byte : place.behind[-1].end_byte]
            self._in_comment = self._ends_in_comment(place.behind[-1], text)
            self._swallow = _unwanted_behind(place.behind)

    def rendered(self, parts: Sequence[bytes | Slot]) -> Text:
        parts = parts or (b"",)
        for part, following in zip(parts, (*parts[1:], b""), strict=True):
            if isinstance(part, Slot):
                self._slot(part, following)
            else:
                self._literal(part)
        self._drop_hollow_line()
        self._newlines += self._place.inner and self._in_comment
        if self._newlines and self._place.inner:
            self._break()
        elif self._newlines:
            self._out.append(Text(self._style.newline * self._newlines))
        return join(self._out)

    def _literal(self, part: bytes) -> None:
        if self._swallow:
            part = self._without_separator(part)
        if self._in_comment and part:
            self._in_comment = False
            if not part.startswith(b"\n"):
                self._newlines += 1
                part = part.lstrip(b" \t")
        first, *later = part.split(b"\n")
        begins = not self._out
        self._emit(Text(first))
        if begins:
            self._nest(first)
        for line in later:
            self._row += 1
            if self._row in self._template.literal_rows:
                self._emit(Text(self._style.newline + line, (len(self._style.newline),)))
                continue
            self._drop_hollow_line()
            rest = line.lstrip(b" \t")
            self._white = self._indentation(line[: len(line) - len(rest)])
            self._newlines += 1
            self._emit(Text(rest))
            self._nest(rest)

    def _nest(self, text: bytes) -> None:
        """Goes further in, if a line begins with the mark of an item."""
        if self._style.facts.bullets:
            self._line += self._style.leading(text, len(text))

    def _indentation(self, white: bytes) -> bytes:
        if self._style.exact or not white:
            return white
        return rescale(white, self._template.unit, self._style.unit)

    def _without_separator(self, part: bytes) -> bytes:
        """M-8: no `,,` behind a capture that ends in one, no `,` behind an empty one."""
        swallow, self._swallow = self._swallow, b""
        found = _SEPARATOR.match(part)
        if found is None or found[1] not in swallow:
            return part
        return part[found.end() :] if swallow == _BEHIND_NOTHING else part[found.end(1) :]

    def _slot(self, slot: Slot, following: bytes | Slot) -> None:
        if (made := (self._matched.texts or {}).get(slot.name)) is not None:
            self._made(slot, made, following)
            return
        nodes = self._matched.nodes(*slot)
        if len(nodes) == 2 and has_idle_comma(nodes):
            behind = following.lstrip() if isinstance(following, bytes) else b""
            nodes = nodes if behind.startswith((b")", b"]", b"}")) else nodes[:1]
        text = self._capture(nodes) if nodes else Text(b"")
        if not text.data:
            self._empty(following)
            return
        end = len(text.data.rstrip() if self._place.ends else text.data)
        mark = Mark(0, end, slot.name, nodes, slot.many, bool(text.marks))
        text = Text(text.data, text.frozen, (mark, *text.marks))
        if self._in_comment:
            self._newlines += 1
        if nodes[0].is_extra and not (self._newlines or self._place.ends) and self._out:
            self._emit(Text(self._blanks_before(nodes[0])))
        self._emit(text)
        self._in_comment = self._ends_in_comment(nodes[-1], text.data)
        self._swallow = _unwanted_behind(nodes) if slot.many else b""

    def _made(self, slot: Slot, made: Text, following: bytes | Slot) -> None:
        """What a transform made: its later lines are indented from zero."""
        text, marks, frozen = made.data, made.marks, made.frozen
        if not text:
            self._empty(following)
            return
        if b"\n" in text:
            text = text.replace(b"\r\n", b"\n").replace(b"\n", self._style.newline)
            marks, frozen = (marks, frozen) if len(text) == len(made.data) else ((), ())
        mark = Mark(0, len(text), slot.name, (), composed=True)
        self._emit(shift(Text(text, frozen, (mark, *marks)), b"", self._next_line()))

    def _capture(self, nodes: list[Node]) -> Text:
        """The text of a capture, moved to where it is to stand."""
        low, high = nodes[0].start_byte, nodes[-1].end_byte
        if not self._place.ends or self._source[high - 1 : high] == b"\r":
            high = without_newline(nodes[-1], high, self._source)
        text = self._fill(low, high) or Text(self._source[low:high])
        if b"\n" not in text.data:
            return text
        return shift(text, indent_of(nodes, self._matched, self._style), self._next_line())

    def _blanks_before(self, comment: Node) -> bytes:
        """What stands between a comment and what it is written behind, as in the source."""
        out = self._out[-1].data
        line = self._source[comment.start_byte - comment.start_point[1] : comment.start_byte]
        white = line[len(line.rstrip()) :]
        return white if out == out.rstrip() and white != line else b""

    def _ends_in_comment(self, node: Node, text: bytes) -> bool:
        """Does a capture end in a comment that the end of its line ends?"""
        facts = self._style.facts
        if not any(prefix in text for prefix in facts.comments):
            return False
        leaf = last_leaf(node)
        has_ended = b"\n" in text[len(text.rstrip()) :]
        return leaf.is_extra and not has_ended and facts.ends_line(leaf.text or b"")

    def _next_line(self) -> bytes:
        """The indentation of the line that the next text stands on."""
        return self._place.prefix + self._white if self._newlines else self._line

    def _empty(self, following: bytes | Slot) -> None:
        """An empty slot takes one adjoining comma or blank of the template along, and its line."""
        self._hollow = self._newlines > 0
        comma = isinstance(following, bytes) and _SEPARATOR.match(following)
        if comma and comma[1] == b",":
            self._swallow = _BEHIND_NOTHING
        elif self._out:
            tail = self._out[-1]
            is_last = isinstance(following, bytes) and _ENDS_LIST.match(following)
            white = _WHITE_AT_END if is_last else _COMMA_AT_END
            self._out[-1] = Text(white.sub(b"", tail.data), tail.frozen)

    def _drop_hollow_line(self) -> None:
        if self._hollow and self._newlines:
            self._newlines -= 1
        self._hollow = False

    def _emit(self, text: Text) -> None:
        if not text.data:
            return
        if self._newlines:
            self._break()
        self._hollow = False
        self._out.append(text)

    def _break(self) -> None:
        self._line = self._place.prefix + self._white
        self._out.append(Text(self._style.newline * self._newlines + self._line))
        self._newlines = 0


def last_leaf(node: Node) -> Node:
    """What a node ends with; a comment is one thing."""
    while node.child_count and not node.is_extra:
        node = node.children[-1]
    return node


def without_newline(node: Node, end: int, source: bytes) -> int:
    """Where a node ends without the newline that some have and their last leaf has not, as Go's."""
    if not source[end - 1 : end].isspace():
        return end
    if source[end - 1 : end] == b"\r":
        return end - 1  # which ends a comment's line
    leaf = last_leaf(node)
    last, scalar = leaf.end_byte, leaf.parent
    if scalar is not None and scalar.type == "block_scalar":
        text = scalar.text or b""  # of YAML: without a `+` at its head they are no part of it
        last = end if b"+" in text[:3] else scalar.start_byte + len(text.rstrip())
    return last if source[last:end].isspace() else end


def has_idle_comma(nodes: Sequence[Node]) -> bool:
    """Is it one item, and a comma that says nothing in its list? Elsewhere it may make a tuple."""
    items = [node for node in nodes if not node.is_extra]
    listing = items[1].parent if len(items) == 2 and items[1].type == "," else None
    return listing is not None and _LISTS.search(listing.type) is not None


def _unwanted_behind(nodes: Sequence[Node]) -> bytes:
    """The separators that are not to follow a capture: comments alone are no item of a list."""
    last = next((node for node in reversed(nodes) if not node.is_extra), None)
    if last is None:
        return _BEHIND_NOTHING
    return _BEHIND_ONE if not last.is_named and last.text in (b",", b";") else b""


def indent_of(nodes: Sequence[Node], found: Found, style: Style) -> bytes:
    """Of the line a capture begins on; not that of `if x:  # why`, whose body is deeper."""
    first = nodes[0]
    own = style.indent(found, first.start_byte)
    if not first.is_extra or len(own) == first.start_point[1]:
        return own
    line = style.source[first.start_byte - first.start_point[1] : first.start_byte]
    if line.rstrip().endswith((b"(", b"[")):
        return own  # of `f(  # why` too, which arguments follow
    following = next((node for node in nodes if node.start_point[0] > first.start_point[0]), None)
    return own if following is None else style.indent(found, following.start_byte)
