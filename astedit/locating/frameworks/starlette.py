"""Starlette: `Route` objects within `Mount` objects, and what FastAPI has from it."""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import ClassVar

from astedit.locating.frameworks.python_file import (
    VERBS,
    PythonCall,
    PythonFramework,
    argument,
    called,
    handler_of,
    keyword,
    literal,
    methods_of,
)
from astedit.locating.frameworks.syntax import Ancestors
from astedit.locating.frameworks.table import marks


class Starlette(PythonFramework):
    """`Route("/x", endpoint)`, `app.add_route("/x", endpoint)`, `app.mount("/x", other)`."""

    name = "starlette"
    route_marks = marks(b"starlette")
    packages = ("starlette",)
    routers: ClassVar = {"Starlette": ""}
    decorators = VERBS | {"route", "websocket"}
    registering: ClassVar = {"add_route": (1, ())}

    def readers(self) -> Mapping[str, Callable[[PythonCall], bool | None]]:
        objects = dict.fromkeys(("Route", "WebSocketRoute"), self._object)
        return {**super().readers(), "mount": self._mount, **objects}

    def _mount(self, call: PythonCall) -> None:
        app = keyword(call.node, "app") or argument(call.node, 1)
        self.file.add_mount(call, app, keyword(call.node, "path") or argument(call.node, 0))

    def _object(self, call: PythonCall) -> None:
        """A `Route`, with the prefixes of the `Mount` objects whose lists it stands in."""
        if self.file.framework not in ("starlette", "fastapi"):
            return
        handler = handler_of(keyword(call.node, "endpoint") or argument(call.node, 1))
        unowned = PythonCall(call.node, "", call.name)
        route = self.file.add_route(unowned, self.name, methods_of(call.node), handler)
        if route is not None:
            around = reversed(list(self._mounts.of(call.node)))
            prefixes = (keyword(mount, "path") or argument(mount, 0) for mount in around)
            route.enclosed = tuple(literal(prefix) for prefix in prefixes)
            route.enclosed_by = "Mount"

    @cached_property
    def _mounts(self) -> Ancestors:
        return Ancestors([call for call in self.file.calls if called(call) == "Mount"])


FRAMEWORK = Starlette
