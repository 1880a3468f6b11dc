"""From the edits of one text to those that are made: the others are blocked, each by itself."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from tree_sitter import Node, Tree

from astedit.language import Grammar
from astedit.language.brackets import Brackets
from astedit.language.facts import Facts
from astedit.language.traits import Traits
from astedit.pattern.listed import walk
from astedit.pattern.match import Found
from astedit.rewrite.lay.continuation_lines import realign
from astedit.rewrite.make.overlap import Rewrite, Site
from astedit.rewrite.make.piece import amended
from astedit.rewrite.make.render import Style
from astedit.rewrite.make.template_tree import QUOTED, TemplateTree, outermost
from astedit.rewrite.plan_edits import FileRewrite, rewrite, sole
from astedit.rewrite.prove.fault import Fault, Put
from astedit.rewrite.prove.kept_proofs import KeptProofs, ProofShape, ProofShapes
from astedit.rewrite.prove.verify import Verification
from astedit.text.indent import Text
from astedit.text.source import Change, Lines, splice, united

_LEVELS = 10  # of edits within a wrong edit that are looked at in one go
_Blocked = tuple[Site, Fault]
_SPREAD = re.compile("splat|spread")
_BEYOND = Fault("changes_structure", "it reaches beyond the part that the edit is confined to")


@dataclass(slots=True)
class AcceptedEdits:
    """The outermost sites that are made, in order, and those that are not, with the reason."""

    sites: list[Site]
    blocked: list[tuple[Site, Fault]]
    spreading: list[Site]  # those made that move a `*a` past other captures
    unread: bool = False  # does the language's compiler refuse the text as it was?


def settle(
    found: Sequence[tuple[Rewrite, Sequence[Found]]],
    tree: Tree,
    lines: Lines,
    grammar: Grammar,
    traits: Traits,
    style: Style,
    is_allowed: Callable[[Change], bool] = lambda _: True,
) -> tuple[FileRewrite, AcceptedEdits]:
    """Turns matches into edits, and blocks those that are not right.

    A blocked match gives up its place: where another one gave way to it, or is composed with
    it, all is made again without it, and it stays blocked for what was wrong with it.
    """
    blocked: list[_Blocked] = []
    unread = False
    while True:
        outcome = rewrite(found, style)
        judge = _Judge(tree, lines, grammar, traits, style, is_allowed)
        accepted = judge.of(outcome.sites)
        unread = unread or accepted.unread
        wrong = judge.to_blame(accepted.blocked)
        blocked += wrong
        if not _gave_way(outcome, accepted.blocked, wrong):
            break
        gone = {(id(site.rewrite), id(site.found)) for site, _ in wrong}
        found = [
            (op, [match for match in matches if (id(op), id(match)) not in gone])
            for op, matches in found
        ]
    accepted.blocked, accepted.unread = sorted(blocked, key=lambda pair: pair[0].start), unread
    return outcome, accepted


def _gave_way(outcome: FileRewrite, blocked: Sequence[_Blocked], wrong: Sequence[_Blocked]) -> bool:
    """Is there a match that is blocked, displaced or united with a wrong one for its sake alone?"""
    barred = {id(site) for site, _ in wrong}
    shares = any(site.matches > 1 for site, _ in blocked)
    for site, _ in wrong:
        site.matches, site.inner = 1, []  # the others are made again, each by itself
    return shares or any(id(loss.by) in barred for loss in outcome.displaced)


@dataclass
class _Judge:
    """Looks at edits of one text, and puts brackets where they help.

    `is_allowed` says whether a change keeps to the part that may be edited.
    """

    tree: Tree
    lines: Lines
    grammar: Grammar
    traits: Traits
    style: Style
    is_allowed: Callable[[Change], bool]

    @cached_property
    def shapes(self) -> ProofShapes:
        return ProofShapes(self.style.source, self.tree.root_node, self.grammar, self.traits)

    def of(self, sites: Sequence[Site]) -> AcceptedEdits:
        """Each site as it is, with all that is composed into it."""
        blocked = [(site, _BEYOND) for site in sites if not self.is_allowed(site.change)]
        barred = {id(site) for site, _ in blocked}
        asked = [site for site in sites if id(site) not in barred]
        with_other_quotes(asked, self.style, self.grammar)
        puts = [site.put for site in asked]
        source = self.style.source
        verification = Verification(self.grammar, self.traits, self.tree, source, self.lines, puts)
        blamed = self._blamed(asked, verification)
        for site, put in zip(asked, verification.puts, strict=True):
            self._take(site, put)
        blocked += [(asked[place], fault) for place, fault in blamed.items()]
        kept = [site for place, site in enumerate(asked) if place not in blamed]
        spreading = [site for site in kept if _moves_spread(site)]
        return AcceptedEdits(kept, blocked, spreading, verification.unread)

    def _blamed(self, sites: Sequence[Site], verification: Verification) -> dict[int, Fault]:
        """The edits that are wrong and stay so. Of those of one shape, one is proved."""
        if verification.are_names(range(len(sites))):
            return {}
        proofs = [site.rewrite.proofs for site in sites]
        puts = list(verification.puts)
        shapes = self.shapes.of(puts, proofs)
        doubted, brackets = _doubted_places(shapes, proofs), self.traits.brackets
        for place, (kept, shape) in enumerate(zip(proofs, shapes, strict=True)):
            numbers = kept.brackets(shape) if place not in doubted else None
            if numbers and brackets is not None:
                from astedit.rewrite.mend.add_brackets import put_in_brackets

                put_in_brackets(place, numbers, verification, brackets)
        spared = (place for place in range(len(sites)) if place not in doubted)
        unsure = [place for place in spared if self.shapes.asks(puts[place])]
        if unsure and verification.refuses(unsure):
            doubted, verification.puts = {*range(len(sites))}, list(puts)
        if not doubted:
            return {}

        def is_suspect(place: int) -> bool:
            return proofs[place].is_wrong(shapes[place]) or verification.refuses([place])

        while True:
            blamed = culprits(sorted(doubted), verification.fault, is_suspect)
            wrong = {(id(proofs[place]), shapes[place]) for place in blamed if shapes[place]}
            alike = {
                place
                for place, (kept, shape) in enumerate(zip(proofs, shapes, strict=True))
                if (id(kept), shape) in wrong and not kept.brackets(shape)
            }
            if alike <= doubted:
                break
            doubted |= alike
        mended: dict[int, frozenset[int]] = {}
        if blamed and brackets is not None:
            blamed = _mended(blamed, doubted, verification, self.grammar, brackets, mended)
        for place in () if verification.unread else doubted:  # the compiler could say nothing
            numbers = None if place in blamed else mended.get(place, frozenset())
            proofs[place].keep(shapes[place], numbers)
        if len(doubted) < len(sites) and any(kept.disproved for kept in proofs):
            verification.puts = puts
            return self._blamed(sites, verification)  # in which nothing is spared any more
        return blamed

    def _take(self, site: Site, put: Put) -> None:
        """The text of a site with its brackets."""
        if not put.brackets:
            return
        site.pieces = amended(site.pieces, site.start, site.end, self.style.source, put.brackets)
        site.text = put.text
        realign(site, self.style)

    def to_blame(self, blocked: Sequence[_Blocked]) -> list[_Blocked]:
        """Of blocked edits, and of those composed into them, the ones that are wrong.

        Each is made by itself, those of one level together. Where all are right it is the
        outermost.
        """
        outermost = {id(site): site for site, _ in blocked if site.inner}
        level = [(site, site) for site in outermost.values()]
        wrong = [pair for pair in blocked if not pair[0].inner]
        for _ in range(_LEVELS):
            nests = {id(site): outer for site, outer in level}
            inner = [(one, outer) for site, outer in level for one in site.inner]
            found = self.of(sole([site for site, _ in level], self.style)).blocked if level else []
            for site, _ in found:
                outermost.pop(id(nests[id(site)]), None)
            wrong += found
            level = inner
        return wrong + [pair for pair in blocked if id(pair[0]) in outermost]


def _doubted_places(shapes: Sequence[ProofShape | None], proofs: Sequence[KeptProofs]) -> set[int]:
    """The edits to prove: the first of each shape, what has none, and a sample of the others."""
    doubted: set[int] = set()
    first: set[tuple[int, ProofShape | None]] = set()
    spared: dict[int, list[int]] = {}
    for place, (kept, shape) in enumerate(zip(proofs, shapes, strict=True)):
        key = id(kept), shape
        if shape is not None and kept.spares(shape, key in first):
            spared.setdefault(id(kept), []).append(place)
            continue
        doubted.add(place)
        if shape is not None and not kept.is_wrong(shape):
            first.add(key)
    return doubted.union(*(proofs[places[0]].sample(places) for places in spared.values()))


def _moves_spread(site: Site) -> bool:
    """Does a spread argument change places with another capture? Its place is its meaning."""
    marks = [mark for mark in site.text.marks if mark.name and mark.nodes]
    return any(
        (spread.start < mark.start) != (spread.nodes[0].start_byte < mark.nodes[0].start_byte)
        for spread in marks
        if _SPREAD.search(spread.nodes[0].type)
        for mark in marks
        if mark.name != spread.name
    )


def _mended(
    blamed: dict[int, Fault],
    doubted: Collection[int],
    verification: Verification,
    grammar: Grammar,
    brackets: Brackets,
    mended: dict[int, frozenset[int]],
) -> dict[int, Fault]:
    """Those of the edits to blame that brackets do not help, alone or beside all in doubt.

    What the brackets of the others are around is filled in.
    """
    from astedit.rewrite.mend.add_brackets import add_brackets, add_pairs  # most edits need none

    failed: dict[int, Fault] = {}
    mended.update(add_pairs(blamed, verification, grammar, brackets))
    for place in sorted(blamed.keys() - mended.keys()):
        numbers = add_brackets(place, blamed[place], verification, grammar, brackets)
        if numbers:
            mended[place] = numbers
        else:
            failed[place] = blamed[place]
    if mended:
        rest = sorted(place for place in doubted if place not in failed)
        failed.update(culprits(rest, verification.fault))
    return failed


FaultOf = Callable[[Sequence[int]], Fault | None]


def culprits(
    edits: Sequence[int], look: FaultOf, is_suspect: Callable[[int], bool] = lambda _: False
) -> dict[int, Fault]:
    """Those of the edits that must not be made, each with what is wrong with it.

    `look` says what is wrong with the result of some of the edits, in ascending order; it
    may blame some right away. Where all is right it is asked once. Else the suspects are
    looked at, each by itself. Then halves are added to what is right, and of edits that are
    wrong together the last one is to blame.
    """
    kept: list[int] = []
    blamed: dict[int, Fault] = {}
    parted: list[int] = []
    waiting = [list(edits)]
    while waiting:
        some = waiting.pop()
        fault = look(kept + some) if some else None
        if fault is None:
            kept += some
        elif named := {edit: fault.blamed[edit] for edit in some if edit in fault.blamed}:
            blamed |= named
            waiting.append([edit for edit in some if edit not in named])
        elif len(some) == 1:
            blamed[some[0]] = look(some) or fault  # by itself it is shown more exactly
            parted += some
        elif not parted and (wrong := {n: at for n in some if is_suspect(n) and (at := look([n]))}):
            blamed |= wrong
            parted += wrong
            waiting.append([edit for edit in some if edit not in wrong])
        else:
            middle = len(some) // 2
            waiting += some[middle:], some[:middle]
    for first, end in united((edit, edit + 1) for edit in parted):  # neighbours
        run = list(range(first, end))
        if len(run) > 1 and look(sorted(kept + run)) is None:  # halving parted what goes together
            kept += run
            blamed = {edit: fault for edit, fault in blamed.items() if edit not in run}
    return dict(sorted(blamed.items()))


_OTHER = {b'"': b"'", b"'": b'"'}


def with_other_quotes(sites: Sequence[Site], style: Style, grammar: Grammar) -> None:
    """Changes quotes in the texts of edits whose templates put code into a string."""
    if style.facts.code_in_literals is None:
        return
    for site in sites:
        tree = site.tree if site.text.marks else None
        if tree is not None and any(tree.delimiters.values()):
            changes = sorted(_other_quotes(site, tree, grammar, style.facts))
            data = splice(site.text.data, changes)
            site.pieces = amended(site.pieces, site.start, site.end, style.source, changes)
            site.text = Text(data, site.text.frozen, site.text.marks)


def _other_quotes(
    site: Site, tree: TemplateTree, grammar: Grammar, facts: Facts
) -> Iterator[Change]:
    """The quotes of the new text to change, one by one."""
    seen = Counter[str]()
    for mark in outermost(site.text):
        outer = tree.delimiters.get((mark.name, seen[mark.name]), b"")
        seen[mark.name] += 1
        data = site.text.data[mark.start : mark.end]
        if not outer or outer not in data:
            continue
        root = grammar.parser().parse(data).root_node
        for literal in (node for node in walk(root) if node.type in facts.literals):
            for at, quote in _quotes_of(literal, outer):
                yield mark.start + at, mark.start + at + 1, quote


def _quotes_of(literal: Node, outer: bytes) -> Iterator[tuple[int, bytes]]:
    """Where a literal gets which quote; nowhere if it may stay or would say something else."""
    quoted = QUOTED.match(literal.text or b"")
    if quoted is None or outer not in quoted[0]:
        return
    other = _OTHER[quoted[1][:1]]
    if outer in quoted[2] or other in quoted[2] or b"\\" in quoted[2] or outer[:1] == other:
        return
    for at in (*range(*quoted.span(1)), *range(quoted.end(2), quoted.end(0))):
        yield literal.start_byte + at, other
