"""Rules about a node by itself: pattern, kind, regex, nthChild, range. (rules A1-A5)"""

from collections.abc import Sequence
from dataclasses import dataclass

from tree_sitter import Node

from astedit.pattern.compile import Pattern
from astedit.pattern.find import Finder, known_kinds, stand
from astedit.pattern.match import Steer
from astedit.rule.environment import Bindings, Environment
from astedit.rule.match.node import (
    NO_CONSTRAINTS,
    Captures,
    Constraints,
    Literals,
    Position,
    Rule,
    both,
    either,
)
from astedit.rule.match.relational import All, Together
from astedit.rule.regex import compile_regex, exact_texts, regex_literals


class PatternRule(Rule):
    """`pattern`: finds captures. With `steer`, only those that it accepts (K4).

    `place` says where in its rule it is written.
    """

    def __init__(self, pattern: Pattern, place: str = "rule.pattern") -> None:
        self.pattern = pattern
        self.place = place
        self.finder = Finder(pattern)
        self._known = known_kinds(pattern)

    def match(self, node: Node, env: Environment, steer: Steer | None = None) -> Node | None:
        if self._known is not None and node.kind_id not in self._known:
            return None
        bindings, matcher = env.bindings, self.finder.matcher
        found = matcher.match(node, bindings.single, bindings.multi, steer)
        if matcher.gave_up:
            env.steps.gave_up, matcher.gave_up = True, False
        if found is None or not stand(self.finder.joined, node, env.root, env.source):
            return None
        env.bindings = Bindings(found.single, found.multi)
        env.trail = [*env.trail, *found.trail] if env.trail else found.trail
        return node

    def kinds(self) -> frozenset[int] | None:
        return self._known

    def literals(self, own: bool = False, constraints: Constraints = NO_CONSTRAINTS) -> Literals:
        holes = self.pattern.captures.items()
        # One node that every match has: many may be none, and `$$A` may be left out.
        sure = [name for name, hole in holes if not (hole.many or hole.loose) and hole.named_only]
        asked = (constraints[name].literals(own) for name in sure if name in constraints)
        return both([self.finder.literals, *asked])

    def captures(self) -> Captures:
        return self.pattern.captures

    def sure_captures(self) -> frozenset[str]:
        return frozenset(self.pattern.captures)


@dataclass(frozen=True, slots=True)
class Kind(Rule):
    """`kind`: one named kind of node.

    Of the `keywords`, token kinds with their texts, it has one right below it, unless there
    are none. One that error recovery invented is none (N-2).
    """

    kind: int
    keywords: tuple[tuple[int, bytes], ...] = ()

    def match(self, node: Node, env: Environment) -> Node | None:
        if node.kind_id != self.kind:
            return None
        if not self.keywords or not env.root.has_error:
            return node
        tokens = {token for token, _ in self.keywords}
        spelled = any(one.kind_id in tokens and not one.is_missing for one in node.children)
        return node if spelled else None

    def kinds(self) -> frozenset[int] | None:
        return frozenset({self.kind})

    def literals(self, own: bool = False, constraints: Constraints = NO_CONSTRAINTS) -> Literals:
        return either((frozenset({text}),) for _, text in self.keywords)


class Regex(Rule):
    """`regex`: searches the node's text, in linear time.

    `exact` are the only texts it finds itself in, if they are few.
    """

    def __init__(self, expression: str) -> None:
        """Raises ValueError when RE2 does not accept the expression."""
        self._search = compile_regex(expression).search
        self._literals = regex_literals(expression)
        self.exact = exact_texts(expression)

    def match(self, node: Node, env: Environment) -> Node | None:
        return node if self.finds(env.source[node.start_byte : node.end_byte]) else None

    def finds(self, text: bytes) -> bool:
        return self._search(text) is not None

    def literals(self, own: bool = False, constraints: Constraints = NO_CONSTRAINTS) -> Literals:
        return self._literals


class NthChild(Together):
    """`nthChild`: the node's place among its named siblings, comments included.

    With `rules` it is the place among those for which they hold, of which it has to be one.
    """

    def __init__(self, position: Position, rules: Sequence[Rule], reverse: bool) -> None:
        super().__init__(rules)
        self._position = position
        self._of = All(rules)
        self._reverse = reverse

    def match(self, node: Node, env: Environment) -> Node | None:
        parent = node.parent
        if parent is None or not node.is_named:
            return None
        saved = env.save()
        if self._of.match(node, env) is None:
            return None
        if self._position.holds(self._place(node, parent, env, saved[0])):
            return node
        env.restore(saved)
        return None

    def _place(self, node: Node, parent: Node, env: Environment, bindings: Bindings) -> int:
        """Counts from the near end; each sibling is probed from the same `bindings`."""
        siblings = parent.named_children
        place = 1
        for sibling in reversed(siblings) if self._reverse else siblings:
            if sibling.id == node.id:
                break
            if self.rules:
                place -= self._of.match(sibling, env.fresh(env.frame, bindings)) is None
            place += 1
        return place


@dataclass(frozen=True, slots=True)
class LineColumn:
    """A zero-based line and, unless None, column in characters."""

    line: int
    column: int | None


@dataclass(frozen=True, slots=True)
class Range(Rule):
    """`range`: the node's bounds exactly."""

    start: LineColumn
    end: LineColumn

    def match(self, node: Node, env: Environment) -> Node | None:
        return (
            node
            if _at(self.start, node.start_point, node.start_byte, env.source)
            and _at(self.end, node.end_point, node.end_byte, env.source)
            else None
        )


def _at(place: LineColumn, point: tuple[int, int], offset: int, source: bytes) -> bool:
    if place.line != point[0]:
        return False
    if place.column is None:
        return True
    return place.column == len(source[offset - point[1] : offset].decode("utf-8", "replace"))
