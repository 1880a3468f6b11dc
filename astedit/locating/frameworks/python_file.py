"""One Python file, read for all frameworks at once: its decorators and its calls.

Decorators such as `@app.get("/x")` are alike in all frameworks. All else is read by what a
framework has for calls of a name.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

from tree_sitter import Node

from astedit.locating.frameworks.syntax import Ancestors, WebFile, is_long, line_of, text_of
from astedit.locating.frameworks.table import FrameworkMark
from astedit.locating.frameworks.web_facts import (
    EMPTY,
    NO_TEXT,
    NOWHERE,
    ImportedName,
    Mount,
    PathText,
    Registration,
    Router,
    WebFacts,
)
from astedit.python.syntax import argument, every_node, imports_of, parameters
from astedit.text.source import ByteRange

VERBS = frozenset({"get", "post", "put", "delete", "patch", "head", "options", "trace"})
_DECORATORS = VERBS | {"route", "api_route", "websocket"}
_ROUTED = re.compile(r"app|rout|blueprint|bp|api|server", re.IGNORECASE)  # from another module


class PythonCall(NamedTuple):
    """A call `owner.name(...)`; `owner` is "" where a plain name is called."""

    node: Node
    owner: str
    name: str


class PythonFramework(NamedTuple):
    """One framework in Python.

    A file is of the framework if it imports one of `packages`. `routers` are the classes
    that routes are registered on, each with the keyword for its prefix ("" for none).
    `route_methods` are those of a decorator `route` that names none. `readers` read calls, by
    the last name of what is called.
    """

    name: str
    route_marks: tuple[FrameworkMark, ...]
    packages: tuple[str, ...] = ()
    routers: Mapping[str, str] = MappingProxyType({})
    route_methods: tuple[str, ...] = ()
    readers: Mapping[str, "CallReader"] = MappingProxyType({})


class PythonFile(WebFile):
    """One module; its `bindings` are there for whoever asks what a name is set to."""

    named_kinds = ("function_definition", "class_definition")
    text_kinds = ("string", "concatenated_string", "binary_operator")
    sum_kind = "binary_operator"

    def __init__(
        self, root: Node, source: bytes, language: str, frameworks: Sequence[PythonFramework]
    ) -> None:
        super().__init__(root, source, language)
        imports = self.facts.imports = imported(root)
        absolute = [name for name in imports if not name.dots]
        self.packages = [name.module.partition(".")[0] for name in absolute]
        self._full_names = {
            name.local: f"{name.module}.{name.name}" if name.name else name.module
            for name in absolute
        }
        self.calls = self.nodes("call")
        self._kinds = {kind.name: kind for kind in frameworks}
        homes = {package: kind.name for kind in frameworks for package in kind.packages}
        self.framework = next((homes[name] for name in self.packages if name in homes), None)
        self._decorated = {  # definitions by the ids of the calls that decorate them
            call.id: whole
            for whole in self.nodes("decorated_definition")
            for note in whole.children
            if note.type == "decorator"
            for call in note.children
        }

    @cached_property
    def assignments(self) -> Ancestors:
        """The assignments of the file."""
        return Ancestors(self.nodes("assignment", "augmented_assignment"))

    @cached_property
    def starlette_mounts(self) -> Ancestors:
        """The `Mount` objects of the file, in whose lists routes stand."""
        return Ancestors([call for call in self.calls if called(call) == "Mount"])

    def read(self, client: Callable[[PythonCall], None]) -> WebFacts:
        """The facts of the file: its routers first, then its calls in source order.

        `client` reads what calls a client; it is asked about all that decorates nothing.
        """
        self._read_routers()
        readers: dict[str, list[CallReader]] = {}
        for kind in self._kinds.values():
            for name, reader in kind.readers.items():
                readers.setdefault(name, []).append(reader)
        for node in self.calls:
            function = node.child_by_field_name("function")
            call = PythonCall(node, owner_of(function), last_name(function))
            if node.id in self._decorated and call.owner and call.name in _DECORATORS:
                self._read_decorator(call)
                continue
            for reader in readers.get(call.name, ()):
                reader(self, call)
            client(call)
        return self.facts

    def _read_routers(self) -> None:
        """`router = APIRouter(prefix="/api")`: a variable that routes are registered on."""
        maker = {name: kind for kind in self._kinds.values() for name in kind.routers}
        rights = ((node, node.child_by_field_name("right")) for node in self.nodes("assignment"))
        values = {value.id: node for node, value in rights if value is not None}
        for call in self.calls:
            name, parent = called(call), values.get(call.id)
            if name not in maker or parent is None:
                continue
            prefix = argument(call, None, maker[name].routers[name])
            router = Router(
                name=text_of(parent.child_by_field_name("left")),
                framework=maker[name].name,
                prefix=literal(prefix) if prefix is not None else EMPTY,
                line=line_of(call),
                maker=name,
            )
            self.facts.routers.append(router)

    def framework_of(self, owner: str) -> str | None:
        """The framework of what routes are registered on; None if it may be anything."""
        if (router := self.facts.router(owner)) is not None:
            return router.framework
        return self.framework if _ROUTED.search(owner) else None

    def _read_decorator(self, call: PythonCall) -> None:
        if (framework := self.framework_of(call.owner)) is None:
            return
        methods = (call.name.upper(),) if call.name in VERBS else methods_of(call.node)
        if call.name == "route":
            methods = methods or self._kinds[framework].route_methods
        self.add_handler(call, framework, methods)

    def add_handler(self, call: PythonCall, framework: str, methods: tuple[str, ...]) -> None:
        """Adds the route of a call, if that decorates a handler."""
        whole = self._decorated.get(call.node.id)
        function = whole.child_by_field_name("definition") if whole is not None else None
        if whole is None or function is None:
            return
        name = text_of(function.child_by_field_name("name"))
        route = self.add_route(call, framework, methods, name)
        if route is not None:
            route.region = True
            route.span = whole.byte_range
            route.body = (function.child_by_field_name("body") or function).byte_range
            listing = parameters(function.child_by_field_name("parameters"))
            route.parameters = tuple(text_of(item.name) for item in listing)

    def add_route(
        self,
        call: PythonCall,
        framework: str,
        methods: tuple[str, ...],
        handler: str,
        path: Node | None = None,
    ) -> Registration | None:
        """Adds the route of a call, and returns it for what only the framework knows.

        Without `path`, that is the argument of this name, or `rule`, or the first one.
        """
        node = call.node
        path = path or argument(node, 0, "path", "rule")
        if path is None:
            return None
        span = node.byte_range
        route = Registration(
            call.owner, framework, methods, (literal(path),), handler, line_of(node), span, span
        )
        self.facts.registrations.append(route)
        return route

    # -- names and texts ----------------------------------------------------------------------

    def bindings(self) -> Iterator[tuple[Node, str, Node]]:
        """Each assignment and `as` in source order: its node, the name, and the value.

        A constant can be read in texts from its binding on.
        """
        top = {node.id for statement in self.root.children for node in statement.children}
        for node in self.nodes("assignment", "as_pattern"):
            name, value = _bound(node)
            if value is None or not name:
                continue
            if value.type in self.text_kinds and node.type == "assignment" and node.id in top:
                self.constants.setdefault(name, value)
            yield node, name, value

    def functions(self, node: Node) -> Iterator[int]:
        """The functions around a node, then the module, as keys."""
        around = self.around.of(node)
        yield from (outer.id for outer in around if outer.type == "function_definition")
        yield 0

    def full(self, node: Node | None) -> str:
        """The full name of a dotted expression, its head looked up among the imports."""
        head, dot, rest = text_of(node).partition(".")
        return self._full_names.get(head, head) + dot + rest

    def string(self, node: Node, depth: int) -> str | None:
        if node.type == "string":
            return self._string(node, depth)
        if node.type == "concatenated_string":
            return "".join(self.text(part, depth + 1) for part in node.named_children)
        if node.type == "parenthesized_expression":
            return self.text(node.named_children[0], depth + 1)
        return None

    def _string(self, node: Node, depth: int) -> str:
        parts = []
        for part in node.children[1:-1]:
            if part.type == "interpolation":
                inner = part.child_by_field_name("expression")
                is_constant = inner is not None and text_of(inner) in self.constants
                parts.append(
                    self.text(inner, depth + 1) if is_constant else f"{{{text_of(inner)}}}"
                )
            else:
                parts.append(text_of(part))
        return "".join(parts)

    def written(self, url: Node) -> ByteRange:
        if url.type != "string":
            return NOWHERE
        return url.children[0].end_byte, url.children[-1].start_byte


CallReader = Callable[[PythonFile, PythonCall], None]


def registers(handler: int, *methods: str) -> CallReader:
    """Reads `app.add_route("/x", f)`: `handler` is the number of `f`.

    `methods` are those of a call that names none.
    """

    def read(file: PythonFile, call: PythonCall) -> None:
        framework = file.framework_of(call.owner)
        if call.owner and framework is not None:
            view = argument(call.node, handler, "view_func", "endpoint")
            file.add_route(call, framework, methods_of(call.node) or methods, handler_of(view))

    return read


_MOUNTED = ("app", "router", "blueprint")


def mounts(child: int, prefix: str, at: int | None = None, *, replaces: bool = False) -> CallReader:
    """Reads `app.include(other, prefix="/x")`: `child` is the number of `other`.

    The prefix is a keyword, or the argument with the number `at`. `replaces` is as in `Mount`.
    """

    def read(file: PythonFile, call: PythonCall) -> None:
        mounted, path = argument(call.node, child, *_MOUNTED), argument(call.node, at, prefix)
        if mounted is not None and call.owner:
            text = literal(path) if path is not None else EMPTY
            instead = replaces and path is not None
            line, maker = line_of(call.node), call.name
            file.facts.mounts.append(
                Mount(call.owner, text_of(mounted), text, line, instead, maker)
            )

    return read


def _bound(node: Node) -> tuple[str, Node | None]:
    """The name that an assignment or an `as` binds, and the value."""
    if node.type == "assignment":
        return text_of(node.child_by_field_name("left")), node.child_by_field_name("right")
    value = node.named_children[0] if node.named_children else None
    return text_of(node.child_by_field_name("alias")), value


def literal(node: Node | None) -> PathText:
    """What a plain string says, and where that text stands."""
    if node is None or node.type != "string" or is_long(node):
        return NO_TEXT
    start, content = node.children[0], node.children[1:-1]
    if "f" in text_of(start).lower() or any(part.type == "interpolation" for part in content):
        return NO_TEXT
    place = (start.end_byte, node.children[-1].start_byte)
    return PathText("".join(text_of(part) for part in content), place)


def methods_of(call: Node) -> tuple[str, ...]:
    """The HTTP methods in `methods=["GET", "POST"]`."""
    listed = argument(call, None, "methods")
    if listed is None or listed.type not in ("list", "tuple", "set"):
        return ()
    names = (literal(node).text for node in listed.named_children)
    return tuple(sorted({name.upper() for name in names if name}))


def owner_of(function: Node | None) -> str:
    """`app` of the function `app.route`; "" of a plain name."""
    return text_of(function.child_by_field_name("object")) if function is not None else ""


def last_name(function: Node | None) -> str:
    """`route` of the function `app.route`."""
    if function is None:
        return ""
    return text_of(function.child_by_field_name("attribute") or function)


def called(node: Node) -> str:
    """The last name of what a call calls; "" if the node is no call."""
    return last_name(node.child_by_field_name("function")) if node.type == "call" else ""


def handler_of(node: Node | None) -> str:
    """`views.detail`, or `DetailView` of `DetailView.as_view()`."""
    if node is not None and node.type == "call":
        return text_of(node.child_by_field_name("function")).removesuffix(".as_view")
    return text_of(node) if node is not None and node.type in ("identifier", "attribute") else ""


_NO_STATEMENTS = frozenset(
    {"expression_statement", "function_definition", "comment", "string", "return_statement",
     "assert_statement", "decorator", "raise_statement"}
)  # fmt: skip


def imported(root: Node) -> list[ImportedName]:
    """Each import of a module, in source order. A star is its own local name."""
    names: list[ImportedName] = []
    for node in every_node(root, _NO_STATEMENTS):
        if node.type in ("import_statement", "import_from_statement"):
            for local, source in imports_of(node):
                head = local.partition(".")[0]  # all that `import a.b` binds
                module = head if local == source.module and not source.name else source.module
                names.append(ImportedName(head, source.level, module, source.name or ""))
    return names
