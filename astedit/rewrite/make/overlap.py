"""Which matches are made, and which within which. (rules F9, F10)

Matches nest. An inner match within a capture that the outer one re-emits is composed
into it; any other overlap has one winner, and the loser is reported as displaced.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from astedit.pattern.match import Found
from astedit.pattern.template import Slot, Template
from astedit.rewrite.make.aligned_match import Aligned, Fits, MatchShape
from astedit.rewrite.make.delete import Removal
from astedit.rewrite.make.piece import Piece
from astedit.rewrite.make.template_tree import TemplateTree
from astedit.rewrite.prove.fault import Put
from astedit.rewrite.prove.kept_proofs import KeptProofs
from astedit.text.indent import Text
from astedit.text.source import Change

if TYPE_CHECKING:
    from astedit.rewrite.make.multi_edit import EditPart
    from astedit.rule.fixes.fix import Fix


@dataclass(slots=True)
class Rewrite:
    """One op, compiled for one language: what to find is elsewhere, what to write is here.

    `fix` is a rule's: what it takes along, or its edits apart. `layout` is `keep`, or
    `template` to write the whole template. `fits` are those to its template, by pattern.
    `made_of` says by the name of each transform of a rule which captures it reads. `proofs`
    are those that hold for other edits as well.
    """

    op: int
    template: Template
    captures: tuple[Slot, ...]
    allow_loss: bool
    fix: "Fix | None" = None
    layout: str = "keep"
    fits: dict[int, Fits] = field(default_factory=dict, repr=False)
    made_of: Mapping[str, frozenset[Slot]] = field(default_factory=dict)
    proofs: "KeptProofs" = field(default_factory=KeptProofs, repr=False)

    @property
    def deletes(self) -> bool:
        return not self.template.parts and not (self.fix and self.fix.edits)

    @property
    def keeps_layouts(self) -> bool:
        """Does what is around the captures of a match on one line say how it is laid out?"""
        return self.fix is None and not self.made_of and "\n" not in self.template.text

    @property
    def slots(self) -> frozenset[Slot]:
        """What is written again of what was captured."""
        return self.template.slots if self.fix is None else self.fix.slots

    def fits_of(self, found: Found) -> Fits | None:
        """How matches of the pattern that found one fit the template; None if no pattern did."""
        for goal, _ in found.trail:
            if (pattern := goal.pattern) is not None:
                if (fits := self.fits.get(id(pattern))) is None:
                    fits = self.fits[id(pattern)] = Fits(pattern, self.template)
                return fits
        return None


@dataclass(slots=True)
class Site:
    """One match of one op: what it replaces, what it may not, what lies within it.

    Up to `reach` it may take along the comment behind its last line: `tail` bytes of `end`.
    """

    rewrite: Rewrite
    found: Found
    start: int
    end: int
    inner: list["Site"] = field(default_factory=list)
    pieces: "list[Piece]" = field(default_factory=list)  # what changes, inner sites included
    aligned: Aligned | None = None  # what of the match stays
    shape: MatchShape | None = None  # by which its layout may be kept
    reach: int = 0
    tail: int = 0
    matches: int = 1
    removal: Removal | None = None
    kept: bytes = b""  # of what a deletion spans: the comments between an item and its comma
    parts: "tuple[EditPart, ...]" = ()  # edits apart; what lies between them stays
    text: Text = field(default_factory=lambda: Text(b""))  # what takes its place, all of it

    @property
    def change(self) -> Change:
        """The same as one change."""
        return self.start, self.end, self.text.data

    @property
    def changes(self) -> tuple[Change, ...]:
        """The same in the smallest pieces."""
        return tuple(piece.change for piece in self.pieces)

    @property
    def put(self) -> Put:
        """What it does to the text, all that lies within it included."""
        if self.parts or self.rewrite.deletes:
            gone = None if self.removal is None else self.removal.node
            return Put(self.start, self.end, self.text, not self.parts, self.changes, gone=gone)
        tree, node, pieces = self.tree, self.found.node, self.changes
        names = {mark.name for mark in self.text.marks}
        unused = tuple(at for name, at in self.found.single.items() if name not in names)
        return Put(self.start, self.end, self.text, True, pieces, tree, node=node, unused=unused)

    @property
    def tree(self) -> TemplateTree | None:
        """What the text is to be read as, if that is known.

        It is not where a transform made what was there already.
        """
        texts = self.found.texts
        marked = {mark.name for mark in self.text.marks} if texts else set[str]()
        if texts and any(text.data and name not in marked for name, text in texts.items()):
            return None
        fits = self.rewrite.fits_of(self.found)
        return None if fits is None else fits.tree


@dataclass(slots=True)
class Displacement:
    """A match that gave way to another."""

    site: Site
    by: Site
    reason: str


def nest(sites: list[Site], source: bytes) -> tuple[list[Site], list[Displacement]]:
    """The outermost sites, each with the sites to be composed into it."""
    if all(one.start < one.end <= two.start < two.end for one, two in pairwise(sites)):
        return sites, []
    staying, displaced = _cross(sites, source)
    outer: list[Site] = []
    stack: list[Site] = []
    for site in sorted(staying, key=_position):
        while stack and not _holds(stack[-1], site):
            stack.pop()
        if not stack:
            outer.append(site)
            stack.append(site)
            continue
        if (reason := _relation(stack[-1], site, source)) is None:
            stack[-1].inner.append(site)
            stack.append(site)
        elif not (site.rewrite.deletes and stack[-1].rewrite.deletes):
            displaced.append(Displacement(site, stack[-1], reason))
        else:  # both are deleted: nothing is lost by the inner one giving way
            stack[-1].matches += site.matches
    return outer, displaced


def _position(site: Site) -> tuple[int, int, int, int]:
    return site.start, -site.end, site.rewrite.op, -site.found.node.descendant_count


def _holds(outer: Site, inner: Site) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def _cross(sites: list[Site], source: bytes) -> tuple[list[Site], list[Displacement]]:
    """Settles equal and crossing ranges: the earlier op, then the outer, then the earlier wins.

    Returns the sites that stay, which then only nest. Overlapping deletions unite.
    """
    losses: list[Displacement] = []
    gone: set[int] = set()
    stack: list[Site] = []
    for site in sorted(sites, key=_position):
        while True:
            while stack and stack[-1].end <= site.start:
                stack.pop()
            top = stack[-1] if stack else None
            if top and site.end > top.end and lies_within(top.start, top.end, site, source):
                site.end = top.end  # the line of a deletion ends behind the match it is in
            if top is None or (_holds(top, site) and top.end - top.start > site.end - site.start):
                stack.append(site)
                break
            if top.rewrite.deletes and site.rewrite.deletes:
                stack.pop()
                top.end, top.matches = max(top.end, site.end), top.matches + site.matches
                gone.add(id(site))
                site = top  # it may have grown across the one below it
                continue
            loser, by = (top, site) if site.rewrite.op < top.rewrite.op else (site, top)
            losses.append(Displacement(loser, by, "crossing"))
            gone.add(id(loser))
            if loser is site:
                break
            stack.pop()
    return [site for site in sites if id(site) not in gone], losses


def lies_within(low: int, high: int, site: Site, source: bytes) -> bool:
    """Does a site lie between two places? The white space around a deletion may not."""
    if low <= site.start and site.end <= high:
        return True
    return (
        site.rewrite.deletes
        and not source[site.start : low].strip()
        and not source[high : site.end].strip()
    )


def _relation(outer: Site, inner: Site, source: bytes) -> str | None:
    """None if the inner site's capture is re-emitted, else why it is displaced."""
    if outer.parts and not any(p.start < inner.end and inner.start < p.end for p in outer.parts):
        return None
    for slot in outer.rewrite.captures:
        nodes = outer.found.nodes(*slot)
        if nodes and lies_within(nodes[0].start_byte, nodes[-1].end_byte, inner, source):
            return None if slot in outer.rewrite.slots else "dropped_by"
    return "inside"
