"""Which captures every match has, whichever alternatives were taken. (rule C4)"""

from collections.abc import Collection

from astedit.rule.atomic import NthChild, PatternRule
from astedit.rule.composite import All, Any
from astedit.rule.constraint import Constrained
from astedit.rule.node import Rule
from astedit.rule.relational import Relation
from astedit.rule.utility import Call, Named


def always_captured(rule: Rule | Constrained, busy: Collection[str] = ()) -> frozenset[str]:
    """The names that are bound whenever the rule holds; `busy` are utilities being asked."""
    if isinstance(rule, Constrained):
        return always_captured(rule.rule, busy).union(
            *(always_captured(c) for c in rule.constraints.values())
        )
    if isinstance(rule, PatternRule):
        return frozenset(rule.captures())
    if isinstance(rule, All):
        return frozenset().union(*(always_captured(one, busy) for one in rule.rules))
    if isinstance(rule, Any):
        each = [always_captured(one, busy) for one in rule.rules]
        return frozenset.intersection(*each) if each else frozenset()
    if isinstance(rule, Relation):
        return always_captured(rule.rule, busy)
    if isinstance(rule, NthChild):
        return frozenset().union(*(always_captured(one, busy) for one in rule.parts()))
    if isinstance(rule, Call):
        return frozenset(rule.captures())
    if isinstance(rule, Named) and rule.name not in busy:
        target = rule.target()  # a global utility exports nothing
        return (
            frozenset()
            if isinstance(target, Constrained)
            else always_captured(target, {*busy, rule.name})
        )
    return frozenset()
