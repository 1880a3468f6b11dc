"""FastAPI: decorators on applications and routers, and routers that include routers."""

from collections.abc import Callable, Mapping
from typing import ClassVar

from astedit.locating.frameworks.framework import marks
from astedit.locating.frameworks.python_file import VERBS, PythonCall, PythonFramework
from astedit.locating.frameworks.python_syntax import argument, handler_of, keyword, methods_of


class FastAPI(PythonFramework):
    """`@router.get("/x")`, `app.add_api_route("/x", ...)`, `app.include_router(router)`."""

    name = "fastapi"
    route_marks = marks(b"fastapi", b"FastAPI", b"APIRouter", b"include_router")
    packages = ("fastapi",)
    routers: ClassVar[Mapping[str, str]] = {"FastAPI": "", "APIRouter": "prefix"}
    decorators = VERBS | {"route", "api_route", "websocket"}

    def readers(self) -> Mapping[str, Callable[[PythonCall], None]]:
        return {"add_api_route": self._route, "include_router": self._router}

    def _route(self, call: PythonCall) -> None:
        framework = self.file.framework_of(call.owner)
        if call.owner and framework is not None:
            view = keyword(call.node, "view_func") or keyword(call.node, "endpoint")
            handler = handler_of(view or argument(call.node, 1))
            self.file.add_route(call, framework, methods_of(call.node) or ("GET",), handler)

    def _router(self, call: PythonCall) -> None:
        self.file.add_mount(call, argument(call.node, 0), keyword(call.node, "prefix"))


FRAMEWORK = FastAPI
