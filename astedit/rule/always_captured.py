"""Which captures every match has, whichever alternatives were taken. (rule C4)"""

from collections.abc import Iterator

from astedit.rule.atomic import NthChild, PatternRule
from astedit.rule.composite import All, Any
from astedit.rule.constraint import Constrained
from astedit.rule.fixpoint import solve
from astedit.rule.relational import Relation
from astedit.rule.utility import Named, Target, UtilityCall, named_in

CaptureNames = frozenset[str]


def always_captured(
    target: Target, known: dict[Target, CaptureNames] | None = None
) -> CaptureNames:
    """The names that are bound whenever the rule holds; `known` are those of utilities."""
    known = {} if known is None else known
    if isinstance(target, Constrained):
        constraints = target.constraints.values()
        return always_captured(target.rule, known).union(
            *(always_captured(one, known) for one in constraints)
        )
    if isinstance(target, PatternRule):
        return frozenset(target.captures())
    if isinstance(target, All):
        return frozenset().union(*(always_captured(one, known) for one in target.rules))
    if isinstance(target, Any):
        each = [always_captured(one, known) for one in target.rules]
        return frozenset.intersection(*each) if each else frozenset()
    if isinstance(target, Relation):
        return always_captured(target.rule, known)
    if isinstance(target, NthChild):
        return frozenset().union(*(always_captured(one, known) for one in target.parts()))
    if isinstance(target, UtilityCall):
        return frozenset(target.captures())
    return _of_utility(target, known) if isinstance(target, Named) else frozenset()


def _of_utility(name: Named, known: dict[Target, CaptureNames]) -> CaptureNames:
    target = name.target()
    if isinstance(target, Constrained):
        return frozenset()  # a global utility exports nothing
    if target not in known:
        solve(
            target,
            _needs,
            lambda each: always_captured(each, known),
            known,
            CaptureNames(),
            CaptureNames(),
        )
    return known[target]


def _needs(target: Target) -> Iterator[Target]:
    return (name.target() for name in named_in(target))
