"""The parameters of one definition, as they become."""

from collections.abc import Collection, Iterable, Iterator

from tree_sitter import Node

from astedit.semantic.signature.calls import Unfollowed
from astedit.semantic.signature.new_signature import NewSignature
from astedit.semantic.signature.parameters import Parameters, parameters_of
from astedit.semantic.signature.relist import NewItem, moves, relisted
from astedit.text.splice import Change, splice


def changed_definition(
    definition: Node,
    old: Parameters,
    new: NewSignature,
    inner: Collection[Change],
    code: bytes,
) -> list[Change]:
    """The changes of a `def`'s parameters; raises `Unfollowed` where they cannot be made.

    `inner` are changes within them, such as new names, which what changes places takes along.
    """
    own = parameters_of(definition)
    if own.shape != old.shape:
        raise Unfollowed(own.node, "its parameters are not the same")
    _check_defaults(own, new)
    for name in new.added:
        for node in _named(definition.child_by_field_name("body"), name):
            raise Unfollowed(node, f"{name!r} means something else here")
    items = _items(own, new)
    if moves(items) and any(node.type == "comment" for node in own.node.named_children):
        raise Unfollowed(own.node, "comments stand among parameters that change places")

    def text(node: Node) -> bytes:
        return _with(inner, node, code)

    return relisted(own.node, own.items, items, code, text)


def _check_defaults(own: Parameters, new: NewSignature) -> None:
    defaults = {each.name: each.has_default for each in own.each}
    before = ""
    for name in new.positional:
        origin = new.origin.get(name)
        has = new.added[name].has_default if origin is None else defaults[origin]
        if before and not has:
            raise Unfollowed(own.node, f"{name!r} has no default and would come after {before!r}")
        before = name if has else before


def _items(own: Parameters, new: NewSignature) -> list[NewItem]:
    """What stands between the commas: parameters and the two markers."""
    numbers = {node.id: number for number, node in enumerate(own.items)}
    nodes = {each.name: each.node for each in own.each}
    kinds = [new.kinds[name] for name in new.names]
    items: list[NewItem] = []
    for at, name in enumerate(new.names):
        if kinds[at] == "keyword-only" and not {"keyword-only", "varargs"} & {*kinds[:at]}:
            items.append(b"*" if own.star is None else numbers[own.star.id])
        origin = new.origin.get(name)
        if origin is None:
            items.append(new.added[name].node.text or b"")
        else:
            items.append(numbers[nodes[origin].id])
        if kinds[at] == "positional-only" and kinds[at + 1 : at + 2] != ["positional-only"]:
            items.append(b"/" if own.slash is None else numbers[own.slash.id])
    return items


def _with(changes: Iterable[Change], node: Node, code: bytes) -> bytes:
    low, high = node.start_byte, node.end_byte
    inner = [(s - low, e - low, new) for s, e, new in changes if low <= s and e <= high]
    return splice(code[low:high], sorted(inner))


def _named(node: Node | None, name: str) -> Iterator[Node]:
    """The leaves of a body that mean a variable of this name."""
    for child in node.children if node is not None else ():
        above = child.parent
        if child.type == "identifier" and (child.text or b"").decode() == name:
            field = "attribute" if above is not None and above.type == "attribute" else "name"
            keyword = above is not None and above.type in ("attribute", "keyword_argument")
            if not (keyword and above is not None and above.child_by_field_name(field) == child):
                yield child
        yield from _named(child, name)
