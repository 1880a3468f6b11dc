"""Calls of HTTP clients in JavaScript: fetch, axios, got, ky."""

from tree_sitter import Node

from astedit.locating.frameworks.javascript_file import (
    FUNCTIONS,
    VERBS,
    JavaScriptFile,
    JavaScriptFramework,
    argument,
    callee_of,
    literal,
    option,
)
from astedit.locating.frameworks.syntax import text_of
from astedit.locating.frameworks.table import marks, word
from astedit.locating.frameworks.web_facts import ClientObject

_LIBRARIES = ("axios", "got")
_MAKERS = ("axios.create", "got.extend", "ky.create")
_FETCH = ("fetch", "window.fetch", "globalThis.fetch")


class JavaScriptClients(JavaScriptFramework):
    """`fetch(url)`, `axios.get(url)`, `axios({ url, method })`, and objects made by these."""

    name = "javascript clients"
    client_marks = (word(b"fetch"), *marks(b"axios"), word(b"got"))

    def __init__(self, file: JavaScriptFile) -> None:
        super().__init__(file)
        self._objects = {library: ClientObject(library, None) for library in _LIBRARIES}

    def read_variable(self, name: str, callee: str, value: Node) -> None:
        """`const api = axios.create({ baseURL })`."""
        if callee in _MAKERS:
            base = option(argument(value, 0), "baseURL", "prefixUrl")
            text = self.file.text(base) if base is not None else None
            self._objects[name] = ClientObject(callee.partition(".")[0], text)

    def read_call(self, call: Node) -> None:
        """A call of `fetch`, of an object, or of a method of one."""
        function = callee_of(call)
        if function is None:
            return
        name = text_of(function)
        owner, _, verb = name.rpartition(".")
        url, options = argument(call, 0), argument(call, 1)
        if name in _FETCH:
            self._add(call, ClientObject("fetch", None), _method(options), url)
        elif name in self._objects:
            if url is not None and url.type == "object":
                options, url = url, option(url, "url")
            self._add(call, self._objects[name], _method(options), url)
        elif owner in self._objects and verb in VERBS:
            self._add(call, self._objects[owner], verb.upper(), url)

    def _add(self, call: Node, client: ClientObject, method: str, url: Node | None) -> None:
        if url is not None and url.type not in FUNCTIONS:
            self.file.add_call(call, client, method, url)


def _method(options: Node | None) -> str:
    """The method that options name; GET if they name none."""
    method = option(options, "method")
    return "GET" if method is None else (literal(method).text or "any").upper()


FRAMEWORK = JavaScriptClients
