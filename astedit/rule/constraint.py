"""A rule with its constraints: what a document, a utility or a rewriter asks. (spec: K1-K4)"""

from collections.abc import Mapping
from functools import cached_property

from tree_sitter import Node

from astedit.rule.atomic import PatternRule
from astedit.rule.composite import All
from astedit.rule.environment import Bindings, Environment
from astedit.rule.node import Captures, Literals, Rule, all_captures


class Constrained:
    """A rule, and what its captures must be; checked in the order they are written.

    A constraint on a many-capture holds for each of its items, and may not bind.
    """

    def __init__(self, rule: Rule, constraints: Mapping[str, Rule]) -> None:
        self.rule = rule
        self.constraints = constraints

    @cached_property
    def known(self) -> frozenset[int] | None:
        """The kinds of node it can match; asked once every utility is compiled."""
        return self.rule.kinds()

    def match(self, node: Node, env: Environment) -> Node | None:
        if self.known is not None and node.kind_id not in self.known:
            return None
        saved = env.save()
        found = self._find(node, env)
        if found is not None and self._hold(env):
            return found
        env.restore(saved)
        return None

    def _find(self, node: Node, env: Environment) -> Node | None:
        """The rule; its leading pattern looks for captures that satisfy the constraints."""
        rule = self.rule
        first = rule.rules[0] if isinstance(rule, All) else rule
        if not self.constraints or not isinstance(first, PatternRule):
            return rule.match(node, env)
        if first.match(node, env, lambda single: self._may_hold(single, env)) is None:
            return None
        rest = rule.rules[1:] if isinstance(rule, All) else ()
        return node if all(one.match(node, env) is not None for one in rest) else None

    def _may_hold(self, single: Mapping[str, Node], env: Environment) -> bool:
        for name, rule in self.constraints.items():
            if name in single:
                probe = env.fresh(env.frame)
                probe.bindings = Bindings(single, env.bindings.multi)
                if rule.match(single[name], probe) is None:
                    return False
        return True

    def _hold(self, env: Environment) -> bool:
        trail, related = env.trail, env.related
        single, multi = env.bindings.single, env.bindings.multi
        for name, rule in self.constraints.items():
            if name in single and rule.match(single[name], env) is None:
                return False
            for item in multi.get(name, ()):
                probe = env.fresh(env.frame)
                probe.bindings = env.bindings
                is_item = item.is_named and not item.is_extra
                if is_item and rule.match(item, probe) is None:
                    return False
        env.trail, env.related = trail, related
        return True

    def literals(self) -> Literals:
        return self.rule.literals()

    def captures(self) -> Captures:
        return {**self.rule.captures(), **all_captures(self.constraints.values())}
