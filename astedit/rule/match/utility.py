"""Rules that have a name: local, global, and with arguments. (rules U1-U3)"""

from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from dataclasses import dataclass, field
from typing import TypeVar

from tree_sitter import Node

from astedit.limits import check_deadline
from astedit.rule.environment import Environment, Frame
from astedit.rule.match.constraint import Constrained
from astedit.rule.match.node import (
    NO_CONSTRAINTS,
    NO_LITERALS,
    Captures,
    Constraints,
    Literals,
    Rule,
    all_captures,
)
from astedit.rule.match.relational import Relation

RESERVED = frozenset("(),=")
_T = TypeVar("_T")
Target = Rule | Constrained
# Whose literals, their own only or not, and under which constraints.
_Asked = tuple[Target, bool, tuple[tuple[str, Rule], ...]]


@dataclass(slots=True)
class Known:
    """What was found out about utilities, each once, whoever names them."""

    literals: dict[_Asked, Literals] = field(default_factory=dict)
    kinds: dict[Target, frozenset[int] | None] = field(default_factory=dict)
    captures: dict[Target, frozenset[str]] = field(default_factory=dict)


@dataclass(slots=True)
class Globals:
    """Global utilities of one language: what arguments each takes, and each compiled."""

    arguments: dict[str, tuple[str, ...]] = field(default_factory=dict)
    rules: dict[str, Constrained] = field(default_factory=dict)
    known: Known = field(default_factory=Known)


class Named(Rule):
    """`matches: id`. A local utility shares the environment; a global one has its own.

    `known` is asked, and filled in, when every utility is compiled. It has no captures: those
    of local utilities are counted once, for the whole rule.
    """

    def __init__(self, name: str, table: Mapping[str, Target], known: Known) -> None:
        self.name = name
        self.table = table
        self.known = known

    def target(self) -> Target:
        return self.table[self.name]

    def match(self, node: Node, env: Environment) -> Node | None:
        if not env.may_call():
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
        if found is not None:
            env.trail = [*env.trail, *inner.trail]
        return found

    def kinds(self) -> frozenset[int] | None:
        target, known = self.target(), self.known.kinds
        if target not in known:
            solve(target, _targets, _kinds, known, frozenset(), None)
        return known[target]

    def literals(self, own: bool = False, constraints: Constraints = NO_CONSTRAINTS) -> Literals:
        asked, known = self.asked(own, constraints), self.known.literals
        if asked not in known:
            solve(asked, _all_asked, _literals, known, (), NO_LITERALS)
        return known[asked]

    def sure_captures(self) -> frozenset[str]:
        target, known = self.target(), self.known.captures
        if isinstance(target, Constrained):
            return frozenset()  # a global utility exports nothing
        if target not in known:
            empty = frozenset[str]()
            solve(target, _named_targets, lambda used: used.sure_captures(), known, empty, empty)
        return known[target]

    def asked(self, own: bool, constraints: Constraints) -> _Asked:
        """What is asked of the utility, when that is asked of this."""
        target = self.target()
        if isinstance(target, Constrained):
            return target, own, ()
        return target, own, tuple(self._passed(constraints).items())

    def _passed(self, constraints: Constraints) -> Constraints:
        """The constraints that apply to what the utility captures. A global utility has its own."""
        return constraints


class UtilityCall(Named):
    """`matches: {id: {ARGUMENT: rule}}`. Exports only what the arguments bound."""

    def __init__(
        self, name: str, table: Mapping[str, Target], known: Known, arguments: Mapping[str, Rule]
    ) -> None:
        super().__init__(name, table, known)
        self._arguments = arguments

    def match(self, node: Node, env: Environment) -> Node | None:
        if not env.may_call():
            return None
        inner = env.fresh(Frame(self._arguments, env.frame))
        inner.calls += 1
        if self.target().match(node, inner) is None:
            return None
        if (joined := env.bindings.joined(inner.exports)) is None:
            return None
        env.bindings = joined
        env.trail = [*env.trail, *inner.trail]
        return node

    def _passed(self, constraints: Constraints) -> Constraints:
        return NO_CONSTRAINTS

    def captures(self) -> Captures:
        return all_captures(self._arguments.values())

    def sure_captures(self) -> frozenset[str]:
        return frozenset(self.captures())

    def parts(self) -> Iterable[Rule]:
        return self._arguments.values()


class Parameter(Rule):
    """`matches: ARGUMENT` in a utility: the rule that the caller gave for it.

    It sees what other arguments of the call have bound, and nothing else.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def match(self, node: Node, env: Environment) -> Node | None:
        frame = env.frame
        assert frame is not None, "a parameter is compiled only inside its utility"
        probe = env.fresh(frame.parent, env.exports)
        if frame.arguments[self.name].match(node, probe) is None:
            return None
        env.exports = probe.bindings
        env.trail = [*env.trail, *probe.trail]
        return node


def meant(rule: Rule) -> tuple[Rule, ...]:
    """The one rule that a name stands for, without the constraints of a global one."""
    if not isinstance(rule, Named):
        return ()
    target = rule.target()
    return (target.rule if isinstance(target, Constrained) else target,)


def named_in(target: Target) -> Iterator[Named]:
    """The names in a rule, wherever they stand; what they name is not looked into."""
    for rule in walked([target], _written):
        if isinstance(rule, Named):
            yield rule


def _named_targets(target: Target) -> Iterator[Target]:
    return (name.target() for name in named_in(target))


def cycle(rules: Mapping[str, Rule], table: Mapping[str, Target]) -> str | None:
    """A utility that asks about a node in order to answer about that very node (U2).

    `table` is where the references that count are looked up; others are followed.
    """
    edges = {
        name: {other for other in _references(rule, table) if other in rules}
        for name, rule in rules.items()
    }
    for circle, is_alone in components(edges, edges.__getitem__):
        if not is_alone:
            return min(circle, key=list(rules).index)
    return None


def _references(rule: Rule, table: Mapping[str, Target]) -> Iterator[str]:
    for part in walked([rule], lambda part: [*part.parts(), *_elsewhere(part, table)]):
        if isinstance(part, Named) and part.table is table:
            yield part.name


def _elsewhere(part: Rule, table: Mapping[str, Target]) -> list[Rule]:
    """The local utility that is named, where it is not in the table."""
    if not isinstance(part, Named) or part.table is table:
        return []
    target = part.table.get(part.name)
    return [] if target is None or isinstance(target, Constrained) else [target]


def _targets(target: Target) -> Iterator[Target]:
    """The utilities that a rule asks about the same node."""
    rule = target.rule if isinstance(target, Constrained) else target
    for part in walked([rule], lambda part: part.parts()):
        if isinstance(part, Named):
            yield part.target()


def _kinds(target: Target) -> frozenset[int] | None:
    return target.known if isinstance(target, Constrained) else target.kinds()


def _all_asked(asked: _Asked) -> Iterator[_Asked]:
    """All that may be asked of other utilities, in order to answer."""
    target, own, passed = asked
    constraints = target.constraints if isinstance(target, Constrained) else dict(passed)
    for rule in (target, *constraints.values()):
        for name in named_in(rule):
            yield name.asked(own, constraints)
            yield name.asked(own, NO_CONSTRAINTS)


def _literals(asked: _Asked) -> Literals:
    target, own, constraints = asked
    return target.literals(own, dict(constraints))


def _written(target: Target) -> Iterable[Target]:
    """The rules that are written in a rule, about whatever node."""
    if isinstance(target, Constrained):
        return (target.rule, *target.constraints.values())
    if not isinstance(target, Relation):
        return target.parts()
    return (target.rule,) if isinstance(target.stop, str) else (target.rule, target.stop)


def walked(start: list[_T], below: Callable[[_T], Iterable[_T]]) -> Iterator[_T]:
    """All that can be reached, each once."""
    stack, seen = start, set[int]()
    while stack:
        current = stack.pop()
        if id(current) not in seen:
            seen.add(id(current))
            yield current
            stack.extend(below(current))


Key = TypeVar("Key")
Value = TypeVar("Value")

_ROUNDS = 4  # through one circle; by then only what grows without end still changes
_LARGEST = 64  # members of a circle; each round through 1,000 that all meet took 0.3 s


def solve(
    start: Key,
    needs: Callable[[Key], Iterable[Key]],
    compute: Callable[[Key], Value],
    values: MutableMapping[Key, Value],
    least: Value,
    unsure: Value,
) -> None:
    """Fills `values` in for `start` and for all that it needs.

    `compute` reads them there, and only those that `needs` lists. A circle begins with
    `least` for each; if it does not come to rest, or is larger than anybody writes, each of
    it is `unsure`, which must be true of anything.
    """

    def unknown(key: Key) -> Iterator[Key]:
        return (other for other in needs(key) if other not in values)

    for circle, is_alone in components([start] if start not in values else [], unknown):
        values.update(dict.fromkeys(circle, least))
        for _ in range(_ROUNDS if len(circle) <= _LARGEST else 0):
            check_deadline()
            before = [values[key] for key in circle]
            for key in circle:
                values[key] = compute(key)
            if is_alone or before == [values[key] for key in circle]:
                break
        else:
            values.update(dict.fromkeys(circle, unsure))


def components(
    starts: Iterable[Key], needs: Callable[[Key], Iterable[Key]]
) -> Iterator[tuple[list[Key], bool]]:
    """The circles of a graph, and what is in none, with whether it is; each behind what it needs.

    Tarjan's algorithm: `low` is the earliest that can be reached from each.
    """
    order: dict[Key, int] = {}
    low: dict[Key, int] = {}
    waiting: dict[Key, None] = {}
    own: set[Key] = set()  # those that need themselves
    for start in starts:
        path = [(start, iter(needs(start)))] if start not in order else []
        while path:
            key, others = path[-1]
            if key not in order:
                order[key] = low[key] = len(order)
                waiting[key] = None
            for other in others:
                if other not in order:
                    path.append((other, iter(needs(other))))
                    break
                if other in waiting:
                    low[key] = min(low[key], order[other])
                if other == key:
                    own.add(key)
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[key])
                if low[key] == order[key]:
                    circle = list(_taken(waiting, key))
                    yield circle, len(circle) == 1 and key not in own


def _taken(waiting: dict[Key, None], last: Key) -> Iterator[Key]:
    """Takes what waits away, the latest first, up to and with `last`."""
    while waiting:
        key, _ = waiting.popitem()
        yield key
        if key == last:
            return
