"""What a grammar takes in a place and its language refuses there, with brackets or without."""

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from astedit.language.brackets import kind_names, nearest, place_names, read

if TYPE_CHECKING:
    from tree_sitter import Node

_ONLY = "only:"
_GENERATOR = "*"  # what belongs to one may not stand outside of functions


class Barred(NamedTuple):
    """Which nodes may not stand where, though the grammar takes them there.

    `kinds`: by kind, the places; `only:` is before the few places that are allowed.
    `places`: by place, the kinds that alone may stand there. `reserved` are words that the
    grammar may read as a name, and `lined` are lists whose last item needs a comma where
    its line ends. `ranks` are the kinds of the items of `lists` in the order that they must
    come in, all others before them. `bound` are kinds that belong to the nearest of the
    `functions`, each with the word that this must have; no word where none makes it right.
    `is_checked`: is that wrong anywhere, and not only in what was captured? `refuses` says
    what no table does: may this node not stand where it is?
    """

    kinds: Mapping[str, frozenset[str]] = {}
    places: Mapping[str, frozenset[str]] = {}
    reserved: frozenset[bytes] = frozenset()
    lined: frozenset[str] = frozenset()
    ranks: tuple[frozenset[str], ...] = ()
    lists: frozenset[str] = frozenset()
    functions: frozenset[str] = frozenset()
    bound: Mapping[str, str] = {}
    is_checked: bool = True
    refuses: "Callable[[Node], bool] | None" = None

    @classmethod
    def of(cls, *kinds: Any, **others: Any) -> "Barred":
        """The same, each written as words between blanks, as the files in `traits/` do."""
        return cls(**read(cls, *kinds, **others))

    @property
    def asks(self) -> bool:
        """Are there nodes to ask about?"""
        return bool(self.kinds or self.places or self.reserved or self.lined or self.refuses)

    def is_barred(self, node: "Node", function: "Node | None") -> bool:
        """May a node not stand where it does? Brackets around it change nothing.

        `function` is the one around it: to look for that anew takes the square of its depth.
        """
        if node.type == "identifier" and (node.text or b"") in self.reserved:
            return True
        if node.type in self.lined and _lacks_comma(node):
            return True
        if self.is_checked and node.type in self.bound and self._is_unbound(node, function):
            return True
        if self.refuses is not None and self.refuses(node):
            return True
        return self._is_out_of_order(node) or self._is_misplaced(node)

    def is_unbound(self, node: "Node") -> bool:
        """Is the function that a node belongs to none that may have it?"""
        return self._is_unbound(node, nearest(node, self.functions))

    def _is_unbound(self, node: "Node", function: "Node | None") -> bool:
        word = self.bound[node.type]
        if function is None:
            return word == _GENERATOR
        return not word or word not in _words(function)

    def _is_misplaced(self, node: "Node") -> bool:
        allowed = self.kinds.get(node.type)
        if not node.is_named or node.is_extra or not (allowed or self.places):
            return False
        inner, parent = node, node.parent
        while parent is not None and parent.type.startswith("parenthesized"):
            inner, parent = parent, parent.parent
        if parent is None:
            return False
        here = frozenset(place_names(inner, parent))
        names = frozenset(kind_names(node))
        if any(names.isdisjoint(self.places[place]) for place in here if place in self.places):
            return True
        few = {place.removeprefix(_ONLY) for place in allowed or () if place.startswith(_ONLY)}
        return here.isdisjoint(few) if few else not here.isdisjoint(allowed or ())

    def _is_out_of_order(self, node: "Node") -> bool:
        """Does an item stand before or behind a neighbour that has to come first?"""
        parent = node.parent
        if not self.ranks or parent is None or not node.is_named:
            return False
        if parent.type not in self.lists:
            return parent.type == "argument" and self._is_out_of_order(parent)
        before, after = node.prev_named_sibling, node.next_named_sibling
        own = self._rank(node)
        if before is not None and self._rank(before) > own:
            return True
        return after is not None and self._rank(after) < own

    def _rank(self, node: "Node") -> int:
        if node.type == "argument":
            named = node.child_by_field_name("name") is not None
            return self._rank_of("named" if named else node.children[-1].type)
        return self._rank_of(node.type)

    def _rank_of(self, kind: str) -> int:
        return next((number for number, rank in enumerate(self.ranks, 1) if kind in rank), 0)


def _words(function: "Node") -> Iterator[str]:
    """The signs and words that a function has right below it, or among its modifiers."""
    for child in function.children:
        yield child.type
        if "modifier" in child.type:
            yield from (child.text or b"").decode().split()


def _lacks_comma(listing: "Node") -> bool:
    """Does the line of its last item end without one, before the bracket that closes it?"""
    items = [child for child in listing.children if not child.is_extra]
    if len(items) < 3 or items[-2].type in (",", "\n"):
        return False
    return items[-2].end_point[0] < items[-1].start_point[0]
