"""What a rule has bound so far, such that a failure leaves nothing behind. (rules C1, C3)"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from tree_sitter import Node

from astedit.pattern.listed import Listed
from astedit.pattern.match import TrailStep, same_items, same_text
from astedit.pattern.template import Slot
from astedit.text.indent import Text

MAX_CALLS = 60  # utility calls within utility calls: these, not the tree, use the stack
MOST_STEPS = 5_000_000  # in one tree, some seconds: relations within relations multiply
_STEPS = (500_000, 200)  # in any tree, half a second, and more for each of its nodes


class NodeMatcher(Protocol):
    """What can be asked whether a node matches. A rule is one, and can do more."""

    def match(self, node: Node, env: "Environment") -> Node | None:
        """The node when it matches, with `env` extended; else None, and `env` as it was."""


@dataclass(frozen=True, slots=True)
class Frame:
    """The arguments of a utility call, and the frame that they were written in."""

    arguments: Mapping[str, NodeMatcher]
    parent: "Frame | None"


@dataclass(frozen=True, slots=True)
class Bindings:
    """Captures by name. Never changed in place, so that keeping one is saving it."""

    single: Mapping[str, Node] = field(default_factory=dict)
    multi: Mapping[str, list[Node]] = field(default_factory=dict)

    def joined(self, other: "Bindings") -> "Bindings | None":
        """The captures of both; None if they disagree about a name (V6, V7)."""
        for name, node in other.single.items():
            if name in self.single and not same_text(self.single[name], node):
                return None
        for name, nodes in other.multi.items():
            if name in self.multi and not same_items(self.multi[name], nodes):
                return None
        return Bindings({**self.single, **other.single}, {**self.multi, **other.multi})


_NOTHING = Bindings()  # shared: there is an environment for every candidate

Saved = tuple[Bindings, Sequence[TrailStep], tuple[Node, ...], Bindings, Mapping[str, Text]]


@dataclass(slots=True)
class Steps:
    """How many nodes may still be tried, and utilities asked, in one tree.

    `gave_up` says that a limit, not the rule, said no, whatever was being asked.
    """

    left: int = MOST_STEPS
    gave_up: bool = field(default=False, init=False)

    @classmethod
    def of(cls, root: Node) -> "Steps":
        """As many as a tree of this size may cost."""
        return cls(min(MOST_STEPS, _STEPS[0] + _STEPS[1] * root.descendant_count))


@dataclass(slots=True)
class Environment:
    """One attempt at one node.

    `trail` lists what patterns matched of the reported node, `related` the nodes that
    relations found, `exports` what the arguments of the running utility call bound,
    `texts` what transforms made, `lost` the spans of which they made nothing, `outer` what
    the rule had captured that a rewriter works for, `places` the tree's nodes, if they are
    listed, `steps` what all attempts in the tree may still cost.
    """

    root: Node
    source: bytes
    bindings: Bindings = _NOTHING
    trail: Sequence[TrailStep] = ()
    related: tuple[Node, ...] = ()
    exports: Bindings = _NOTHING
    texts: Mapping[str, Text] = field(default_factory=dict)
    frame: Frame | None = None
    outer: Bindings | None = None
    lost: tuple[tuple[int, int], ...] = ()
    calls: int = 0
    places: Listed | None = None
    steps: Steps = field(default_factory=Steps)

    def save(self) -> Saved:
        return self.bindings, self.trail, self.related, self.exports, self.texts

    def restore(self, saved: Saved) -> None:
        self.bindings, self.trail, self.related, self.exports, self.texts = saved

    def fresh(self, frame: Frame | None = None, bindings: Bindings = _NOTHING) -> "Environment":
        """An environment for the same tree in which only these bindings are known."""
        return Environment(
            self.root,
            self.source,
            bindings,
            frame=frame,
            calls=self.calls,
            places=self.places,
            steps=self.steps,
        )

    def nodes(self, slot: Slot) -> Sequence[Node]:
        """What a capture holds."""
        if slot.many:
            return self.bindings.multi.get(slot.name, ())
        node = self.bindings.single.get(slot.name)
        return () if node is None else (node,)

    def text(self, slot: Slot) -> bytes | None:
        """The text of a capture, or what a transform of that name made."""
        if nodes := self.nodes(slot):
            return self.source[nodes[0].start_byte : nodes[-1].end_byte]
        made = None if slot.many else self.texts.get(slot.name)
        return None if made is None else made.data

    def lose(self, nodes: Sequence[Node]) -> None:
        """Notes that nothing was made of some nodes, although it should have been."""
        if nodes:
            self.lost = (*self.lost, (nodes[0].start_byte, nodes[-1].end_byte))

    def may_call(self) -> bool:
        """Whether one more utility may be asked; if not, a limit says no."""
        self.steps.left -= 1
        if self.calls < MAX_CALLS and self.steps.left > 0:
            return True
        self.steps.gave_up = True
        return False
