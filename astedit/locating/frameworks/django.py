"""Django: `urlpatterns`, and the patterns they include."""

from collections.abc import Callable, Mapping

from tree_sitter import Node

from astedit.locating.frameworks.python_file import (
    PythonCall,
    PythonFramework,
    argument,
    called,
    handler_of,
    keyword,
    literal,
)
from astedit.locating.frameworks.syntax import line_of, text_of
from astedit.locating.frameworks.table import marks
from astedit.locating.frameworks.web_facts import Mount


class Django(PythonFramework):
    """`path("x/", view)`, `re_path(r"^x/$", view)`, `path("x/", include("app.urls"))`."""

    name = "django"
    route_marks = marks(b"urlpatterns")

    def readers(self) -> Mapping[str, Callable[[PythonCall], None]]:
        if "django" not in self.file.packages or b"urlpatterns" not in self.file.source:
            return {}
        return dict.fromkeys(("path", "re_path", "url"), self._path)

    def _path(self, call: PythonCall) -> None:
        if call.owner:
            return
        view = keyword(call.node, "view") or argument(call.node, 1)
        path = keyword(call.node, "route") or argument(call.node, 0)
        around = next(self.file.assignments.of(call.node), None)  # the list it stands in
        patterns = text_of(around.child_by_field_name("left")) if around else "urlpatterns"
        if view is not None and called(view) == "include":
            if child := _included(view):
                mount = Mount(patterns, child, literal(path), line_of(call.node))
                self.file.facts.mounts.append(mount)
            return
        framework = "django" if call.name == "path" else "django-regex"
        listed = PythonCall(call.node, patterns, call.name)
        route = self.file.add_route(listed, framework, (), handler_of(view), path)
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


FRAMEWORK = Django
