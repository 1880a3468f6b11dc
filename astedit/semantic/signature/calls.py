"""What becomes of one call and of one definition: arguments keep their parameters."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from tree_sitter import Node

from astedit.python.syntax import child_of, parts_of, text_of, words
from astedit.semantic.module_code import ModuleCode
from astedit.semantic.remove import NewItem, moves, relisted
from astedit.semantic.rename.call_sites import FollowedCall, Unfollowed
from astedit.semantic.signature.new_signature import (
    NewSignature,
    Parameters,
    WrittenParameter,
    parameters_of,
)
from astedit.text.source import Change, splice


@dataclass(slots=True)
class ChangedCall:
    """The changes of one call, where the keywords that it names begin, and what it drops.

    `shifts` says that what is passed by position later may go elsewhere.
    """

    changes: list[Change] = field(default_factory=list)
    keywords: set[int] = field(default_factory=set)
    dropped: list[Node] = field(default_factory=list)
    shifts: bool = False


class CallBinding:
    """Goes through the arguments as Python would, and notes what each becomes.

    Arguments stay in their order, in which they are evaluated. One that its place does not
    bring to its parameter any more gets the parameter's name.
    """

    def __init__(
        self, call: FollowedCall, old: Parameters, new: NewSignature, for_callers: bytes | None
    ) -> None:
        self._call, self._old, self._new, self._for_callers = call, old, new, for_callers
        kinds = {parameter.name: parameter.kind for parameter in old.parameters}
        positional = [n for n, kind in kinds.items() if kind in ("positional-only", "plain")]
        self._olds = positional[call.skip :]
        self._news = [p.old or f"+{p.name}" for p in new.positional[call.skip :]]
        self._keywordable = {n for n, kind in kinds.items() if kind in ("plain", "keyword-only")}
        self._kinds = set(kinds.values())
        self._bound: set[str] = set()
        self._at = self._slot = 0  # of the old and the new positional parameters
        self._with_name = self._starred = False
        self._rest: list[int] = []
        self.result = ChangedCall()

    def changed(self, code: bytes) -> ChangedCall:
        """What becomes of the call; raises `Unfollowed` where that is not known."""
        items = self._call.items
        offset = int(self._call.partial)
        spreads = []
        for number, node in enumerate(items, offset):
            if node.type == "keyword_argument":
                keeps = self._keyword(node)
            elif node.type == "dictionary_splat":
                spreads.append(node)
                keeps = True
            elif node.type == "list_splat":
                keeps = self._star(node)
            else:
                keeps = self._positional(node)
            if keeps:
                self._rest.append(number)
            else:
                self.result.dropped.append(node)
        for node in spreads:
            self._spread(node)
        self.result.shifts = self._news[: len(self._olds)] != self._olds
        self._relist(items, code, offset)
        return self.result

    def _relist(self, items: list[Node], code: bytes, offset: int) -> None:
        more = [] if self._for_callers is None else self._new.added
        texts: list[NewItem] = [f"{n}=".encode() + (self._for_callers or b"") for n in more]
        if not texts and len(self._rest) == len(items):
            return
        arguments = self._call.arguments
        if arguments.type != "argument_list":
            raise Unfollowed(arguments, "its only argument has no brackets of its own")
        nodes = parts_of(arguments)
        new = [*range(offset), *self._rest, *texts]
        self.result.changes += relisted(arguments, nodes, new, code, lambda node: node.text or b"")

    # -- arguments, one by one -------------------------------------------------------------

    def _positional(self, node: Node) -> bool:
        if self._starred:
            return True
        if self._at >= len(self._olds):
            return self._extra(node)
        old = self._olds[self._at]
        self._at += 1
        self._bound.add(old)
        new = self._new.named(self._new.new_name(old) or "")
        if new is None:
            return False
        if not self._with_name and self._news[self._slot : self._slot + 1] == [old]:
            self._slot += 1
            return True
        self._by_name(node, new)
        return True

    def _by_name(self, node: Node, new: WrittenParameter) -> None:
        if self._call.partial:
            raise Unfollowed(node, "what the partial call is passed later is not evident")
        if new.kind == "positional-only":
            why = f"{new.name!r} is passed by position only, and another comes first"
            raise Unfollowed(node, why)
        if node.type == "named_expression" or node is self._call.arguments:
            raise Unfollowed(node, "it has no brackets of its own")
        self._with_name = True
        self.result.changes.append((node.start_byte, node.start_byte, f"{new.name}=".encode()))

    def _extra(self, node: Node) -> bool:
        """An argument for `*args` stays if every place before it is filled as before."""
        if "varargs" not in self._kinds:
            raise Unfollowed(node, "it has more arguments than parameters")
        if self._with_name or self._slot != len(self._news):
            raise Unfollowed(node, "it would not go to `*` any more")
        return True

    def _star(self, node: Node) -> bool:
        same = self._news[: len(self._olds)] == self._olds
        whole = "varargs" not in self._kinds or len(self._news) == len(self._olds)
        if self._with_name or not (same and whole):
            raise Unfollowed(node, "what `*` brings is not known")
        self._starred = True
        return True

    def _keyword(self, node: Node) -> bool:
        label = child_of(node, "name")
        old = (label.text or b"").decode()
        self.result.keywords.add(label.start_byte)
        if old not in self._keywordable:
            if "kwargs" not in self._kinds:
                raise Unfollowed(node, f"there is no parameter {old!r}")
            if self._new.named(old):
                raise Unfollowed(node, f"{old!r} went to `**` so far")
            return True
        self._bound.add(old)
        if (name := self._new.new_name(old)) is None:
            return False
        if name != old:
            self.result.changes.append((*label.byte_range, name.encode()))
        return True

    def _spread(self, node: Node) -> None:
        """What `**` brings must be no parameter that changes; keys that are written are known."""
        changed = {n for n in self._keywordable if self._new.new_name(n) != n} - self._bound
        keys = _keys(node)
        if keys is None:
            if changed or ("kwargs" in self._kinds and self._new.added):
                raise Unfollowed(node, "what `**` brings is not known")
            return
        for text, start in keys.items():
            if text in changed and self._new.new_name(text) is None:
                raise Unfollowed(node, f"{text!r} is among what `**` brings")
            if text not in self._keywordable and self._new.named(text):
                raise Unfollowed(node, f"{text!r} went to `**` so far")
            if text in changed:
                self.result.keywords.add(start)
                end = start + len(text.encode())
                self.result.changes.append((start, end, (self._new.new_name(text) or "").encode()))


def _keys(spread: Node) -> dict[str, int] | None:
    """The keys of a dict that is written out, and where each begins; None for any other."""
    value = spread.named_children[-1]
    if value.type != "dictionary":
        return None
    keys = {}
    for pair in value.named_children:
        key = pair.child_by_field_name("key") if pair.type == "pair" else None
        inner = key.named_children if key is not None and key.type == "string" else []
        if [item.type for item in inner] != ["string_start", "string_content", "string_end"]:
            return None
        keys[(inner[1].text or b"").decode()] = inner[1].start_byte
    return keys


def changed_definition(
    definition: Node,
    old: Parameters,
    new: NewSignature,
    inner: Collection[Change],
    module: ModuleCode,
) -> list[Change]:
    """The changes of a `def`'s parameters; raises `Unfollowed` where they cannot be made.

    `inner` are changes within them, such as new names, which what changes places takes along.
    """
    own = parameters_of(definition)
    if own.shape != old.shape:
        raise Unfollowed(own.node, "its parameters are not the same")
    defaults = {parameter.name: parameter.has_default for parameter in own.parameters}
    before = ""
    for item in new.positional:
        has = item.has_default if item.old is None else defaults[item.old]
        if before and not has:
            why = f"{item.name!r} has no default and would come after {before!r}"
            raise Unfollowed(own.node, why)
        before = item.name if has else before
    body = definition.child_by_field_name("body")
    for node in words(body) if body is not None else ():
        if text_of(node) in new.added and module.scopes.of(node) is not None:
            raise Unfollowed(node, f"{text_of(node)!r} means something else here")
    items = _items(own, new)
    if moves(items) and any(node.type == "comment" for node in own.node.named_children):
        raise Unfollowed(own.node, "comments stand among parameters that change places")
    code = module.code
    return relisted(own.node, own.items, items, code, lambda node: text_with(inner, node, code))


def _items(own: Parameters, new: NewSignature) -> list[NewItem]:
    """What stands between the commas: parameters and the two markers."""
    numbers = {node.id: number for number, node in enumerate(own.items)}
    nodes = {parameter.name: parameter.node for parameter in own.parameters}
    kinds = [item.kind for item in new]
    items: list[NewItem] = []
    for at, item in enumerate(new):
        if item.kind == "keyword-only" and not {"keyword-only", "varargs"} & {*kinds[:at]}:
            items.append(b"*" if own.star is None else numbers[own.star.id])
        items.append(item.node.text or b"" if item.old is None else numbers[nodes[item.old].id])
        if item.kind == "positional-only" and kinds[at + 1 : at + 2] != ["positional-only"]:
            items.append(b"/" if own.slash is None else numbers[own.slash.id])
    return items


def text_with(changes: Iterable[Change], node: Node, code: bytes) -> bytes:
    """The text of a node with those of the changes that are made within it."""
    low, high = node.byte_range
    inner = [(s - low, e - low, new) for s, e, new in changes if low <= s and e <= high]
    return splice(code[low:high], sorted(inner))
