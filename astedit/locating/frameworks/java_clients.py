"""Calls of HTTP clients in Java: RestTemplate, WebClient, RestClient."""

import re

from tree_sitter import Node

from astedit.locating.frameworks.java_file import HTTP, JavaFramework, Variable
from astedit.locating.frameworks.syntax import text_of
from astedit.locating.frameworks.table import marks
from astedit.locating.frameworks.web_facts import ClientObject

_TEMPLATES = ("RestTemplate", "TestRestTemplate")
_TEMPLATE_CALL = re.compile(r"(get|post|patch|put|delete|head|options)(?:For\w+)?$")
_BASE_TEXT = re.compile(r'(?:baseUrl|create)\(\s*"([^"]*)"')
_BASE_NAME = re.compile(r"(?:baseUrl|create)\(\s*([A-Za-z_][\w.]*)\s*\)")
_UNKNOWN = Variable("", None)


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
        template = self.file.variables.get(text_of(owner).removeprefix("this."), _UNKNOWN)
        if template.type in _TEMPLATES:
            if (method := _template_method(name, arguments)) is not None:
                self.file.add_call(call, ClientObject("resttemplate", None), method, url)
        elif name == "uri" and owner is not None and owner.type == "method_invocation":
            self._web_client(call, owner, url)

    def _web_client(self, call: Node, owner: Node, url: Node) -> None:
        """`client.get().uri("/x")`, where `client` is a WebClient."""
        verb = text_of(owner.child_by_field_name("name"))
        maker = owner.child_by_field_name("object")
        name = text_of(maker).removeprefix("this.")
        variable = self.file.variables.get(name, Variable("", maker))
        if variable.type not in ("WebClient", "RestClient") and "WebClient" not in text_of(maker):
            return
        named = HTTP.search(text_of(owner.child_by_field_name("arguments")))
        method = named[1] if verb == "method" and named else verb.upper()
        client = ClientObject("webclient", _base(text_of(variable.value)))
        self.file.add_call(call, client, method, url)


def _template_method(name: str, arguments: Node) -> str | None:
    """The method that a call of a RestTemplate sends; None if it sends nothing."""
    if (verb := _TEMPLATE_CALL.match(name)) is not None:
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
