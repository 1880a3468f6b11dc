"""From an alignment to the pieces of one match: what it changes, and nothing else.

A leaf that stays keeps its bytes, and so does the gap between two that are neighbours in
the pattern and in the template. What white space stands in any other gap says the table of
gaps; lines of statements belong to the statements.
"""

import re
from collections.abc import Sequence
from functools import partial
from itertools import islice

from tree_sitter import Node

from astedit.language.brackets import beyond, parents
from astedit.pattern.compile import Tag
from astedit.pattern.template import Slot
from astedit.rewrite.lay.continuation_lines import LineMove
from astedit.rewrite.lay.gap_table import SEPARATOR, Gap, ends, is_break, left_over, without_double
from astedit.rewrite.lay.list_items import inserted, listing_of_gap
from astedit.rewrite.make.align import TemplateGap
from astedit.rewrite.make.aligned_match import Aligned
from astedit.rewrite.make.overlap import Site
from astedit.rewrite.make.piece import Piece, applied, framed, in_order, moved_to, trimmed
from astedit.rewrite.make.render import Fill, Rendering, Style, TextStart, indent_of
from astedit.text.indent import (
    Mark,
    Text,
    cut,
    join,
    last_indent,
    leading_white,
    moved_line,
    shift,
    strip,
)
from astedit.text.source import ByteRange

_CLOSER = re.compile(rb"[ \t]*[)\]}]")
_BLOCK_END = re.compile(rb"\s*\n\s*\}")
_STATEMENT = re.compile(rb"[;}][ \t]*\Z")  # what ends one
_HEAD = re.compile(rb"(?:->|=>|\||\{)[ \t]*\Z")  # what begins a block, and ends its first line
_BODIES = ("block", "body", "compound_statement", "statements", "statement_list")  # ends of kinds
_ENDED = ("_statement", "_declaration", "statement_list")  # kinds of node that do, at a line's end
_Ends = tuple[bytes | None, bytes | None]  # white space that stays at both ends of a gap


class MatchLayout:
    """Lays one match out: `pieces` change it, `moves` say which lines go further in or out."""

    def __init__(self, site: Site, match: Aligned, style: Style, fill: Fill) -> None:
        self._matched = site.found
        self._has_inner = bool(site.inner)
        self._start, self.end, self._reach = site.start, site.end, site.reach
        self._template = site.rewrite.template
        self._match = match
        self.captures = match.captures()
        self._source = style.source
        self._style = style
        self._fill = fill
        self._prefix = style.leading(style.source, site.start)
        self._line = self._prefix  # the indentation of the line that is being written
        self._first = self._prefix  # that of the first line of the statement that goes on there
        self._move = LineMove(site.start, site.start, b"", b"")  # the last of what stays
        self._runs: list[LineMove] = []
        self._regions: list[tuple[int, int, list[Piece]]] = []
        self._bodies: dict[int, bytes] = {}  # that get brackets: the lines of these
        at = self._start
        for region in self._match.fit.regions:
            low, high = self._bounds(region)
            if low == high and not region.parts:
                continue
            self._stay(at, low)
            made = [one for one in self._pieces(region, low, high) if one is not None]
            self._regions.append((low, high, made))
            if region.items is not None and region.items.place == "prepend":
                self._line = moved_line(self._own_indent(high), self._move.old, self._move.new)
            elif b"\n" in (text := self._own(low, high, made)).data:
                self._line = last_indent(text, self._line, bullets=self._style.facts.bullets)
                has_break = any(b"\n" in part for part in region.parts if isinstance(part, bytes))
                if has_break or self._statement(high).start_byte == high:
                    self._first = self._line
            at = high
        self._stay(at, self.end)

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
        return applied([piece for piece in made if piece.start >= low], low, high, self._source)

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
        if region.right < len(self._match.alignment.goals):
            return low, spans[region.right][0]
        if low == self.end and self._ends_block(region):
            low = self.end = self._behind_comment(low)
        return low, self.end

    def _ends_block(self, region: TemplateGap) -> bool:
        """Is a statement of the source to end where the template closes a block on a new line?"""
        nodes = self._match.nodes.get(region.left)
        is_closer = _BLOCK_END.match(b"".join(p for p in region.parts[:1] if isinstance(p, bytes)))
        is_statement = nodes is not None and nodes[-1].type.endswith(_ENDED)
        return self._opened(region) is not None or bool(is_closer and is_statement)

    def _behind_comment(self, at: int) -> int:
        """Behind the comment that ends the line of a body, which goes into the brackets."""
        start = at + len(leading_white(self._source, at))
        node = self._style.root.descendant_for_byte_range(start, start + 1)
        if node is None or not node.is_extra or node.start_byte != start:
            return at
        end = start + len((node.text or b"").rstrip())
        rest = self._source[end : self._source.find(b"\n", end) + 1]
        return at if end > self._reach or rest.strip() else end

    def _stay(self, low: int, high: int) -> None:
        """Source that stays; its later lines keep their distance from the first.

        Where that is the first of a statement, or opens its body, they keep it from the statement.
        """
        has_break = self._source.find(b"\n", low, high) >= 0
        has_old = has_break or (low < high and (self._has_inner or self._line != self._prefix))
        old, new = self._own_indent(low) if has_old else self._line, self._line
        if has_break:
            begin = self._statement(low).start_byte
            is_first = new != self._first and b"\n" not in self._source[begin:low]
            if is_first or self._opens_body(low, begin):
                old, new = self._style.leading(self._source, begin), self._first
        self._move = LineMove(low, high, old, new)
        self._runs.append(self._move)
        if has_break:
            self._line = moved_line(self._style.indent(self._matched, high), old, new)
            if (begin := self._statement(high - 1).start_byte) > low:
                self._first = moved_line(self._style.leading(self._source, begin), old, new)

    def _opens_body(self, at: int, begin: int) -> bool:
        """Does a place open the body of what begins on the line of a statement's `begin`?"""
        token = self._style.root.descendant_for_byte_range(at, at + 1)
        for owner, _ in islice(parents(token), 2) if token and token.type in ("{", ":") else ():
            if any(child.type.endswith(_BODIES) for child in owner.children):
                return b"\n" not in self._source[begin : owner.start_byte]
        return False

    def _statement(self, at: int) -> Node:
        """The statement of a body, or of the file, that a place is in."""
        node = self._style.root.named_descendant_for_byte_range(at, at + 1) or self._matched.node
        root = self._style.root
        return beyond(node, lambda one: one != root and not one.type.endswith(_BODIES))[0]

    def _own_indent(self, low: int) -> bytes:
        for place, span in self._match.spans.items():
            if span[0] == low:
                return indent_of(self._match.nodes[place], self._matched, self._style)
        return self._style.indent(self._matched, low)

    def _nested(self, region: TemplateGap, text: bytes, trail: bytes) -> bytes:
        """What nests below the last line of new text is as far in as it was below the old."""
        above, line_break, white = trail.rpartition(b"\n")
        is_behind = text.rpartition(b"\n")[2].strip()
        old = self._match.spans.get(region.right - 1)
        if not (self._style.facts.bullets and line_break and is_behind and old):
            return trail
        new = last_indent(Text(text), self._line, bullets=True)
        return above + b"\n" + moved_line(white, self._style.leading(self._source, old[0]), new)

    def _pieces(self, region: TemplateGap, low: int, high: int) -> list[Piece | None]:
        if region.items is not None:
            nodes = self._match.nodes[region.right if region.closes else region.left]
            listing = listing_of_gap(region, nodes, low, high, self._source)
            at = low if region.items.place == "append" else high
            item = partial(self._item, own=self._style.indent(self._matched, at))
            if listing and (made := inserted(region.items, listing, item)) is not None:
                return self._moved(list(made), low, high)
        return [self._piece(region, low, high)]

    def _moved(self, pieces: list[Piece], low: int, high: int) -> list[Piece | None]:
        """Items that are put into a list go further in or out with the list, and its ends too."""
        old, new = self._move.old, self._move.new
        if old == new:
            return [*pieces]
        strays = [piece for piece in pieces if piece.start < low]
        text = shift(join([self._own(low, high, pieces), Text(b".")]), old, new)
        return [*strays, Piece(low, high, cut(text, 0, len(text.data) - 1))]

    def _item(self, parts: tuple[bytes | Slot, ...], line: bytes | None, own: bytes) -> Text:
        """An item of a list, on a line of its own with that indentation, or on one with `own`."""
        if line is None:
            line = self._line if self._move.old == self._move.new else own
        return self._rendered(parts, TextStart(line, line))

    def _rendered(self, parts: tuple[bytes | Slot, ...], place: TextStart) -> Text:
        made = Rendering(self._matched, place, self._template, self._style, self._fill)
        return made.rendered(parts)

    def _piece(self, region: TemplateGap, low: int, high: int) -> Piece | None:
        text = self._source[low:high]
        if not region.parts and not text:
            return None
        gap = self._gap(region, low, high)
        writes = (b"\n" in text or self._bodies) and gap.text.strip()
        lead, trail = self._ends(gap) if writes else (None, None)
        rendered = self._core(region, lead, trail)
        if rendered.data.strip():
            trail = without_double(trail, rendered.data) if trail else b""
            trail = self._nested(region, (lead or b"") + rendered.data, trail)
            rendered = framed(lead or b"", rendered, trail)
        elif (white := left_over(gap)) is not None:
            rendered = framed(white, strip(rendered, left=True, right=True), b"")
        if rendered.data.strip() and rendered.data == rendered.data.rstrip():
            rendered = framed(b"", rendered, self._before_comment(gap))
        return trimmed(Piece(low, high, rendered), self._source)

    def _before_comment(self, gap: Gap) -> bytes:
        """The blanks before a capture that begins with a comment behind the code of its line."""
        following = self._match.nodes.get(gap.region.right)
        if not following or not following[0].is_extra:
            return b""
        return b"" if gap.last.strip(b" \t") else gap.last

    def _core(self, region: TemplateGap, lead: bytes | None, trail: bytes | None) -> Text:
        line, behind = self._line, self._behind(region)
        if lead is not None:
            line, behind = self._style.leading(lead, len(lead)), ()
        inner = region.right < len(self._match.alignment.goals) and trail is None
        place = TextStart(self._prefix, line, region.indent, behind, inner, row=region.row)
        rendered = self._rendered(region.parts, place)
        text = strip(rendered, left=lead is not None, right=trail is not None)
        if lead is not None and text.data.startswith(b";"):  # behind a line that has ended
            text = strip(cut(text, 1, len(text.data)), left=True, right=False)
        return text

    def _behind(self, region: TemplateGap) -> tuple[Node, ...]:
        """What stands before a region, if it is a capture."""
        if region.left < 0 or self._match.alignment.goals[region.left].hole is None:
            return ()
        return tuple(self._match.nodes[region.left])

    def _gap(self, region: TemplateGap, low: int, high: int) -> Gap:
        """What the source has before the first leaf that goes and behind the last one."""
        gone = [p for p in range(region.left + 1, region.right) if p in self._match.spans]
        goals = self._match.alignment.goals
        first = self._white(low, gone[0] if gone else region.right, high)
        text = b"".join(part for part in region.parts[:1] if isinstance(part, bytes))
        return Gap(
            region,
            first,
            self._white(self._match.spans[gone[-1]][1] if gone else low, region.right, high),
            region.left >= 0 and region.right < len(goals),
            self._begins_line(region.reopens),
            self._style.facts.ends_lines,
            self._are_statements(region.left, first) and bool(_CLOSER.match(text)),
            region.left + 1 < len(goals) and goals[region.left + 1].text == b"{",
            region.left >= 0 and goals[region.left].text == b",",
        )

    def _white(self, low: int, place: int, high: int) -> bytes:
        """What is before a leaf, moved; a comment behind `{` goes with what follows on a line."""
        start, _ = self._match.spans.get(place, (high, high))
        white = self._source[low:start]
        if self._is_below_comment(place):
            nodes = self._match.nodes[place]
            white = self._style.newline + indent_of(nodes, self._matched, self._style)
        above, line_break, last = white.rpartition(b"\n")
        if not line_break or self._style.facts.bullets:  # which say how far in it is
            return white
        around = (run for run in reversed(self._runs) if len(run.old) <= len(last))
        move = next(around, self._move)
        return above + line_break + moved_line(last, move.old, move.new)

    def _is_below_comment(self, place: int) -> bool:
        """Are statements on lines below a comment behind the `{` that they stand in?"""
        nodes = self._match.nodes.get(place, [])
        first = next((node for node in nodes if not node.is_extra), None)
        if first is None or first.start_point[0] == nodes[0].start_point[0]:
            return False
        start = nodes[0].start_byte
        return self._source[start - nodes[0].start_point[1] : start].rstrip().endswith(b"{")

    def _ends(self, gap: Gap) -> _Ends:
        """Which line breaks stay, or are put in, at either end of what is written."""
        region = gap.region
        opened = self._opened(region)
        if opened is not None and _CLOSER.match(gap.text):
            return self._style.newline + opened, None
        if region.adds and self._gets_brackets(gap):
            self._bodies[region.right] = self._line
            return None, gap.last
        return self._beside_statements(gap)

    def _opened(self, region: TemplateGap) -> bytes | None:
        """The line of the body that got brackets and ends where a region begins."""
        ends_body = region.left >= 0 and self._match.alignment.goals[region.left].text == b";"
        return self._bodies.get(region.left - ends_body)

    def _gets_brackets(self, gap: Gap) -> bool:
        """Does a statement on the line below its `if` get brackets? `{` ends the line above."""
        goals, place = self._match.alignment.goals, gap.region.right
        is_one = place < len(goals) and goals[place].tag == Tag.HOLE and is_break(gap.last)
        return is_one and gap.text.strip() == b"{" and self._begins_line(place)

    def _beside_statements(self, gap: Gap) -> _Ends:
        """Also those around statements that the template writes in one line with others."""
        region, text = gap.region, gap.text
        lead, trail = ends(gap)
        if not gap.closes_line and self._are_statements(region.right, gap.last):
            if _HEAD.search(text):
                return None if region.adds else lead, trail or gap.last
            if _STATEMENT.search(text):
                is_open = region.adds or text.count(b"{") > text.count(b"}")
                line = self._line if lead is None else self._style.leading(lead, len(lead))
                return lead, trail or (gap.last if is_open else self._style.newline + line)
        if region.closes and not gap.opens_line and self._are_statements(region.left, gap.first):
            is_ended = self._match.nodes[region.left][-1].type.endswith(_ENDED)
            if is_ended if SEPARATOR.match(text) else text.rstrip().endswith(b";"):
                own = self._own_indent(self._match.spans[region.left][0])
                return self._style.newline + moved_line(own, self._move.old, self._move.new), trail
        return lead, trail

    def _are_statements(self, place: int, gap: bytes) -> bool:
        """Does a leaf of the pattern hold many nodes, on lines of their own beside that gap?"""
        goals, nodes = self._match.alignment.goals, self._match.nodes.get(place)
        if not nodes or goals[place].tag != Tag.MANY or not is_break(gap):
            return False
        # between tags a line break is another text than a blank
        return self._begins_line(place) and not (nodes[0].parent or nodes[0]).type.startswith("jsx")

    def _begins_line(self, place: int) -> bool:
        """Does a leaf of the pattern stand on lines of its own?"""
        if (span := self._match.spans.get(place)) is None:
            return False
        line = self._source.rfind(b"\n", 0, span[0]) + 1
        return not self._source[line : span[0]].strip() or self._is_below_comment(place)
