"""The nodes at which a rule is tried: all that it matches, and few others."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from tree_sitter import Node

from astedit.language import Grammar
from astedit.pattern.find import (
    FEW,
    Anchor,
    above,
    around,
    holding,
    longest_first,
    named,
    rarest,
    token_anchor,
)
from astedit.pattern.listed import Kinds, Listed
from astedit.pattern.required_text import DottedName, Literal, is_name
from astedit.rule.match.atomic import Kind, PatternRule, Regex
from astedit.rule.match.constraint import Constrained
from astedit.rule.match.node import NO_LITERALS, Rule, both, either
from astedit.rule.match.relational import NEIGHBOR, All, Any, Has, Inside
from astedit.rule.match.utility import Named, Target, meant, named_in, solve, walked

Alternatives = tuple[frozenset[Anchor], ...]
_Known = dict[tuple[Target, bool], Alternatives]
_NOWHERE: Alternatives = (frozenset(),)
_FEWER = 32  # places up to which all that is above them is fewer nodes than a list has


class Candidates:
    """The nodes where a rule can match, from what every match is, holds and lies in.

    `kinds` are those of its matches, None if they can be of any. `names` are those
    that a text with a match holds, as alternatives.
    """

    def __init__(self, constrained: Constrained, grammar: Grammar) -> None:
        self._rule = rule = constrained.rule
        self._kinds = constrained.known
        self._own = constrained.literals(own=True)
        self._anchors = tuple(map(longest_first, _anchors(rule, grammar)))
        self._is_anchored = all(self._anchors)
        self.names = named(self._anchors)

    def wanted(self, listed: Listed) -> Kinds:
        """The kinds of node that the rule asks for in this tree."""
        return self._further if self._near(listed) is not None else self._further | self._listing

    @cached_property
    def _further(self) -> Kinds:
        """The kinds that the relations of a candidate look for."""
        return Kinds().union(*_related(self._rule))

    @cached_property
    def _listing(self) -> Kinds:
        """The kinds that are listed if no rare text leads to the candidates."""
        own = () if self._parents is not None else self._kinds or ()
        return Kinds().union(own, *self._below, *self._above)

    @cached_property
    def _parents(self) -> Kinds | None:
        """The kinds of which every match is a child; None if that is not known."""
        relations = (one for one in _all_of(self._rule) if isinstance(one, Inside))
        near = [one.rule.kinds() for one in relations if one.stop == NEIGHBOR]
        return next((kinds for kinds in near if kinds), None)

    @cached_property
    def _below(self) -> list[Kinds]:
        """Kinds of which every match holds one. None where literals lead to it sooner."""
        relations = (one for one in _all_of(self._rule) if isinstance(one, Has))
        known = [one.rule.kinds() for one in relations if one.rule.literals() == NO_LITERALS]
        return [kinds for kinds in known if kinds]

    @cached_property
    def _above(self) -> list[Kinds]:
        """Kinds of node such that every match lies in one of them."""
        relations = (one for one in _all_of(self._rule) if isinstance(one, Inside))
        return [kinds for one in relations if (kinds := one.rule.kinds())]

    def of(self, listed: Listed) -> Iterable[Node]:
        """The candidates of a tree, each once, in any order."""
        if (near := self._near(listed)) is not None:
            nodes = self._holding(self._led_to(near, listed), listed.source)
            below = [kinds for kinds in self._below if nodes and kinds <= self._further]
        elif all(map(listed.occur, (*self._above, *self._below))):
            nodes = self._holding(self._listed(listed), listed.source)
            for kinds in self._above:
                nodes = listed.inside(nodes, kinds)
            below = self._below
        else:
            return ()
        for kinds in below:
            nodes = listed.having(nodes, kinds)
        return nodes

    def _listed(self, listed: Listed) -> Iterable[Node]:
        kinds = self._kinds
        if self._parents is None or kinds is None:
            return listed.of(kinds)
        parents = listed.of(self._parents)
        return [node for one in parents for node in one.children if node.kind_id in kinds]

    def _near(self, listed: Listed) -> Sequence[Anchor | Literal] | None:
        """Texts such that every match holds one of them, if they stand in few places."""
        if self._is_anchored:
            chosen = [rarest(one, listed) for one in self._anchors]
            if sum(count for count, _ in chosen) <= FEW:
                return [one for _, one in chosen if one is not None]
        if not all(self._own):
            return None
        found: set[Literal] = set()
        count = 0
        for literals in self._own:
            one = min(literals, key=listed.count)
            if one not in found:
                found.add(one)
                count += listed.count(one)
        return tuple(found) if count <= _FEWER else None

    def _led_to(self, near: Iterable[Anchor | Literal], listed: Listed) -> Iterable[Node]:
        kinds = self._kinds
        once: dict[int, Node] = {}
        for one in near:
            nodes = (
                above(one, listed, kinds) if isinstance(one, Anchor) else around(one, listed, kinds)
            )
            once.update((node.id, node) for node in nodes)
        return once.values()

    def _holding(self, nodes: Iterable[Node], source: bytes) -> Iterable[Node]:
        """The nodes whose own bytes hold all literals of an alternative."""
        if self._own == NO_LITERALS:
            return nodes
        if len(self._own) == 1:
            return holding(nodes, source, self._own[0])
        nodes = list(nodes)
        found = (node for literals in self._own for node in holding(nodes, source, literals))
        return {node.id: node for node in found}.values()


def _anchors(
    target: Target, grammar: Grammar, name: bool = False, known: _Known | None = None
) -> Alternatives:
    """The leaves at, or below, every match. Of each alternative, any leaf will do.

    `name` says that what matches is one whole word, `known` what utilities have.
    """
    known = {} if known is None else known
    rule = target.rule if isinstance(target, Constrained) else target
    if isinstance(rule, PatternRule):
        return (frozenset(rule.finder.anchors),)
    if isinstance(rule, Regex):
        exact = ((text, DottedName((text,)) if name else None) for text in rule.exact or ())
        return tuple(frozenset({Anchor(text, None, 0, word)}) for text, word in exact) or _NOWHERE
    if isinstance(rule, Kind):
        return either((frozenset({token_anchor(*one, depth=1)}),) for one in rule.keywords)
    if isinstance(rule, Has) and rule.stop == NEIGHBOR:
        return tuple(
            frozenset(one._replace(depth=one.depth + 1) for one in each)
            for each in _anchors(rule.rule, grammar, known=known)
        )
    if isinstance(rule, All):
        kinds = rule.kinds() or ()
        spelled = (grammar.language.node_kind_for_id(kind) or "" for kind in kinds)
        name = bool(kinds) and all(map(is_name, spelled))
        return both(_anchors(one, grammar, name, known) for one in rule.rules)
    if isinstance(rule, Any):
        return either(_anchors(one, grammar, name, known) for one in rule.rules)
    return _of_utility(rule.target(), grammar, name, known) if isinstance(rule, Named) else _NOWHERE


def _of_utility(target: Target, grammar: Grammar, name: bool, known: _Known) -> Alternatives:
    if (target, name) not in known:

        def compute(asked: tuple[Target, bool]) -> Alternatives:
            return _anchors(asked[0], grammar, asked[1], known)

        solve((target, name), _needs, compute, known, (), _NOWHERE)
    return known[target, name]


def _needs(asked: tuple[Target, bool]) -> Iterator[tuple[Target, bool]]:
    for name in named_in(asked[0]):
        yield name.target(), False
        yield name.target(), True


def _all_of(rule: Rule) -> Iterator[Rule]:
    """All rules that a match satisfies, those that the rule names included."""
    return walked(
        [rule], lambda one: [*reversed(one.rules if isinstance(one, All) else ()), *meant(one)]
    )


def _related(rule: Rule) -> Iterator[Kinds]:
    """The kinds that the relations in a rule look for below a node."""
    for one in walked([rule], lambda part: [*part.parts(), *meant(part)]):
        if isinstance(one, Has) and one.listed is not None:
            yield one.listed
