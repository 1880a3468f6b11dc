"""The nodes at which a rule is tried: all that it matches, and few others."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property

from tree_sitter import Node

from astedit.language import Grammar
from astedit.pattern.anchor import FEW, Anchor, above, longest_first, named, rarest
from astedit.pattern.dotted import DottedName, is_name
from astedit.pattern.find import holding
from astedit.pattern.listed import Kinds, Listed, place
from astedit.rule.atomic import PatternRule, Regex
from astedit.rule.composite import All, Any
from astedit.rule.node import NO_LITERALS, Rule, both, either
from astedit.rule.relational import NEIGHBOR, Has, Inside

Alternatives = tuple[frozenset[Anchor], ...]
_NOWHERE: Alternatives = (frozenset(),)


class Candidates:
    """Where a rule can match, from what every match is, holds and lies in.

    `kinds` are those of its matches, None if they can be of any. `names` are those
    that a text with a match holds, as alternatives.
    """

    def __init__(self, rule: Rule, kinds: Kinds | None, grammar: Grammar) -> None:
        self._rule = rule
        self._kinds = kinds
        self._own = own_literals(rule)
        self._anchors = tuple(map(longest_first, _anchors(rule, grammar)))
        self._is_anchored = all(self._anchors)
        self.names = named(self._anchors)

    @cached_property
    def wanted(self) -> Kinds:
        """The kinds that are listed in every file; those above a rare leaf are not."""
        if self._is_anchored:
            return Kinds().union(*_related(self._rule))
        own = () if self._parents is not None else self._kinds or ()
        return Kinds().union(own, *self._below, *self._above, *_related(self._rule))

    @cached_property
    def _parents(self) -> Kinds | None:
        """The kinds of which every match is a child; None if that is not known."""
        relations = (one for one in _all_of(self._rule) if isinstance(one, Inside))
        near = [one.rule.kinds() for one in relations if one.stop == NEIGHBOR]
        return next((kinds for kinds in near if kinds), None)

    @cached_property
    def _below(self) -> list[Kinds]:
        """Kinds of which every match holds one; without literals, by which it is found sooner."""
        relations = (one for one in _all_of(self._rule) if isinstance(one, Has))
        known = [one.rule.kinds() for one in relations if one.rule.literals() == NO_LITERALS]
        return [kinds for kinds in known if kinds]

    @cached_property
    def _above(self) -> list[Kinds]:
        """Kinds of which every match lies in one."""
        relations = (one for one in _all_of(self._rule) if isinstance(one, Inside))
        return [kinds for one in relations if (kinds := one.rule.kinds())]

    def of(self, listed: Listed) -> Iterable[Node]:
        """Each once; in pre-order where the kinds are not known."""
        nodes = self._anchored(listed) if self._is_anchored else None
        if nodes is not None:
            return self._holding(nodes, listed.source)
        if not all(map(listed.occur, (*self._above, *self._below))):
            return ()
        nodes = self._holding(self._listed(listed), listed.source)
        for kinds in self._above:
            nodes = listed.inside(nodes, kinds)
        for kinds in self._below:
            nodes = listed.having(nodes, kinds)
        return nodes

    def _listed(self, listed: Listed) -> Iterable[Node]:
        kinds = self._kinds
        if self._parents is None or kinds is None:
            return listed.of(kinds)
        parents = listed.of(self._parents)
        return [node for one in parents for node in one.children if node.kind_id in kinds]

    def _anchored(self, listed: Listed) -> Iterable[Node] | None:
        """Those above a leaf that every match has; None if there are many."""
        chosen = [rarest(one, listed) for one in self._anchors]
        if sum(count for count, _ in chosen) > FEW:
            return None
        kinds = self._kinds
        found = (node for _, one in chosen if one is not None for node in above(one, listed, kinds))
        once = {node.id: node for node in found}.values()
        return once if kinds is not None else sorted(once, key=place)

    def _holding(self, nodes: Iterable[Node], source: bytes) -> Iterable[Node]:
        """Those whose own bytes hold all literals of an alternative."""
        if self._own == NO_LITERALS:
            return nodes
        if len(self._own) == 1:
            return holding(nodes, source, self._own[0])
        nodes = list(nodes)
        found = (node for literals in self._own for node in holding(nodes, source, literals))
        return {node.id: node for node in found}.values()


def own_literals(rule: Rule) -> tuple[frozenset[bytes], ...]:
    """What the bytes of a matching node itself must hold, as alternatives."""
    if isinstance(rule, PatternRule | Regex):
        return rule.literals()
    if isinstance(rule, Has):  # what is found lies inside
        return own_literals(rule.rule)
    if isinstance(rule, All):
        return both(map(own_literals, rule.rules))
    return either(map(own_literals, rule.rules)) if isinstance(rule, Any) else NO_LITERALS


def _anchors(rule: Rule, grammar: Grammar, name: bool = False) -> Alternatives:
    """The leaves at, or below, every match: of each alternative any one will do.

    `name` says that what matches is one whole word.
    """
    if isinstance(rule, PatternRule):
        return (frozenset(rule.finder.anchors),)
    if isinstance(rule, Regex):
        texts = rule.exact or ()
        return tuple(frozenset({_exactly(text, name)}) for text in texts) or _NOWHERE
    if isinstance(rule, Has) and rule.stop == NEIGHBOR:
        return tuple(
            frozenset(replace(one, depth=one.depth + 1) for one in each)
            for each in _anchors(rule.rule, grammar)
        )
    if isinstance(rule, All):
        name = _is_name(rule.kinds(), grammar)
        return both(_anchors(one, grammar, name) for one in rule.rules)
    if isinstance(rule, Any):
        return either(_anchors(one, grammar, name) for one in rule.rules)
    return _NOWHERE


def _exactly(text: bytes, name: bool) -> Anchor:
    return Anchor(text, None, 0, DottedName((text,)) if name else None)


def _is_name(kinds: Kinds | None, grammar: Grammar) -> bool:
    names = (grammar.language.node_kind_for_id(kind) or "" for kind in kinds or ())
    return bool(kinds) and all(map(is_name, names))


def _all_of(rule: Rule) -> Iterator[Rule]:
    """The rules of which a match satisfies every one."""
    if isinstance(rule, All):
        for one in rule.rules:
            yield from _all_of(one)
    else:
        yield rule


def _related(rule: Rule) -> Iterator[Kinds]:
    """The kinds that relations of a rule, and of what it is made of, look for below."""
    stack = [rule]
    while stack:
        current = stack.pop()
        if isinstance(current, Has) and current.listed is not None:
            yield current.listed
        stack.extend(current.parts())
