"""Java annotations and literals, as far as frameworks have to read them."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from astedit.locating.frameworks.syntax import is_long, text_of
from astedit.locating.frameworks.web_facts import NO_TEXT, PathText

HTTP = re.compile(r"\b(?:HttpMethod|RequestMethod)?\.?(GET|POST|PUT|DELETE|PATCH|HEAD|OPTIONS)\b")


def annotations(node: Node) -> Iterator[tuple[str, Node]]:
    """The annotations of a declaration, each with its last name."""
    for modifiers in node.named_children:
        if modifiers.type == "modifiers":
            for note in modifiers.named_children:
                if note.type in ("annotation", "marker_annotation"):
                    name = text_of(note.child_by_field_name("name"))
                    yield name.rpartition(".")[2], note


def element(note: Node, *names: str) -> Node | None:
    """The element of an annotation with one of these names; `value` may go unnamed."""
    arguments = note.child_by_field_name("arguments")
    for node in arguments.named_children if arguments is not None else ():
        if node.type == "element_value_pair":
            if text_of(node.child_by_field_name("key")) in names:
                return node.child_by_field_name("value")
        elif "value" in names:
            return node
    return None


def literal(node: Node | None) -> PathText:
    """What a string literal says, and where that text stands."""
    if node is None or node.type != "string_literal" or is_long(node):
        return NO_TEXT
    if text_of(node).startswith('"""'):
        return NO_TEXT
    return PathText(text_of(node)[1:-1], (node.start_byte + 1, node.end_byte - 1))
