"""What a stretch of code reads and binds of the names of one scope, in the order it runs.

Names are said to be bound only where that is certain: whichever branch is taken, however
often a loop runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import reduce

from tree_sitter import Node

from astedit.python.scopes import NameScope, Scopes
from astedit.python.syntax import (
    IMPORTS,
    SEQUENCES,
    imports_of,
    parts_of,
    plain,
    starred,
    text_of,
    words,
)

_JUMPS = ("return_statement", "raise_statement", "break_statement", "continue_statement")


@dataclass(slots=True)
class Flow:
    """`reads` may be read before they are bound here, `binds` may be bound, `sure` are bound.

    `ends` says that nothing comes after: every way returns, raises, or leaves a loop.
    """

    reads: set[str] = field(default_factory=set)
    binds: set[str] = field(default_factory=set)
    sure: set[str] = field(default_factory=set)
    ends: bool = False

    def then(self, other: Flow) -> Flow:
        """This, and then the other."""
        return Flow(
            self.reads | (other.reads - self.sure),
            self.binds | other.binds,
            self.sure | other.sure,
            self.ends or other.ends,
        )


def either(*flows: Flow) -> Flow:
    """One of these; a way that ends binds whatever is asked."""
    going = [flow for flow in flows if not flow.ends] or list(flows)
    return Flow(
        set[str]().union(*(flow.reads for flow in flows)),
        set[str]().union(*(flow.binds for flow in flows)),
        set[str].intersection(*(flow.sure for flow in going)),
        all(flow.ends for flow in flows),
    )


class FlowReader:
    """Reads the flow of code in a scope of a module."""

    def __init__(self, scopes: Scopes, scope: NameScope) -> None:
        self._scopes, self._scope = scopes, scope

    def of_all(self, nodes: Iterable[Node | None]) -> Flow:
        """The flow of these, one after the other."""
        flow = Flow()
        for node in nodes:
            if node is not None and not flow.ends:
                flow = flow.then(self.of(node))
        return flow

    def of(self, node: Node) -> Flow:
        """The flow of a statement or an expression."""
        if (method := _METHODS.get(node.type)) is not None:
            return method(self, node)
        if node.type == "identifier":
            name = text_of(node)
            return Flow(reads={name}) if self._is_own(node, name) else Flow()
        return self.of_all(parts_of(node))

    def _is_own(self, node: Node, name: str) -> bool:
        scope = self._scopes.of(node)
        return scope is not None and scope.holder(name) is self._scope

    def _fields(self, node: Node, *names: str) -> Flow:
        return self.of_all(part for name in names for part in node.children_by_field_name(name))

    def _bound(self, name: str) -> Flow:
        return Flow(binds={name}, sure={name})

    def target(self, node: Node | None) -> Flow:
        """What is assigned to: names are bound, and what stands around others is read."""
        if node is None:
            return Flow()
        node, _ = starred(node)
        if node.type == "identifier":
            name = text_of(node)
            return self._bound(name) if self._is_own(node, name) else Flow()
        if node.type in SEQUENCES:
            return reduce(Flow.then, map(self.target, parts_of(node)), Flow())
        return self.of(node)

    # -- statements --------------------------------------------------------------------------

    def _assignment(self, node: Node) -> Flow:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        return Flow() if right is None else self.of(right).then(self.target(left))

    def _augmented(self, node: Node) -> Flow:
        left = node.child_by_field_name("left")
        return self._fields(node, "left", "right").then(self.target(left))

    def _walrus(self, node: Node) -> Flow:
        return self._fields(node, "value").then(self.target(node.child_by_field_name("name")))

    def _if(self, node: Node) -> Flow:
        asked = self._fields(node, "condition")
        rest = node.children_by_field_name("alternative")
        ways = [asked.then(self._fields(node, "consequence"))]
        for part in rest:
            if part.type == "elif_clause":
                asked = asked.then(self._fields(part, "condition"))
                ways.append(asked.then(self._fields(part, "consequence")))
            else:
                ways.append(asked.then(self._fields(part, "body")))
        if not any(part.type == "else_clause" for part in rest):
            ways.append(asked)
        return either(*ways)

    def _loop(self, node: Node) -> Flow:
        head = self._fields(node, "condition", "right")
        first = self.target(node.child_by_field_name("left"))
        body = first.then(self._fields(node, "body"))
        body.ends = False
        after = self._fields(node, "alternative")
        after.ends = False
        ways = either(head, head.then(body), head.then(after))
        return Flow(ways.reads, ways.binds, head.sure, False)

    def _try(self, node: Node) -> Flow:
        body = self._fields(node, "body")
        handlers = [
            Flow(binds=set(body.binds)).then(self.of_all(parts_of(part)))
            for part in parts_of(node)
            if part.type in ("except_clause", "except_group_clause")
        ]
        done = body.then(self._clause(node, "else_clause"))
        last = self._clause(node, "finally_clause")
        flow = either(done, *handlers).then(last)
        flow.reads |= last.reads  # it runs wherever the rest was left
        return flow

    def _clause(self, node: Node, kind: str) -> Flow:
        return self.of_all(parts_of(part)[0] for part in parts_of(node) if part.type == kind)

    def _with(self, node: Node) -> Flow:
        items = self.of_all(part for part in parts_of(node) if part.type == "with_clause")
        body = self._fields(node, "body")
        if any(b"suppress" in (part.text or b"") for part in parts_of(node)[:1]):
            body = Flow(body.reads, body.binds, set(), False)
        return items.then(body)

    def _as(self, node: Node) -> Flow:
        value, *targets = parts_of(node)
        return reduce(Flow.then, map(self.target, map(plain, targets)), self.of(value))

    def _match(self, node: Node) -> Flow:
        subject = self._fields(node, "subject")
        ways = [subject]
        for case in parts_of(node.child_by_field_name("body")):
            bound = self.bound_in(case)
            pattern = Flow(binds=bound, sure=bound)
            ways.append(subject.then(pattern).then(self._fields(case, "guard", "consequence")))
        return either(*ways)

    def bound_in(self, case: Node) -> set[str]:
        """The names that the pattern of a case binds, and its guard."""
        body = case.child_by_field_name("consequence")
        end = body.start_byte if body is not None else case.end_byte
        return {
            name
            for name, bindings in self._scope.bindings.items()
            if any(case.start_byte <= binding.node.start_byte < end for binding in bindings)
        }

    def _jump(self, node: Node) -> Flow:
        flow = self.of_all(parts_of(node))
        flow.ends = True
        return flow

    def _import(self, node: Node) -> Flow:
        names = {name.partition(".")[0] for name, _ in imports_of(node) if name != "*"}
        own = {name for name in names if self._is_own(node, name)}
        return Flow(binds=own, sure=set(own))

    def _definition(self, node: Node) -> Flow:
        """A function or a class: what it takes from around it counts as read at once."""
        name = node.child_by_field_name("name")
        inner = (self.of_any(part) for part in parts_of(node) if part != name)
        flow = Flow(reads=set[str]().union(*inner))
        word = text_of(name)
        return flow.then(self._bound(word)) if name and self._is_own(name, word) else flow

    def of_any(self, node: Node) -> set[str]:
        """Every name of the scope that is written in a node, wherever."""
        return {text_of(word) for word in words(node) if self._is_own(word, text_of(word))}

    def _late(self, node: Node) -> Flow:
        return Flow(reads=self.of_any(node))

    def _choice(self, node: Node) -> Flow:
        """`a if c else b`, `a and b`: not all of it runs."""
        flow = self.of_all(parts_of(node))
        return Flow(flow.reads | self.of_any(node) - flow.binds, flow.binds, set(), False)


_METHODS: dict[str, Callable[[FlowReader, Node], Flow]] = {
    "assignment": FlowReader._assignment,
    "augmented_assignment": FlowReader._augmented,
    "named_expression": FlowReader._walrus,
    "if_statement": FlowReader._if,
    "for_statement": FlowReader._loop,
    "while_statement": FlowReader._loop,
    "try_statement": FlowReader._try,
    "with_statement": FlowReader._with,
    "as_pattern": FlowReader._as,
    "match_statement": FlowReader._match,
    "function_definition": FlowReader._definition,
    "class_definition": FlowReader._definition,
    "lambda": FlowReader._late,
    "generator_expression": FlowReader._late,
    "conditional_expression": FlowReader._choice,
    "boolean_operator": FlowReader._choice,
    **dict.fromkeys(_JUMPS, FlowReader._jump),
    **dict.fromkeys(IMPORTS, FlowReader._import),
}


def definitely_bound(reader: FlowReader, body: Node, at: Sequence[Node]) -> set[str]:
    """The names that are certainly bound where the first of these nodes is reached."""
    node, sure = at[0], set[str]()
    while node != body and node.parent is not None:
        above = node.parent
        before = [part for part in parts_of(above) if part.end_byte <= node.start_byte]
        if above.type == "block" or above == body:
            sure |= reader.of_all(before).sure
        elif above.type in ("for_statement", "with_statement") and node.type == "block":
            head = above.child_by_field_name("left")
            sure |= reader.target(head).sure | reader.of_all(before).sure
        elif above.type in ("if_statement", "while_statement") and before:
            sure |= reader.of(before[0]).sure
        elif above.type in ("except_clause", "except_group_clause"):
            sure |= reader.of_all(before).sure
        elif above.type == "case_clause":
            sure |= reader.bound_in(above)
        node = above
    return sure
