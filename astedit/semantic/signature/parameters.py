"""The parameters of a Python function as they are written."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from tree_sitter import Node

ParameterKind = Literal["positional-only", "plain", "varargs", "keyword-only", "kwargs"]
_STARS: dict[str, ParameterKind] = {
    "list_splat_pattern": "varargs",
    "dictionary_splat_pattern": "kwargs",
}
SLASH, STAR = "positional_separator", "keyword_separator"


class WrittenParameter(NamedTuple):
    """One parameter; `node` is all of it, `label` its name alone."""

    name: str
    kind: ParameterKind
    has_default: bool
    node: Node
    label: Node


@dataclass(frozen=True, slots=True)
class Parameters:
    """All parameters of one definition, and the markers between them."""

    node: Node  # with its brackets
    each: Sequence[WrittenParameter]
    slash: Node | None
    star: Node | None

    @property
    def shape(self) -> list[tuple[str, ParameterKind]]:
        """What calls depend on, the defaults aside."""
        return [(each.name, each.kind) for each in self.each]

    @property
    def items(self) -> list[Node]:
        """What stands between the commas."""
        return [node for node in self.node.named_children if node.type != "comment"]


def parameters_of(definition: Node) -> Parameters:
    """The parameters of a `def`."""
    node = definition.child_by_field_name("parameters")
    assert node is not None
    return read_parameters(node)


def read_parameters(node: Node) -> Parameters:
    """The parameters in a pair of brackets."""
    items = [child for child in node.named_children if child.type != "comment"]
    slash = next((item for item in items if item.type == SLASH), None)
    star = next((item for item in items if item.type == STAR), None)
    each = []
    after: ParameterKind = "plain" if slash is None else "positional-only"
    for item in items:
        if item.type == SLASH:
            after = "plain"
        elif item.type == STAR:
            after = "keyword-only"
        else:
            each.append(_parameter(item, after))
            after = "keyword-only" if each[-1].kind == "varargs" else after
    return Parameters(node, each, slash, star)


def _parameter(item: Node, kind: ParameterKind) -> WrittenParameter:
    name = item.child_by_field_name("name")
    if name is None and item.type == "typed_parameter":
        name = item.named_children[0]
    name = name or item
    kind = _STARS.get(name.type, kind)
    if name.type in _STARS:
        name = name.named_children[0]
    text = (name.text or b"").decode()
    return WrittenParameter(text, kind, item.type.endswith("default_parameter"), item, name)
