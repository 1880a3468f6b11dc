"""Rules made of rules about the same node: all, any, not. (rule C1)"""

from collections.abc import Iterable, Sequence

from tree_sitter import Node

from astedit.rule.environment import Environment
from astedit.rule.node import (
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
)


class All:
    """All rules must match, in order. They share one environment; a failure leaves it as it was."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.rules = rules

    def match(self, node: Node, env: Environment) -> Node | None:
        saved = env.save()
        for rule in self.rules:
            if rule.match(node, env) is None:
                env.restore(saved)
                return None
        return node

    def kinds(self) -> frozenset[int] | None:
        known = [kinds for rule in self.rules if (kinds := rule.kinds()) is not None]
        return frozenset.intersection(*known) if known else None

    def literals(self, own: bool = False, constraints: Constraints = NO_CONSTRAINTS) -> Literals:
        return both(rule.literals(own, constraints) for rule in self.rules)

    def captures(self) -> Captures:
        return all_captures(self.rules)

    def parts(self) -> Iterable[Rule]:
        return self.rules


class Any:
    """The first rule that matches; only its captures survive."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.rules = rules

    def match(self, node: Node, env: Environment) -> Node | None:
        for rule in self.rules:
            if rule.match(node, env) is not None:
                return node
        return None

    def kinds(self) -> frozenset[int] | None:
        known: set[int] = set()
        for rule in self.rules:
            kinds = rule.kinds()
            if kinds is None:
                return None
            known |= kinds
        return frozenset(known)

    def literals(self, own: bool = False, constraints: Constraints = NO_CONSTRAINTS) -> Literals:
        return either(rule.literals(own, constraints) for rule in self.rules)

    def captures(self) -> Captures:
        return all_captures(self.rules)

    def parts(self) -> Iterable[Rule]:
        return self.rules


class Not:
    """Matches the nodes that its rule does not match, and binds nothing."""

    def __init__(self, rule: Rule) -> None:
        self.rule = rule

    def match(self, node: Node, env: Environment) -> Node | None:
        saved = env.save()
        if self.rule.match(node, env) is None:
            return node
        env.restore(saved)
        return None

    def kinds(self) -> frozenset[int] | None:
        return None

    def literals(self, own: bool = False, constraints: Constraints = NO_CONSTRAINTS) -> Literals:
        return NO_LITERALS

    def captures(self) -> Captures:
        return probed(self.rule.captures())

    def parts(self) -> Iterable[Rule]:
        return (self.rule,)
