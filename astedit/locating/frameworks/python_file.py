"""One Python file, read for all frameworks at once: its decorators and its calls.

Decorators such as `@app.get("/x")` are alike in all frameworks, and are read here. All else
is read by the framework that asks for calls of a name.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import ClassVar, NamedTuple

from tree_sitter import Node

from astedit.locating.frameworks.framework import Framework
from astedit.locating.frameworks.python_syntax import (
    argument,
    called,
    imported,
    keyword,
    last_name,
    literal,
    methods_of,
    owner_of,
    parameter_names,
)
from astedit.locating.frameworks.syntax import Ancestors, line_of, nodes_of, span_of, text_of
from astedit.locating.frameworks.web_facts import EMPTY, Mount, Registration, Router, WebFacts

VERBS = frozenset({"get", "post", "put", "delete", "patch", "head", "options", "trace"})
_ROUTED = re.compile(r"app|rout|blueprint|bp|api|server", re.IGNORECASE)  # from another module


class PythonCall(NamedTuple):
    """A call `owner.name(...)`; `owner` is "" where a plain name is called."""

    node: Node
    owner: str
    name: str


class PythonFramework(Framework):
    """One framework in Python, made anew for each file that is read.

    A file is of the framework if it imports one of `packages`. `routers` are the classes
    that routes are registered on, each with the keyword for its prefix ("" for none), and
    `decorators` the methods of these that make a function a handler. What is named like a
    method of HTTP is for that one; `route_methods` are those of `route` if it names none.
    """

    packages: ClassVar[tuple[str, ...]] = ()
    routers: ClassVar[Mapping[str, str]] = {}
    decorators: ClassVar[frozenset[str]] = frozenset()
    route_methods: ClassVar[tuple[str, ...]] = ()

    def __init__(self, file: "PythonFile") -> None:
        self.file = file

    def readers(self) -> Mapping[str, Callable[[PythonCall], bool | None]]:
        """What reads calls, by the last name of what is called.

        A reader that returns True says that the call is nothing else. The reader named ""
        is asked about every call of which no reader has said so.
        """
        return {}


class PythonFile:
    """The tree of one file, the facts read so far, and what frameworks ask about it."""

    def __init__(
        self, root: Node, source: bytes, frameworks: Sequence[type[PythonFramework]]
    ) -> None:
        from astedit.locating.frameworks.python_syntax import PythonScope  # marks need it not

        self.root = root
        self.source = source
        self.facts = WebFacts(imports=imported(root))
        modules = (name.module for name in self.facts.imports if not name.dots)
        self.packages = [module.partition(".")[0] for module in modules]
        self.scope = PythonScope(root, self.facts.imports)
        self.calls = nodes_of(root, "python", ("call",))
        self._kinds = {kind.name: kind for kind in frameworks}
        homes = {package: kind.name for kind in frameworks for package in kind.packages}
        self.framework = next((homes[name] for name in self.packages if name in homes), None)
        self._decorators = frozenset().union(*(kind.decorators for kind in frameworks))
        self._decorated = _decorated(root)
        self._readers: dict[str, list[Callable[[PythonCall], bool | None]]] = {}
        for kind in frameworks:
            for name, reader in kind(self).readers().items():
                self._readers.setdefault(name, []).append(reader)

    @cached_property
    def assignments(self) -> Ancestors:
        """The assignments of the file."""
        return Ancestors(self._assignments)

    @cached_property
    def _assignments(self) -> list[Node]:
        return nodes_of(self.root, "python", ("assignment", "augmented_assignment"))

    def read(self) -> WebFacts:
        """The facts of the file: its routers first, then its calls in source order."""
        self._read_routers()
        for node in self.calls:
            function = node.child_by_field_name("function")
            call = PythonCall(node, owner_of(function), last_name(function))
            if node.id in self._decorated and call.owner and call.name in self._decorators:
                self._read_decorator(call)
            elif not any(reader(call) for reader in self._readers.get(call.name, ())):
                for reader in self._readers.get("", ()):
                    reader(call)
        return self.facts

    def _read_routers(self) -> None:
        """`router = APIRouter(prefix="/api")`: a variable that routes are registered on."""
        maker = {name: kind for kind in self._kinds.values() for name in kind.routers}
        values = {_right(node): node for node in self._assignments}
        for call in self.calls:
            name, parent = called(call), values.get(call.id)
            if name not in maker or parent is None or parent.type != "assignment":
                continue
            prefix = keyword(call, maker[name].routers[name])
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
        routers = self.facts.routers
        maker = next((router.framework for router in routers if router.name == owner), None)
        return maker or (self.framework if _ROUTED.search(owner) else None)

    def _read_decorator(self, call: PythonCall) -> None:
        framework = self.framework_of(call.owner)
        if framework is None:
            return
        methods = (call.name.upper(),) if call.name in VERBS else methods_of(call.node)
        if call.name == "route":
            methods = methods or self._kinds[framework].route_methods
        self.add_handler(call, framework, methods)

    def add_handler(self, call: PythonCall, framework: str, methods: tuple[str, ...]) -> bool:
        """Adds the route of a call that decorates its handler; False if it decorates none."""
        whole = self._decorated.get(call.node.id)
        function = whole.child_by_field_name("definition") if whole is not None else None
        if whole is None or function is None:
            return False
        name = text_of(function.child_by_field_name("name"))
        route = self.add_route(call, framework, methods, name)
        if route is not None:
            route.region = True
            route.span = span_of(whole)
            route.body = span_of(function.child_by_field_name("body") or function)
            route.parameters = parameter_names(function)
        return True

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
        path = path or keyword(node, "path") or keyword(node, "rule") or argument(node, 0)
        if path is None:
            return None
        span = span_of(node)
        paths = (literal(path),)
        route = Registration(
            call.owner, framework, methods, paths, handler, line_of(node), span, span
        )
        self.facts.registrations.append(route)
        return route

    def add_mount(
        self, call: PythonCall, child: Node | None, prefix: Node | None, *, replaces: bool = False
    ) -> None:
        """Adds that a call puts `child` below the prefix of its owner."""
        if child is None or not call.owner:
            return
        text = literal(prefix) if prefix is not None else EMPTY
        mount = Mount(call.owner, text_of(child), text, line_of(call.node), replaces, call.name)
        self.facts.mounts.append(mount)


def read(
    root: Node, source: bytes, language: str, frameworks: Sequence[type[PythonFramework]]
) -> WebFacts:
    """The facts of one file."""
    return PythonFile(root, source, frameworks).read()


def _decorated(root: Node) -> dict[int, Node]:
    """The decorated definition of each call that decorates one, by the id of the call."""
    return {
        call.id: whole
        for whole in nodes_of(root, "python", ("decorated_definition",))
        for note in whole.children
        if note.type == "decorator"
        for call in note.children
    }


def _right(assignment: Node) -> int:
    """The id of what is assigned; 0 if nothing is."""
    value = assignment.child_by_field_name("right")
    return value.id if value is not None else 0
