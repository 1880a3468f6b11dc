"""Calls of HTTP clients in Java: RestTemplate, WebClient, RestClient."""

import re

from tree_sitter import Node

from astedit.locating.frameworks.framework import marks
from astedit.locating.frameworks.java_file import HTTP, JavaFramework, Variable, literal
from astedit.locating.frameworks.syntax import line_of, span_of, text_of
from astedit.locating.frameworks.web_facts import ClientCall

_TEMPLATES = ("RestTemplate", "TestRestTemplate")
_TEMPLATE_CALL = re.compile(r"(get|post|patch|put|delete|head|options)(?:For\w+)?$")
_BASE_TEXT = re.compile(r'(?:baseUrl|create)\(\s*"([^"]*)"')
_BASE_NAME = re.compile(r"(?:baseUrl|create)\(\s*([A-Za-z_][\w.]*)\s*\)")
_UNKNOWN = Variable("", None)
_DEEPEST = 8  # texts within texts


class JavaClients(JavaFramework):
    """`template.getForObject(url, ...)`, `client.get().uri(url)`."""

    name = "java clients"
    client_marks = marks(b"RestTemplate", b"WebClient", b"RestClient")

    def read_call(self, call: Node) -> None:
        """Adds a call whose object is a client."""
        name = text_of(call.child_by_field_name("name"))
        owner = call.child_by_field_name("object")
        arguments = call.child_by_field_name("arguments")
        if arguments is None or not arguments.named_children:
            return
        url = arguments.named_children[0]
        if self._variable(owner).type in _TEMPLATES:
            method = _template_method(name, arguments)
            if method is not None:
                self._add(call, "resttemplate", method, url, None)
        elif name == "uri" and owner is not None and owner.type == "method_invocation":
            self._web_client(call, owner, url)

    def _variable(self, node: Node | None) -> Variable:
        return self.file.variables.get(text_of(node).removeprefix("this."), _UNKNOWN)

    def _web_client(self, call: Node, owner: Node, url: Node) -> None:
        """`client.get().uri("/x")`, where `client` is a WebClient."""
        verb = text_of(owner.child_by_field_name("name"))
        client = owner.child_by_field_name("object")
        name = text_of(client).removeprefix("this.")
        variable = self.file.variables.get(name, Variable("", client))
        if variable.type not in ("WebClient", "RestClient") and "WebClient" not in text_of(client):
            return
        named = HTTP.search(text_of(owner.child_by_field_name("arguments")))
        method = named[1] if verb == "method" and named else verb.upper()
        self._add(call, "webclient", method, url, _base(text_of(variable.value)))

    def _add(self, call: Node, library: str, method: str, url: Node, base: str | None) -> None:
        self.file.facts.calls.append(
            ClientCall(
                library=library,
                method=method,
                url=self._text(url),
                base=base,
                target=None,
                enclosing=self.file.enclosing(call),
                line=line_of(call),
                literal=literal(url).place,
                span=span_of(call),
            )
        )

    def _text(self, node: Node | None, depth: int = 0) -> str:
        """A URL expression with `{expr}` for what is not known."""
        if node is None or depth > _DEEPEST:
            return "{?}"
        text = literal(node).text
        if text is not None:
            return text
        if node.type == "binary_expression":
            sides = (node.child_by_field_name(name) for name in ("left", "right"))
            return "".join(self._text(side, depth + 1) for side in sides)
        value = self.file.variables.get(text_of(node), _UNKNOWN).value
        if value is not None and value.type == "string_literal":
            return self._text(value, depth + 1)
        return f"{{{text_of(node)}}}"


def _template_method(name: str, arguments: Node) -> str | None:
    """The method that a call of a RestTemplate sends; None if it sends nothing."""
    verb = _TEMPLATE_CALL.match(name)
    if verb is not None:
        return verb[1].upper()
    if name not in ("exchange", "execute"):
        return None
    named = HTTP.search(text_of(arguments))
    return named[1] if named else "ANY"


def _base(maker: str) -> str | None:
    """The base URL of a client in the expression that makes it."""
    if text := _BASE_TEXT.search(maker):
        return text[1]
    name = _BASE_NAME.search(maker)
    return f"{{{name[1]}}}" if name else None


FRAMEWORK = JavaClients
