"""`signature` in JavaScript and TypeScript: other parameters, and every evident call with them.

Arguments are told by their places alone: one that is left out before others becomes `undefined`.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from tree_sitter import Node

from astedit.errors import PreconditionError
from astedit.language import root_of
from astedit.language.brackets import words
from astedit.model.plan import Plan
from astedit.python.evaluation import is_within
from astedit.python.syntax import every_node, parts_of, text_of
from astedit.semantic.library import NameRequest
from astedit.semantic.listed_uses import AlsoUses, CannotFollow, UsePlace, listed, refuse_listed
from astedit.semantic.remove import relisted
from astedit.semantic.rename.call_sites import NO_CALL
from astedit.semantic.rename.syntactic import renamed_within
from astedit.semantic.script.files import ScriptFile, ScriptFiles
from astedit.semantic.script.members import uses_of
from astedit.semantic.script.uses import ScriptUse
from astedit.semantic.signature.calls import text_with
from astedit.semantic.signature.new_signature import SignatureRequest, WrittenParameter, bad
from astedit.semantic.signature.signature import cannot_follow
from astedit.text.source import Change

_NAMES = words("""
    identifier shorthand_property_identifier shorthand_property_identifier_pattern
""")
_ACTING = (
    *("call_expression", "new_expression", "await_expression", "yield_expression"),
    *("assignment_expression", "augmented_assignment_expression", "update_expression"),
)


def plan(asked: NameRequest) -> Plan:
    """The plan of a changed signature in scripts; see `signature.plan`."""
    files = ScriptFiles(asked, asked.last)
    change = _ScriptSignature(files, asked)
    change.read()
    places = sorted(set(change.places))
    AlsoUses(asked.arguments).check(places)
    if change.demand.remove:
        refuse_listed(asked.name, places, asked.arguments)
    hints = [*listed(asked.last, places), *change.dropped]
    return asked.plan(files.library.worked_out(change.changes, hints))


class _ScriptSignature:
    """One change of a signature: what becomes of each file, and what stands in the way.

    Of the parameters that will be, `items` has the numbers of `old` ones, and texts of new ones.
    """

    def __init__(self, files: ScriptFiles, asked: NameRequest) -> None:
        self._path, self._name = asked.path, asked.name
        self.demand = SignatureRequest.of(asked.arguments)
        self._uses = uses_of(files, asked)
        self.changes: dict[str, set[Change]] = {}
        self.places: list[UsePlace] = [*self._uses.places]
        self.dropped: list[str] = []
        self._refusals: list[tuple[str, bytes, Node, str]] = []
        self.old: Sequence[WrittenParameter] = ()
        self.items: Sequence[int | bytes] = ()
        self._for_callers = (self.demand.for_callers or "").encode()

    def read(self) -> None:
        """Follows the change everywhere; raises if something cannot follow."""
        functions = [(u, f) for u in self._uses.definitions if (f := _function(u.node)) is not None]
        own = [function for use, function in functions if use.file.path == self._path]
        if not own or self._name.endswith(".constructor"):
            message = f"{self._name} in {self._path} is not a function; nothing was staged."
            raise PreconditionError(message, path=self._path, code="no_signature")
        self.old = _parameters(own[-1])
        self.items = _new_items(self.old, self.demand)
        for use, function in functions:
            self._definition(use.file, function)
        for use in self._uses.uses:
            if use.kind != "definition":
                self._use(use)
        if self._refusals:
            raise cannot_follow(self._path, self._refusals)

    def _refuse(self, file: ScriptFile, node: Node, why: str) -> None:
        self._refusals.append((file.path, file.code, node, why))

    def _definition(self, file: ScriptFile, function: Node) -> None:
        brackets, names = function.child_by_field_name("parameters"), [p.name for p in self.old]
        if brackets is None or [p.name for p in _parameters(function)] != names:
            self._refuse(file, function, "its parameters are not the same")
            return
        changes = self.changes.setdefault(file.path, set())
        items = parts_of(brackets)
        inner: list[Change] = []
        place = brackets.byte_range
        for before, after in self.demand.rename:
            renamed = renamed_within(function, before, after, file.code, place)
            inner += renamed or []
            if renamed is None:
                self._refuse(file, function, f"{after!r} means something else in it")
        self._check_names(file, function, items)
        listing = relisted(
            brackets,
            items,
            self.items,
            file.code,
            lambda node: text_with(inner, node, file.code),
            file.language,
        )
        spans = [(low, high) for low, high, _ in listing if high > low]
        changes |= {*listing}
        changes |= {c for c in inner if not any(low <= c[0] < high for low, high in spans)}

    def _check_names(self, file: ScriptFile, function: Node, items: Sequence[Node]) -> None:
        """Refuses what names in the function, and in its defaults, would not mean any more."""
        kept = {item: place for place, item in enumerate(self.items) if isinstance(item, int)}
        gone = [item for at, item in enumerate(items) if at not in kept]
        every = (word for word in every_node(function) if word.type in _NAMES)
        uses = [word for word in every if not any(is_within(word, item) for item in gone)]
        added = {_added(text).name for text in self.demand.add}
        places = {self.old[item].name: place for item, place in kept.items()}
        for word in uses:
            name = text_of(word)
            at = next((at for at in kept if is_within(word, items[at])), None)
            if name in self.demand.remove:
                self._refuse(file, word, f"{name!r} is used")
            elif name in added:
                self._refuse(file, word, f"{name!r} means something else in it")
            elif at is not None and places.get(name, -1) > kept[at]:
                self._refuse(file, word, f"{name!r} would come behind the default that it is in")
            elif name == "arguments" and self.items != [*range(len(items))]:
                self._refuse(file, word, "it tells arguments by their numbers")

    def _use(self, use: ScriptUse) -> None:
        node, file = use.node, use.file
        if use.kind in ("import", "export", "again", "star", "common"):
            return
        if use.kind == "member" and node.parent is not None:
            node = node.parent
        call = node.parent
        is_call = call is not None and call.type == "call_expression"
        brackets = call.child_by_field_name("arguments") if call is not None and is_call else None
        if call is None or brackets is None or call.child_by_field_name("function") != node:
            if node.parent is None or node.parent.type not in ("type_query", "export_statement"):
                self.places.append(file.place(node, NO_CALL))
            return
        if brackets.type != "arguments":
            self._refuse(file, call, "it is called with a template")
            return
        arguments = parts_of(brackets)
        try:
            items = list(self._arguments(arguments))
        except CannotFollow as error:
            self._refuse(file, call, str(error))
            return
        kept = [item for item in items if isinstance(item, int)]
        for number, argument in enumerate(arguments):
            if number not in kept and _acts(argument):
                row, text = argument.start_point.row + 1, text_of(argument)[:60]
                self.dropped.append(f"{file.path}:{row}: {text} is not evaluated any more")
        if kept != sorted(kept) and sum(map(_acts, arguments)) > 0:
            self._refuse(file, call, "its arguments would be evaluated in another order")
        changes = relisted(
            brackets, arguments, items, file.code, lambda item: item.text or b"", file.language
        )
        self.changes.setdefault(file.path, set()).update(changes)
        for word in every_node(root_of("javascript", self._for_callers)):
            if word.type == "identifier" and file.is_hidden(text_of(word), call):
                self._refuse(file, call, f"{text_of(word)!r} means something else there")

    def _arguments(self, arguments: Sequence[Node]) -> Iterator[int | bytes]:
        """What a call passes: numbers of its arguments, and new texts."""
        spread = next(
            (n for n, item in enumerate(arguments) if item.type == "spread_element"), None
        )
        fixed = [at for at, item in enumerate(self.old) if item.kind != "varargs"]
        same = spread is not None and self.items[:spread] == [*range(spread)]
        if spread is not None and not (same and self.items[spread : len(fixed)] == fixed[spread:]):
            raise CannotFollow("what `...` brings is not known")
        if spread is not None and len(self.items) > len(self.old):
            raise CannotFollow("what `...` brings is not known")
        passed: list[int | bytes | None] = []
        for item in self.items:
            if isinstance(item, bytes):
                passed.append(self._for_callers or None)
            elif self.old[item].kind != "varargs":
                passed.append(item if item < len(arguments) else None)
        rest = [*range(len(fixed), len(arguments))]
        if rest and not any(item.kind == "varargs" for item in self.old):
            raise CannotFollow("it has more arguments than parameters")
        while passed and passed[-1] is None and not rest:
            passed.pop()
        yield from (b"undefined" if item is None else item for item in passed)
        yield from rest


def _acts(node: Node) -> bool:
    """Whether evaluating an argument may do something."""
    late = node.type in ("arrow_function", "function_expression")
    return node.type in _ACTING or (not late and any(map(_acts, node.named_children)))


def _function(name: Node) -> Node | None:
    """The function, method or signature that a name is the name of."""
    whole = name.parent
    value = whole.child_by_field_name("value") if whole is not None else None
    node = value if value is not None else whole
    return node if node is not None and node.child_by_field_name("parameters") else None


def _parameters(function: Node) -> list[WrittenParameter]:
    return [_parameter(node) for node in parts_of(function.child_by_field_name("parameters"))]


def _parameter(node: Node) -> WrittenParameter:
    inner = node.child_by_field_name("pattern") or node.child_by_field_name("left") or node
    rest = inner.type == "rest_pattern"
    inner = inner.named_children[0] if rest and inner.named_children else inner
    has_value = node.type == "assignment_pattern" or node.child_by_field_name("value") is not None
    is_optional = has_value or node.type == "optional_parameter"
    name = text_of(inner) if inner.type == "identifier" else ""
    return WrittenParameter(name, "varargs" if rest else "plain", is_optional, node, inner)


def _added(text: str) -> WrittenParameter:
    """The parameter that a text is; raises `RequestError` unless it is exactly one."""
    root = root_of("typescript", f"function f({text}) {{}}".encode())
    function = root.named_children[0] if root.named_child_count == 1 else root
    every = _parameters(function) if not root.has_error else []
    if len(every) != 1 or every[0].kind == "varargs" or not every[0].name or "\n" in text:
        raise bad(f"{text!r} is not one plain parameter", "Like 'timeout: number = 30'.")
    return every[0]


def check(demand: SignatureRequest) -> None:
    """Raises `RequestError` for what is wrong whatever the definition is."""
    demand.check_added({item.name: item.has_default for item in map(_added, demand.add)})
    if demand.keyword_only:
        raise bad("scripts pass nothing by keyword", "Let one object hold what has a name.")


def _new_items(old: Sequence[WrittenParameter], demand: SignatureRequest) -> list[int | bytes]:
    """The numbers of old parameters, and new ones; raises `RequestError` where that cannot be."""
    check(demand)
    added = [(_added(text), text.encode()) for text in demand.add]
    removed_rest = {item.name for item in old if item.kind == "varargs"} & {*demand.remove}
    names = [item.name for item in old if item.name]
    demand.check_names(names, removed_rest, [item.name for item, _ in added])
    order: list[tuple[WrittenParameter, int | bytes]] = [
        (item, at) for at, item in enumerate(old) if not item.name or item.name not in demand.remove
    ]
    for new, text in added:
        behind = (
            at
            for at, (item, _) in enumerate(order)
            if item.kind == "varargs" or item.has_default > new.has_default
        )
        order.insert(next(behind, len(order)), (new, text))
    renamed = dict(demand.rename)
    if demand.reorder:
        rest = [pair for pair in order if pair[0].kind == "varargs"]
        by_name = {renamed.get(p[0].name, p[0].name): p for p in order if p not in rest}
        if sorted(demand.reorder) != sorted(by_name) or "" in by_name:
            raise bad(f"the new order must name each of {', '.join(by_name)} once")
        order = [by_name[name] for name in demand.reorder]
        if any(
            a.node.type == "optional_parameter" and not b.has_default
            for (a, _), (b, _) in pairwise(order)
        ):
            raise bad("one that calls must pass would come behind one with `?`")
        order += rest
    return [item for _, item in order]
