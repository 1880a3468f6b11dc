"""One JavaScript or TypeScript file, read for all frameworks at once."""

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from tree_sitter import Node

from astedit.locating.frameworks.framework import Framework
from astedit.locating.frameworks.javascript_syntax import argument, callee_of, literal, option
from astedit.locating.frameworks.syntax import line_of, nodes_of, text_of
from astedit.locating.frameworks.web_facts import EMPTY, ImportedName, Router, WebFacts

_REQUIRED = re.compile(r"require\(\s*['\"]([^'\"]*)['\"]\s*\)")
_EXPORTS = ("module.exports", "exports.default")


class JavaScriptFramework(Framework):
    """One framework in JavaScript, made anew for each file that is read.

    `makers` are what makes a router, as it is called: `express.Router`, or `new Koa`. The
    calls of routers are alike in all frameworks, and are read for all of them.
    """

    makers: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, file: "JavaScriptFile") -> None:
        self.file = file

    def read_variable(self, name: str, callee: str, value: Node) -> None:
        """Reads a variable that is set to the call `value` of what `callee` says."""

    def read_call(self, call: Node) -> None:
        """Reads a call that is no call of a router."""


class JavaScriptFile:
    """The tree of one file, the facts read so far, and what frameworks ask about it."""

    def __init__(
        self, root: Node, language: str, frameworks: Sequence[type[JavaScriptFramework]]
    ) -> None:
        from astedit.locating.frameworks.javascript_syntax import JavaScriptScope

        self._root = root
        self._language = language
        self.facts = WebFacts()
        self.scope = JavaScriptScope(root, language)
        self._makers = {maker: kind.name for kind in frameworks for maker in kind.makers}
        self._frameworks = [kind(self) for kind in frameworks]

    def read(self) -> WebFacts:
        """The facts of the file: what its names stand for first, then its calls."""
        for node in self._nodes("variable_declarator"):
            self._read_variable(node)
        for node in self._nodes("import_statement"):
            self.facts.imports += self._imported(node)
        for node in self._nodes("export_statement"):
            if any(text_of(child) == "default" for child in node.children):
                self._export(node.child_by_field_name("value"))
        for node in self._nodes("assignment_expression"):
            if text_of(node.child_by_field_name("left")) in _EXPORTS:
                self._export(node.child_by_field_name("right"))
        self._read_calls()
        return self.facts

    def _nodes(self, kind: str) -> list[Node]:
        return nodes_of(self._root, self._language, (kind,))

    def _read_calls(self) -> None:
        from astedit.locating.frameworks.javascript_routes import RouterCalls

        routers = RouterCalls(self.facts)
        for call in self._nodes("call_expression"):
            if not routers.read(call):
                for framework in self._frameworks:
                    framework.read_call(call)

    def _read_variable(self, node: Node) -> None:
        name, value = text_of(node.child_by_field_name("name")), node.child_by_field_name("value")
        if value is None or self.scope.bind(name, value):
            return
        if value.type == "await_expression" and value.named_children:
            value = value.named_children[0]
        callee = _REQUIRED.sub(r"\1", text_of(callee_of(value)))
        if callee == "require":
            module = literal(argument(value, 0)).text
            if module is not None:
                self.facts.imports.append(ImportedName(name, 0, module, "default"))
            return
        new = "new " if value.type == "new_expression" else ""
        if new + callee in self._makers:
            self._add_router(name, self._makers[new + callee], callee, value)
        for framework in self._frameworks:
            framework.read_variable(name, callee, value)

    def _add_router(self, name: str, framework: str, callee: str, value: Node) -> None:
        prefix = option(argument(value, 0), "prefix")
        text = literal(prefix) if prefix is not None else EMPTY
        self.facts.routers.append(Router(name, framework, text, line_of(value), callee))

    def _imported(self, node: Node) -> Iterator[ImportedName]:
        module = literal(node.child_by_field_name("source")).text
        if module is None:
            return
        for clause in nodes_of(node, self._language, ("import_clause",)):
            for child in clause.named_children:
                if child.type == "identifier":
                    yield ImportedName(text_of(child), 0, module, "default")
        for specifier in nodes_of(node, self._language, ("import_specifier",)):
            name = specifier.child_by_field_name("name")
            alias = specifier.child_by_field_name("alias")
            local = text_of(alias if alias is not None else name)
            yield ImportedName(local, 0, module, text_of(name))

    def _export(self, value: Node | None) -> None:
        if value is not None and value.type == "identifier":
            self.facts.imports.append(ImportedName("default", 0, "", text_of(value)))


def read(
    root: Node, source: bytes, language: str, frameworks: Sequence[type[JavaScriptFramework]]
) -> WebFacts:
    """The facts of one file."""
    return JavaScriptFile(root, language, frameworks).read()
