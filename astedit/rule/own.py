"""What the bytes of a matching node itself must hold, its surroundings aside."""

from astedit.rule.atomic import PatternRule, Regex
from astedit.rule.composite import All, Any
from astedit.rule.node import MAX_ALTERNATIVES, NO_LITERALS, Literals, Rule
from astedit.rule.relational import Has


def own_literals(rule: Rule) -> Literals:
    """Alternatives, as of the prefilter: a node that holds none of them is no match."""
    if isinstance(rule, PatternRule | Regex):
        return rule.literals()
    if isinstance(rule, Has):  # what is found lies inside
        return own_literals(rule.rule)
    if isinstance(rule, All):
        found = NO_LITERALS
        for one in rule.rules:
            pairs = {left | right for left in found for right in own_literals(one)}
            found = tuple(pairs) if len(pairs) <= MAX_ALTERNATIVES else found
        return found
    if isinstance(rule, Any):
        every = {one for each in rule.rules for one in own_literals(each)}
        return tuple(every) if every and frozenset() not in every else NO_LITERALS
    return NO_LITERALS
