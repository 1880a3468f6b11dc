"""Java: Spring, Feign, and calls of RestTemplate, WebClient and RestClient."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from tree_sitter import Node

from astedit.locating.frameworks.syntax import WebFile, is_long, line_of, text_of
from astedit.locating.frameworks.table import marks
from astedit.locating.frameworks.web_facts import (
    EMPTY,
    NO_TEXT,
    ClientCall,
    ClientObject,
    PathText,
    Registration,
    WebFacts,
)
from astedit.text.source import ByteRange

ROUTE_MARKS = marks(b"Mapping")
CLIENT_MARKS = marks(b"FeignClient", b"RestTemplate", b"WebClient", b"RestClient")
_TYPES = ("class_declaration", "interface_declaration", "record_declaration")
_VARIABLES = ("field_declaration", "local_variable_declaration", "formal_parameter")
_VERBS = {f"{verb.title()}Mapping": verb for verb in ("GET", "POST", "PUT", "DELETE", "PATCH")}
_HTTP = re.compile(r"\b(?:HttpMethod|RequestMethod)?\.?(GET|POST|PUT|DELETE|PATCH|HEAD|OPTIONS)\b")
_TEMPLATES = ("RestTemplate", "TestRestTemplate")
_TEMPLATE_CALL = re.compile(r"(get|post|patch|put|delete|head|options)(?:For\w+)?$")
_BASE_TEXT = re.compile(r'(?:baseUrl|create)\(\s*"([^"]*)"')
_BASE_NAME = re.compile(r"(?:baseUrl|create)\(\s*([A-Za-z_][\w.]*)\s*\)")


class Variable(NamedTuple):
    """A field, local variable or parameter: its type, and what it is set to at once."""

    type: str
    value: Node | None


class JavaFile(WebFile):
    """One file; its constants are the variables that are set to a text at once."""

    named_kinds = (*_TYPES, "method_declaration", "constructor_declaration", "enum_declaration")

    def read(self) -> WebFacts:
        """The facts of the file: those of its types first, then those of its calls."""
        for declaration in self.nodes(*_TYPES):
            notes = dict(_annotations(declaration))
            if "FeignClient" in notes:
                self._feign(declaration, notes)
            else:
                self._spring(declaration, notes)
        for call in self.nodes("method_invocation"):
            self._read_call(call)
        self.facts.calls.sort(key=lambda call: call.span)
        return self.facts

    # -- types ------------------------------------------------------------------------------------

    def _spring(self, declaration: Node, notes: dict[str, Node]) -> None:
        """The routes of `@RequestMapping("/api") class A { @GetMapping("/x") ... }`."""
        first, *others = _class_paths(notes)
        for method, name, note in _mappings(declaration):
            self.facts.registrations.append(
                Registration(
                    owner="",
                    framework="spring",
                    methods=_methods(name, note),
                    paths=_paths(note),
                    handler=self.enclosing(method),
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

    def _feign(self, declaration: Node, notes: dict[str, Node]) -> None:
        """The calls of `@FeignClient(name = "remote") interface F { @GetMapping("/x") ... }`.

        Its own `path` goes before that of a mapping.
        """
        feign = notes["FeignClient"]
        own = _element(feign, "path")
        prefix = _literal(own) if own is not None else _class_paths(notes)[0]
        target = _literal(_element(feign, "name", "value", "serviceId")).text or "?"
        mapped = ((item, path) for item in _mappings(declaration) for path in _paths(item[2]))
        for (method, name, note), path in mapped:
            parts = ((prefix.text or "").strip("/"), (path.text or "").lstrip("/"))
            self.facts.calls.append(
                ClientCall(
                    library="feign",
                    method=(*_methods(name, note), "ANY")[0],
                    url=f"/{'/'.join(filter(None, parts))}",
                    base=None,
                    target=target,
                    enclosing=self.enclosing(method),
                    line=line_of(note),
                    literal=path.place,
                    span=method.byte_range,
                )
            )

    # -- calls ------------------------------------------------------------------------------------

    def _read_call(self, call: Node) -> None:
        """`template.getForObject(url, ...)`, or `client.get().uri(url)`."""
        name = text_of(call.child_by_field_name("name"))
        owner = call.child_by_field_name("object")
        arguments = call.child_by_field_name("arguments")
        if arguments is None or not arguments.named_children:
            return
        url = arguments.named_children[0]
        template = self._variable(owner)
        if template is not None and template.type in _TEMPLATES:
            if (method := _template_method(name, arguments)) is not None:
                self.add_call(call, ClientObject("resttemplate", None), method, url)
        elif name == "uri" and owner is not None and owner.type == "method_invocation":
            self._web_client(call, owner, url)

    def _web_client(self, call: Node, owner: Node, url: Node) -> None:
        """`client.get().uri("/x")`, where `client` is a WebClient."""
        verb = text_of(owner.child_by_field_name("name"))
        maker = owner.child_by_field_name("object")
        variable = self._variable(maker) or Variable("", maker)
        if variable.type not in ("WebClient", "RestClient") and "WebClient" not in text_of(maker):
            return
        named = _HTTP.search(text_of(owner.child_by_field_name("arguments")))
        method = named[1] if verb == "method" and named else verb.upper()
        client = ClientObject("webclient", _base(text_of(variable.value)))
        self.add_call(call, client, method, url)

    def _variable(self, node: Node | None) -> Variable | None:
        return self._variables.get(text_of(node).removeprefix("this."))

    @cached_property
    def _variables(self) -> dict[str, Variable]:
        """Variables by name, wherever they are; the first of several."""
        variables: dict[str, Variable] = {}
        for node in self.nodes(*_VARIABLES):
            kind = text_of(node.child_by_field_name("type"))
            for declarator in node.children_by_field_name("declarator") or [node]:
                name = text_of(declarator.child_by_field_name("name"))
                variables.setdefault(name, Variable(kind, declarator.child_by_field_name("value")))
        for name, (_, value) in variables.items():
            if value is not None and value.type == "string_literal":
                self.constants[name] = value
        return variables

    def string(self, node: Node, depth: int) -> str | None:
        return _literal(node).text

    def written(self, url: Node) -> ByteRange:
        return _literal(url).place


def read(root: Node, source: bytes, language: str) -> WebFacts:
    """What a file says about routes and clients."""
    return JavaFile(root, source, language).read()


def _template_method(name: str, arguments: Node) -> str | None:
    """The method that a call of a RestTemplate sends; None if it sends nothing."""
    if (verb := _TEMPLATE_CALL.match(name)) is not None:
        return verb[1].upper()
    if name not in ("exchange", "execute"):
        return None
    named = _HTTP.search(text_of(arguments))
    return named[1] if named else "ANY"


def _base(maker: str) -> str | None:
    """The base URL of a client in the expression that makes it."""
    if text := _BASE_TEXT.search(maker):
        return text[1]
    name = _BASE_NAME.search(maker)
    return f"{{{name[1]}}}" if name else None


def _annotations(node: Node) -> Iterator[tuple[str, Node]]:
    """The annotations of a declaration, each with its last name."""
    for modifiers in node.named_children:
        if modifiers.type == "modifiers":
            for note in modifiers.named_children:
                if note.type in ("annotation", "marker_annotation"):
                    yield text_of(note.child_by_field_name("name")).rpartition(".")[2], note


def _element(note: Node, *names: str) -> Node | None:
    """The element of an annotation with one of these names; `value` may go unnamed."""
    arguments = note.child_by_field_name("arguments")
    for node in arguments.named_children if arguments is not None else ():
        if node.type == "element_value_pair":
            if text_of(node.child_by_field_name("key")) in names:
                return node.child_by_field_name("value")
        elif "value" in names:
            return node
    return None


def _class_paths(notes: dict[str, Node]) -> tuple[PathText, ...]:
    """The paths of the `@RequestMapping` of a class; one empty path if it has none."""
    note = notes.get("RequestMapping")
    return (_paths(note) if note is not None else ()) or (EMPTY,)


def _mappings(declaration: Node) -> Iterator[tuple[Node, str, Node]]:
    """The methods of a type that have a mapping: method, name of the mapping, annotation."""
    body = declaration.child_by_field_name("body")
    for method in body.named_children if body is not None else ():
        for name, note in _annotations(method):
            if name in _VERBS or name == "RequestMapping":
                yield method, name, note


def _paths(note: Node) -> tuple[PathText, ...]:
    """The paths of a mapping; one empty path if it says none."""
    if (value := _element(note, "value", "path")) is None:
        return (EMPTY,)
    listed = value.named_children if value.type == "element_value_array_initializer" else [value]
    return tuple(_literal(node) for node in listed if not node.type.endswith("comment"))


def _methods(name: str, note: Node) -> tuple[str, ...]:
    """The HTTP methods of a mapping; () for all of them."""
    if name in _VERBS:
        return (_VERBS[name],)
    return tuple(sorted(set(_HTTP.findall(text_of(_element(note, "method"))))))


def _literal(node: Node | None) -> PathText:
    """What a string literal says, and where that text stands."""
    if node is None or node.type != "string_literal" or is_long(node):
        return NO_TEXT
    if text_of(node).startswith('"""'):
        return NO_TEXT
    return PathText(text_of(node)[1:-1], (node.start_byte + 1, node.end_byte - 1))


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
