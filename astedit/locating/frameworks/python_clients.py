"""Calls of HTTP clients in Python: requests, httpx, aiohttp, urllib, and test clients."""

import re

from tree_sitter import Node

from astedit.locating.frameworks.python_file import VERBS, PythonCall, PythonFile, argument
from astedit.locating.frameworks.syntax import text_of
from astedit.locating.frameworks.table import FrameworkMark, marks
from astedit.locating.frameworks.web_facts import ClientObject

_VERBS = VERBS - {"trace"}
_SESSIONS = {
    "requests.Session": "requests",
    "requests.session": "requests",
    "httpx.Client": "httpx",
    "httpx.AsyncClient": "httpx",
    "aiohttp.ClientSession": "aiohttp",
}
_TESTS = ("TestClient", "test_client", "AsyncTestClient")
_OPENERS = ("urllib.request.urlopen", "urllib.request.Request")
_URLS = ("string", "concatenated_string", "binary_operator", "identifier", "attribute")
# What is used of `requests`, or imports it: anything else is a plural in a sentence.
_USED = re.compile(
    rb"requests[\s\\]*\.[\s\\]*"
    rb"(?:get|post|put|delete|patch|head|options|request|stream|[Ss]ession|api)\b"
)
_CONTINUED = re.compile(rb"\\\r?\n")
_IMPORT = re.compile(rb"\bimport\b")


def _names_requests(raw: bytes) -> bool:
    """Whether `requests` is imported, or something of it is used."""
    if _USED.search(raw):
        return True
    lines = _CONTINUED.sub(b" ", raw).split(b"\n")
    return any(b"requests" in line and _IMPORT.search(line) for line in lines)


MARKS = (
    FrameworkMark(b"requests", _names_requests),
    FrameworkMark(b"urllib", re.compile(rb"\bRequest\b").search),  # only it and `urlopen` ask
    *marks(b"urlopen", b"httpx", b"aiohttp", b"TestClient", b"test_client"),
)


class PythonClients:
    """`requests.get(url)`, `session.get(url)`, `urlopen(url)`."""

    def __init__(self, file: PythonFile) -> None:
        self.file = file
        self._objects: dict[tuple[int, str], ClientObject] = {}  # by function and name
        for node, name, value in self.file.bindings():
            client = self._made_by(value) if value.type == "call" else None
            if client is not None:
                self._objects[0 if "." in name else next(self.file.functions(node)), name] = client

    def _made_by(self, call: Node) -> ClientObject | None:
        """The client object that a call makes."""
        maker = self.file.full(call.child_by_field_name("function"))
        if maker.rpartition(".")[2] in _TESTS:
            return ClientObject("test", None)
        if maker not in _SESSIONS:
            return None
        base = argument(call, 0 if maker == "aiohttp.ClientSession" else None, "base_url")
        return ClientObject(_SESSIONS[maker], self.file.text(base) if base is not None else None)

    def read(self, call: PythonCall) -> None:
        """Adds the request that a call sends, if it is one of a client."""
        function = call.node.child_by_field_name("function")
        full = self.file.full(function)
        if full in _OPENERS:
            self._opened(call.node, full)
            return
        package, _, verb = full.rpartition(".")
        if verb not in _VERBS and verb not in ("request", "stream"):
            return
        client = self._client(call.node, function, package)
        if client is None:
            return
        if verb in _VERBS:
            method, url = verb.upper(), argument(call.node, 0, "url")
        else:
            method = _method(argument(call.node, 0, "method"))
            url = argument(call.node, 1, "url")
        if url is not None:
            self.file.add_call(call.node, client, method, url)

    def _client(self, call: Node, function: Node | None, package: str) -> ClientObject | None:
        """What sends the request: a library, an object made right here, or a variable."""
        if package in ("requests", "httpx", "requests.api"):
            return ClientObject(package.partition(".")[0], None)
        library = _SESSIONS.get(package) or self._made_here(function)
        if library is not None:
            return ClientObject(library, None)
        keys = ((key, package) for key in self.file.functions(call))
        return next((self._objects[key] for key in keys if key in self._objects), None)

    def _made_here(self, function: Node | None) -> str | None:
        """The library of `requests.Session().get`: a client used where it is made."""
        maker = function.child_by_field_name("object") if function is not None else None
        if maker is None or maker.type != "call":
            return None
        return _SESSIONS.get(self.file.full(maker.child_by_field_name("function")))

    def _opened(self, call: Node, full: str) -> None:
        """A call of urllib; what opens a `Request` is none, since that is one itself."""
        url = argument(call, 0, "url")
        if url is None or (full.endswith("urlopen") and url.type not in _URLS):
            return
        method = argument(call, None, "method")
        default = "POST" if argument(call, 1, "data") is not None else "GET"
        named = _method(method) if method is not None else default
        self.file.add_call(call, ClientObject("urllib", None), named, url)


def _method(node: Node | None) -> str:
    text = text_of(node).strip("'\"")
    return text.upper() if text.isalpha() else "ANY"
