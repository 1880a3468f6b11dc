"""A rule with its constraints: what a document, a utility or a rewriter asks. (rules K1-K4)"""

from collections.abc import Mapping, Sequence
from functools import cached_property

from tree_sitter import Node

from astedit.rule.environment import Bindings, Environment
from astedit.rule.match.atomic import PatternRule, Regex
from astedit.rule.match.node import (
    NO_CONSTRAINTS,
    Captures,
    Constraints,
    Literals,
    Rule,
    all_captures,
)
from astedit.rule.match.relational import All, Together


class Quantified(Together):
    """A constraint on a many-capture that says how its items count.

    `each` of them matches, `any` one does, or the `text` from the first to the last.
    """

    def __init__(self, mode: str, rule: Rule) -> None:
        super().__init__([rule])
        self.mode, self.rule = mode, rule

    def match(self, node: Node, env: Environment) -> Node | None:
        return self.rule.match(node, env)

    def sure_captures(self) -> frozenset[str]:
        return frozenset()


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
        """Matches the rule. Its leading pattern looks for captures that satisfy the constraints."""
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
                probe = env.fresh(env.frame, Bindings(single, env.bindings.multi))
                if rule.match(single[name], probe) is None:
                    return False
        return True

    def _hold(self, env: Environment) -> bool:
        trail = env.trail
        single, multi = env.bindings.single, env.bindings.multi
        for name, rule in self.constraints.items():
            if name in single and rule.match(single[name], env) is None:
                return False
            if name in multi and not _hold(rule, multi[name], env):
                return False
        env.trail = trail
        return True

    def literals(self, own: bool = False, constraints: Constraints = NO_CONSTRAINTS) -> Literals:
        """The literals under its own constraints only: as a utility it shares no captures."""
        return self.rule.literals(own, self.constraints)

    def captures(self) -> Captures:
        return all_captures((self.rule, *self.constraints.values()))

    def sure_captures(self) -> frozenset[str]:
        rules = (self.rule, *self.constraints.values())
        return frozenset().union(*(rule.sure_captures() for rule in rules))


def _hold(rule: Rule, nodes: Sequence[Node], env: Environment) -> bool:
    """Whether a many-capture is what its constraint says. Nothing is bound by that."""
    mode = rule.mode if isinstance(rule, Quantified) else "each"
    if isinstance(rule, Quantified) and isinstance(rule.rule, Regex) and mode == "text":
        text = env.source[nodes[0].start_byte : nodes[-1].end_byte] if nodes else b""
        return rule.rule.finds(text)
    items = [node for node in nodes if node.is_named and not node.is_extra]
    return (any if mode == "any" else all)(
        rule.match(item, env.fresh(env.frame, env.bindings)) is not None for item in items
    )
