"""From an alignment to the pieces of one match: what it changes, and nothing else.

A leaf that stays keeps its bytes, and so does the gap between two that are neighbours in
the pattern and in the template. A line break stays where the source and the template are
in the same brackets and the template has none of its own there.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from tree_sitter import Node

from astedit.pattern.compile import Tag
from astedit.pattern.template import Slot
from astedit.rewrite.lay.continuation_lines import LineMove
from astedit.rewrite.lay.list_items import (
    ItemList,
    inserted,
    listing_around,
    listing_at,
    listing_of,
)
from astedit.rewrite.make.align import TemplateGap
from astedit.rewrite.make.aligned_match import Aligned
from astedit.rewrite.make.overlap import Site
from astedit.rewrite.make.piece import Piece, applied, framed, in_order, moved_to, trimmed
from astedit.rewrite.make.render import Fill, Style, TextStart, indent_of, render_parts
from astedit.rewrite.make.template_leaves import margins
from astedit.text.indent import Mark, Text, cut, join, leading, moved_line, shift, strip
from astedit.text.splice import ByteRange

_BREAK = re.compile(rb"(?:[ \t]|\\?\r?\n)*")
_BREAK_AT_END = re.compile(rb"([ \t]*[,;])?((?:[ \t]|\\?\r?\n)*)")
_CLOSER = re.compile(rb"[ \t]*[)\]}]")
_STATEMENT = re.compile(rb"[;}][ \t]*\Z")  # what ends one
_HEAD = re.compile(rb"(?:->|=>|\||\{)[ \t]*\Z")  # what begins a block, and ends its first line
_ENDED = ("_statement", "_declaration", "statement_list")  # kinds of node that do, at a line's end
_COMMA = re.compile(rb"\A[ \t]*[,;]")


class _Laid(NamedTuple):
    """The white space of the source that stays at both ends of a region."""

    lead: bytes | None
    trail: bytes | None


_NOTHING_LAID = _Laid(None, None)


class MatchLayout:
    """Lays one match out: `pieces` change it, `moves` say which lines go further in or out."""

    def __init__(self, site: Site, match: Aligned, style: Style, fill: Fill) -> None:
        self._matched = site.found
        self._start, self._end = site.start, site.end
        self._template = site.rewrite.template
        self._match = match
        self.captures = match.captures()
        self._source = style.source
        self._style = style
        self._fill = fill
        self._prefix = leading(style.source, site.start)
        self._line = self._prefix  # the indentation of the line that is being written
        self._move = LineMove(site.start, site.start, b"", b"")  # the last of what stays
        self._runs: list[LineMove] = []
        self._regions: list[tuple[int, int, list[Piece]]] = []
        self._bodies: dict[int, bytes] = {}  # that get brackets: the lines of these
        self._lay()

    def _lay(self) -> None:
        at = self._start
        for region in self._match.fit.regions:
            low, high = self._bounds(region)
            if low == high and not region.parts:
                continue
            self._stay(at, low)
            made = [one for one in self._pieces(region, low, high) if one is not None]
            self._regions.append((low, high, made))
            text = self._own(low, high, made)
            if region.items is not None and region.items.place == "prepend":
                self._line = moved_line(self._own_indent(high), self._move.old, self._move.new)
            elif b"\n" in text.data:
                self._line = leading(text.data + b".", len(text.data))
            at = high
        self._stay(at, self._end)

    @property
    def pieces(self) -> list[Piece]:
        """What changes beside what the slots hold."""
        return [piece for _, _, made in self._regions for piece in made]

    @property
    def moves(self) -> list[LineMove]:
        """The lines that go further in or out."""
        return [run for run in self._runs if run.old != run.new]

    def text(self, inner: Sequence[Piece], frozen: Sequence[int]) -> Text:
        """All of the match as it becomes; `inner` are the edits within what stays."""
        strays = [piece for low, _, made in self._regions for piece in made if piece.start < low]
        within = in_order([*inner, *strays])
        parts = []
        for place, run in enumerate(self._runs):
            parts.append(shift(self._run(run, within, frozen), run.old, run.new))
            if place < len(self._regions):
                parts.append(self._own(*self._regions[place]))
        return join(parts)

    def _own(self, low: int, high: int, made: Sequence[Piece]) -> Text:
        """What a region becomes, without the pieces that stand before it."""
        own = [piece for piece in made if piece.start >= low]
        return applied(own, low, high, self._source)

    def _run(self, run: LineMove, within: Sequence[Piece], frozen: Sequence[int]) -> Text:
        """Source that stays, with the edits within it and marks around what slots hold."""
        inside = [p for p in within if run.start <= p.start and p.end <= run.end]
        text = applied(inside, run.start, run.end, self._source, frozen)
        marks = [
            self._mark(slot, nodes, span, run.start, inside)
            for slot, span, nodes in self.captures
            if run.start <= span[0] and span[1] <= run.end
        ]
        return Text(text.data, text.frozen, [*marks, *text.marks]) if marks else text

    def _mark(
        self, slot: Slot, nodes: list[Node], span: ByteRange, start: int, inside: list[Piece]
    ) -> Mark:
        low, high = (moved_to(at, inside) - start for at in span)
        composed = any(span[0] <= piece.start and piece.end <= span[1] for piece in inside)
        return Mark(low, max(low, high), slot.name, nodes, slot.many, composed)

    def _bounds(self, region: TemplateGap) -> ByteRange:
        spans = self._match.spans
        low = spans[region.left][1] if region.left >= 0 else self._start
        inner = region.right < len(self._match.alignment.goals)
        return low, spans[region.right][0] if inner else self._end

    def _stay(self, low: int, high: int) -> None:
        """Source that stays; its later lines keep their distance from the first."""
        has_break = self._source.find(b"\n", low, high) >= 0
        old = self._own_indent(low) if has_break else self._line
        self._move = LineMove(low, high, old, self._line)
        self._runs.append(self._move)
        if has_break:
            self._line = moved_line(leading(self._source, high), old, self._line)

    def _own_indent(self, low: int) -> bytes:
        for place, span in self._match.spans.items():
            if span[0] == low:
                return indent_of(self._match.nodes[place], self._source)
        return leading(self._source, low)

    def _pieces(self, region: TemplateGap, low: int, high: int) -> list[Piece | None]:
        listing = self._listing(region, low, high)
        if listing is not None and region.items is not None:
            made = inserted(region.items, listing, self._item)
            if made is not None:
                return [self._shifted(piece) for piece in made]
        return [self._piece(region, low, high)]

    def _shifted(self, piece: Piece) -> Piece:
        """An item that is put into a list goes further in or out with the list."""
        if self._move.old == self._move.new:
            return piece
        text = shift(join([piece.text, Text(b".")]), self._move.old, self._move.new)
        return Piece(piece.start, piece.end, cut(text, 0, len(text.data) - 1))

    def _listing(self, region: TemplateGap, low: int, high: int) -> ItemList | None:
        """The list of the source that a region adds to."""
        if region.items is None:
            return None
        beside = region.right if region.closes else region.left
        nodes = self._match.nodes[beside]
        if region.items.place == "insert":
            return listing_around(nodes[0], self._source)
        if region.closes or region.opens:
            listing = listing_at(nodes[0], self._source)
        else:
            listing = listing_of(nodes, self._source)
        if listing is None or not listing.items:
            return listing
        if region.items.place == "prepend":
            return listing if listing.items[0].start_byte >= high else None
        return listing if listing.items[-1].end_byte <= low else None

    def _item(self, parts: tuple[bytes | Slot, ...], line: bytes | None) -> Text:
        """An item of a list, on a line of its own with that indentation if there is one."""
        line = self._line if line is None else line
        return self._rendered(parts, TextStart(line, line))

    def _rendered(self, parts: tuple[bytes | Slot, ...], place: TextStart) -> Text:
        return render_parts(self._matched, place, self._template, parts, self._style, self._fill)

    def _piece(self, region: TemplateGap, low: int, high: int) -> Piece | None:
        gap = self._source[low:high]
        if not region.parts and not gap.strip(b" \t" if region.closer else b""):
            return None
        if region.bared and b"\n" not in gap:
            return None
        laid = self._laid(region, low, high)
        rendered = self._core(region, laid)
        if not rendered.data.strip():
            rendered = self._deletion(region, low, high, rendered)
        else:
            rendered = _framed(rendered, laid)
        if rendered.data.strip() and rendered.data == rendered.data.rstrip():
            rendered = framed(b"", rendered, self._before_comment(region, low, high))
        return trimmed(Piece(low, high, rendered), self._source)

    def _before_comment(self, region: TemplateGap, low: int, high: int) -> bytes:
        """The blanks before a capture that begins with a comment behind the code of its line."""
        following = self._match.nodes.get(region.right)
        if not following or not following[0].is_extra:
            return b""
        _, gap = self._gaps(region, low, high)
        return b"" if gap.strip(b" \t") else gap

    def _core(self, region: TemplateGap, laid: _Laid) -> Text:
        line, behind = self._line, self._behind(region)
        if laid.lead is not None:
            line = leading(laid.lead + b".", len(laid.lead))
            behind = ()
        inner = region.right < len(self._match.alignment.goals) and laid.trail is None
        place = TextStart(self._prefix, line, region.indent, behind, inner)
        rendered = self._rendered(region.parts, place)
        text = strip(rendered, left=laid.lead is not None, right=laid.trail is not None)
        if laid.lead is not None and text.data.startswith(b";"):  # behind a line that has ended
            text = strip(cut(text, 1, len(text.data)), left=True, right=False)
        return text

    def _behind(self, region: TemplateGap) -> tuple[Node, ...]:
        """What stands before a region, if it is a capture."""
        if region.left < 0 or self._match.alignment.goals[region.left].hole is None:
            return ()
        return tuple(self._match.nodes[region.left])

    def _gaps(self, region: TemplateGap, low: int, high: int) -> tuple[bytes, bytes]:
        """The source before the first and behind the last leaf that goes."""
        gone = [
            self._match.spans[place]
            for place in range(region.left + 1, region.right)
            if place in self._match.spans
        ]
        if not gone:
            return self._source[low:high], self._source[low:high]
        return self._source[low : gone[0][0]], self._source[gone[-1][1] : high]

    def _laid(self, region: TemplateGap, low: int, high: int) -> _Laid:
        """Which line breaks stay: at either end of what is replaced."""
        opened = self._bodies.get(region.left - self._is_end(region.left))
        if opened is not None and _CLOSER.match(_text(region)):
            return _Laid(self._style.newline + opened, None)
        if self._source.find(b"\n", low, high) < 0:
            return _NOTHING_LAID
        first, last = self._gaps(region, low, high)
        before, behind = margins(region.parts)
        if region.adds and b"\n" in before + behind:
            return _NOTHING_LAID
        if region.adds and self._gets_brackets(region, last):
            self._bodies[region.right] = self._line
            return _Laid(None, last)
        closes = self._are_statements(region.left, first) and _CLOSER.match(_text(region))
        leads = (region.same_left or closes) and b"\n" not in before and not _is_separated(region)
        lead = first if leads and _breaks(first, region.swaps) else None
        if lead is not None and region.swaps and not region.comma:
            lead = None if self._style.facts.ends_lines else _COMMA.sub(b"", lead)
        stays = region.same_right or self._begins_line(region.reopens)
        trail = last if stays and b"\n" not in behind else None
        trail = trail if trail is not None and _breaks(trail, region.closes) else None
        laid = self._beside_statements(region, (first, last), _Laid(lead, trail))
        if laid is not None:
            return laid
        if region.adds and lead is not None and trail is not None:
            last_wins = region.closes if bool(before) == bool(behind) else bool(behind)
            return _Laid(None, trail) if last_wins else _Laid(lead, None)
        return _Laid(lead, trail)

    def _is_end(self, place: int) -> bool:
        """Is a leaf the `;` that ends a statement?"""
        return place >= 0 and self._match.alignment.goals[place].text == b";"

    def _gets_brackets(self, region: TemplateGap, gap: bytes) -> bool:
        """Does a statement on the line below its `if` get brackets? `{` ends the line above."""
        goals, place = self._match.alignment.goals, region.right
        is_one = place < len(goals) and goals[place].tag == Tag.HOLE and _breaks(gap)
        return is_one and _text(region).strip() == b"{" and self._begins_line(place)

    def _beside_statements(
        self, region: TemplateGap, gaps: tuple[bytes, bytes], laid: _Laid
    ) -> _Laid | None:
        """The line breaks around statements that the template writes in one line with others.

        None if there are none, or if what is written beside them ends no line.
        """
        text, (first, last) = _text(region), gaps
        before, behind = margins(region.parts)
        if b"\n" not in behind and self._are_statements(region.right, last):
            if _HEAD.search(text):
                return _Laid(None if region.adds else laid.lead, laid.trail or last)
            if _STATEMENT.search(text):
                is_open = region.adds or text.count(b"{") > text.count(b"}")
                trail = last if is_open else self._line_behind(laid.lead)
                return _Laid(laid.lead, laid.trail or trail)
        if region.closes and b"\n" not in before and self._are_statements(region.left, first):
            ended = self._match.nodes[region.left][-1].type.endswith(_ENDED)
            if ended if _is_separated(region) else text.rstrip().endswith(b";"):
                own = self._own_indent(self._match.spans[region.left][0])
                own = moved_line(own, self._move.old, self._move.new)
                return _Laid(self._style.newline + own, laid.trail)
        return None

    def _are_statements(self, place: int, gap: bytes) -> bool:
        """Does a leaf of the pattern hold many nodes, on lines of their own beside that gap?"""
        goals, nodes = self._match.alignment.goals, self._match.nodes.get(place)
        if not nodes or goals[place].tag != Tag.MANY or not _breaks(gap):
            return False
        # between tags a line break is another text than a blank
        return self._begins_line(place) and not (nodes[0].parent or nodes[0]).type.startswith("jsx")

    def _line_behind(self, lead: bytes | None) -> bytes:
        """A line break, and the indentation of the line that is being written behind `lead`."""
        line = self._line if lead is None else leading(lead + b".", len(lead))
        return self._style.newline + line

    def _begins_line(self, place: int) -> bool:
        """Does a leaf of the pattern stand on a line of its own?"""
        span = self._match.spans.get(place)
        if span is None:
            return False
        line = self._source.rfind(b"\n", 0, span[0]) + 1
        return not self._source[line : span[0]].strip()

    def _deletion(self, region: TemplateGap, low: int, high: int, rendered: Text) -> Text:
        """What is left where the template has nothing: one of the two gaps."""
        inner = region.left >= 0 and region.right < len(self._match.alignment.goals)
        if not inner:
            return strip(rendered, left=True, right=True)
        first, last = self._gaps(region, low, high)
        if region.spaces or any(b"\n" in one for one in region.parts if isinstance(one, bytes)):
            return rendered
        if region.closer and self._style.facts.ends_lines:
            return strip(rendered, left=True, right=True)
        if region.adds and not region.bared:
            return Text(_COMMA.sub(b"", first) if region.closer else first)
        empty = strip(rendered, left=True, right=True)
        if region.opens and region.closes:
            return empty
        if region.closes and region.same_right and _breaks(last, True):
            return framed(last, empty, b"")
        if region.same_left and _breaks(first):
            # without its bracket a body stays further in than what it belongs to
            opens = self._match.alignment.goals[region.left + 1].text == b"{"
            return framed(last if opens and _breaks(last) else first, empty, b"")
        if region.same_right and not region.opens and _breaks(last):
            return framed(last, empty, b"")
        return rendered


def _text(region: TemplateGap) -> bytes:
    """What a region writes, with a sign for each slot."""
    return b"".join(part if isinstance(part, bytes) else b"$" for part in region.parts)


def _framed(rendered: Text, laid: _Laid) -> Text:
    """The new text between the white space that stays; no separator twice."""
    if laid == _NOTHING_LAID:
        return rendered
    trail = laid.trail or b""
    separator = _BREAK_AT_END.match(trail)
    if separator and separator[1] and rendered.data.endswith(separator[1].strip()):
        trail = separator[2]
    return framed(laid.lead or b"", rendered, trail)


def _is_separated(region: TemplateGap) -> bool:
    """Does what a template writes begin with a separator? It ends a line and begins none."""
    first = region.parts[0] if region.parts else b""
    return isinstance(first, bytes) and _COMMA.match(first) is not None


def _breaks(gap: bytes, at_end: bool = False) -> bool:
    """Is it a line break and nothing else, but for a comma at the end of a list?"""
    found = _BREAK_AT_END.fullmatch(gap) if at_end else _BREAK.fullmatch(gap)
    return found is not None and b"\n" in gap
