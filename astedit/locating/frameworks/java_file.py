"""One Java file, read for all frameworks at once."""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from tree_sitter import Node

from astedit.locating.frameworks.syntax import WebFile, is_long, text_of
from astedit.locating.frameworks.table import Framework
from astedit.locating.frameworks.web_facts import NO_TEXT, PathText, WebFacts
from astedit.text.source import ByteRange

_TYPES = ("class_declaration", "interface_declaration", "record_declaration")
_VARIABLES = ("field_declaration", "local_variable_declaration", "formal_parameter")


class Variable(NamedTuple):
    """A field, local variable or parameter: its type, and what it is set to at once."""

    type: str
    value: Node | None


class JavaFramework(Framework):
    """One framework in Java, made anew for each file that is read."""

    def __init__(self, file: "JavaFile") -> None:
        self.file = file

    def read_type(self, declaration: Node) -> None:
        """Reads a class, interface or record."""

    def read_call(self, call: Node) -> None:
        """Reads a call of a method."""


class JavaFile(WebFile):
    """One file; its constants are the variables that are set to a text at once."""

    named_kinds = (*_TYPES, "method_declaration", "constructor_declaration", "enum_declaration")

    def __init__(
        self, root: Node, source: bytes, language: str, frameworks: Sequence[type[JavaFramework]]
    ) -> None:
        super().__init__(root, source, language)
        self._frameworks = [kind(self) for kind in frameworks]

    def read(self) -> WebFacts:
        """The facts of the file: those of its types first, then those of its calls."""
        for declaration in self.nodes(*_TYPES):
            for framework in self._frameworks:
                framework.read_type(declaration)
        for call in self.nodes("method_invocation"):
            for framework in self._frameworks:
                framework.read_call(call)
        self.facts.calls.sort(key=lambda call: call.span)
        return self.facts

    @cached_property
    def variables(self) -> dict[str, Variable]:
        """Variables by name, wherever they are; the first of several."""
        variables: dict[str, Variable] = {}
        for node in self.nodes(*_VARIABLES):
            kind = text_of(node.child_by_field_name("type"))
            for declarator in node.children_by_field_name("declarator") or [node]:
                name = text_of(declarator.child_by_field_name("name"))
                variables.setdefault(name, Variable(kind, declarator.child_by_field_name("value")))
        for name, (_, value) in variables.items():
            if value is not None and value.type == "string_literal":
                self.constants[name] = value
        return variables

    def string(self, node: Node, depth: int) -> str | None:
        return literal(node).text

    def written(self, url: Node) -> ByteRange:
        return literal(url).place


FILE = JavaFile


HTTP = re.compile(r"\b(?:HttpMethod|RequestMethod)?\.?(GET|POST|PUT|DELETE|PATCH|HEAD|OPTIONS)\b")


def annotations(node: Node) -> Iterator[tuple[str, Node]]:
    """The annotations of a declaration, each with its last name."""
    for modifiers in node.named_children:
        if modifiers.type == "modifiers":
            for note in modifiers.named_children:
                if note.type in ("annotation", "marker_annotation"):
                    yield text_of(note.child_by_field_name("name")).rpartition(".")[2], note


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
