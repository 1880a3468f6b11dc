"""A method as it stands in its class: what it uses of that, and its text outside of it."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from astedit.errors import PreconditionError
from astedit.python.facts import FunctionFacts
from astedit.python.scopes import NameScope
from astedit.python.syntax import arguments, parts_of, plain, text_of, words
from astedit.semantic.imports.lines import line_start
from astedit.semantic.module_code import ModuleCode, refused
from astedit.semantic.remove import shares_line, statement_span
from astedit.semantic.rename.definition_nodes import definition_nodes
from astedit.text.indent import Text, leading, literal_lines, shift
from astedit.text.source import end_of_line
from astedit.text.splice import Change

OF_CLASSES = ("staticmethod", "classmethod")
_BOUND = ("abstractmethod", "overload", "override", "property")
PRIVATE = re.compile(r"__\w*[^\W_]_?")  # what Python reads as a name of the class alone
_STRINGS = frozenset({"string"})


class Method:
    """The definition: what stands where, and whether its body uses its object."""

    def __init__(self, module: ModuleCode, name: str, facts: FunctionFacts | None) -> None:
        self.module, self.name = module, name
        nodes = definition_nodes(module.root, name)
        inner = [node.child_by_field_name("definition") or node for node in nodes]
        if len(nodes) != 1 or inner[0].type != "function_definition" or facts is None:
            raise refused(module.path, f"has no {name} with one definition", "not_movable")
        self.node, self.function = nodes[0], inner[0]
        self.kind = facts.kind
        self.word = self.function.child_by_field_name("name")
        every = parts_of(self.function.child_by_field_name("parameters") or self.function)
        takes_object = self.kind != "static" and bool(every)
        self.first = every[0] if takes_object else None
        self.decorators = [child for child in self.node.named_children if _is_decorator(child)]
        self._check()
        self.uses_object = self.first is not None and self._reads_first()

    def _check(self) -> None:
        """Raises for a method that means something else outside of its class."""
        names = {_decorating(node) for node in self.decorators}
        odd = sorted(name for name in names if name.endswith(_BOUND))
        if self.kind == "property" or odd:
            raise self.refused(self.node, f"{self.name} is {odd[0] if odd else 'a property'}")
        if self.kind != "static" and (self.first is None or "splat" in self.first.type):
            raise self.refused(self.function, f"{self.name} has no parameter for its object")
        if shares_line(self.node, self.module.code):
            raise self.refused(self.node, "it shares its line with other code")
        scopes, bodies = self.module.scopes, self._bodies()
        for word in words(self.node):
            text, scope = text_of(word), scopes.of(word)
            if scope is not None and (
                text == "__class__" or (text == "super" and _is_bare_call(word))
            ):
                raise self.refused(word, f"{text} means the class around it")
            if PRIVATE.fullmatch(text):
                raise self.refused(word, f"Python reads {text} as a name of the class alone")
            if scope is not None and word != self.word and scope.holder(text) in bodies:
                raise self.refused(word, f"{text} is a name of the class, not seen outside of it")

    @property
    def _own_scope(self) -> NameScope | None:
        """The body of the class."""
        return self.module.scopes.of(self.word) if self.word is not None else None

    def _bodies(self) -> list[NameScope]:
        """The scopes around the method, the module's aside."""
        scopes, scope = [], self._own_scope
        while scope is not None and scope is not self.module.scopes.module:
            if scope.kind == "function":
                raise self.refused(self.node, "its class is defined in a function")
            scopes.append(scope)
            scope = scope.parent
        return scopes

    def refused(self, node: Node, why: str) -> PreconditionError:
        """The error about a place of the method."""
        return refused(f"{self.module.path}:{node.start_point.row + 1}:", why, "not_movable")

    def _reads_first(self) -> bool:
        """Whether the body uses the object that the method is called on."""
        assert self.first is not None
        name = name_of(self.first)
        scope = self.module.scopes.of(name)
        return any(
            word != name
            and text_of(word) == text_of(name)
            and self.module.scopes.holder(word) is scope
            for word in words(self.function)
        )

    def changes(self) -> Iterator[Change]:
        """What changes in the definition itself: its first parameter, and decorators."""
        code = self.module.code
        for node in self.decorators:
            if _decorating(node) in OF_CLASSES:
                start = line_start(code, node.start_byte)
                yield start, code.find(b"\n", node.end_byte) + 1, b""
        if self.first is not None and not self.uses_object:
            yield self._without_first()

    def _without_first(self) -> Change:
        assert self.first is not None and self.first.parent is not None
        every = self.first.parent.named_children
        behind = [node for node in every if node.start_byte >= self.first.end_byte]
        while behind and behind[0].type == "positional_separator":
            del behind[0]
        if behind:
            return self.first.start_byte, behind[0].start_byte, b""
        return self.first.start_byte, self.first.parent.end_byte - 1, b""


def outside_text(node: Node, code: bytes) -> bytes:
    """The lines of a definition as they stand at the top level; strings stay as they are."""
    low, high = statement_span(node, code)
    indent = leading(code, node.start_byte)
    shifted = set(_docstring_lines(node, code, indent))
    frozen = literal_lines(node, code, _STRINGS)
    lines = [at - low + 1 for at in frozen if at not in shifted]
    text = shift(Text(b"\n" + code[low:high], lines), indent, b"").data[1:]
    return text if text.endswith(b"\n") else text + end_of_line(code)


def _docstring_lines(node: Node, code: bytes, indent: bytes) -> list[int]:
    """The lines of a docstring that move with the code: what reads it looks at none of that."""
    function = node.child_by_field_name("definition") or node
    body = function.child_by_field_name("body")
    first = next(iter(parts_of(body)), None) if body is not None else None
    string = plain(parts_of(first)[0]) if first is not None and parts_of(first) else None
    if first is None or first.type != "expression_statement" or string is None:
        return []
    lines = literal_lines(string, code, _STRINGS) if string.type == "string" else []
    texts = [code[at : code.find(b"\n", at)] for at in lines]
    return lines if all(t.startswith(indent) or not t.strip() for t in texts) else []


def name_of(parameter: Node) -> Node:
    """The name of a parameter with or without annotation and default."""
    while parameter.type != "identifier":
        parameter = parameter.child_by_field_name("name") or parameter.named_children[0]
    return parameter


def _is_decorator(node: Node) -> bool:
    return node.type == "decorator"


def _decorating(decorator: Node) -> str:
    """The name of a decorator, without what it is called with."""
    return text_of(decorator).strip("@ \t").partition("(")[0].strip()


def _is_bare_call(word: Node) -> bool:
    call = word.parent
    return call is not None and call.type == "call" and not arguments(call)
