"""Python: Flask, FastAPI, Starlette, Django, and calls of clients."""

import re

from tree_sitter import Node

from astedit.locating.frameworks.python_file import (
    VERBS,
    PythonCall,
    PythonFile,
    PythonFramework,
    called,
    handler_of,
    literal,
    methods_of,
    mounts,
    registers,
)
from astedit.locating.frameworks.syntax import line_of, text_of
from astedit.locating.frameworks.table import FrameworkMark, marks, word
from astedit.locating.frameworks.web_facts import ClientObject, Mount, WebFacts
from astedit.python.syntax import argument

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


def _starlette_object(file: PythonFile, call: PythonCall) -> None:
    """A `Route("/x", endpoint)`, with the prefixes of the `Mount` objects that it stands in."""
    if file.framework not in ("starlette", "fastapi"):
        return
    handler = handler_of(argument(call.node, 1, "endpoint"))
    unowned = PythonCall(call.node, "", call.name)
    route = file.add_route(unowned, "starlette", methods_of(call.node), handler)
    if route is not None:
        around = reversed(list(file.starlette_mounts.of(call.node)))
        route.enclosed = tuple(literal(argument(mount, 0, "path")) for mount in around)
        route.enclosed_by = "Mount"


def _django_path(file: PythonFile, call: PythonCall) -> None:
    """`path("x/", view)`, `re_path(r"^x/$", view)`, `path("x/", include("app.urls"))`."""
    if call.owner or "django" not in file.packages or b"urlpatterns" not in file.source:
        return
    path, view = argument(call.node, 0, "route"), argument(call.node, 1, "view")
    around = next(file.assignments.of(call.node), None)  # the list it stands in
    patterns = text_of(around.child_by_field_name("left")) if around else "urlpatterns"
    if view is not None and called(view) == "include":
        if child := _included(view):
            mount = Mount(patterns, child, literal(path), line_of(call.node))
            file.facts.mounts.append(mount)
        return
    framework = "django" if call.name == "path" else "django-regex"
    listed = PythonCall(call.node, patterns, call.name)
    route = file.add_route(listed, framework, (), handler_of(view), path)
    if route is not None:
        route.relative = True
        route.is_regex = call.name != "path"


def _included(call: Node) -> str:
    """What `include("app.urls")` or `include(patterns)` includes."""
    first = argument(call, 0)
    if first is not None and first.type == "tuple" and first.named_children:
        first = first.named_children[0]
    text = literal(first).text
    return f"'{text}" if text is not None else text_of(first)


FRAMEWORKS = (
    PythonFramework(
        "flask",  # and Quart, which is written alike
        (*marks(b"flask", b"Blueprint", b"Flask", b"register_blueprint"), word(b"quart")),
        packages=("flask", "quart"),
        routers={"Flask": "", "Quart": "", "Blueprint": "url_prefix"},
        route_methods=("GET",),
        readers={
            "add_url_rule": registers(2, "GET"),
            "register_blueprint": mounts(0, "url_prefix", replaces=True),
        },
    ),
    PythonFramework(
        "fastapi",
        marks(b"fastapi", b"FastAPI", b"APIRouter", b"include_router"),
        packages=("fastapi",),
        routers={"FastAPI": "", "APIRouter": "prefix"},
        readers={"add_api_route": registers(1, "GET"), "include_router": mounts(0, "prefix")},
    ),
    PythonFramework(
        "starlette",  # whose calls FastAPI has, too
        marks(b"starlette"),
        packages=("starlette",),
        routers={"Starlette": ""},
        readers={
            "add_route": registers(1),
            "mount": mounts(1, "path", 0),
            "Route": _starlette_object,
            "WebSocketRoute": _starlette_object,
        },
    ),
    PythonFramework(
        "django",
        marks(b"urlpatterns"),
        readers=dict.fromkeys(("path", "re_path", "url"), _django_path),
    ),
)
ROUTE_MARKS = tuple(mark for framework in FRAMEWORKS for mark in framework.route_marks)


def _names_requests(raw: bytes) -> bool:
    """Whether `requests` is imported, or something of it is used."""
    if _USED.search(raw):
        return True
    lines = _CONTINUED.sub(b" ", raw).split(b"\n")
    return any(b"requests" in line and _IMPORT.search(line) for line in lines)


CLIENT_MARKS = (
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


def read(root: Node, source: bytes, language: str) -> WebFacts:
    """What a file says about routes and clients."""
    file = PythonFile(root, source, language, FRAMEWORKS)
    return file.read(PythonClients(file).read)
