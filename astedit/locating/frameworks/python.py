"""Python: Flask, FastAPI, Starlette, Django, and calls of clients."""

from tree_sitter import Node

from astedit.locating.frameworks.python_clients import MARKS, PythonClients
from astedit.locating.frameworks.python_file import (
    PythonCall,
    PythonFile,
    PythonFramework,
    argument,
    called,
    handler_of,
    literal,
    methods_of,
    mounts,
    registers,
)
from astedit.locating.frameworks.syntax import line_of, text_of
from astedit.locating.frameworks.table import marks, word
from astedit.locating.frameworks.web_facts import Mount, WebFacts


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
CLIENT_MARKS = MARKS


def read(root: Node, source: bytes, language: str) -> WebFacts:
    """What a file says about routes and clients."""
    file = PythonFile(root, source, language, FRAMEWORKS)
    return file.read(PythonClients(file).read)
