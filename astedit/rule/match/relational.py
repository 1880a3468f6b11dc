"""Rules about where a node stands: inside, has, precedes, follows. (rules R1-R7)

Each lists the nodes to try, nearest first; the first that matches binds. Lists are made
by loops, so that a deep tree costs no stack.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from tree_sitter import Node

from astedit.rule.environment import Environment
from astedit.rule.match.node import (
    NO_CONSTRAINTS,
    NO_LITERALS,
    Captures,
    Constraints,
    Literals,
    Rule,
    all_captures,
    both,
    either,
    probed,
    together,
)


class Together(Rule):
    """What is known of a node for which all of some rules hold."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.rules = rules

    def kinds(self) -> frozenset[int] | None:
        known = [kinds for rule in self.rules if (kinds := rule.kinds()) is not None]
        return frozenset.intersection(*known) if known else None

    def literals(self, own: bool = False, constraints: Constraints = NO_CONSTRAINTS) -> Literals:
        return both(rule.literals(own, constraints) for rule in self.rules)

    def captures(self) -> Captures:
        return all_captures(self.rules)

    def sure_captures(self) -> frozenset[str]:
        return frozenset().union(*(rule.sure_captures() for rule in self.rules))

    def parts(self) -> Iterable[Rule]:
        return self.rules


class All(Together):
    """All rules must match, in order. They share one environment; a failure leaves it as it was."""

    def match(self, node: Node, env: Environment) -> Node | None:
        saved = env.save()
        for rule in self.rules:
            if rule.match(node, env) is None:
                env.restore(saved)
                return None
        return node


class Any(Together):
    """The first rule that matches; only its captures survive."""

    def match(self, node: Node, env: Environment) -> Node | None:
        for rule in self.rules:
            if rule.match(node, env) is not None:
                return node
        return None

    def kinds(self) -> frozenset[int] | None:
        known = [rule.kinds() for rule in self.rules]
        return None if None in known else frozenset[int]().union(*filter(None, known))

    def literals(self, own: bool = False, constraints: Constraints = NO_CONSTRAINTS) -> Literals:
        return either(rule.literals(own, constraints) for rule in self.rules)

    def sure_captures(self) -> frozenset[str]:
        branches = [rule.sure_captures() for rule in self.rules]
        return frozenset.intersection(*branches) if branches else frozenset()


class Not(Rule):
    """Matches the nodes that its rule does not match, and binds nothing."""

    def __init__(self, rule: Rule) -> None:
        self.rule = rule

    def match(self, node: Node, env: Environment) -> Node | None:
        saved = env.save()
        if self.rule.match(node, env) is None:
            return node
        env.restore(saved)
        return None

    def captures(self) -> Captures:
        return probed(self.rule.captures())

    def parts(self) -> Iterable[Rule]:
        return (self.rule,)


NEIGHBOR = "neighbor"
END = "end"


class Relation(Rule):
    """One relation: `stop` is `neighbor`, `end`, or the rule whose node is the last tried."""

    def __init__(self, rule: Rule, stop: str | Rule = NEIGHBOR, field: str | None = None) -> None:
        self.rule = rule
        self.stop = stop
        self._field = field

    @cached_property
    def _known(self) -> frozenset[int] | None:
        """The kinds that the relation can find. It is asked when every utility is compiled."""
        return self.rule.kinds()

    def match(self, node: Node, env: Environment) -> Node | None:
        """What it found: a relation right inside another one stands for that."""
        saved, trail, known, steps = env.save(), env.trail, self._known, env.steps
        for candidate in self._candidates(node, env):
            steps.left -= 1
            if steps.left < 0:
                steps.gave_up = True
                return None
            if known is not None and candidate.kind_id not in known:
                continue
            if (found := self.rule.match(candidate, env)) is not None:
                env.trail = trail  # a relation changes no reported node (R6)
                env.related = (*env.related, found)
                return found
            env.restore(saved)
        return None

    def _candidates(self, node: Node, env: Environment) -> Iterable[Node]:
        raise NotImplementedError

    def _until(self, nodes: Iterable[Node], env: Environment) -> Iterator[Node]:
        """The nodes up to the one that stops, which is still tried (R4)."""
        for node in nodes:
            yield node
            if self.stop == NEIGHBOR or self._stops(node, env):
                return

    def _stops(self, node: Node, env: Environment) -> bool:
        return (
            not isinstance(self.stop, str)
            and self.stop.match(node, env.fresh(env.frame)) is not None
        )

    def literals(self, own: bool = False, constraints: Constraints = NO_CONSTRAINTS) -> Literals:
        return NO_LITERALS if own else self.rule.literals(own, constraints)

    def captures(self) -> Captures:
        stop = {} if isinstance(self.stop, str) else self.stop.captures()
        return together(self.rule.captures(), probed(stop))

    def sure_captures(self) -> frozenset[str]:
        return self.rule.sure_captures()


class Inside(Relation):
    def _candidates(self, node: Node, env: Environment) -> Iterable[Node]:
        if self.stop == NEIGHBOR:
            nodes = [node.parent] if node.parent is not None else []
        else:
            nodes = _ancestors(node, env.root)
        came_from = node
        for ancestor in self._until(nodes, env):
            if self._field is None or ancestor.child_by_field_name(self._field) == came_from:
                yield ancestor
            came_from = ancestor


class Has(Relation):
    def literals(self, own: bool = False, constraints: Constraints = NO_CONSTRAINTS) -> Literals:
        return self.rule.literals(own, constraints)

    @cached_property
    def listed(self) -> frozenset[int] | None:
        """The kinds of which every one below a node is tried, where that is all one knows.

        With literals to look for, few nodes are left to ask, and a walk costs less.
        """
        if self.stop != END or self._field is not None or self.rule.literals() != NO_LITERALS:
            return None
        return self.rule.kinds()

    def _candidates(self, node: Node, env: Environment) -> Iterable[Node]:
        if env.places is not None and self.listed is not None:
            found = env.places.below(node, self.listed)
            if found is not None:
                return found
        return self._walked(node, env)

    def _walked(self, node: Node, env: Environment) -> Iterator[Node]:
        if self._field is None:
            start = node.children
        else:
            child = node.child_by_field_name(self._field)
            start = [] if child is None else [child]
        stack = start[::-1]
        while stack:
            current = stack.pop()
            yield current
            if self.stop != NEIGHBOR and not self._stops(current, env):
                stack.extend(reversed(current.children))


class Precedes(Relation):
    def _candidates(self, node: Node, env: Environment) -> Iterable[Node]:
        return self._until(_siblings(node, later=True), env)


class Follows(Relation):
    def _candidates(self, node: Node, env: Environment) -> Iterable[Node]:
        return self._until(_siblings(node, later=False), env)


def _ancestors(node: Node, root: Node) -> list[Node]:
    """The ancestors, nearest first. `Node.parent` descends from the root each time; this, once."""
    path: list[Node] = []
    current: Node | None = root
    while current is not None and current.id != node.id:
        path.append(current)
        current = current.child_with_descendant(node)
    return path[::-1]


def _siblings(node: Node, later: bool) -> list[Node]:
    """The siblings on one side, nearest first."""
    parent = node.parent
    if parent is None:
        return []
    nodes = parent.children
    at = next((place for place, sibling in enumerate(nodes) if sibling.id == node.id), len(nodes))
    return nodes[at + 1 :] if later else nodes[:at][::-1]
