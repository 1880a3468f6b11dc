"""Does this node match that pattern, and what do its holes hold?

The walk follows ast-grep's, level by level of strictness, and goes further in one
place: a many-hole is tried at every length (shortest first) until the rest of the
pattern matches too. Recursion is over the pattern's depth, never the tree's.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from tree_sitter import Node

from astedit.language.brackets import innermost
from astedit.pattern.compile import ERROR_KIND, Goal, Pattern, Tag, has_own_text

if TYPE_CHECKING:
    from astedit.text.indent import Text

STEPS = 100_000  # goals tried for one candidate before it is given up as unmatched
Continue = Callable[[], bool]
TrailStep = tuple[Goal, Node]
Steer = Callable[[Mapping[str, Node]], bool]
_TERMINAL = Tag.TERMINAL
_INTERNAL = Tag.INTERNAL
_MANY = Tag.MANY
_FAILED = 0
_MATCHED = 1
_SKIP_NODE = 2
_SKIP_GOAL = 3
_SKIP_BOTH = 4


@dataclass(slots=True)
class Found:
    """One match. `trail` lists the nodes that pattern tokens and holes stand for, each with
    its goal; none where no pattern found the node.

    Of a rule `texts` are those that its transforms made, by name, `related` the nodes that its
    relations found, and `lost` the spans of which its transforms made nothing although they
    should have.
    """

    node: Node
    single: dict[str, Node]
    multi: dict[str, list[Node]]
    trail: list[TrailStep]
    texts: "Mapping[str, Text] | None" = None
    related: tuple[Node, ...] = ()
    lost: tuple[tuple[int, int], ...] = ()

    def nodes(self, name: str, many: bool) -> list[Node]:
        """What a capture holds; nothing if it is of an alternative that was not taken. (C4)"""
        if many:
            return self.multi.get(name, [])
        return [self.single[name]] if name in self.single else []


def same_text(left: Node, right: Node) -> bool:
    """Whether two captures of one name are equal. (rule V6)

    What only wraps a node does not count: PHP's `$x` is an argument in `isset($x) ? $x : 1`.
    """
    stack = [(innermost(left), innermost(right))]
    while stack:
        one, two = stack.pop()
        if one.id == two.id:
            continue
        if one.named_child_count == 0 or two.named_child_count == 0 or has_own_text(one):
            if one.text != two.text:
                return False
            continue
        if one.kind_id != two.kind_id or one.child_count != two.child_count:
            return False
        stack.extend(zip(one.children, two.children, strict=True))
    return True


def same_items(left: list[Node], right: list[Node]) -> bool:
    """Whether two many-captures of one name are equal; separators do not count. (rule V7)"""
    ones = [node for node in left if node.is_named]
    twos = [node for node in right if node.is_named]
    return len(ones) == len(twos) and all(map(same_text, ones, twos))


class Matcher:
    """Tries one pattern on one node after another."""

    def __init__(self, pattern: Pattern) -> None:
        level = pattern.strictness
        self.pattern = pattern
        self._goal = pattern.goal
        self._root_kind = pattern.root_kind
        self._smart_root = level == "smart" and pattern.goal.tag == Tag.HOLE
        self._any_kind = level == "template"
        self._any_text = level == "signature"
        self._skip_extras = level not in ("cst", "ast")
        self._skip_unnamed = level != "cst"
        self._skip_goals = level in ("ast", "relaxed", "signature")
        self._leftover = level
        self.gave_up = False

    def match(
        self,
        node: Node,
        single: Mapping[str, Node] | None = None,
        multi: Mapping[str, list[Node]] | None = None,
        steer: Steer | None = None,
    ) -> Found | None:
        """The first match of the pattern at exactly this node, or None.

        It starts from known captures, and `steer` must accept it (K4).
        """
        if self._root_kind is not None and node.kind_id != self._root_kind:
            return None
        self._single: dict[str, Node] = dict(single) if single else {}
        self._multi: dict[str, list[Node]] = dict(multi) if multi else {}
        self._trail: list[TrailStep] = []
        self._log: list[tuple[bool, str, Node | list[Node] | None]] = []
        self._steps = STEPS
        try:
            matched = self._root(node, None if steer is None else lambda: steer(self._single))
        except RecursionError:  # a deep pattern with many-holes on every level
            matched, self._steps = False, 0
        if self._steps <= 0:
            self.gave_up = True
        if not matched:
            return None
        return Found(node, self._single, self._multi, self._trail)

    def _root(self, node: Node, then: Continue | None) -> bool:
        if self._smart_root:  # a root hole stands for the node itself, comments included
            return self._bind(self._goal, node) and (then is None or then())
        return self._one(self._goal, node, then) == _MATCHED

    # one goal against one node -----------------------------------------------------

    def _one(self, goal: Goal, node: Node, then: Continue | None) -> int:
        """`then` is called on success; it decides whether the success stands."""
        tag = goal.tag
        if tag == _TERMINAL:
            verdict = self._terminal(goal, node)
            if verdict == _MATCHED:
                self._trail.append((goal, node))
                return _MATCHED if then is None or then() else _FAILED
            return verdict
        if tag == _INTERNAL:
            if not self._any_kind and goal.kind != node.kind_id and goal.kind != ERROR_KIND:
                return _FAILED
            if not goal.children:  # all of its children were invented by the parser
                self._trail.append((goal, node))
                return _MATCHED if then is None or then() else _FAILED
            matched = self._list(goal.children, 0, node.children, 0, then)
            return _MATCHED if matched else _FAILED
        if self._skip_extras and node.is_extra:
            return _SKIP_NODE
        matched = self._bind(goal, node) and (then is None or then())
        return _MATCHED if matched else _FAILED

    def _terminal(self, goal: Goal, node: Node) -> int:
        kinds_agree = goal.kind == node.kind_id or goal.kind == ERROR_KIND
        if kinds_agree and (
            goal.text == node.text if goal.named else not (goal.spelled and node.is_missing)
        ):
            return _MATCHED
        if self._skip_extras and node.is_extra:
            return _SKIP_NODE
        if self._any_text and kinds_agree:
            return _MATCHED
        if self._any_kind and goal.text == node.text:
            return _MATCHED
        skip_node = self._skip_unnamed and not node.is_named
        if self._skip_goals and not goal.named:
            return _SKIP_BOTH if skip_node else _SKIP_GOAL
        return _SKIP_NODE if skip_node else _FAILED

    def _bind(self, goal: Goal, node: Node) -> bool:
        hole = goal.hole
        assert hole is not None
        if hole.named_only and not node.is_named:
            return False
        if hole.name is not None:
            bound = self._single.get(hole.name)
            if bound is not None and not same_text(bound, node):
                return False
            self._log.append((False, hole.name, bound))
            self._single[hole.name] = node
        self._trail.append((goal, node))
        return True

    # a list of goals against a list of nodes ------------------------------------------

    def _list(
        self, goals: list[Goal], at: int, nodes: list[Node], pos: int, then: Continue | None
    ) -> bool:
        """Matches goals[at:] with nodes[pos:], then `then`; undoes what it bound on failure."""
        mark = len(self._trail), len(self._log)
        if self._walk(goals, at, nodes, pos, then):
            return True
        self._undo(mark)
        return False

    def _undo(self, mark: tuple[int, int]) -> None:
        trail, log = mark
        del self._trail[trail:]
        while len(self._log) > log:
            many, name, before = self._log.pop()
            table: dict[str, Any] = self._multi if many else self._single
            if before is None:
                del table[name]
            else:
                table[name] = before

    def _walk(
        self,
        goals: list[Goal],
        at: int,
        nodes: list[Node],
        pos: int,
        then: Continue | None,
        required: int = -1,
    ) -> bool:
        """`required` is the place of a separator that is not to be left out."""
        count = len(goals)
        total = len(nodes)
        if pos >= total:
            return False
        while True:
            self._steps -= 1
            if self._steps <= 0:
                return False
            goal = goals[at]
            if pos >= total:
                return (
                    (self._leftover != "cst" and all(self._optional(goal) for goal in goals[at:]))
                    and self._stay(goals, at)
                    and (then is None or then())
                )
            if goal.tag == _MANY:
                return self._many(goals, at, nodes, pos, then)
            if goal.choices:  # it may match in several ways: the rest goes into the choice
                rest = partial(self._rest, goals, at + 1, nodes, pos + 1, then)
                return self._one(goal, nodes[pos], rest) == _MATCHED
            if goal.separator and at != required and self._may_be_missing(goals, at):
                return self._separator(goals, at, nodes, pos, then)
            verdict = self._one(goal, nodes[pos], None)
            if verdict == _FAILED:
                return False
            if verdict != _SKIP_GOAL:
                pos += 1
            if verdict == _SKIP_NODE:
                continue
            at += 1
            if verdict != _MATCHED and at < count and goals[at].tag == _MANY:
                # ast-grep's way: behind a token it left out, a many-hole holds one node
                while self._skip_extras and pos < total and nodes[pos].is_extra:
                    pos += 1
                if pos < total:
                    if not self._bind_many(goals[at], [nodes[pos]]):
                        return False
                    at, pos, verdict = at + 1, pos + 1, _MATCHED
            if at == count:
                return self._trailing(nodes, pos) and (then is None or then())
            if verdict == _MATCHED and pos >= total:
                return False

    def _rest(
        self, goals: list[Goal], at: int, nodes: list[Node], pos: int, then: Continue | None
    ) -> bool:
        """Matches goals[at:], if there are any, with nodes[pos:], then `then`."""
        if at == len(goals):
            return self._trailing(nodes, pos) and (then is None or then())
        return self._list(goals, at, nodes, pos, then)

    def _may_be_missing(self, goals: list[Goal], at: int) -> bool:
        """Whether a separator may be left out: before a many-hole, which then is empty (M-4)."""
        is_before = at + 1 < len(goals) and goals[at + 1].tag == _MANY
        return is_before and self._leftover not in ("cst", "ast")

    def _separator(
        self, goals: list[Goal], at: int, nodes: list[Node], pos: int, then: Continue | None
    ) -> bool:
        """A `,` before a many-hole: there, or left out because the hole is empty (M-4)."""
        mark = len(self._trail), len(self._log)
        if self._walk(goals, at, nodes, pos, then, required=at):
            return True
        self._undo(mark)
        return self._bind_many(goals[at + 1], []) and self._rest(goals, at + 2, nodes, pos, then)

    def _many(
        self, goals: list[Goal], at: int, nodes: list[Node], pos: int, then: Continue | None
    ) -> bool:
        goal = goals[at]
        after = at + 1
        while after < len(goals) and goals[after].trivial:
            after += 1
        tokens = goals[at + 1 : after]
        if after == len(goals):
            taken = self._closing(tokens, nodes, pos)
            return (
                taken is not None
                and self._bind_many(goal, nodes[pos:taken])
                and (then is None or then())
            )
        mark = len(self._trail), len(self._log)
        ends: Sequence[int] = range(pos, len(nodes))
        if not all(token.separator for token in tokens):  # first where they are: `lambda $$$A: $B`
            ends = sorted(ends, key=lambda end: not self._between(tokens, nodes, pos, end)[1])
        for end in ends:
            self._steps -= 1
            if self._steps <= 0:
                return False
            taken, standing = self._between(tokens, nodes, pos, end)
            rest = partial(self._rest, goals, after + 1, nodes, end + 1, then)
            if self._bind_many(goal, nodes[pos:taken]):
                self._trail += standing
                if self._one(goals[after], nodes[end], rest) == _MATCHED:
                    return True
            self._undo(mark)
        return False

    def _between(
        self, tokens: list[Goal], nodes: list[Node], pos: int, end: int
    ) -> tuple[int, list[TrailStep]]:
        """Where a capture ends, and the tokens between it and `end`, if all of them are there.

        Separators are not asked for: as many nodes as there are of them are some (M-2).
        """
        taken, found = end, list[TrailStep]()
        for goal in reversed(tokens):
            while taken > pos and nodes[taken - 1].is_extra:
                taken -= 1
            if taken > pos:
                taken -= 1
                if not goal.separator and self._terminal(goal, nodes[taken]) == _MATCHED:
                    found.append((goal, nodes[taken]))
        return taken, found[::-1] if len(found) == len(tokens) else []

    def _closing(self, tokens: list[Goal], nodes: list[Node], pos: int) -> int | None:
        """Matches the tokens after a last many-hole from the end backward (M-1).

        Returns where the capture ends, or None. A separator that is not there is
        optional; it is matched when it is, and never dropped from the text.
        """
        end = len(nodes)
        found: list[TrailStep] = []
        for goal in reversed(tokens):
            last = end
            while last > pos and nodes[last - 1].is_extra and self._skip_extras:
                last -= 1
            if last > pos and self._terminal(goal, nodes[last - 1]) == _MATCHED:
                end = last - 1
                found.append((goal, nodes[end]))
            elif not ((goal.separator and self._leftover != "cst") or self._skip_goals):
                return None  # a separator behind the last many-hole need not be there (M-1)
        self._trail.extend(reversed(found))
        return end

    def _bind_many(self, goal: Goal, nodes: list[Node]) -> bool:
        assert goal.hole is not None
        name = goal.hole.name
        if name is not None:
            bound = self._multi.get(name)
            if bound is not None and not same_items(bound, nodes):
                return False
            self._log.append((True, name, bound))
            self._multi[name] = nodes
        self._trail.extend([(goal, node) for node in nodes])
        return True

    # what may be left over --------------------------------------------------------------

    def _trailing(self, nodes: list[Node], pos: int) -> bool:
        """May nodes[pos:] stay unmatched after the last goal?"""
        level = self._leftover
        if level == "smart" or pos >= len(nodes):
            return True
        if level == "cst":
            return False
        rest = nodes[pos:]
        if level == "ast":
            return not any(node.is_named for node in rest)
        if level == "template":
            return all(node.is_extra for node in rest)
        return all(node.is_extra or not node.is_named for node in rest)

    def _optional(self, goal: Goal) -> bool:
        if goal.tag == _MANY:
            return True
        if not self._skip_goals:
            return False
        return goal.trivial or (
            goal.tag == Tag.HOLE and goal.hole is not None and not goal.hole.named_only
        )

    def _stay(self, goals: list[Goal], at: int) -> bool:
        return all(self._bind_many(goal, []) for goal in goals[at:] if goal.tag == _MANY)
