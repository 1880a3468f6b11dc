"""Routes and clients in one Java file: Spring; Feign, WebClient, RestTemplate."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from astedit.locating.frameworks.ancestors import Around
from astedit.locating.frameworks.web_facts import (
    NOWHERE,
    Call,
    Registration,
    Span,
    WebFacts,
    is_long,
    nodes_of,
    text_of,
)

_VERBS = {f"{verb.title()}Mapping": verb for verb in ("GET", "POST", "PUT", "DELETE", "PATCH")}
_TYPES = ("class_declaration", "interface_declaration", "record_declaration")
_NAMED = (*_TYPES, "method_declaration", "constructor_declaration", "enum_declaration")
_TEMPLATE = re.compile(r"(get|post|patch|put|delete|head|options)(?:For\w+)?$")
_HTTP = re.compile(r"\b(?:HttpMethod|RequestMethod)?\.?(GET|POST|PUT|DELETE|PATCH|HEAD|OPTIONS)\b")
_NO_ARGUMENT: tuple[tuple[str, Span], ...] = (("", NOWHERE),)


def read(root: Node) -> WebFacts:
    """The facts of one file."""
    facts = WebFacts()
    around = Around(nodes_of(root, "java", _NAMED))
    for kind in nodes_of(root, "java", _TYPES):
        _type(kind, around, facts)
    fields = _fields(root)
    for call in nodes_of(root, "java", ("method_invocation",)):
        found = _client(call, around, fields)
        if found is not None:
            facts.calls.append(found)
    facts.calls.sort(key=lambda one: one.span)
    return facts


def _type(kind: Node, around: Around, facts: WebFacts) -> None:
    noted = dict(_annotations(kind))
    feign = noted.get("FeignClient")
    above = noted.get("RequestMapping")
    prefixes = (_values(above) if above is not None else ()) or _NO_ARGUMENT
    if feign is not None:
        path = _value(feign, "path")
        prefixes = (literal(path),) if path is not None else prefixes
    body = kind.child_by_field_name("body")
    for method in body.named_children if body is not None else ():
        for name, note in _annotations(method):
            if name in _VERBS or name == "RequestMapping":
                if feign is None:
                    _registered(method, name, note, prefixes, around, facts)
                else:
                    _feign(method, name, note, prefixes, feign, around, facts)


def _registered(
    method: Node,
    name: str,
    note: Node,
    prefixes: tuple[tuple[str | None, Span], ...],
    around: Around,
    facts: WebFacts,
) -> None:
    values = _values(note)
    (prefix, where), *others = prefixes
    handler = enclosing(method, around)
    body = method.child_by_field_name("body") or method
    facts.registrations.append(
        Registration(
            "", "spring", _methods(name, note), tuple(text for text, _ in values),
            tuple(at for _, at in values), handler, note.start_point[0] + 1,
            (method.start_byte, method.end_byte), (body.start_byte, body.end_byte), True,
            () if prefix == "" else (prefix,), () if prefix == "" else (where,),
            others=tuple(others),
        )
    )  # fmt: skip


def _feign(
    method: Node,
    name: str,
    note: Node,
    prefixes: tuple[tuple[str | None, Span], ...],
    feign: Node,
    around: Around,
    facts: WebFacts,
) -> None:
    target, _ = literal(_value(feign, "name", "value", "serviceId"))
    methods = _methods(name, note) or ("ANY",)
    for text, where in _values(note):
        url = "/".join(filter(None, ((prefixes[0][0] or "").strip("/"), (text or "").lstrip("/"))))
        facts.calls.append(
            Call(
                "feign", methods[0], f"/{url}", None, target or "?", enclosing(method, around),
                note.start_point[0] + 1, where, (method.start_byte, method.end_byte),
            )
        )  # fmt: skip


def _annotations(node: Node) -> Iterator[tuple[str, Node]]:
    for modifiers in node.named_children:
        if modifiers.type == "modifiers":
            for note in modifiers.named_children:
                if note.type in ("annotation", "marker_annotation"):
                    name = text_of(note.child_by_field_name("name"))
                    yield name.rpartition(".")[2], note


def _value(note: Node, *names: str) -> Node | None:
    """The element of an annotation with one of these names; `value` may go unnamed."""
    given = note.child_by_field_name("arguments")
    for one in given.named_children if given is not None else ():
        if one.type == "element_value_pair":
            if text_of(one.child_by_field_name("key")) in names:
                return one.child_by_field_name("value")
        elif "value" in names:
            return one
    return None


def _values(note: Node) -> tuple[tuple[str | None, Span], ...]:
    """The paths of a mapping, each with its place; one empty path if it says none."""
    given = _value(note, "value", "path")
    if given is None:
        return _NO_ARGUMENT
    many = given.type == "element_value_array_initializer"
    listed = given.named_children if many else [given]
    return tuple(literal(one) for one in listed if not one.type.endswith("comment"))


def _methods(name: str, note: Node) -> tuple[str, ...]:
    if name in _VERBS:
        return (_VERBS[name],)
    return tuple(sorted(set(_HTTP.findall(text_of(_value(note, "method"))))))


def literal(node: Node | None) -> tuple[str | None, Span]:
    """What a string literal says, and where that text stands."""
    if node is None or node.type != "string_literal" or is_long(node):
        return None, NOWHERE
    if text_of(node).startswith('"""'):
        return None, NOWHERE
    return text_of(node)[1:-1], (node.start_byte + 1, node.end_byte - 1)


def _fields(root: Node) -> dict[str, tuple[str, Node | None]]:
    """Variables by name: their type, and what they are set to at once."""
    found: dict[str, tuple[str, Node | None]] = {}
    kinds = ("field_declaration", "local_variable_declaration", "formal_parameter")
    for node in nodes_of(root, "java", kinds):
        kind = text_of(node.child_by_field_name("type"))
        for one in node.children_by_field_name("declarator") or [node]:
            name = text_of(one.child_by_field_name("name"))
            found.setdefault(name, (kind, one.child_by_field_name("value")))
    return found


def _client(call: Node, around: Around, fields: dict[str, tuple[str, Node | None]]) -> Call | None:
    name = text_of(call.child_by_field_name("name"))
    owner = call.child_by_field_name("object")
    kind, _ = fields.get(text_of(owner).removeprefix("this."), ("", None))
    arguments = call.child_by_field_name("arguments")
    given = arguments.named_children if arguments is not None else []
    if kind in ("RestTemplate", "TestRestTemplate") and given:
        said = _TEMPLATE.match(name)
        if said is None and name not in ("exchange", "execute"):
            return None
        named = _HTTP.search(text_of(arguments)) if said is None else None
        method = said[1].upper() if said else named[1] if named else "ANY"
        return _call(call, "resttemplate", method, given[0], None, around, fields)
    if name == "uri" and given and owner is not None and owner.type == "method_invocation":
        return _web_client(call, owner, given[0], around, fields)
    return None


def _web_client(
    call: Node, owner: Node, url: Node, around: Around, fields: dict[str, tuple[str, Node | None]]
) -> Call | None:
    """`client.get().uri("/x")`, where `client` is a WebClient."""
    verb = text_of(owner.child_by_field_name("name"))
    client = owner.child_by_field_name("object")
    kind, made = fields.get(text_of(client).removeprefix("this."), ("", client))
    if kind not in ("WebClient", "RestClient") and "WebClient" not in text_of(client):
        return None
    named = _HTTP.search(text_of(owner.child_by_field_name("arguments")))
    method = named[1] if verb == "method" and named else verb.upper()
    texts = re.search(r'(?:baseUrl|create)\(\s*"([^"]*)"', text_of(made))
    holes = re.search(r"(?:baseUrl|create)\(\s*([A-Za-z_][\w.]*)\s*\)", text_of(made))
    base = texts[1] if texts else f"{{{holes[1]}}}" if holes else None
    return _call(call, "webclient", method, url, base, around, fields)


def _call(
    call: Node,
    library: str,
    method: str,
    url: Node,
    base: str | None,
    around: Around,
    fields: dict[str, tuple[str, Node | None]],
) -> Call:
    _, where = literal(url)
    return Call(
        library, method, _text(url, fields), base, None, enclosing(call, around),
        call.start_point[0] + 1,
        where, (call.start_byte, call.end_byte),
    )  # fmt: skip


def _text(node: Node | None, fields: dict[str, tuple[str, Node | None]], depth: int = 0) -> str:
    """A URL expression with `{expr}` for what is not known."""
    if node is None or depth > 8:
        return "{?}"
    text, _ = literal(node)
    if text is not None:
        return text
    if node.type == "binary_expression":
        sides = (node.child_by_field_name(name) for name in ("left", "right"))
        return "".join(_text(one, fields, depth + 1) for one in sides)
    _, value = fields.get(text_of(node), ("", None))
    if value is not None and value.type == "string_literal":
        return _text(value, fields, depth + 1)
    return f"{{{text_of(node)}}}"


def enclosing(node: Node, around: Around) -> str:
    """The names of the methods and types around a node, with its own if it is one."""
    names = [text_of(one.child_by_field_name("name")) for one in around.of(node)]
    return ".".join(reversed(names)) or "<module>"
