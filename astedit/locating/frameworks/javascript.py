"""JavaScript and TypeScript: Express, Koa, and calls of fetch, axios, got and ky."""

import re
from typing import NamedTuple

from tree_sitter import Node

from astedit.locating.frameworks.syntax import WebFile, is_long, line_of, text_of
from astedit.locating.frameworks.table import FrameworkMark, marks, word
from astedit.locating.frameworks.web_facts import (
    EMPTY,
    NO_TEXT,
    NOWHERE,
    ClientObject,
    ImportedName,
    Mount,
    PathText,
    Registration,
    Router,
    WebFacts,
)
from astedit.python.syntax import parts_of
from astedit.semantic.imports.javascript_import import import_statements
from astedit.text.source import ByteRange

_VERBS = frozenset({"get", "post", "put", "delete", "patch", "head", "options", "del"})
_FUNCTIONS = frozenset({"arrow_function", "function_expression", "function"})
_STRINGS = ("string", "template_string")
_REQUIRED = re.compile(r"require\(\s*['\"]([^'\"]*)['\"]\s*\)")
_EXPORTS = ("module.exports", "exports.default")
_FETCH = ("fetch", "window.fetch", "globalThis.fetch")
_CLIENTS = ("axios", "got")
_CLIENT_MAKERS = ("axios.create", "got.extend", "ky.create")


class JavaScriptFramework(NamedTuple):
    """One framework in JavaScript.

    `makers` are what makes a router, as it is called: `express.Router`, or `new Koa`. The
    calls of routers are alike in all frameworks.
    """

    name: str
    route_marks: tuple[FrameworkMark, ...]
    makers: tuple[str, ...]


_KOA = ("Koa", "KoaRouter", "koa", "koa-router", "@koa/router")
FRAMEWORKS = (
    JavaScriptFramework(
        "express",
        (word(b"express"), *marks(b"Router")),
        ("express", "new express", "express.Router", "new express.Router", "Router"),
    ),
    JavaScriptFramework(
        "koa",
        (word(b"koa"), *marks(b"Koa", b"Router")),
        (*_KOA, *(f"new {maker}" for maker in _KOA), "new Router"),
    ),
)
ROUTE_MARKS = tuple(mark for framework in FRAMEWORKS for mark in framework.route_marks)
CLIENT_MARKS = (word(b"fetch"), *marks(b"axios"), word(b"got"))
_MAKERS = {maker: framework.name for framework in FRAMEWORKS for maker in framework.makers}


class JavaScriptFile(WebFile):
    """One file: its routers, what is called of them, and what else sends a request."""

    named_kinds = ("function_declaration", "method_definition", "class_declaration",
                   "generator_function_declaration", "function_expression")  # fmt: skip
    text_kinds = (*_STRINGS, "binary_expression")

    def __init__(self, root: Node, source: bytes, language: str) -> None:
        super().__init__(root, source, language)
        self._chains: dict[int, Node | None] = {}
        self._clients = {library: ClientObject(library, None) for library in _CLIENTS}

    def read(self) -> WebFacts:
        """The facts of the file: what its names stand for first, then its calls."""
        for node in self.nodes("variable_declarator"):
            self._read_variable(node)
        for item in (item for s in import_statements(self.root) for item, _ in s.imports):
            self.facts.imports.append(ImportedName(item.bound, 0, item.module, item.name))
        for node in self.nodes("export_statement"):
            if any(text_of(child) == "default" for child in node.children):
                self._export(node.child_by_field_name("value"))
        for node in self.nodes("assignment_expression"):
            if text_of(node.child_by_field_name("left")) in _EXPORTS:
                self._export(node.child_by_field_name("right"))
        calls = self.nodes("call_expression")
        for call in reversed(calls):  # the inner ones of a chain first
            self._chains[call.id] = self._chained(call)
        for call in calls:
            if not self._read_router_call(call):
                self._read_client_call(call)
        return self.facts

    def _read_variable(self, node: Node) -> None:
        name, value = text_of(node.child_by_field_name("name")), node.child_by_field_name("value")
        if value is None or self._bind(name, value):
            return
        if value.type == "await_expression" and value.named_children:
            value = value.named_children[0]
        callee = _REQUIRED.sub(r"\1", text_of(callee_of(value)))
        if callee == "require":
            module = literal(argument(value, 0)).text
            if module is not None:
                self.facts.imports.append(ImportedName(name, 0, module, "default"))
            return
        new = "new " if value.type == "new_expression" else ""
        if new + callee in _MAKERS:
            prefix = option(argument(value, 0), "prefix")
            text = literal(prefix) if prefix is not None else EMPTY
            router = Router(name, _MAKERS[new + callee], text, line_of(value), callee)
            self.facts.routers.append(router)
        if callee in _CLIENT_MAKERS:
            base = option(argument(value, 0), "baseURL", "prefixUrl")
            url = self.text(base) if base is not None else None
            self._clients[name] = ClientObject(callee.partition(".")[0], url)

    def _export(self, value: Node | None) -> None:
        if value is not None and value.type == "identifier":
            self.facts.imports.append(ImportedName("default", 0, "", text_of(value)))

    # -- routers ----------------------------------------------------------------------------------

    def _read_router_call(self, call: Node) -> bool:
        """Reads a call such as `app.get("/x", show)`; False if it is no call of a router."""
        function = callee_of(call)
        if function is None or function.type != "member_expression":
            return False
        if (owner := function.child_by_field_name("object")) is None:
            return False
        verb = text_of(function.child_by_field_name("property"))
        is_verb = verb in _VERBS or verb == "all"
        if (chained := self._chains.get(owner.id)) is not None and is_verb:
            self._add_route(call, text_of(owner_of(chained)), verb, argument(chained, 0))
            return True
        name, first = text_of(owner), argument(call, 0)
        if self.facts.router(name) is None:
            return False
        if verb == "use" and first is not None:
            self._use(call, name)
        elif is_verb and argument(call, 1) is not None:
            self._add_route(call, name, verb, first)
        return True

    def _chained(self, call: Node) -> Node | None:
        """The `router.route("/x")` that a chain such as `.get(a).post(b)` hangs on."""
        function = callee_of(call)
        if function is None or function.type != "member_expression":
            return None
        if text_of(function.child_by_field_name("property")) == "route":
            return call
        inner = function.child_by_field_name("object")
        return self._chains.get(inner.id) if inner is not None else None

    def _use(self, call: Node, owner: str) -> None:
        path, last = argument(call, 0), arguments_of(call)[-1]
        if child := _routed(last):
            prefix = literal(path)
            prefix = EMPTY if prefix.text is None and last is path else prefix
            self.facts.mounts.append(Mount(owner, child, prefix, line_of(call), maker="use"))

    def _add_route(self, call: Node, owner: str, verb: str, path: Node | None) -> None:
        router = self.facts.router(owner)
        if router is None or path is None:
            return
        arguments = arguments_of(call)
        handler = arguments[-1] if arguments else call
        self.facts.registrations.append(
            Registration(
                owner=owner,
                framework=router.framework,
                methods=_methods(verb),
                paths=(literal(path),),
                handler=text_of(handler) if handler.type == "identifier" else "",
                line=line_of(call),
                span=handler.byte_range,
                body=(handler.child_by_field_name("body") or handler).byte_range,
                region=handler.type in _FUNCTIONS,
            )
        )

    # -- clients ----------------------------------------------------------------------------------

    def _read_client_call(self, call: Node) -> None:
        """Reads `fetch(url)`, `axios.get(url)`, and `axios({ url, method })`."""
        function = callee_of(call)
        if function is None:
            return
        name = text_of(function)
        owner, _, verb = name.rpartition(".")
        url, options = argument(call, 0), argument(call, 1)
        if name in self._clients and url is not None and url.type == "object":
            options, url = url, option(url, "url")
        if url is None or url.type in _FUNCTIONS:
            return
        if name in _FETCH:
            self.add_call(call, ClientObject("fetch", None), _method(options), url)
        elif name in self._clients:
            self.add_call(call, self._clients[name], _method(options), url)
        elif owner in self._clients and verb in _VERBS:
            self.add_call(call, self._clients[owner], verb.upper(), url)

    # -- texts ------------------------------------------------------------------------------------

    def _bind(self, name: str, value: Node) -> bool:
        """Keeps what a variable is set to; False if that is not a text."""
        if value.type not in self.text_kinds:
            return False
        self.constants.setdefault(name, value)
        return True

    def string(self, node: Node, depth: int) -> str | None:
        if node.type == "string":
            return text_of(node)[1:-1]
        return self._template(node, depth) if node.type == "template_string" else None

    def _template(self, node: Node, depth: int) -> str:
        parts = []
        for part in node.named_children:
            if part.type == "template_substitution":
                parts.append(self.text(part.named_children[0], depth + 1))
            else:
                parts.append(text_of(part))
        return "".join(parts)

    def written(self, url: Node) -> ByteRange:
        return (url.start_byte + 1, url.end_byte - 1) if url.type in _STRINGS else NOWHERE


def read(root: Node, source: bytes, language: str) -> WebFacts:
    """What a file says about routes and clients."""
    return JavaScriptFile(root, source, language).read()


def _method(options: Node | None) -> str:
    """The method that options name; GET if they name none."""
    method = option(options, "method")
    return "GET" if method is None else (literal(method).text or "any").upper()


def _methods(verb: str) -> tuple[str, ...]:
    if verb == "all":
        return ()
    return ("DELETE",) if verb == "del" else (verb.upper(),)


def _routed(node: Node) -> str:
    """What is mounted: a router's name, its `.routes()`, or the file of a `require`."""
    if node.type == "call_expression":
        callee = text_of(callee_of(node))
        if callee == "require":
            module = literal(argument(node, 0)).text
            return f"'{module}" if module else ""
        return text_of(owner_of(node)) if callee.endswith(".routes") else ""
    return text_of(node) if node.type in ("identifier", "member_expression") else ""


def callee_of(node: Node) -> Node | None:
    """What a call or a `new` calls."""
    return node.child_by_field_name("function") or node.child_by_field_name("constructor")


def owner_of(call: Node) -> Node | None:
    """`app` of the call `app.get()`."""
    function = callee_of(call)
    return function.child_by_field_name("object") if function is not None else None


def arguments_of(call: Node) -> list[Node]:
    """The arguments of a call."""
    return parts_of(call.child_by_field_name("arguments"))


def argument(call: Node, index: int) -> Node | None:
    """The argument with this index."""
    arguments = arguments_of(call)
    return arguments[index] if index < len(arguments) else None


def option(node: Node | None, *names: str) -> Node | None:
    """The value of the first of these keys in an object literal."""
    for pair in node.named_children if node is not None and node.type == "object" else ():
        if pair.type == "pair" and text_of(pair.child_by_field_name("key")).strip("'\"") in names:
            return pair.child_by_field_name("value")
    return None


def literal(node: Node | None) -> PathText:
    """What a string without holes says, and where that text stands."""
    if node is None or node.type not in _STRINGS or is_long(node):
        return NO_TEXT
    if any(part.type == "template_substitution" for part in node.named_children):
        return NO_TEXT
    return PathText(text_of(node)[1:-1], (node.start_byte + 1, node.end_byte - 1))
