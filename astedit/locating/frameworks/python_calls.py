"""Calls of HTTP clients in one Python file: requests, httpx, aiohttp, urllib, test clients."""

from collections.abc import Iterator

from tree_sitter import Node

from astedit.locating.frameworks.ancestors import Around
from astedit.locating.frameworks.web_facts import NOWHERE, Call, Span, is_long, nodes_of, text_of

_VERBS = frozenset({"get", "post", "put", "delete", "patch", "head", "options"})
_SESSIONS = {
    "requests.Session": "requests",
    "requests.session": "requests",
    "httpx.Client": "httpx",
    "httpx.AsyncClient": "httpx",
    "aiohttp.ClientSession": "aiohttp",
}
_TESTS = ("TestClient", "test_client", "AsyncTestClient")
_DEFINITIONS = ("function_definition", "class_definition")
_MOST = 8_192  # characters of a constant; one that is longer stands for itself
_OPENERS = ("urllib.request.urlopen", "urllib.request.Request")


class Scope:
    """What names stand for in one module: imports, text constants, client objects."""

    def __init__(self, root: Node, imports: list[tuple[str, int, str, str]]) -> None:
        self._imports = {
            local: f"{module}.{name}" if name else module
            for local, dots, module, name in imports
            if not dots
        }
        self.constants: dict[str, Node] = {}
        self._texts: dict[tuple[str, int], str] = {}
        self._around = Around(nodes_of(root, "python", _DEFINITIONS))
        self._top = {one.id for statement in root.children for one in statement.children}
        self._clients: dict[tuple[int, str], tuple[str, str | None]] = {}
        for node in nodes_of(root, "python", ("assignment", "as_pattern")):
            self._bound(node)

    def _bound(self, node: Node) -> None:
        if node.type == "assignment":
            name = text_of(node.child_by_field_name("left"))
            value = node.child_by_field_name("right")
        else:
            value = node.named_children[0] if node.named_children else None
            name = text_of(node.child_by_field_name("alias"))
        if value is None or not name:
            return
        if value.type in ("string", "concatenated_string", "binary_operator"):
            if node.id in self._top:
                self.constants.setdefault(name, value)
        elif value.type == "call":
            self._client(name, value, 0 if "." in name else next(self._scopes(node)))

    def client(self, name: str, call: Node) -> tuple[str, str | None] | None:
        """The library and base URL of the client object that a name is at a call."""
        for scope in self._scopes(call):
            if (scope, name) in self._clients:
                return self._clients[scope, name]
        return None

    def _scopes(self, node: Node) -> Iterator[int]:
        """The functions around a node, then the module, as keys."""
        yield from (one.id for one in self._around.of(node) if one.type == "function_definition")
        yield 0

    def enclosing(self, node: Node) -> str:
        """The names of the functions and classes around a node; `<module>` if there are none."""
        around = reversed(list(self._around.of(node)))
        names = [text_of(one.child_by_field_name("name")) for one in around]
        return ".".join(names) or "<module>"

    def _client(self, name: str, call: Node, scope: int) -> None:
        made = self.full(call.child_by_field_name("function"))
        if made.rpartition(".")[2] in _TESTS:
            self._clients[scope, name] = ("test", None)
        elif made in _SESSIONS:
            base = keyword(call, "base_url")
            if base is None and made == "aiohttp.ClientSession":
                base = argument(call, 0)
            text = self.text(base) if base is not None else None
            self._clients[scope, name] = (_SESSIONS[made], text)

    def full(self, node: Node | None) -> str:
        """The full name of a dotted expression, its head looked up among the imports."""
        head, dot, rest = text_of(node).partition(".")
        return self._imports.get(head, head) + dot + rest

    def text(self, node: Node | None, depth: int = 0) -> str:
        """A URL expression with `{expr}` for what is not known; constants are put in."""
        if node is None or depth > 8:
            return "{?}"
        if node.type == "string":
            return self._string(node, depth)
        if node.type == "concatenated_string":
            return "".join(self.text(one, depth + 1) for one in node.named_children)
        if node.type == "parenthesized_expression":
            return self.text(node.named_children[0], depth + 1)
        if node.type == "binary_operator" and text_of(node.child_by_field_name("operator")) == "+":
            sides = (node.child_by_field_name(name) for name in ("left", "right"))
            return "".join(self.text(one, depth + 1) for one in sides)
        if node.type == "identifier" and text_of(node) in self.constants:
            return self._constant(text_of(node), depth)
        return f"{{{text_of(node)}}}"

    def _constant(self, name: str, depth: int) -> str:
        """The text of a constant, worked out once: they may be made of one another."""
        if (name, depth) not in self._texts:
            text = self.text(self.constants[name], depth + 1)
            self._texts[name, depth] = text if len(text) <= _MOST else f"{{{name}}}"
        return self._texts[name, depth]

    def _string(self, node: Node, depth: int) -> str:
        parts = []
        for one in node.children[1:-1]:
            if one.type == "interpolation":
                inner = one.child_by_field_name("expression")
                known = inner is not None and text_of(inner) in self.constants
                parts.append(self.text(inner, depth + 1) if known else f"{{{text_of(inner)}}}")
            else:
                parts.append(text_of(one))
        return "".join(parts)


def client_call(call: Node, scope: Scope) -> Call | None:
    """The client call that this is, if it is one."""
    function = call.child_by_field_name("function")
    full = scope.full(function)
    package, _, verb = full.rpartition(".")
    if full in _OPENERS:
        return _opened(call, scope, full)
    library, base = None, None
    if package in ("requests", "httpx", "requests.api"):
        library = package.partition(".")[0]
    elif package in _SESSIONS or _made(function, scope):
        library = _SESSIONS.get(package) or _made(function, scope)
    elif known := scope.client(package, call):
        library, base = known
    if library is None or (verb not in _VERBS and verb not in ("request", "stream")):
        return None
    at = 0 if verb in _VERBS else 1
    method = verb.upper() if verb in _VERBS else _said(keyword(call, "method") or argument(call, 0))
    url = keyword(call, "url") or argument(call, at)
    return _call(call, scope, library, method, url, base)


def _made(function: Node | None, scope: Scope) -> str | None:
    """The library of `requests.Session().get`: a client used where it is made."""
    made = function.child_by_field_name("object") if function is not None else None
    if made is None or made.type != "call":
        return None
    return _SESSIONS.get(scope.full(made.child_by_field_name("function")))


def _opened(call: Node, scope: Scope, full: str) -> Call | None:
    url = keyword(call, "url") or argument(call, 0)
    if url is None or (full.endswith("urlopen") and url.type not in _TEXTS):
        return None  # what a Request opens is the Request's own call
    given = keyword(call, "method")
    data = keyword(call, "data") or argument(call, 1)
    method = _said(given) if given is not None else "POST" if data is not None else "GET"
    return _call(call, scope, "urllib", method, url, None)


_TEXTS = ("string", "concatenated_string", "binary_operator", "identifier", "attribute")


def _call(
    call: Node, scope: Scope, library: str, method: str, url: Node | None, base: str | None
) -> Call | None:
    if url is None:
        return None
    return Call(
        library, method, scope.text(url), base, None, scope.enclosing(call),
        call.start_point[0] + 1,
        _literal(url), (call.start_byte, call.end_byte), library == "test",
    )  # fmt: skip


def _literal(url: Node) -> Span:
    """Where the URL's text stands, if one string holds all of it."""
    return (
        (url.children[0].end_byte, url.children[-1].start_byte) if url.type == "string" else NOWHERE
    )


def _said(node: Node | None) -> str:
    text = text_of(node).strip("'\"")
    return text.upper() if text.isalpha() else "ANY"


def argument(call: Node, index: int) -> Node | None:
    """The positional argument with this index."""
    given = call.child_by_field_name("arguments")
    if given is None:
        return None
    plain = [one for one in given.named_children if one.type not in ("keyword_argument", "comment")]
    return plain[index] if index < len(plain) else None


def keyword(call: Node, name: str) -> Node | None:
    """The value of a keyword argument."""
    given = call.child_by_field_name("arguments")
    for one in given.named_children if given is not None else ():
        if one.type == "keyword_argument" and text_of(one.child_by_field_name("name")) == name:
            return one.child_by_field_name("value")
    return None


def literal(node: Node | None) -> tuple[str | None, Span]:
    """What a plain string says, and where that text stands; None for anything else."""
    if node is None or node.type != "string" or is_long(node):
        return None, NOWHERE
    start, content = node.children[0], node.children[1:-1]
    if "f" in text_of(start).lower() or any(one.type == "interpolation" for one in content):
        return None, NOWHERE
    low, high = start.end_byte, node.children[-1].start_byte
    return "".join(text_of(one) for one in content), (low, high)
