"""From the edits of one text to those that are made: the others are blocked, each by itself."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tree_sitter import Tree

from astedit.language import Grammar
from astedit.rewrite.culprits import culprits
from astedit.rewrite.overlap import Site
from astedit.rewrite.render import Style
from astedit.rewrite.verify import Fault, Verification
from astedit.text.splice import Change, Lines

_BEYOND = Fault("changes_structure", "it reaches beyond the part that the edit is confined to")


@dataclass(slots=True)
class Settled:
    """The outermost sites that are made, in order, and those that are not, with the reason."""

    sites: list[Site]
    blocked: list[tuple[Site, Fault]]


def settle(
    sites: Sequence[Site],
    source: bytes,
    tree: Tree,
    lines: Lines,
    grammar: Grammar,
    style: Style,
    is_allowed: Callable[[Change], bool] = lambda _: True,
) -> Settled:
    """Sorts out what would break the text or mean something else.

    A site stands or falls with all that is composed into it. `is_allowed` says whether a
    change keeps to the part of the text that may be edited.
    """
    blocked = [(site, _BEYOND) for site in sites if not is_allowed(site.change)]
    barred = {id(site) for site, _ in blocked}
    asked = [site for site in sites if id(site) not in barred]
    changes = [site.change for site in asked]
    verification = Verification(grammar, style.facts, tree, source, lines, changes)
    blamed = culprits(len(asked), verification.fault)
    blocked += [(asked[place], fault) for place, fault in blamed.items()]
    kept = [site for place, site in enumerate(asked) if place not in blamed]
    return Settled(kept, sorted(blocked, key=lambda pair: pair[0].start))
