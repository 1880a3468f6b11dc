"""Spring: classes whose methods have mappings such as `@GetMapping("/x")`."""

import re
from collections.abc import Callable, Iterable, Iterator

from tree_sitter import Node

from astedit.locating.frameworks.java_file import HTTP, JavaFramework, annotations, element, literal
from astedit.locating.frameworks.syntax import line_of, text_of
from astedit.locating.frameworks.table import marks
from astedit.locating.frameworks.web_facts import EMPTY, PathText, Registration

_VERBS = {f"{verb.title()}Mapping": verb for verb in ("GET", "POST", "PUT", "DELETE", "PATCH")}


class Spring(JavaFramework):
    """`@RequestMapping("/api") class A { @GetMapping("/x") ... }`."""

    name = "spring"
    route_marks = marks(b"Mapping")

    def read_type(self, declaration: Node) -> None:
        """Adds the routes of a controller. What Feign makes of mappings are calls."""
        notes = dict(annotations(declaration))
        if "FeignClient" in notes:
            return
        for method, name, note in mappings(declaration):
            self._add(method, name, note, class_paths(notes))

    def _add(self, method: Node, name: str, note: Node, prefixes: tuple[PathText, ...]) -> None:
        first, *others = prefixes
        self.file.facts.registrations.append(
            Registration(
                owner="",
                framework=self.name,
                methods=methods(name, note),
                paths=paths(note),
                handler=self.file.enclosing(method),
                line=line_of(note),
                span=method.byte_range,
                body=(method.child_by_field_name("body") or method).byte_range,
                region=True,
                enclosed=() if first.text == "" else (first,),
                others=tuple(others),
                enclosed_by="RequestMapping",
                relative=True,
            )
        )


def class_paths(notes: dict[str, Node]) -> tuple[PathText, ...]:
    """The paths of the `@RequestMapping` of a class; one empty path if it has none."""
    note = notes.get("RequestMapping")
    return (paths(note) if note is not None else ()) or (EMPTY,)


def mappings(declaration: Node) -> Iterator[tuple[Node, str, Node]]:
    """The methods of a type that have a mapping: method, name of the mapping, annotation."""
    body = declaration.child_by_field_name("body")
    for method in body.named_children if body is not None else ():
        for name, note in annotations(method):
            if name in _VERBS or name == "RequestMapping":
                yield method, name, note


def paths(note: Node) -> tuple[PathText, ...]:
    """The paths of a mapping; one empty path if it says none."""
    if (value := element(note, "value", "path")) is None:
        return (EMPTY,)
    listed = value.named_children if value.type == "element_value_array_initializer" else [value]
    return tuple(literal(node) for node in listed if not node.type.endswith("comment"))


def methods(name: str, note: Node) -> tuple[str, ...]:
    """The HTTP methods of a mapping; () for all of them."""
    if name in _VERBS:
        return (_VERBS[name],)
    return tuple(sorted(set(HTTP.findall(text_of(element(note, "method"))))))


FRAMEWORK = Spring


FILES = ("application.properties", "application.yml", "application.yaml")
_SET = re.compile(rb"^\s*(?:[\w.-]*\.)?context-path\s*[:=]\s*['\"]?(/[^\s'\"#]*)", re.MULTILINE)


def context_path(
    root: str, files: Iterable[str], read: Callable[[str], bytes | None]
) -> tuple[str, str, int] | None:
    """The context path for routes below the source root `root`, and the file and line that set it.

    Settings are those of the same source root, or of the module around it. `read` gives
    the bytes of a file, None if it has none.
    """
    home = "" if root == "." else root.removesuffix("src").rstrip("/")
    for file in files:
        if home and not file.startswith(f"{home}/"):
            continue
        raw = read(file)
        setting = _SET.search(raw) if raw is not None else None
        if raw is not None and setting is not None:
            line = raw.count(b"\n", 0, setting.start(1)) + 1
            return setting[1].decode("utf-8", "replace"), file, line
    return None
