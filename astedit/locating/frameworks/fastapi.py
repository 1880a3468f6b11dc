"""FastAPI: decorators on applications and routers, and routers that include routers."""

from collections.abc import Callable, Mapping
from typing import ClassVar

from astedit.locating.frameworks.python_file import (
    VERBS,
    PythonCall,
    PythonFramework,
    argument,
    keyword,
)
from astedit.locating.frameworks.table import marks


class FastAPI(PythonFramework):
    """`@router.get("/x")`, `app.add_api_route("/x", ...)`, `app.include_router(router)`."""

    name = "fastapi"
    route_marks = marks(b"fastapi", b"FastAPI", b"APIRouter", b"include_router")
    packages = ("fastapi",)
    routers: ClassVar = {"FastAPI": "", "APIRouter": "prefix"}
    decorators = VERBS | {"route", "api_route", "websocket"}
    registering: ClassVar = {"add_api_route": (1, ("GET",))}

    def readers(self) -> Mapping[str, Callable[[PythonCall], bool | None]]:
        return {**super().readers(), "include_router": self._router}

    def _router(self, call: PythonCall) -> None:
        self.file.add_mount(call, argument(call.node, 0), keyword(call.node, "prefix"))


FRAMEWORK = FastAPI
