"""One Java file, read for all frameworks at once."""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from tree_sitter import Node

from astedit.locating.frameworks.framework import Framework
from astedit.locating.frameworks.syntax import Ancestors, is_long, nodes_of, text_of
from astedit.locating.frameworks.web_facts import NO_TEXT, PathText, WebFacts

_TYPES = ("class_declaration", "interface_declaration", "record_declaration")
_NAMED = (*_TYPES, "method_declaration", "constructor_declaration", "enum_declaration")
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


class JavaFile:
    """The tree of one file, the facts read so far, and what frameworks ask about it."""

    def __init__(self, root: Node, frameworks: Sequence[type[JavaFramework]]) -> None:
        self._root = root
        self.facts = WebFacts()
        self._around = Ancestors(nodes_of(root, "java", _NAMED))
        self._frameworks = [kind(self) for kind in frameworks]

    def read(self) -> WebFacts:
        """The facts of the file: those of its types first, then those of its calls."""
        for declaration in nodes_of(self._root, "java", _TYPES):
            for framework in self._frameworks:
                framework.read_type(declaration)
        for call in nodes_of(self._root, "java", ("method_invocation",)):
            for framework in self._frameworks:
                framework.read_call(call)
        self.facts.calls.sort(key=lambda call: call.span)
        return self.facts

    @cached_property
    def variables(self) -> dict[str, Variable]:
        """Variables by name, wherever they are; the first of several."""
        variables: dict[str, Variable] = {}
        for node in nodes_of(self._root, "java", _VARIABLES):
            kind = text_of(node.child_by_field_name("type"))
            for declarator in node.children_by_field_name("declarator") or [node]:
                name = text_of(declarator.child_by_field_name("name"))
                variable = Variable(kind, declarator.child_by_field_name("value"))
                variables.setdefault(name, variable)
        return variables

    def enclosing(self, node: Node) -> str:
        """The names of the methods and types around a node, with its own if it is one."""
        names = [text_of(outer.child_by_field_name("name")) for outer in self._around.of(node)]
        return ".".join(reversed(names)) or "<module>"


def read(
    root: Node, source: bytes, language: str, frameworks: Sequence[type[JavaFramework]]
) -> WebFacts:
    """The facts of one file."""
    return JavaFile(root, frameworks).read()


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
