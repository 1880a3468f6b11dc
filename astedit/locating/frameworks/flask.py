"""Flask, and Quart, which is written alike."""

from collections.abc import Callable, Mapping
from typing import ClassVar

from astedit.locating.frameworks.python_file import (
    VERBS,
    PythonCall,
    PythonFramework,
    argument,
    keyword,
)
from astedit.locating.frameworks.table import marks, word


class Flask(PythonFramework):
    """`@app.route("/x")`, `app.add_url_rule("/x", ...)`, and blueprints."""

    name = "flask"
    route_marks = (*marks(b"flask", b"Blueprint", b"Flask", b"register_blueprint"), word(b"quart"))
    packages = ("flask", "quart")
    routers: ClassVar = {"Flask": "", "Quart": "", "Blueprint": "url_prefix"}
    decorators = VERBS | {"route", "websocket"}
    route_methods = ("GET",)
    registering: ClassVar = {"add_url_rule": (2, route_methods)}

    def readers(self) -> Mapping[str, Callable[[PythonCall], bool | None]]:
        return {**super().readers(), "register_blueprint": self._blueprint}

    def _blueprint(self, call: PythonCall) -> None:
        prefix = keyword(call.node, "url_prefix")
        self.file.add_mount(call, argument(call.node, 0), prefix, replaces=prefix is not None)


FRAMEWORK = Flask
