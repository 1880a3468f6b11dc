"""Routes and clients in one JavaScript or TypeScript file: Express, Koa; fetch, axios, got."""

import re

from tree_sitter import Node

from astedit.locating.frameworks.ancestors import Around
from astedit.locating.frameworks.web_facts import (
    NOWHERE,
    Call,
    Mounted,
    Registration,
    Router,
    Span,
    WebFacts,
    is_long,
    nodes_of,
    text_of,
)

_VERBS = frozenset({"get", "post", "put", "delete", "patch", "head", "options", "del"})
_MAKERS = {
    "express": "express",
    "express.Router": "express",
    "Router": "express",
    "Koa": "koa",
    "KoaRouter": "koa",
    "koa": "koa",
    "koa-router": "koa",
    "@koa/router": "koa",
}
_REQUIRED = re.compile(r"require\(\s*['\"]([^'\"]*)['\"]\s*\)")
_FUNCTIONS = frozenset({"arrow_function", "function_expression", "function"})
_LIBRARIES = ("axios", "got")
_NAMED = ("function_declaration", "method_definition", "class_declaration",
          "generator_function_declaration", "function_expression")  # fmt: skip
_MOST = 8_192  # characters of a constant; one that is longer stands for itself


def read(root: Node, language: str) -> WebFacts:
    """The facts of one file."""
    return _Reading(root, language).facts()


class _Reading:
    def __init__(self, root: Node, language: str) -> None:
        self._root = root
        self._language = language
        self._facts = WebFacts()
        self._constants: dict[str, Node] = {}
        self._bases: dict[str, tuple[str, str | None]] = {}
        self._texts: dict[tuple[str, int], str] = {}
        self._chains: dict[int, Node | None] = {}
        self._around = Around(nodes_of(root, language, _NAMED))

    def facts(self) -> WebFacts:
        for node in nodes_of(self._root, self._language, ("variable_declarator",)):
            self._declared(node)
        for node in nodes_of(self._root, self._language, ("import_statement",)):
            self._imported(node)
        for node in nodes_of(self._root, self._language, ("export_statement",)):
            self._exported(node.child_by_field_name("value"), node)
        for node in nodes_of(self._root, self._language, ("assignment_expression",)):
            if text_of(node.child_by_field_name("left")) in ("module.exports", "exports.default"):
                self._exported(node.child_by_field_name("right"), None)
        for call in nodes_of(self._root, self._language, ("call_expression",)):
            self._call(call)
        return self._facts

    def _declared(self, node: Node) -> None:
        name, value = text_of(node.child_by_field_name("name")), node.child_by_field_name("value")
        if value is None:
            return
        if value.type in ("string", "template_string", "binary_expression"):
            self._constants.setdefault(name, value)
            return
        if value.type == "await_expression" and value.named_children:
            value = value.named_children[0]
        callee = _REQUIRED.sub(r"\1", text_of(_callee(value)))
        if callee == "require":
            module, _ = literal(argument(value, 0))
            if module is not None:
                self._facts.imports.append((name, 0, module, "default"))
        elif callee in _MAKERS:
            self._router(name, callee, value)
        elif callee in ("axios.create", "got.extend", "ky.create"):
            base = option(argument(value, 0), "baseURL", "prefixUrl")
            self._bases[name] = (callee.partition(".")[0], self._text(base) if base else None)

    def _router(self, name: str, callee: str, value: Node) -> None:
        given = option(argument(value, 0), "prefix")
        prefix, where = literal(given) if given is not None else ("", NOWHERE)
        koa = value.type == "new_expression"
        framework = "koa" if koa else _MAKERS[callee]
        line = value.start_point[0] + 1
        self._facts.routers.append(Router(name, framework, prefix, where, line, callee))

    def _imported(self, node: Node) -> None:
        module, _ = literal(node.child_by_field_name("source"))
        if module is None:
            return
        for clause in nodes_of(node, self._language, ("import_clause",)):
            for one in clause.named_children:
                if one.type == "identifier":
                    self._facts.imports.append((text_of(one), 0, module, "default"))
        for one in nodes_of(node, self._language, ("import_specifier",)):
            name, alias = one.child_by_field_name("name"), one.child_by_field_name("alias")
            local = text_of(alias if alias is not None else name)
            self._facts.imports.append((local, 0, module, text_of(name)))

    def _exported(self, value: Node | None, export: Node | None) -> None:
        default = export is None or any(text_of(one) == "default" for one in export.children)
        if value is not None and value.type == "identifier" and default:
            self._facts.imports.append(("default", 0, "", text_of(value)))

    def _call(self, call: Node) -> None:
        function = _callee(call)
        if function is None:
            return
        if function.type == "member_expression":
            owner = function.child_by_field_name("object")
            verb = text_of(function.child_by_field_name("property"))
            if owner is not None and self._route(call, owner, verb):
                return
        self._client(call, function)

    def _route(self, call: Node, owner: Node, verb: str) -> bool:
        name, first = text_of(owner), argument(call, 0)
        chained = self._chained(owner)
        if chained is not None and verb in _VERBS | {"all"}:
            self._add(call, text_of(_owner(chained)), verb, argument(chained, 0))
            return True
        if not self._is_router(name):
            return False
        if verb == "use" and first is not None:
            self._use(call, name)
        elif verb in _VERBS | {"all"} and argument(call, 1) is not None:
            self._add(call, name, verb, first)
        return True

    def _chained(self, owner: Node) -> Node | None:
        """The `router.route("/x")` that a chain such as `.get(a).post(b)` hangs on.

        The outer calls of a chain are asked about first: what it hangs on is kept for all.
        """
        passed = []
        found = None
        while owner.type == "call_expression" and owner.id not in self._chains:
            passed.append(owner.id)
            function = _callee(owner)
            if function is None or function.type != "member_expression":
                break
            if text_of(function.child_by_field_name("property")) == "route":
                found = owner
                break
            inner = function.child_by_field_name("object")
            if inner is None:
                break
            owner = inner
        else:
            found = self._chains.get(owner.id)
        self._chains.update(dict.fromkeys(passed, found))
        return found

    def _is_router(self, name: str) -> bool:
        return any(one.name == name for one in self._facts.routers)

    def _use(self, call: Node, owner: str) -> None:
        prefix, where = literal(argument(call, 0))
        last = _arguments(call)[-1]
        named = prefix is not None or last is not argument(call, 0)
        line = call.start_point[0] + 1
        child = _routed(last)
        if child:
            given = prefix if named else ""
            self._facts.mounts.append(Mounted(owner, child, given, where, line, False, "use"))

    def _add(self, call: Node, owner: str, verb: str, path: Node | None) -> None:
        framework = next((one.framework for one in self._facts.routers if one.name == owner), None)
        if framework is None or path is None:
            return
        text, where = literal(path)
        handler = _arguments(call)[-1] if _arguments(call) else call
        inline = handler.type in _FUNCTIONS
        body = handler.child_by_field_name("body") or handler
        methods = () if verb == "all" else ("DELETE" if verb == "del" else verb.upper(),)
        self._facts.registrations.append(
            Registration(
                owner, framework, methods, (text,), (where,),
                "" if inline else text_of(handler) if handler.type == "identifier" else "",
                call.start_point[0] + 1, (handler.start_byte, handler.end_byte),
                (body.start_byte, body.end_byte), inline,
            )
        )  # fmt: skip

    def _client(self, call: Node, function: Node) -> None:
        name = text_of(function)
        owner, _, verb = name.rpartition(".")
        options = argument(call, 1)
        url, base = argument(call, 0), None
        if name in ("fetch", "window.fetch", "globalThis.fetch"):
            library, given = "fetch", option(options, "method")
        elif name in _LIBRARIES or name in self._bases:
            library, base = self._bases.get(name, (name, None))
            if url is not None and url.type == "object":
                options, url = url, option(url, "url")
            given = option(options, "method")
        elif owner in (*_LIBRARIES, *self._bases) and verb in _VERBS:
            library, base = self._bases.get(owner, (owner, None))
            self._found(call, library, verb.upper(), url, base)
            return
        else:
            return
        said, _ = literal(given)
        method = "GET" if given is None else (said or "any").upper()
        self._found(call, library, method, url, base)

    def _found(
        self, call: Node, library: str, method: str, url: Node | None, base: str | None
    ) -> None:
        if url is None or url.type in _FUNCTIONS:
            return
        whole = url.type in ("string", "template_string")
        where = (url.start_byte + 1, url.end_byte - 1) if whole else NOWHERE
        self._facts.calls.append(
            Call(
                library, method, self._text(url), base, None, self._enclosing(call),
                call.start_point[0] + 1, where, (call.start_byte, call.end_byte),
            )
        )  # fmt: skip

    def _enclosing(self, node: Node) -> str:
        """The names of the functions and classes around a node; `<module>` if there are none."""
        found = [one.child_by_field_name("name") for one in self._around.of(node)]
        names = [text_of(name) for name in found if name is not None]
        return ".".join(reversed(names)) or "<module>"

    def _text(self, node: Node | None, depth: int = 0) -> str:
        """A URL expression with `{expr}` for what is not known."""
        if node is None or depth > 8:
            return "{?}"
        if node.type == "string":
            return text_of(node)[1:-1]
        if node.type == "template_string":
            return self._template(node, depth)
        if (
            node.type == "binary_expression"
            and text_of(node.child_by_field_name("operator")) == "+"
        ):
            sides = (node.child_by_field_name(name) for name in ("left", "right"))
            return "".join(self._text(one, depth + 1) for one in sides)
        if node.type == "identifier" and text_of(node) in self._constants:
            return self._constant(text_of(node), depth)
        return f"{{{text_of(node)}}}"

    def _constant(self, name: str, depth: int) -> str:
        """The text of a constant, worked out once: they may be made of one another."""
        if (name, depth) not in self._texts:
            text = self._text(self._constants[name], depth + 1)
            self._texts[name, depth] = text if len(text) <= _MOST else f"{{{name}}}"
        return self._texts[name, depth]

    def _template(self, node: Node, depth: int) -> str:
        parts = []
        for one in node.named_children:
            if one.type == "template_substitution":
                parts.append(self._text(one.named_children[0], depth + 1))
            else:
                parts.append(text_of(one))
        return "".join(parts)


def _callee(node: Node) -> Node | None:
    return node.child_by_field_name("function") or node.child_by_field_name("constructor")


def _arguments(call: Node) -> list[Node]:
    given = call.child_by_field_name("arguments")
    return [one for one in given.named_children if one.type != "comment"] if given else []


def argument(call: Node, index: int) -> Node | None:
    """The argument with this index."""
    given = _arguments(call)
    return given[index] if index < len(given) else None


def option(node: Node | None, *names: str) -> Node | None:
    """The value of the first of these keys in an object literal."""
    for pair in node.named_children if node is not None and node.type == "object" else ():
        if pair.type == "pair" and text_of(pair.child_by_field_name("key")).strip("'\"") in names:
            return pair.child_by_field_name("value")
    return None


def literal(node: Node | None) -> tuple[str | None, Span]:
    """What a string without holes says, and where that text stands."""
    if node is None or node.type not in ("string", "template_string") or is_long(node):
        return None, NOWHERE
    if any(one.type == "template_substitution" for one in node.named_children):
        return None, NOWHERE
    return text_of(node)[1:-1], (node.start_byte + 1, node.end_byte - 1)


def _owner(call: Node) -> Node | None:
    function = _callee(call)
    return function.child_by_field_name("object") if function is not None else None


def _routed(node: Node) -> str:
    """What is mounted: a router's name, its `.routes()`, or the file of a `require`."""
    if node.type == "call_expression":
        callee = _callee(node)
        if text_of(callee) == "require":
            module, _ = literal(argument(node, 0))
            return f"'{module}" if module else ""
        return text_of(_owner(node)) if text_of(callee).endswith(".routes") else ""
    return text_of(node) if node.type in ("identifier", "member_expression") else ""
