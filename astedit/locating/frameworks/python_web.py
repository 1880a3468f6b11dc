"""Routes and clients in one Python file: Flask, FastAPI, Starlette, Django; requests and kin."""

import re

from tree_sitter import Node

from astedit.locating.frameworks.ancestors import Around
from astedit.locating.frameworks.python_calls import Scope, argument, client_call, keyword, literal
from astedit.locating.frameworks.web_facts import (
    NOWHERE,
    Mounted,
    Registration,
    Router,
    WebFacts,
    nodes_of,
    text_of,
)
from astedit.locating.inventory.python_imports import imported

_VERBS = frozenset({"get", "post", "put", "delete", "patch", "head", "options", "trace"})
_MAKERS = {
    "Flask": "flask",
    "Blueprint": "flask",
    "Quart": "flask",
    "FastAPI": "fastapi",
    "APIRouter": "fastapi",
    "Starlette": "starlette",
}
_PREFIX = {"Blueprint": "url_prefix", "APIRouter": "prefix"}
_PACKAGES = {"flask": "flask", "quart": "flask", "fastapi": "fastapi", "starlette": "starlette"}
_GIVEN = {"add_url_rule": "flask", "add_api_route": "fastapi", "add_route": "starlette"}
_ROUTED = re.compile(r"app|rout|blueprint|bp|api|server", re.IGNORECASE)  # from another module
_DJANGO = frozenset({"path", "re_path", "url"})


def read(root: Node, source: bytes) -> WebFacts:
    """The facts of one file; its calls are looked at one by one, in source order."""
    return _Reading(root, source).facts()


class _Reading:
    def __init__(self, root: Node, source: bytes) -> None:
        self._source = source
        self._root = root
        self._facts = WebFacts(imports=imported(root))
        packages = [
            module.partition(".")[0] for _, dots, module, _ in self._facts.imports if not dots
        ]
        self._framework = next((_PACKAGES[one] for one in packages if one in _PACKAGES), None)
        self._django = "django" in packages and b"urlpatterns" in source
        self._scope = Scope(root, self._facts.imports)
        assignments = nodes_of(root, "python", ("assignment", "augmented_assignment"))
        self._assigned = Around(assignments)
        self._values = {_field(one, "right"): one for one in assignments}
        decorated = nodes_of(root, "python", ("decorated_definition",))
        self._decorated = {
            call.id: one
            for one in decorated
            for note in one.children
            if note.type == "decorator"
            for call in note.children
        }

    def facts(self) -> WebFacts:
        calls = nodes_of(self._root, "python", ("call",))
        self._mounted = Around([call for call in calls if _called(call) == "Mount"])
        for call in calls:
            self._maker(call)
        for call in calls:
            self._call(call)
        return self._facts

    def _maker(self, call: Node) -> None:
        """`router = APIRouter(prefix="/api")`: a variable that routes are registered on."""
        made = _last(call.child_by_field_name("function"))
        parent = self._values.get(call.id)
        if made not in _MAKERS or parent is None or parent.type != "assignment":
            return
        given = keyword(call, _PREFIX.get(made, ""))
        prefix, where = literal(given) if given is not None else ("", NOWHERE)
        name = text_of(parent.child_by_field_name("left"))
        line = call.start_point[0] + 1
        self._facts.routers.append(Router(name, _MAKERS[made], prefix, where, line, made))

    def _call(self, call: Node) -> None:
        function = call.child_by_field_name("function")
        name = _last(function)
        owner = _owner(function)
        if (
            call.id in self._decorated
            and owner
            and (name in _VERBS or name in ("route", "api_route", "websocket"))
        ):
            self._decorator(call, owner, name)
        elif name in _GIVEN and owner:
            self._given(call, owner, name)
        elif name in ("include_router", "register_blueprint", "mount") and owner:
            self._mount(call, owner, name)
        elif name in ("Route", "WebSocketRoute") and self._framework in ("starlette", "fastapi"):
            self._route_object(call)
        elif self._django and name in _DJANGO and not owner:
            self._django_path(call, name)
        else:
            found = client_call(call, self._scope)
            if found is not None:
                self._facts.calls.append(found)

    def _known(self, owner: str) -> str | None:
        """The framework of what routes are registered on."""
        made = next((one.framework for one in self._facts.routers if one.name == owner), None)
        return made or (self._framework if _ROUTED.search(owner) else None)

    def _decorator(self, call: Node, owner: str, name: str) -> None:
        framework = self._known(owner)
        if framework is None:
            return
        around = self._decorated[call.id]
        function = around.child_by_field_name("definition")
        if function is None:
            return
        methods = (name.upper(),) if name in _VERBS else _methods(call)
        if not methods and name == "route" and framework == "flask":
            methods = ("GET",)
        body = function.child_by_field_name("body") or function
        self._add(
            call, owner, framework, methods, _name(function), (around, body), _names(function)
        )

    def _given(self, call: Node, owner: str, name: str) -> None:
        framework = self._known(owner)
        if framework is None:
            return
        handler = argument(call, 2 if name == "add_url_rule" else 1)
        handler = keyword(call, "view_func") or keyword(call, "endpoint") or handler
        methods = _methods(call) or (() if name == "add_route" else ("GET",))
        self._add(call, owner, framework, methods, _handler(handler), None)

    def _route_object(self, call: Node) -> None:
        handler = keyword(call, "endpoint") or argument(call, 1)
        around = list(self._mounted.of(call))
        prefixes = [literal(keyword(one, "path") or argument(one, 0)) for one in reversed(around)]
        self._add(call, "", "starlette", _methods(call), _handler(handler), None)
        if self._facts.registrations:
            last = self._facts.registrations[-1]
            last.enclosed = tuple(text for text, _ in prefixes)
            last.enclosed_at = tuple(where for _, where in prefixes)

    def _django_path(self, call: Node, name: str) -> None:
        view = keyword(call, "view") or argument(call, 1)
        first = keyword(call, "route") or argument(call, 0)
        owner = self._list_name(call)
        if view is not None and _called(view) == "include":
            child = _included(view)
            prefix, where = literal(first)
            line = call.start_point[0] + 1
            if child:
                self._facts.mounts.append(Mounted(owner, child, prefix, where, line))
            return
        framework = "django" if name == "path" else "django-regex"
        self._add(call, owner, framework, (), _handler(view), None, path=first)

    def _list_name(self, call: Node) -> str:
        """The variable whose list a Django `path()` stands in."""
        around = next(self._assigned.of(call), None)
        return text_of(around.child_by_field_name("left")) if around is not None else "urlpatterns"

    def _mount(self, call: Node, owner: str, name: str) -> None:
        first, second = argument(call, 0), argument(call, 1)
        key = "url_prefix" if name == "register_blueprint" else "prefix"
        given = keyword(call, key)
        if name == "mount":
            first, given = keyword(call, "app") or second, keyword(call, "path") or first
        if first is None:
            return
        prefix, where = literal(given) if given is not None else ("", NOWHERE)
        replaces = name == "register_blueprint" and given is not None
        line = call.start_point[0] + 1
        self._facts.mounts.append(
            Mounted(owner, text_of(first), prefix, where, line, replaces, name)
        )

    def _add(
        self,
        call: Node,
        owner: str,
        framework: str,
        methods: tuple[str, ...],
        handler: str,
        region: tuple[Node, Node] | None,
        parameters: tuple[str, ...] = (),
        path: Node | None = None,
    ) -> None:
        given = path or keyword(call, "path") or keyword(call, "rule") or argument(call, 0)
        if given is None:
            return
        text, where = literal(given)
        whole, body = region or (call, call)
        self._facts.registrations.append(
            Registration(
                owner, framework, methods, (text,), (where,), handler, call.start_point[0] + 1,
                (whole.start_byte, whole.end_byte), (body.start_byte, body.end_byte),
                region is not None, parameters=parameters,
            )
        )  # fmt: skip


def _methods(call: Node) -> tuple[str, ...]:
    given = keyword(call, "methods")
    if given is None or given.type not in ("list", "tuple", "set"):
        return ()
    named = (literal(one)[0] for one in given.named_children)
    return tuple(sorted({name.upper() for name in named if name}))


def _owner(function: Node | None) -> str:
    owner = function.child_by_field_name("object") if function is not None else None
    return text_of(owner)


def _last(function: Node | None) -> str:
    if function is None:
        return ""
    return text_of(function.child_by_field_name("attribute") or function)


def _called(node: Node) -> str:
    return _last(node.child_by_field_name("function")) if node.type == "call" else ""


def _name(function: Node) -> str:
    return text_of(function.child_by_field_name("name"))


def _names(function: Node) -> tuple[str, ...]:
    """The names of a function's parameters."""
    given = function.child_by_field_name("parameters")
    found = []
    for one in given.named_children if given is not None else ():
        name = one if one.type == "identifier" else one.child_by_field_name("name")
        found.append(text_of(name if name is not None else next(iter(one.named_children), None)))
    return tuple(found)


def _handler(node: Node | None) -> str:
    """`views.detail` or `DetailView` of `DetailView.as_view()`."""
    if node is not None and node.type == "call":
        node = node.child_by_field_name("function")
        return text_of(node).removesuffix(".as_view")
    return text_of(node) if node is not None and node.type in ("identifier", "attribute") else ""


def _field(node: Node, name: str) -> int:
    """The id of a node's child; 0 if it has none."""
    found = node.child_by_field_name(name)
    return found.id if found is not None else 0


def _included(call: Node) -> str:
    """What `include("app.urls")` or `include(patterns)` includes."""
    first = argument(call, 0)
    if first is not None and first.type == "tuple" and first.named_children:
        first = first.named_children[0]
    text, _ = literal(first)
    return f"'{text}" if text is not None else text_of(first)
