"""A place that a rule matches, and the facts about it that may tell it apart from others."""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from tree_sitter import Node

from astedit.language.brackets import nearest
from astedit.learning.edits import BLOCKS, import_lines, imports_of, is_comment, name_bound, plain
from astedit.learning.nodes import is_value, meaning_of
from astedit.python.syntax import field_of, text_of
from astedit.testing.baseline import span_of
from astedit.text.source import Change

_FUNCTIONS = ("function_definition", "function_declaration", "method_declaration", "lambda",
              "method_definition", "arrow_function", "function_expression")  # fmt: skip
_OF_PYTHON = "function_definition lambda"
_PLAIN = BLOCKS | {"expression_statement", "argument_list", "arguments"}  # say little
_LONGEST = 60  # characters of a text in a fact

Fact = tuple[str, ...]


@dataclass(slots=True)
class MatchedPlace:
    """A match of a rule without conditions: `facts` are what is known about it.

    `sure` is True where the rule must change it, False where it must not, None where nobody has
    said anything. `changes` are what the rule would do there.
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
    changes: tuple[Change, ...] = ()

    @property
    def where(self) -> str:
        """`path:line`, for people."""
        return f"{self.path}:{self.line}"

    def does(self, other: "MatchedPlace") -> bool:
        """Whether the same change of the same code is another place's."""
        return (self.where, self.before, self.after) == (other.where, other.before, other.after)


def place_of(finding: Mapping[str, Any], root: Node, path: str) -> MatchedPlace:
    """A match, as ast-grep's JSON has it, with its facts."""
    start, end = span_of(finding)
    node = root.named_descendant_for_byte_range(start, end) or root
    words = re.findall("[A-Za-z]{3,}|__[a-z]+__", path)
    facts: set[Fact] = {("file", word) for word in (*words, f"/{os.path.basename(path)}")}
    for source in (
        _captures(finding, root),
        _around(node),
        _items(node),
        _imports(root),
        _function(finding, node, root),
    ):
        facts |= set(source)
    return MatchedPlace(path, start, end, finding["range"]["start"]["line"] + 1, frozenset(facts))


def _is_short(text: str) -> bool:
    return len(text) <= _LONGEST and text.isprintable()


def _captures(finding: Mapping[str, Any], root: Node) -> Iterator[Fact]:
    variables = finding.get("metaVariables", {})
    for name, capture in variables.get("single", {}).items():
        node = root.named_descendant_for_byte_range(*span_of(capture))
        if node is not None:
            yield "kind", name, _widest(node).type
            yield from (("means", name, meaning) for meaning in [meaning_of(node)] if meaning)
        if _is_short(capture["text"]):
            yield "text", name, capture["text"]
    for name, captures in variables.get("multi", {}).items():
        if name != "secondary":
            texts = [capture["text"] for capture in captures]
            yield from (("among", name, text) for text in texts if text != "," and _is_short(text))


def _widest(node: Node) -> Node:
    """The node that a capture stands for, of those with the same text."""
    while node.parent and node.parent.text == node.text and is_value(node.parent):
        node = node.parent
    return node


def _around(node: Node) -> Iterator[Fact]:
    above, field_name = node.parent, field_of(node)
    if field_name:
        yield "field", field_name
    if above is not None and above.parent is not None and above.type not in _PLAIN:
        yield "above", above.type
    while above is not None and above.parent is not None:
        if above.type not in _PLAIN:
            yield "within", above.type
        above = above.parent
    for call in _calls(node):
        if meaning := meaning_of(call.child_by_field_name("function")):
            yield "call", meaning


def _calls(node: Node) -> Iterator[Node]:
    """The call that a node is, and the nearest one around it."""
    around = nearest(node, ("call",))
    yield from [node] if node.type == "call" else []
    yield from [around] if around is not None else []


def _items(node: Node) -> Iterator[Fact]:
    for holder in (node, *_calls(node)):
        listed = holder.child_by_field_name("arguments")
        for item in listed.named_children if listed is not None else ():
            if (name := item.child_by_field_name("name")) is not None:
                yield "argument", item.type, text_of(name)
            elif holder is node and not is_comment(item):
                yield "item", item.type


@lru_cache(maxsize=1)
def _imports(root: Node) -> frozenset[Fact]:
    """What is known of a file; its places come one after the other."""
    facts = set[Fact]()
    for line in import_lines(root):
        facts.add(("import", line.type, plain(line).split(" import ")[0][:_LONGEST], root.type))
        facts |= {("binds", name_bound(text), line.type, root.type) for text in imports_of([line])}
    return frozenset(facts)


def _function(finding: Mapping[str, Any], node: Node, root: Node) -> Iterator[Fact]:
    """What is said of the function that a place is in, and which captures are names around it."""
    texts = {
        capture["text"]: name
        for name, capture in finding.get("metaVariables", {}).get("single", {}).items()
    }
    around = nearest(node, ("class_definition", "class_declaration"))
    name = around.child_by_field_name("name") if around is not None else None
    if around is not None and name is not None and text_of(name) in texts:
        yield "named", texts[text_of(name)], "class", around.type
    if (above := nearest(node, _FUNCTIONS)) is None:
        return
    kinds = _OF_PYTHON if root.type == "module" else above.type
    listed = above.child_by_field_name("parameters")
    for at, parameter in enumerate(listed.named_children if listed is not None else ()):
        names = parameter.named_children if parameter.child_count else [parameter]
        for text in map(text_of, names[:1]):
            yield "parameter", text, kinds
            if at == 0 and text in texts:
                yield "named", texts[text], "first parameter", kinds
