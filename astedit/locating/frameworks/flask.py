"""Flask, and Quart, which is written alike."""

from collections.abc import Callable, Mapping
from typing import ClassVar

from astedit.locating.frameworks.framework import marks, word
from astedit.locating.frameworks.python_file import VERBS, PythonCall, PythonFramework
from astedit.locating.frameworks.python_syntax import argument, handler_of, keyword, methods_of


class Flask(PythonFramework):
    """`@app.route("/x")`, `app.add_url_rule("/x", ...)`, and blueprints."""

    name = "flask"
    route_marks = (*marks(b"flask", b"Blueprint", b"Flask", b"register_blueprint"), word(b"quart"))
    packages = ("flask", "quart")
    routers: ClassVar[Mapping[str, str]] = {"Flask": "", "Quart": "", "Blueprint": "url_prefix"}
    decorators = VERBS | {"route", "websocket"}
    route_methods = ("GET",)

    def readers(self) -> Mapping[str, Callable[[PythonCall], None]]:
        return {"add_url_rule": self._rule, "register_blueprint": self._blueprint}

    def _rule(self, call: PythonCall) -> None:
        framework = self.file.framework_of(call.owner)
        if call.owner and framework is not None:
            view = keyword(call.node, "view_func") or keyword(call.node, "endpoint")
            handler = handler_of(view or argument(call.node, 2))
            self.file.add_route(call, framework, methods_of(call.node) or ("GET",), handler)

    def _blueprint(self, call: PythonCall) -> None:
        prefix = keyword(call.node, "url_prefix")
        self.file.add_mount(call, argument(call.node, 0), prefix, replaces=prefix is not None)


FRAMEWORK = Flask
