"""From the edits of one text to those that are made: the others are blocked, each by itself."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tree_sitter import Tree

from astedit.language import Grammar
from astedit.language.barred import Barred
from astedit.language.traits import Traits
from astedit.rewrite.add_brackets import add_brackets
from astedit.rewrite.bound_captures import bound_names
from astedit.rewrite.checked_edit import Put
from astedit.rewrite.continuation_lines import realign
from astedit.rewrite.culprits import culprits
from astedit.rewrite.fault import Fault
from astedit.rewrite.nested_quotes import with_other_quotes
from astedit.rewrite.overlap import Site
from astedit.rewrite.piece import with_brackets
from astedit.rewrite.verify import Verification
from astedit.text.splice import Change, Lines

_SPREAD = re.compile("splat|spread")
_BEYOND = Fault("changes_structure", "it reaches beyond the part that the edit is confined to")


@dataclass(slots=True)
class AcceptedEdits:
    """The outermost sites that are made, in order, and those that are not, with the reason."""

    sites: list[Site]
    blocked: list[tuple[Site, Fault]]
    spreading: list[Site]  # those made that move a `*a` past other captures
    unread: bool = False  # does the language's compiler refuse the text as it was?


def accept_or_block(
    sites: Sequence[Site],
    source: bytes,
    tree: Tree,
    lines: Lines,
    grammar: Grammar,
    traits: Traits,
    is_allowed: Callable[[Change], bool] = lambda _: True,
) -> AcceptedEdits:
    """Sorts out what would break the text or mean something else; brackets put some of it right.

    A site stands or falls with all that is composed into it, and its text is what it was
    or has brackets added. `is_allowed` says whether a change keeps to the part of the text
    that may be edited.
    """
    blocked = [(site, _BEYOND) for site in sites if not is_allowed(site.change)]
    barred = {id(site) for site, _ in blocked}
    asked = [site for site in sites if id(site) not in barred]
    with_other_quotes(asked, grammar, traits.facts)
    puts = [_put(site, traits.barred) for site in asked]
    known = traits.compiler, traits.brackets, traits.barred
    verification = Verification(grammar, traits.facts, tree, source, lines, puts, *known)
    blamed = culprits(range(len(asked)), verification.fault)
    if blamed:
        blamed = _mended(blamed, verification, grammar, traits)
    for place, put in enumerate(puts):
        if put.text is not asked[place].text:
            site = asked[place]
            old, new = site.text.data, put.text.data
            site.pieces = with_brackets(site.pieces, site.start, old, new)
            site.text = put.text
            realign(site, source, traits.facts)
    blocked += [(asked[place], fault) for place, fault in blamed.items()]
    kept = [site for place, site in enumerate(asked) if place not in blamed]
    unread = verification.compilation is not None and verification.compilation.unread
    spreading = [site for site in kept if _moves_spread(site)]
    return AcceptedEdits(kept, sorted(blocked, key=lambda pair: pair[0].start), spreading, unread)


def _put(site: Site, barred: Barred | None) -> Put:
    put = site.put
    names = bound_names(put, barred) if barred is not None else None
    return put._replace(bound=names) if names else put


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
    blamed: dict[int, Fault], verification: Verification, grammar: Grammar, traits: Traits
) -> dict[int, Fault]:
    """Those of the edits to blame that brackets do not help, alone or beside all others."""
    brackets = traits.brackets
    if brackets is None:
        return blamed
    failed = {
        place: fault
        for place, fault in blamed.items()
        if not add_brackets(place, fault, verification, grammar, brackets)
    }
    if len(failed) == len(blamed):
        return failed
    rest = [place for place in range(len(verification.puts)) if place not in failed]
    failed.update(culprits(rest, verification.fault))
    return failed
