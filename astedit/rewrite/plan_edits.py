"""All matches of all ops in one file, to one list of edits. (rules F5, F9, F13, F14)"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from astedit.errors import LimitError
from astedit.pattern.match import Found
from astedit.rewrite.lay.continuation_lines import realign, reindented
from astedit.rewrite.lay.layout import MatchLayout
from astedit.rewrite.loss import account, clauses, unsaid
from astedit.rewrite.make.aligned_match import Aligned, aligned, laid_out, match_shape
from astedit.rewrite.make.delete import emptied, removal, widen
from astedit.rewrite.make.multi_edit import clashing, parts_of
from astedit.rewrite.make.overlap import Displacement, Rewrite, Site, lies_within, nest
from astedit.rewrite.make.piece import Piece, applied, in_order, overlapping
from astedit.rewrite.make.render import Fill, Style, render, without_newline
from astedit.text.indent import Mark, Text, strip

if TYPE_CHECKING:
    from astedit.rule.fixes.fix import Fix

_MARK = re.compile(rb"[ \t]*([;,])")
MAX_MARKS = 65_536  # captures in captures in one edit before it is refused
MAX_GROWTH = 16_777_216  # bytes a single file's rewrite may add before it is refused


@dataclass(slots=True)
class Refusal:
    """A match left out of the plan: why, and for a `loss` the bytes concerned."""

    site: Site
    reason: str
    lost: list[tuple[int, int]]


@dataclass(slots=True)
class FileRewrite:
    """What the ops do to one file, before it is verified."""

    sites: list[Site]
    refused: list[Refusal]
    displaced: list[Displacement]


def rewrite(found: Sequence[tuple[Rewrite, Sequence[Found]]], style: Style) -> FileRewrite:
    """Turns matches into edits: `sites` are the outermost ones, in order, with their text."""
    sites: list[Site] = []
    refused: list[Refusal] = []
    clashes: list[Displacement] = []
    for op, matches in found:
        for one in matches:
            site, lost = _site(op, one if op.deletes else _without_end(one), style)
            if style.root.has_error and any(node.is_missing for _, node in one.trail):
                refused.append(Refusal(site, "breaks_syntax", []))  # its end is not in the file
            elif lost and not op.allow_loss:
                refused.append(Refusal(site, "loss", lost))
            elif clashing(site.parts):
                clashes.append(Displacement(site, site, "crossing"))
            elif site.parts or not (op.fix and op.fix.edits):
                sites.append(site)
    refused += _delete(sites, style)
    barred = {id(refusal.site) for refusal in refused}
    outer, displaced = nest([site for site in sites if id(site) not in barred], style.source)
    return FileRewrite(_render(outer, style), refused, clashes + displaced)


def alone(op: Rewrite, found: Found, style: Style) -> Site:
    """What a match would become if there were no other; it may be blocked all the same."""
    site, _ = _site(replace(op, layout="template"), found, style)
    _delete([site], style)
    _compose(site, style)
    return site


def _without_end(found: Found) -> Found:
    """A match without the `;` at its end that a `$$$` took: it stays where it is. (F5)"""
    goal, node = found.trail[-1] if found.trail else (None, found.node)
    is_end = node.type == ";" and node.end_byte == found.node.end_byte
    if goal is None or goal.hole is None or not (goal.hole.many and is_end):
        return found
    multi = {
        name: nodes[:-1] if node in nodes[-1:] else nodes for name, nodes in found.multi.items()
    }
    return replace(found, multi=multi, trail=found.trail[:-1])


def _site(op: Rewrite, found: Found, style: Style) -> tuple[Site, list[tuple[int, int]]]:
    """What a match replaces, and which of its bytes nobody spoke for."""
    fix = op.fix
    fits = op.fits_of(found) if op.layout == "keep" and not op.deletes else None
    shape = None
    if fits is not None and op.keeps_layouts:
        shape = match_shape(fits, found, style.source, style.facts.comments)
    if shape is not None and shape.layout is not None:
        return Site(op, found, shape.start, shape.end, shape=shape), []
    hidden = unsaid(found, op.slots, op.made_of) if op.made_of else []
    if fix is not None and fix.edits:
        parts = parts_of(fix, found, style)
        spans = [span for part in parts for span in ((part.start, part.end), part.target)]
        start = min((low for low, _ in spans), default=found.node.start_byte)
        end = max((high for _, high in spans), default=start)
        hidden = [span for span in hidden if any(p.start < span[1] <= p.end for p in parts)]
        return Site(op, found, start, end, parts=parts), hidden
    trail = [(node.start_byte, node.end_byte) for _, node in found.trail]
    match = aligned(fits, found, style.source) if fits is not None else None
    if match is not None and match.comments:
        trail = [span for span in trail if span not in match.comments]
    gaps = match.gaps if match else tuple
    start, end, lost = account(found.node, trail, style.source, op.deletes, gaps)
    if op.layout == "keep" and not op.deletes:
        end = without_newline(found.node, end, style.source)
    site = Site(op, found, start, end, aligned=match, shape=shape)
    if fix is not None and (fix.start or fix.end):
        _expand(site, fix, style)
    return site, [*lost, *found.lost, *hidden, *clauses(op, found)]


def _expand(site: Site, fix: "Fix", style: Style) -> None:
    """Takes along what `expandStart` and `expandEnd` reach."""
    before = fix.start and fix.start.reach(site.found, style.root, style.source)
    after = fix.end and fix.end.reach(site.found, style.root, style.source)
    if before:
        site.start = min(site.start, before.start_byte)
    if after:
        site.end = max(site.end, after.end_byte)


def _delete(sites: list[Site], style: Style) -> list[Refusal]:
    """Widens every deletion; those that would empty a block are refused."""
    doomed = [site for site in sites if site.rewrite.deletes]
    if not doomed:
        return []
    removals = [removal(s.found.node, s.start, s.end, style.source, style.facts) for s in doomed]
    empty = emptied([gone.node for gone in removals], style.facts)
    pairs = list(zip(doomed, removals, strict=True))
    staying = [(site, gone) for site, gone in pairs if gone.node.id not in empty]
    cuts = widen([gone for _, gone in staying], style.source)
    for (site, gone), cut in zip(staying, cuts, strict=True):
        site.removal, (site.start, site.end, site.kept) = gone, cut
    return [Refusal(site, "empty_block", []) for site, gone in pairs if gone.node.id in empty]


def _render(outer: list[Site], style: Style) -> list[Site]:
    """Fills in every site's pieces, innermost first; returns the outermost that change anything."""
    limits = [*(site.start for site in outer[1:]), len(style.source)]
    for site, limit in zip(outer, limits, strict=False):
        site.reach = limit
    order: list[Site] = []
    stack = list(outer)
    while stack:
        site = stack.pop()
        order.append(site)
        stack.extend(site.inner)
    grown = 0
    for site in reversed(order):  # a child stands behind its parent
        _compose(site, style)
        if site.inner:
            site.matches += sum(child.matches for child in site.inner)
        if len(site.text.marks) > MAX_MARKS:
            raise _too_large(f"puts more than {MAX_MARKS} captures into one another")
        grown += max(0, len(site.text.data) - (site.end - site.start))
        if grown > MAX_GROWTH:
            raise _too_large(f"adds more than {MAX_GROWTH} bytes to one file")
    for site in outer:
        realign(site, style)
    return [site for site in outer if _changes(site, style.source)]


def _too_large(what: str) -> LimitError:
    hint = "A capture that is used twice doubles with every level of nesting."
    return LimitError(f"The rewrite {what}.", code="output_too_large", hint=hint)


def sole(sites: Sequence[Site], style: Style) -> list[Site]:
    """Sites without those that were composed into them; those that change anything."""
    for site in sites:
        site.inner = []
        _compose(site, style)
        realign(site, style)
    return [site for site in sites if _changes(site, style.source)]


def _changes(site: Site, source: bytes) -> bool:
    site.pieces = [p for p in site.pieces if p.text.data != source[p.start : p.end]]
    return bool(site.pieces)


def _compose(site: Site, style: Style) -> None:
    """Fills in what a site changes, the sites within it included."""
    if site.rewrite.deletes:
        site.text = Text(site.kept)
        site.pieces = [Piece(site.start, site.end, site.text)]
        return
    shape, source = site.shape, style.source
    if shape is not None and shape.layout is not None and not site.inner:
        site.text, site.pieces = laid_out(shape.layout, shape, source)
        return
    fits = site.rewrite.fits_of(site.found) if shape is not None else None
    if fits is not None and site.aligned is None:  # a layout is kept without what is within
        site.aligned = aligned(fits, site.found, source)
    match = site.aligned
    site.end, site.tail = site.end - site.tail, 0

    def fill(low: int, high: int) -> Text | None:
        children = [c for c in site.inner if lies_within(low, high, c, source)]
        has_lines = b"\n" in source[low:high]
        if not children and not has_lines:
            return None
        return _fill(low, high, children, style, style.frozen(site.found) if has_lines else ())

    if site.parts:
        _with_gaps(site, fill, style)
    elif match is None or not _lay_out(site, match, fill, style):
        ends = site.rewrite.layout == "template"
        text = render(site.found, site.start, site.rewrite.template, style, fill, ends=ends)
        site.text = _without_double(text, source, site)
        site.pieces = [Piece(site.start, site.end, site.text)]
    if fits is not None and shape is not None and not site.inner:
        fits.keep(shape, site.text, site.pieces, source)


def _lay_out(site: Site, match: Aligned, fill: Fill, style: Style) -> bool:
    """Whether a match keeps its layout; its pieces may be in each other's way."""
    layout = MatchLayout(site, match, style, fill)
    pieces, end = layout.pieces, layout.end
    if pieces and pieces[-1].end == end == site.end:
        pieces[-1].text = _without_double(pieces[-1].text, style.source, site)
    inner: list[Piece] = []  # in the smallest pieces
    wholes: list[Piece] = []  # and edit by edit
    for _, (low, high), _ in layout.captures if site.inner else ():
        children = [child for child in site.inner if lies_within(low, high, child, style.source)]
        if any(overlapping(pieces, child.start, child.end) for child in children):
            return False
        made = [Piece(child.start, child.end, _composed(child)) for child in children]
        smallest = [piece for child in children for piece in child.pieces]
        if children and children[-1].rewrite.deletes and children[-1].end == high == site.end:
            made, smallest = (_without_line_break(ones, style.source) for ones in (made, smallest))
        if _is_emptied(made, low, high, style.source):
            return False
        wholes += made
        inner += smallest
    frozen: list[int] = []
    if b"\n" in style.source[site.start : site.end]:  # also for an edit around, that moves it
        frozen = style.frozen(site.found)
    moved = reindented(inner, layout.moves, frozen, style.source)
    ends = {child.end for child in site.inner}  # where its own pieces are the outer ones
    last = [piece for piece in pieces if piece.start == piece.end and piece.start in ends]
    site.pieces = in_order([*[piece for piece in pieces if piece not in last], *moved, *last])
    site.text = layout.text(wholes, frozen)
    if applied(site.pieces, site.start, end, style.source).data != site.text.data:
        return False
    site.end, site.tail = end, end - site.end
    return True


def _without_line_break(pieces: list[Piece], source: bytes) -> list[Piece]:
    """Leaves no blank line where the last thing in a capture at the end of all is deleted."""
    *before, last = pieces
    start = len(source[: last.start].rstrip())
    start = max([start, *(piece.end for piece in before)])
    return [*before, Piece(start, last.end, last.text)]


def _is_emptied(pieces: list[Piece], low: int, high: int, source: bytes) -> bool:
    """Is nothing left of a capture, of which the template then takes a comma away?"""
    if not pieces or pieces[0].start > low or pieces[-1].end < high:
        return False
    inside = [piece for piece in pieces if low <= piece.start and piece.end <= high]
    return not applied(inside, low, high, source).data.strip()


def _with_gaps(site: Site, fill: Fill, style: Style) -> None:
    """The edits apart of one match, and what changes in the style.source between them."""
    own = [Piece(part.start, part.end, part.text(style, fill)) for part in site.parts]
    beside = [c for c in site.inner if not overlapping(own, c.start, c.end)]
    site.pieces = in_order([*own, *(piece for child in beside for piece in child.pieces)])
    wholes = [Piece(child.start, child.end, _composed(child)) for child in beside]
    site.text = applied(in_order([*own, *wholes]), site.start, site.end, style.source)


def _fill(low: int, high: int, children: list[Site], style: Style, frozen: Sequence[int]) -> Text:
    """The style.source from `low` to `high`, with the inner sites' texts in their places.

    What a deletion leaves at either end is white space that the template has its own of.
    """
    wholes = [Piece(child.start, child.end, _composed(child)) for child in children]
    text = applied(wholes, low, high, style.source, frozen)
    if not children:
        return text
    first, last = children[0], children[-1]
    return strip(
        text,
        left=first.rewrite.deletes and first.start <= low,
        right=last.rewrite.deletes and last.end >= high,
    )


_SEQUENCES = frozenset({"comma_expression", "sequence_expression"})


def _composed(child: Site) -> Text:
    """The text of an edit that stands within another one, and that it is one."""
    text, tree = child.text, child.tree
    tuples = _SEQUENCES & {"" if tree is None else tree.kind}
    if tree is not None and tree.is_bare_tuple:
        tuples = tree.tuples
    mark = Mark(0, len(text.data), "", (child.found.node,), composed=True, tuples=tuples)
    return Text(text.data, text.frozen, (mark, *text.marks))


def _without_double(text: Text, source: bytes, site: Site) -> Text:
    """Leaves off a final `;` or `,` that already follows in the source (F5).

    It follows directly, or it ends the match's node behind a comment.
    """
    data = text.data.rstrip()
    if not data.endswith((b";", b",")):
        return text
    node_end = site.found.node.end_byte
    last = source[max(site.end, node_end - 1) : node_end]
    follows = _MARK.match(source, site.end)
    doubled = data[-1:] == last or (follows and data.endswith(follows[1]))
    return Text(data[:-1], text.frozen, text.marks) if doubled else text
