"""Rules that have a name: local, global, and with arguments. (rules U1-U3)"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from tree_sitter import Node

from astedit.rule.constraint import Constrained
from astedit.rule.environment import MAX_CALLS, Environment, Frame
from astedit.rule.node import (
    NO_CONSTRAINTS,
    NO_LITERALS,
    Captures,
    Constraints,
    Literals,
    Rule,
    all_captures,
)

RESERVED = frozenset("(),=")


@dataclass(slots=True)
class Globals:
    """Global utilities of one language: what arguments each takes, and each compiled."""

    arguments: dict[str, tuple[str, ...]] = field(default_factory=dict)
    rules: dict[str, Constrained] = field(default_factory=dict)


class Named:
    """`matches: id`. A local utility shares the environment; a global one has its own."""

    def __init__(self, name: str, table: Mapping[str, Rule | Constrained]) -> None:
        self.name = name
        self.table = table
        self._busy = False  # while its literals are collected: a utility may name itself

    def target(self) -> Rule | Constrained:
        return self.table[self.name]

    def match(self, node: Node, env: Environment) -> Node | None:
        if env.calls >= MAX_CALLS:
            env.gave_up = True
            return None
        target = self.target()
        if not isinstance(target, Constrained):
            env.calls += 1
            found = target.match(node, env)
            env.calls -= 1
            return found
        inner = env.fresh()
        inner.calls += 1
        found = target.match(node, inner)
        env.gave_up = env.gave_up or inner.gave_up
        if found is not None:
            env.trail = [*env.trail, *inner.trail]
        return found

    def kinds(self) -> frozenset[int] | None:
        target = self.target()
        return target.known if isinstance(target, Constrained) else target.kinds()

    def literals(self, own: bool = False, constraints: Constraints = NO_CONSTRAINTS) -> Literals:
        if self._busy:
            return NO_LITERALS
        self._busy = True
        try:
            return self.target().literals(own, self._passed(constraints))
        finally:
            self._busy = False

    def _passed(self, constraints: Constraints) -> Constraints:
        """The constraints that apply to what the utility captures. A global utility has its own."""
        return constraints

    def captures(self) -> Captures:
        return {}  # those of local utilities are counted once, for the whole rule

    def parts(self) -> Iterable[Rule]:
        return ()


class Call(Named):
    """`matches: {id: {ARGUMENT: rule}}`. Exports only what the arguments bound."""

    def __init__(
        self, name: str, table: Mapping[str, Rule | Constrained], arguments: Mapping[str, Rule]
    ) -> None:
        super().__init__(name, table)
        self._arguments = arguments

    def match(self, node: Node, env: Environment) -> Node | None:
        if env.calls >= MAX_CALLS:
            env.gave_up = True
            return None
        inner = env.fresh(Frame(self._arguments, env.frame))
        inner.calls += 1
        found = self.target().match(node, inner)
        env.gave_up = env.gave_up or inner.gave_up
        if found is None:
            return None
        joined = env.bindings.joined(inner.exports)
        if joined is None:
            return None
        env.bindings = joined
        env.trail = [*env.trail, *inner.trail]
        return node

    def _passed(self, constraints: Constraints) -> Constraints:
        return NO_CONSTRAINTS

    def captures(self) -> Captures:
        return all_captures(self._arguments.values())

    def parts(self) -> Iterable[Rule]:
        return self._arguments.values()


class Parameter:
    """`matches: ARGUMENT` in a utility: the rule that the caller gave for it.

    It sees what other arguments of the call have bound, and nothing else.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def match(self, node: Node, env: Environment) -> Node | None:
        frame = env.frame
        assert frame is not None, "a parameter is compiled only inside its utility"
        probe = env.fresh(frame.parent)
        probe.bindings = env.exports
        found = frame.arguments[self.name].match(node, probe)
        env.gave_up = env.gave_up or probe.gave_up
        if found is None:
            return None
        env.exports = probe.bindings
        env.trail = [*env.trail, *probe.trail]
        return node

    def kinds(self) -> frozenset[int] | None:
        return None

    def literals(self, own: bool = False, constraints: Constraints = NO_CONSTRAINTS) -> Literals:
        return NO_LITERALS

    def captures(self) -> Captures:
        return {}

    def parts(self) -> Iterable[Rule]:
        return ()


def meant(rule: Rule) -> Rule | None:
    """The rule that a name stands for, without the constraints of a global one."""
    if not isinstance(rule, Named):
        return None
    target = rule.target()
    return target.rule if isinstance(target, Constrained) else target


def cycle(rules: Mapping[str, Rule], table: Mapping[str, Rule | Constrained]) -> str | None:
    """A utility that asks about a node in order to answer about that very node (U2).

    `table` is where the references that count are looked up; others are followed.
    """
    edges = {name: set(_references(rule, table)) for name, rule in rules.items()}
    while True:  # take away what depends on nothing that is left
        free = [name for name, needs in edges.items() if not needs & edges.keys()]
        if not free:
            return next(iter(edges), None)
        for name in free:
            del edges[name]


def _references(rule: Rule, table: Mapping[str, Rule | Constrained]) -> Iterator[str]:
    stack = [rule]
    while stack:
        current = stack.pop()
        if isinstance(current, Named):
            if current.table is table:
                yield current.name
            else:
                target = current.table.get(current.name)
                stack.extend([] if target is None or isinstance(target, Constrained) else [target])
        stack.extend(current.parts())
