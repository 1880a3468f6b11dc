"""The matching rules once more, as plainly as they can be written, without any speed.

With no deviation this is ast-grep's algorithm, step by step; with all of them it is an
exhaustive search, and what `astedit.pattern.match` must find. A difference between the
two programs is explained by the fewest deviations that turn one answer into the other.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from tree_sitter import Node

from astedit.language.brackets import innermost
from astedit.pattern.compile import ERROR_KIND, Goal, Pattern, Tag, has_own_text

M1 = "M-1"  # the tokens behind a last many-hole are compared
M2 = "M-2"  # a comment beside a separator stays in the capture, the separator does not
M9 = "M-9"  # the text of a literal beside the nodes in it is compared
M10 = "M-10"  # what only wraps a node that a name has captured is not compared
M4 = "M-4"  # a many-hole is tried at every length, and the comma of an empty one is optional
N1 = "N-1"  # in broken code: a name behind a dot, or joined by dots to something else, is another's
N2 = "N-2"  # a keyword or sign that error recovery invented is none
DEVIATIONS = (M1, M2, M4, M9, M10, N1, N2)

MATCHED, SKIP_NODE, SKIP_GOAL, SKIP_BOTH = "matched", "skip node", "skip goal", "skip both"


@dataclass(frozen=True)
class Env:
    """What the holes hold so far."""

    single: dict[str, Node] = field(default_factory=dict)
    multi: dict[str, list[Node]] = field(default_factory=dict)
    deviations: frozenset[str] = frozenset()

    def hold(self, name: str | None, node: Node) -> "Env | None":
        if name is None:
            return self
        if name in self.single and not self._are_equal(self.single[name], node):
            return None
        return replace(self, single=self.single | {name: node})

    def hold_many(self, name: str | None, nodes: list[Node]) -> "Env | None":
        if name is None:
            return self
        if name in self.multi:
            one, two = ([n for n in some if n.is_named] for some in (self.multi[name], nodes))
            if len(one) != len(two) or not all(map(self._are_equal, one, two)):
                return None
        return replace(self, multi=self.multi | {name: nodes})

    def _are_equal(self, *both: Node) -> bool:
        return equal(*(map(innermost, both) if M10 in self.deviations else both))


def equal(one: Node, two: Node) -> bool:
    """V6."""
    if one.id == two.id:
        return True
    if not one.named_children or not two.named_children or has_own_text(one):
        return one.text == two.text
    if one.kind_id != two.kind_id or one.child_count != two.child_count:
        return False
    return all(map(equal, one.children, two.children))


class Reference:
    """One pattern, read with the deviations given."""

    def __init__(self, pattern: Pattern, deviations: frozenset[str]) -> None:
        self.pattern = pattern
        self.level = pattern.strictness
        self.deviations = deviations
        self._root = pattern.grammar.parser().parse(pattern.source).root_node
        self._known: dict[tuple[int, int, int], list[Goal]] = {}

    def match(self, node: Node) -> Env | None:
        """What the holes hold when the pattern matches exactly this node."""
        if self.pattern.root_kind not in (None, node.kind_id):
            return None
        if self.level == "smart" and self.pattern.goal.tag == Tag.HOLE:
            return self._hole(self.pattern.goal, node, Env())
        for verdict, env in self._one(self.pattern.goal, node, Env(deviations=self.deviations)):
            if verdict == MATCHED:
                return env
        return None

    def _one(self, goal: Goal, node: Node, env: Env) -> Iterator[tuple[str, Env]]:
        """Every way a goal and a node get along; none means that they do not."""
        parts = self._parts(goal) if goal.named and M9 not in self.deviations else []
        if parts and goal.tag == Tag.TERMINAL:
            if goal.kind == node.kind_id:
                yield from ((MATCHED, env) for env in self._children(parts, node.children, env))
        elif goal.tag == Tag.TERMINAL:
            if verdict := self._terminal(goal, node):
                yield verdict, env
        elif goal.tag == Tag.INTERNAL:
            if self.level == "template" or goal.kind in (node.kind_id, ERROR_KIND):
                for found in self._children(goal.children, node.children, env):
                    yield MATCHED, found
                    if M4 not in self.deviations:
                        return
        elif self._is_comment(node):
            yield SKIP_NODE, env
        else:
            if held := self._hole(goal, node, env):
                yield MATCHED, held

    def _parts(self, goal: Goal) -> list[Goal]:
        place = goal.start, goal.end, goal.kind
        if place not in self._known:
            node = self._root.descendant_for_byte_range(goal.start, goal.end)
            parts = [] if node is None or node.kind_id != goal.kind else node.children
            self._known[place] = [
                Goal(Tag.TERMINAL, c.kind_id, c.type, c.text or b"", c.is_named) for c in parts
            ]
        return self._known[place]

    def _hole(self, goal: Goal, node: Node, env: Env) -> Env | None:
        assert goal.hole is not None
        if goal.tag == Tag.MANY:
            return env.hold_many(goal.hole.name, [node])
        if goal.hole.named_only and not node.is_named:
            return None
        return env.hold(goal.hole.name, node)

    def _is_comment(self, node: Node) -> bool:
        return node.is_extra and self.level not in ("cst", "ast")

    def _terminal(self, goal: Goal, node: Node) -> str | None:
        same_kind = goal.kind in (node.kind_id, ERROR_KIND)
        invented = N2 in self.deviations and goal.spelled and node.is_missing
        if same_kind and (not goal.named or goal.text == node.text) and not invented:
            return MATCHED
        if self._is_comment(node):
            return SKIP_NODE
        if self.level == "signature" and same_kind:
            return MATCHED
        if self.level == "template" and goal.text == node.text:
            return MATCHED
        skip_goal = self.level in ("ast", "relaxed", "signature") and not goal.named
        skip_node = self.level != "cst" and not node.is_named
        if skip_goal:
            return SKIP_BOTH if skip_node else SKIP_GOAL
        return SKIP_NODE if skip_node else None

    def _children(self, goals: Sequence[Goal], nodes: Sequence[Node], env: Env) -> Iterator[Env]:
        if not nodes:
            return
        if not goals:
            yield env
            return
        yield from self._list(goals, nodes, env)

    def _list(self, goals: Sequence[Goal], nodes: Sequence[Node], env: Env) -> Iterator[Env]:
        """All ways to match these goals, at least one, with these nodes, at least one."""
        if goals[0].tag == Tag.MANY:
            yield from self._many(goals, nodes, env)
            return
        if self._is_optional_comma(goals):
            yield from self._comma(goals, nodes, env)
            return
        yield from self._steps(goals, nodes, env)

    def _steps(self, goals: Sequence[Goal], nodes: Sequence[Node], env: Env) -> Iterator[Env]:
        if not goals:
            if self._may_trail(nodes):
                yield env
            return
        if not nodes:
            yield from self._stay(goals, env)
            return
        for verdict, held in self._one(goals[0], nodes[0], env):
            if verdict == MATCHED:
                yield from self._after(goals[1:], nodes[1:], held)
            else:
                skipped = goals[verdict != SKIP_NODE :]
                yield from self._steps(skipped, nodes[verdict != SKIP_GOAL :], held)

    def _after(self, goals: Sequence[Goal], nodes: Sequence[Node], env: Env) -> Iterator[Env]:
        """Behind a goal that matched: nodes must be left as long as goals are."""
        if not goals:
            if self._may_trail(nodes):
                yield env
        elif nodes:
            yield from self._list(goals, nodes, env)

    def _many(self, goals: Sequence[Goal], nodes: Sequence[Node], env: Env) -> Iterator[Env]:
        hole = goals[0].hole
        assert hole is not None
        tokens = 0
        while tokens + 1 < len(goals) and goals[tokens + 1].trivial:
            tokens += 1
        if not (goals_after := goals[1 + tokens :]):
            held = self._last_many(goals[1:], nodes)
            last = None if held is None else env.hold_many(hole.name, held)
            if last:
                yield last
            return
        kinds = [goal.kind for goal in goals[1 : 1 + tokens] if not goal.separator]
        ends: list[int] = list(range(len(nodes)))
        if kinds and M4 in self.deviations:  # first where the tokens are
            ends.sort(
                key=lambda at: [n.kind_id for n in nodes[:at] if not n.is_extra][-tokens:] != kinds
            )
        for end in ends:
            for verdict, _ in self._one(goals_after[0], nodes[end], env):
                if verdict != MATCHED:
                    continue
                bound = env.hold_many(hole.name, self._without_tokens(nodes[:end], tokens))
                if bound:
                    yield from self._found_end(goals_after, nodes[end:], bound)
                if M4 not in self.deviations:
                    return
                break

    def _found_end(self, goals: Sequence[Goal], nodes: Sequence[Node], env: Env) -> Iterator[Env]:
        for verdict, held in self._one(goals[0], nodes[0], env):
            if verdict == MATCHED:
                yield from self._after(goals[1:], nodes[1:], held)

    def _without_tokens(self, nodes: Sequence[Node], tokens: int) -> list[Node]:
        """A capture without its last nodes, one for each pattern token behind the hole."""
        if M2 not in self.deviations:
            return list(nodes[: max(0, len(nodes) - tokens)])
        end = len(nodes)
        while tokens and end:
            end -= 1
            tokens -= not nodes[end].is_extra
        return list(nodes[:end])

    def _last_many(self, tokens: Sequence[Goal], nodes: Sequence[Node]) -> list[Node] | None:
        if M1 not in self.deviations:
            return list(nodes[: max(0, len(nodes) - len(tokens))])
        end = len(nodes)
        for token in reversed(tokens):
            at = end
            while at and self._is_comment(nodes[at - 1]):
                at -= 1
            if at and self._terminal(token, nodes[at - 1]) == MATCHED:
                end = at - 1
            elif self.level not in ("ast", "relaxed", "signature") and not (
                token.separator and self.level != "cst"
            ):
                return None
        return list(nodes[:end])

    # the comma before an empty many-hole ------------------------------------------------

    def _is_optional_comma(self, goals: Sequence[Goal]) -> bool:
        return (
            M4 in self.deviations
            and self.level not in ("cst", "ast")
            and goals[0].separator
            and len(goals) > 1
            and goals[1].tag == Tag.MANY
        )

    def _comma(self, goals: Sequence[Goal], nodes: Sequence[Node], env: Env) -> Iterator[Env]:
        yield from self._steps(goals, nodes, env)
        assert goals[1].hole is not None
        if empty := env.hold_many(goals[1].hole.name, []):
            yield from self._after(goals[2:], nodes, empty)

    # what may be left over --------------------------------------------------------------

    def _may_trail(self, nodes: Sequence[Node]) -> bool:
        allowed = {
            "cst": lambda node: False,
            "smart": lambda node: True,
            "ast": lambda node: not node.is_named,
            "relaxed": lambda node: not node.is_named or node.is_extra,
            "signature": lambda node: not node.is_named or node.is_extra,
            "template": lambda node: node.is_extra,
        }[self.level]
        return all(map(allowed, nodes))

    def _stay(self, goals: Sequence[Goal], env: Env) -> Iterator[Env]:
        """S5: the goals that may stay when the nodes have run out; a many-hole holds nothing."""
        loose = self.level in ("ast", "relaxed", "signature")
        for goal in goals:
            unnamed_hole = goal.tag == Tag.HOLE and goal.hole and not goal.hole.named_only
            if self.level == "cst" or not (
                goal.tag == Tag.MANY or (loose and (goal.trivial or unnamed_hole))
            ):
                return
            if goal.hole and goal.tag == Tag.MANY and M4 in self.deviations:
                if (held := env.hold_many(goal.hole.name, [])) is None:
                    return
                env = held
        yield env
