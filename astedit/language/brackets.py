"""The signs that group an expression in a language, and what may stand between them."""

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node

_OPTIONAL = "optional_chain"
_ONLY = "only:"


class Brackets(NamedTuple):
    """A pair of signs that groups an expression and says nothing else.

    `kinds`: the kinds of node that may be put between `before` and `after`. Such a node
    means the same with the brackets as without them, in places where the grammar accepts
    both. Whether it accepts them in one place is for the parser to say. A kind that has
    several meanings, of which the brackets change one, is not listed.

    `apart` says which kinds may stand in which others only with brackets, though the
    grammar takes them without. A kind may be followed by its operator and by the field of
    the child: `binary_expression:**.left`. What has an optional chain in it goes by the
    name of that as well. `first` says likewise what may not begin what. `misread` are
    names of functions that are none: a call of `await` waits for what is in its brackets.
    `headers` are kinds that need brackets in what governs such statements, before their
    blocks. `barred` says which kinds may not stand where, with brackets or without, though
    the grammar takes them there; `only:` is before the few places they may. `reserved` are
    words that the grammar may read as a name, and `lined` are lists whose last item needs a
    comma where its line ends.
    """

    kinds: frozenset[str]
    before: bytes = b"("
    after: bytes = b")"
    apart: Mapping[str, frozenset[str]] = {}
    first: Mapping[str, frozenset[str]] = {}
    misread: Mapping[bytes, str] = {}
    headers: Mapping[str, frozenset[str]] = {}
    barred: Mapping[str, frozenset[str]] = {}
    reserved: frozenset[bytes] = frozenset()
    lined: frozenset[str] = frozenset()

    @classmethod
    def around(
        cls,
        kinds: str,
        apart: Mapping[str, str] | None = None,
        first: Mapping[str, str] | None = None,
        misread: Mapping[bytes, str] | None = None,
        headers: Mapping[str, str] | None = None,
        barred: Mapping[str, str] | None = None,
        reserved: str = "",
        lined: str = "",
    ) -> "Brackets":
        """Round brackets around these kinds, which are words between blanks."""
        return cls(
            frozenset(kinds.split()),
            apart=_rules(apart or {}),
            first=_rules(first or {}),
            misread=misread or {},
            headers=_rules(headers or {}),
            barred=_rules(barred or {}),
            reserved=frozenset(word.encode() for word in reserved.split()),
            lined=frozenset(lined.split()),
        )

    def are_needed(self, node: "Node") -> bool:
        """Is a node without brackets where only the grammar lets it stand without?"""
        parent = node.parent
        if parent is None:
            return False
        outer = [self.apart[name] for name in self._names(node) if name in self.apart]
        if outer and not frozenset().union(*outer).isdisjoint(_places(node, parent)):
            return True
        if node.type in self.headers and _is_in_header(node, self.headers[node.type]):
            return True
        return node.type in self.first and _begins(node, self.first[node.type])

    @property
    def asks(self) -> bool:
        """Are there places to ask about?"""
        return bool(self.apart or self.first or self.headers)

    def is_barred(self, node: "Node") -> bool:
        """May a node not stand where it does? Brackets around it change nothing."""
        if node.type == "identifier" and (node.text or b"") in self.reserved:
            return True
        if node.type in self.lined and _lacks_comma(node):
            return True
        places = self.barred.get(node.type)
        if places is None:
            return False
        parent = node.parent
        while parent is not None and parent.type.startswith("parenthesized"):
            node, parent = parent, parent.parent
        if parent is None:
            return False
        here = frozenset(_places(node, parent))
        allowed = {place.removeprefix(_ONLY) for place in places if place.startswith(_ONLY)}
        return here.isdisjoint(allowed) if allowed else not here.isdisjoint(places)

    def _names(self, node: "Node") -> Iterator[str]:
        yield node.type
        operator = node.child_by_field_name("operator")
        if operator is not None:
            yield f"{node.type}:{operator.type}"
        for link in _chain(node) if self.misread else ():
            if any(child.type in (_OPTIONAL, "?.") for child in link.children):
                yield _OPTIONAL
            function = link.child_by_field_name("function")
            if function is not None and (function.text or b"") in self.misread:
                yield self.misread[function.text or b""]


def _rules(rules: Mapping[str, str]) -> dict[str, frozenset[str]]:
    return {child: frozenset(parents.split()) for child, parents in rules.items()}


def _places(node: "Node", parent: "Node") -> Iterator[str]:
    """What the place of a child is called: by its parent's kind, operator and field."""
    kinds = [parent.type]
    operator = parent.child_by_field_name("operator")
    if operator is not None:
        kinds.append(f"{parent.type}:{operator.type}")
    yield from kinds
    for place, child in enumerate(parent.children):
        if child.id == node.id and (name := parent.field_name_for_child(place)) is not None:
            yield from (f"{kind}.{name}" for kind in kinds)


def _lacks_comma(listing: "Node") -> bool:
    """Does the line of its last item end without one, before the bracket that closes it?"""
    items = [child for child in listing.children if not child.is_extra]
    if len(items) < 3 or items[-2].type in (",", "\n"):
        return False
    return items[-2].end_point[0] < items[-1].start_point[0]


_INNER = re.compile("block|parenthesized|arguments?|_value|literal$")


def _is_in_header(node: "Node", statements: frozenset[str]) -> bool:
    """Does a node govern such a statement, and is in no brackets and no block of it?"""
    outer = node.parent
    while outer is not None and outer.type not in statements:
        if _INNER.search(outer.type):
            return False
        outer = outer.parent
    return outer is not None


def _begins(node: "Node", kinds: frozenset[str]) -> bool:
    """Does a node stand at the beginning of such a place?"""
    start, inner, outer = node.start_byte, node, node.parent
    while outer is not None and outer.start_byte == start:
        if outer.type in kinds:
            return True
        inner, outer = outer, outer.parent
    return outer is not None and not kinds.isdisjoint(_places(inner, outer))


def _chain(node: "Node") -> Iterator["Node"]:
    """A node, and what the members and calls are of that it consists of."""
    link: Node | None = node
    while link is not None:
        yield link
        link = link.child_by_field_name("object") or link.child_by_field_name("function")
