"""The signs that group an expression in a language, and what may stand between them."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node


def place_names(node: "Node", parent: "Node") -> Iterator[str]:
    """The names of a child's place, from `call` to `binary_expression:**.left`.

    A first child without a field is the `first`.
    """
    kinds = [*kind_names(parent)]
    yield from kinds
    cursor = parent.walk()  # which leaps over siblings: there may be thousands
    cursor.goto_first_child_for_byte(node.start_byte)
    while cursor.node != node and cursor.goto_next_sibling():
        pass
    field = cursor.field_name or ("first" if node.start_byte == parent.start_byte else None)
    if cursor.node == node and field is not None:
        yield from (f"{kind}.{field}" for kind in kinds)


def kind_names(node: "Node") -> Iterator[str]:
    """The kind of a node, and the same with its operator."""
    yield (kind := node.type)
    field = "operation" if kind == "prefix_expression" else "operator"  # as Swift calls it
    if (operator := node.child_by_field_name(field)) is not None:
        yield f"{kind}:{operator.type}"
        yield f"{kind}:{(operator.text or b'').decode('utf-8', 'replace')}"  # as Haskell's


def words(text: str) -> frozenset[str]:
    """The words between the blanks of a language's table."""
    return frozenset(text.split())


def words_of(rules: "dict[str, str]") -> dict[str, frozenset[str]]:
    """Rules of a language's table, each written as words between blanks."""
    return {name: words(text) for name, text in rules.items()}


def _signs(text: str) -> tuple[bytes, ...]:
    return tuple(text.encode().split())


def _keywords(text: str) -> dict[str, tuple[str, ...]]:
    """Words such as `kind:one|other`; most kinds begin with their word."""
    pairs = (word.partition(":") for word in text.split())
    return {
        kind: tuple(signs.split("|")) if signs else (kind.partition("_")[0],)
        for kind, _, signs in pairs
    }


# How the text in a language's file is read, by the type that its field has.
_READERS: dict[object, Callable[[Any], object]] = {
    frozenset[str]: words,
    frozenset[str] | None: words,
    frozenset[bytes]: lambda text: frozenset(_signs(text)),
    tuple[bytes, ...]: _signs,
    tuple[frozenset[str], ...]: lambda text: tuple(frozenset(r.split("|")) for r in text.split()),
    Mapping[str, frozenset[str]]: words_of,
    Mapping[str, int]: lambda text: {
        word: level for level, line in enumerate(text.splitlines()) for word in line.split()
    },
    Mapping[str, tuple[str, ...]] | None: _keywords,
}


def read(table: type, *first: Any, **named: Any) -> dict[str, Any]:
    """The fields of a table from what a language's file says: words between blanks."""
    types = table.__annotations__
    texts = dict(zip(types, first, strict=False)) | named
    for name in texts:
        if types[name] in _READERS:
            texts[name] = _READERS[types[name]](texts[name])
    return texts


def parents(node: "Node") -> "Iterator[tuple[Node, Node]]":
    """Each node around a node, the nearest first, with the child of it on the way."""
    while (above := node.parent) is not None:
        yield above, node
        node = above


def nearest(node: "Node", kinds: Collection[str]) -> "Node | None":
    """The nearest node of some kinds around a node."""
    return next((above for above, _ in parents(node) if above.type in kinds), None)


def beyond(node: "Node", is_passed: "Callable[[Node], bool]") -> "tuple[Node, Node | None]":
    """The nearest node around a node that is not passed, with the child of it on the way first."""
    inner, outer = node, node.parent
    while outer is not None and is_passed(outer):
        inner, outer = outer, outer.parent
    return inner, outer


def largest(node: "Node") -> "Node":
    """The largest node with the same text: `break` is a statement, too."""
    return beyond(node, lambda outer: outer.byte_range == node.byte_range)[0]


def innermost(node: "Node") -> "Node":
    """The smallest node with the same text."""
    return node.descendant_for_byte_range(node.start_byte, node.end_byte) or node


def node_behind(node: "Node") -> "Node | None":
    """What stands behind a node, perhaps in something around it."""
    outer: Node | None = node
    while outer is not None and outer.next_sibling is None:
        outer = outer.parent
    return outer and outer.next_sibling


def place_without_brackets(node: "Node") -> "tuple[Node, Node | None]":
    """What stands where a node does, brackets around it included, and what it stands in."""
    kinds = ("parenthesized_expression", "tuple_expression")
    return beyond(node, lambda outer: outer.type in kinds)


@cache
def _kinds_of(places: frozenset[str]) -> frozenset[str]:
    """The kinds of node that have these places."""
    return frozenset(place.partition(".")[0].partition(":")[0] for place in places)


_VALUES = ("_expression", "_literal")
_BRACKETED = words("""
    format_expression generator_expression initializer_expression jsx_expression
    parenthesized_expression tuple_expression
""")  # have brackets of their own
_OPTIONAL = "optional_chain"
_DIGITS = re.compile(rb"[0-9]+")


class Brackets(NamedTuple):
    """A pair of signs that groups an expression and says nothing else.

    `kinds`: what may be put between `before` and `after`, beside kinds of node whose names say
    that they are expressions. Such a node means the same with the brackets as without them, in
    places where the grammar accepts both. Whether it accepts them in one place is for the parser
    to say. A kind that has several meanings, of which the brackets change one, is not listed.

    `apart` says which kinds may stand in which others only with brackets, though the
    grammar takes them without. A kind may be followed by its operator and by the field of
    the child: `binary_expression:**.left`. What has an optional chain in it goes by the
    name of that as well. `first` says likewise what may not begin what. `misread` are
    names of functions that are none: a call of `await` waits for what is in its brackets.
    `bare` are kinds that have another name in brackets, and mean the same. `lists` are no
    value but several in a row, perhaps only in one kind of node: `call.argument_list`.
    `last` says what may not end what: the operand before the place is smaller in the language
    than in the grammar, as in `a || b!`; nor may what has such an operand be one of `loose`.
    `joined` are the signs that a language reads where two others stand side by side: `a/*b`, and
    `.0` or `0.` where a number and a dot do.
    `elsewhere` says which kinds are another thing in a place than in all others, as `a.b` is in
    Rust's `a.b()`: what was none needs brackets there.
    `lacking` says what no table does: does this node lack brackets where it is?
    `missed` are kinds that a source may have where they lack brackets: it says something else.
    `same` are kinds by the names of others that the grammar has for the same code in brackets.
    `operations` are kinds that a grammar takes for what is in one of the places `postfix`, where
    the language has the operand before that: `a + f` in TypeScript's `a + f<T>(b).c`.
    `levels` are operations of a language that the grammar nests otherwise, as `(a + b) == c` is
    `a + (b == c)` in Dart's: a line each, the loosest first. `chained` may nest to either side.
    `trailing` is what has the `{ b }` behind a call: beside arguments it is one more of them, and
    behind anything else the only one.
    """

    kinds: frozenset[str] = frozenset()
    apart: Mapping[str, frozenset[str]] = {}
    first: Mapping[str, frozenset[str]] = {}
    misread: Mapping[bytes, str] = {}
    bare: frozenset[str] = frozenset()
    lists: frozenset[str] = frozenset()
    last: Mapping[str, frozenset[str]] = {}
    loose: frozenset[str] = frozenset()
    joined: tuple[bytes, ...] = ()
    lacking: "Callable[[Node], bool] | None" = None
    missed: frozenset[str] = frozenset()
    elsewhere: Mapping[str, frozenset[str]] = {}
    same: Mapping[str, str] = {}
    operations: frozenset[str] = frozenset()
    postfix: frozenset[str] = frozenset()
    levels: Mapping[str, int] = {}
    chained: frozenset[str] = frozenset()
    trailing: frozenset[str] = frozenset()
    before: bytes = b"("
    after: bytes = b")"

    @classmethod
    def around(cls, *kinds: Any, **others: Any) -> "Brackets":
        """Round brackets around these kinds, which are words between blanks."""
        return cls(**read(cls, *kinds, **others))

    def may_hold(self, kind: str) -> bool:
        """May a node of this kind stand in brackets, and mean the same?"""
        return kind in self.kinds or (kind.endswith(_VALUES) and kind not in _BRACKETED)

    def are_needed(self, node: "Node", old: "Node | None" = None) -> bool:
        """Is a node, which was an old one, without brackets where only the grammar allows that?"""
        if self.are_lacking(node) or (
            self._is_elsewhere(node, node) and not self._goes_on(node, old)
        ):
            return True
        if self.first and self._begins_wrongly(node):
            return True
        if self.operations and self._begins_with_operation(node):
            return old is None or not self._begins_with_operation(old)  # else it was so before
        return bool(self.last) and (self._ends_wrongly(node) or self._is_loose(node))

    def _is_elsewhere(self, node: "Node", at: "Node") -> bool:
        """Is a node another thing in the place of one?"""
        if at.parent is None or not self.elsewhere:
            return False
        places = [self.elsewhere[name] for name in self._names(node) if name in self.elsewhere]
        return bool(places) and not places[0].isdisjoint(place_names(at, at.parent))

    def _goes_on(self, node: "Node", old: "Node | None") -> bool:
        """Was it another thing, or is it of the same as the link that was there, as `a?.b`?"""
        if old is None or self._is_elsewhere(old, old):
            return old is not None
        *_, first = chain(node)
        *_, other = chain(old)
        at, _ = beyond(old, lambda outer: outer.type == "non_null_expression")
        return first.text == other.text and self._is_elsewhere(node, at)

    def are_lacking(self, node: "Node") -> bool:
        """The same, but for what begins something: that is read as another kind of node."""
        parent = node.parent
        if parent is None:
            return False
        outer = [self.apart[name] for name in self._names(node) if name in self.apart]
        if outer and not frozenset().union(*outer).isdisjoint(place_names(node, parent)):
            return True
        return self._is_parted(node) or (self.lacking is not None and self.lacking(node))

    def are_missed(self, node: "Node") -> bool:
        """Is a node of a source none in the language, which would need brackets to be one?

        So `!a` is no operand in Kotlin's `!a.b()`, nor is `a || b` in TypeScript's `a || b!`.
        """
        if not self.missed.isdisjoint(self._names(node)) and self.are_lacking(node):
            return True
        if self.operations and self._begins_with_operation(node):
            return True
        is_shorter = bool(self.last) and (self._ends_wrongly(node) or self._is_loose(node))
        return is_shorter or self._is_parted(node)

    def may_mislead(self, text: bytes) -> bool:
        """May a node with this text be missed, for what it begins with?"""
        is_typed = bool(self.operations) and (b"<" in text or text.startswith(b"*"))
        return is_typed or any(map(text.startswith, self.misread))

    def _begins_with_operation(self, node: "Node") -> bool:
        """Is it before something that the language has for a part of what it only ends with?"""
        is_one = not self.operations.isdisjoint(kind_names(node))
        statement = _reaching(node, "end_byte")[1] if is_one else None
        if statement is not None and statement.type.endswith("_statement"):
            node = statement  # the body of an `if` that goes on is none
        inner: Node | None = node
        outer = node.parent
        if outer is None or outer.type not in _kinds_of(self.postfix):
            return False
        while inner is not None and outer is not None:
            is_operation = not self.operations.isdisjoint(kind_names(inner))
            if is_operation or inner is node:
                if self.postfix.isdisjoint(place_names(inner, outer)):
                    return False
                if is_operation:
                    return True
            inner, outer = (inner.child(0) if inner.child_count else None), inner
        return False

    def _is_parted(self, node: "Node") -> bool:
        """Does an operator beside it take a part of it, whatever the grammar makes of them?"""
        own = min(self._levels_in(node), default=None) if self.levels else None
        if own is None:
            return False
        before, behind = (self._level(_reaching(node, at)[1]) for at in ("start_byte", "end_byte"))
        is_next = own == before and self.chained.isdisjoint(kind_names(node))
        return is_next or any(beside is not None and own < beside for beside in (before, behind))

    def _levels_in(self, node: "Node") -> Iterator[int]:
        """The levels of an operation and of its operands without brackets."""
        stack = [node]
        while stack:
            inner = stack.pop()
            level = self._level(inner)
            if level is not None:
                yield level
                stack += inner.named_children

    def _level(self, node: "Node | None") -> int | None:
        if node is None or node.child_count < 2:
            return None
        signs = (f"{node.type}:{child.type}" for child in node.children[:2])
        names = (*signs, *reversed([*kind_names(node)]))
        return next((self.levels[name] for name in names if name in self.levels), None)

    def _begins_wrongly(self, node: "Node") -> bool:
        """Is it, or what it begins with, read as something else there?"""
        edge: Node | None = node
        while edge is not None and edge.is_named:  # the word `class` is no class
            for name in kind_names(edge):
                if name in self.first and _begins(edge, self.first[name]):
                    return True
            edge = edge.children[0] if edge.children else None
        return False

    def _ends_wrongly(self, node: "Node") -> bool:
        """Does it end an operand that ends earlier in the language?"""
        inner, outer = _reaching(node, "end_byte")
        place = frozenset() if outer is None else frozenset(place_names(inner, outer))
        edge: Node | None = node
        while edge is not None and edge.end_byte == node.end_byte:
            if any(not place.isdisjoint(self.last.get(name, ())) for name in kind_names(edge)):
                return True
            edge = edge.children[-1] if edge.children else None
        return False

    def _is_loose(self, node: "Node") -> bool:
        """Is its first operand smaller in the language, and is it an operand itself?"""
        whole = largest(node)
        if whole.parent is None or self.loose.isdisjoint(place_names(whole, whole.parent)):
            return False
        link = node
        while link.named_children and not link.type.startswith("parenthesized"):
            outer, link = link, link.named_children[0]
            if link.start_byte != outer.start_byte and link.end_byte != outer.end_byte:
                return False  # what encloses it keeps it whole
            place = frozenset(place_names(link, outer))
            tables = [self.last.get(name, ()) for name in kind_names(innermost(link))]
            if not all(map(place.isdisjoint, (self.first.get(link.type, ()), *tables))):
                return True
        return False

    def are_joined(self, left: bytes, right: bytes) -> bool:
        """Are two signs, or a number and a sign, read as others with nothing between them?"""
        left = _DIGITS.sub(b"0", left)
        text = left + _DIGITS.sub(b"0", right)
        return any(
            sign.startswith(left) and len(sign) > len(left) and text.startswith(sign)
            for sign in self.joined
        )

    def lists_in(self, nodes: "Sequence[Node]") -> bool:
        """Was a list captured that is no value of its own?"""
        if not self.lists or len(nodes) != 1:
            return False
        parent = nodes[0].parent
        names = nodes[0].type, f"{parent.type}.{nodes[0].type}" if parent is not None else ""
        return not self.lists.isdisjoint(names)

    @property
    def asks(self) -> bool:
        """Are there places to ask about?"""
        tables = self.apart, self.first, self.last, self.elsewhere, self.levels, self.operations
        return self.lacking is not None or any(tables)

    def _names(self, node: "Node") -> Iterator[str]:
        yield from kind_names(node)
        for link in chain(node) if self.misread else ():
            if is_optional(link):
                yield _OPTIONAL
            function = link.child_by_field_name("function")
            if function is not None and (function.text or b"") in self.misread:
                yield self.misread[function.text or b""]


def _begins(node: "Node", kinds: frozenset[str]) -> bool:
    """Does a node stand at the beginning of such a place?"""
    start = node.start_byte
    inner, outer = beyond(node, lambda one: one.start_byte == start and one.type not in kinds)
    return outer is not None and not kinds.isdisjoint(place_names(inner, outer))


def _reaching(node: "Node", edge: str) -> "tuple[Node, Node | None]":
    """The largest node with the same edge, and the one that goes on beyond it."""
    return beyond(node, lambda outer: getattr(outer, edge) == getattr(node, edge))


def is_optional(link: "Node") -> bool:
    """Is it a member or a call of what may be none, `a?.b`?"""
    return any(child.type in (_OPTIONAL, "?.") for child in link.children)


def chain(node: "Node") -> Iterator["Node"]:
    """A node, and what the members and calls are of that it consists of."""
    link: Node | None = node
    while link is not None:
        yield link
        inner = link.named_child(0) if link.type == "non_null_expression" else None
        link = inner or link.child_by_field_name("object") or link.child_by_field_name("function")
