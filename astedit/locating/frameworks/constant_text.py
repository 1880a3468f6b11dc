"""What a text expression says, with the constants of its file put in."""

from collections.abc import Sequence
from typing import ClassVar

from tree_sitter import Node

from astedit.locating.frameworks.syntax import text_of

_MOST = 8_192  # characters of a constant; one that is longer stands for itself
_DEEPEST = 8  # texts within texts


class ConstantTexts:
    """The constants of one file that are texts, and the expressions that use them.

    `text_kinds` are the kinds of node that a constant may be set to, `sum_kind` is that of
    `left + right`. A language adds how its strings are read.
    """

    text_kinds: ClassVar[Sequence[str]]
    sum_kind: ClassVar[str]

    def __init__(self) -> None:
        self.constants: dict[str, Node] = {}
        self._texts: dict[tuple[str, int], str] = {}

    def string(self, node: Node, depth: int) -> str | None:
        """What a string says whose parts may be expressions; None for what is no string."""
        raise NotImplementedError

    def text(self, node: Node | None, depth: int = 0) -> str:
        """An expression with `{expr}` for what is not known; constants are put in."""
        if node is None or depth > _DEEPEST:
            return "{?}"
        string = self.string(node, depth)
        if string is not None:
            return string
        if node.type == self.sum_kind and text_of(node.child_by_field_name("operator")) == "+":
            sides = (node.child_by_field_name(name) for name in ("left", "right"))
            return "".join(self.text(side, depth + 1) for side in sides)
        if node.type == "identifier" and text_of(node) in self.constants:
            return self._constant(text_of(node), depth)
        return f"{{{text_of(node)}}}"

    def _constant(self, name: str, depth: int) -> str:
        """The text of a constant, worked out once: they may be made of one another."""
        if (name, depth) not in self._texts:
            text = self.text(self.constants[name], depth + 1)
            self._texts[name, depth] = text if len(text) <= _MOST else f"{{{name}}}"
        return self._texts[name, depth]
