"""A place that a rule matches, and the facts about it that may tell it apart from others."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tree_sitter import Node

from astedit.learning.edits import (
    BLOCKS,
    import_lines,
    imports_of,
    is_comment,
    name_bound,
    plain,
    text_of,
)
from astedit.learning.nodes import Meanings, role

_ABOVE = 3  # ancestors whose kinds are told apart one by one
_FUNCTIONS = ("function_definition", "function_declaration", "method_declaration", "lambda")
_PLAIN = BLOCKS | {"expression_statement", "argument_list", "arguments"}  # say little
_LONGEST = 60  # characters of a text in a fact

Fact = tuple[str, ...]


@dataclass(slots=True)
class MatchedPlace:
    """A match of a rule without conditions: `facts` are what is known about it.

    `sure` is True where the rule must change it, False where it must not, None where nobody has
    said anything.
    """

    path: str
    start: int
    end: int
    line: int
    facts: frozenset[Fact]
    sure: bool | None = None
    before: str = ""
    after: str = ""
    shape: str = ""

    @property
    def where(self) -> str:
        """`path:line`, for people."""
        return f"{self.path}:{self.line}"

    def does(self, other: "MatchedPlace") -> bool:
        """Whether the same change of the same code is another place's."""
        return (self.where, self.before, self.after) == (other.where, other.before, other.after)


def place_of(finding: Mapping[str, Any], root: Node, path: str, meanings: Meanings) -> MatchedPlace:
    """A match, as ast-grep's JSON has it, with its facts."""
    start, end = (finding["range"]["byteOffset"][key] for key in ("start", "end"))
    node = root.named_descendant_for_byte_range(start, end) or root
    while node.parent and (node.parent.start_byte, node.parent.end_byte) == (start, end):
        if not node.parent.parent:
            break
        node = node.parent
    facts: set[Fact] = {("file", word) for word in re.findall("[A-Za-z]{3,}|__[a-z]+__", path)}
    for source in (
        _captures(finding, root, meanings),
        _around(node, meanings),
        _items(node),
        _imports(root),
        _parameters(node),
    ):
        facts |= set(source)
    return MatchedPlace(path, start, end, finding["range"]["start"]["line"] + 1, frozenset(facts))


def _is_short(text: str) -> bool:
    return len(text) <= _LONGEST and text.isprintable()


def _captures(finding: Mapping[str, Any], root: Node, meanings: Meanings) -> Iterator[Fact]:
    variables = finding.get("metaVariables", {})
    for name, capture in variables.get("single", {}).items():
        offsets = capture["range"]["byteOffset"]
        node = root.named_descendant_for_byte_range(offsets["start"], offsets["end"])
        if node is not None:
            yield "kind", name, node.type
            yield from (("means", name, meaning) for meaning in [meanings.of(node)] if meaning)
        if _is_short(capture["text"]):
            yield "text", name, capture["text"]
    for name, captures in variables.get("multi", {}).items():
        if name != "secondary":
            yield "count", name, "some" if captures else "no"
            texts = [capture["text"] for capture in captures]
            yield from (("among", name, text) for text in texts if text != "," and _is_short(text))


def _around(node: Node, meanings: Meanings) -> Iterator[Fact]:
    field_name, level, above = role(node), 0, node.parent
    inner = node
    while (
        len(inner.named_children) == 1
        and inner.type != "call"
        and inner.named_children[0].end_byte == inner.end_byte
    ):
        inner = inner.named_children[0]
    if meaning := meanings.of_call(inner):
        yield "call", meaning
    if field_name is not None:
        yield "field", field_name
    if above is not None and field_name in ("attribute", "property"):
        text = text_of(above.children[0])
        if _is_short(text):
            yield "of", text
    while above is not None and above.parent is not None:
        if above.type not in _PLAIN:
            if level < _ABOVE:
                yield f"above {level + 1}", above.type
            if level:
                yield "within", above.type
        level, above = level + 1, above.parent


def _items(node: Node) -> Iterator[Fact]:
    holder = node
    while role(holder) in ("function", "attribute") and holder.parent is not None:
        holder = holder.parent  # it is the name of what is called
    lists = [each.child_by_field_name("arguments") for each in (holder, *holder.children)]
    listed = next((each for each in lists if each is not None), None)
    for item in listed.named_children if listed is not None else ():
        name = item.child_by_field_name("name")
        if name is not None:
            yield "argument", item.type, text_of(name)
        elif holder is node and not is_comment(item):
            yield "item", item.type


def _imports(root: Node) -> Iterator[Fact]:
    for line in import_lines(root):
        yield "import", line.type, plain(line).split(" import ")[0][:_LONGEST], root.type
        for name in map(name_bound, imports_of([line])):
            yield "binds", name, line.type, root.type


def _parameters(node: Node) -> Iterator[Fact]:
    """The parameters of the function that a place is in."""
    above = node.parent
    while above is not None and above.type not in _FUNCTIONS:
        above = above.parent
    listed = above.child_by_field_name("parameters") if above is not None else None
    if above is not None and listed is not None:
        for parameter in listed.named_children:
            names = parameter.named_children if parameter.child_count else [parameter]
            yield from (("parameter", text_of(name), above.type) for name in names[:1])
