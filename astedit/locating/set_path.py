"""`set-path`: another path for one route or one client.

One literal changes. What else spells the old path is listed, never touched.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from astedit.engine.known_edits import plan_of_edits, view_of
from astedit.errors import PreconditionError, RequestError
from astedit.locating import routes, web
from astedit.locating.answer import find_in, the_one
from astedit.locating.frameworks.web_facts import NOWHERE
from astedit.locating.identifier import parse
from astedit.locating.inventory.inventory import Inventory
from astedit.locating.result import NodeRef
from astedit.locating.routes import Prefix, Route, full
from astedit.locating.urls import begins, joined, normal, parameters, path_of
from astedit.locating.web import clients
from astedit.model.plan import Plan
from astedit.model.request import EditRequest, Operation
from astedit.semantic.library import NameRequest
from astedit.text import number

_LISTED = 20  # clients that a hint names
_PLAIN = re.compile(r"/[^\s\"'`\\\x00-\x1f\x7f]*")
# Where the path begins in a URL as it is written: behind a host, or behind a first hole.
_IN_SOURCE = re.compile(r"(?:[A-Za-z][\w+.-]*://[^/?#]*|\$?\{[^{}]*\})?(/[^?#]*)?", re.S)
_HOLES = re.compile(r"\$?\{([^{}]*)\}")


def request_of_set_path(inventory: Inventory, identifier: str, new: str) -> EditRequest:
    """The request that gives what `identifier` names the path `new`, to be run again.

    Raises `NotLocated` unless it names one node, `RequestError` for what is no path or no route
    or client, and `PreconditionError` where one literal cannot say the new path.
    """
    node = the_one(find_in(inventory, identifier))
    if node.kind == "symbol":
        raise RequestError(
            f"{node.id} is a symbol: it has no path.", code="no_path", hint="Use rename."
        )
    if not _PLAIN.fullmatch(new):
        raise RequestError(
            f"{new!r} is not a path.", code="bad_path", hint="Begin with `/`; no spaces, no quotes."
        )
    if node.kind == "route":
        olds, span, text = _of_route(inventory, node, parse(identifier).path, new)
    else:
        olds = [node.url_path or ""]
        _check_other(olds[0], new)
        span, text = _of_client(inventory, node, new)
    arguments = {"id": node.id, "new": new, "old": "\n".join(olds), "kind": node.kind}
    arguments |= {"path": node.path, "hash": node.sha256, "region": f"{span[0]}:{span[1]}"}
    return EditRequest(ops=[], operation=Operation("set_path", {**arguments, "text": text}))


def plan(asked: NameRequest) -> Plan:
    """The plan of a set-path request: one literal of one file.

    Raises `StaleError` when that file is not the one that was located.
    """
    arguments, run = asked.arguments, asked.run
    start, _, end = arguments["region"].partition(":")
    change = (int(start), int(end), arguments["text"].encode("utf-8", "surrogateescape"))
    inventory = Inventory(asked.workspace, state=run.state, config=run.config)
    hints = list(_unchanged(inventory, arguments)) if run.want_hunks else []
    return plan_of_edits(
        asked.request,
        asked.workspace,
        {arguments["path"]: [change]},
        run,
        expected={arguments["path"]: arguments["hash"]},
        contained=False,  # checked above: the text holds nothing that could end the literal
        hints=hints,
    )


def _check_other(old: str, new: str) -> None:
    if normal(new) == normal(old):
        raise RequestError(f"Its path is {old!r} already.", code="same_path")


def _of_route(
    inventory: Inventory, node: NodeRef, asked: str | None, new: str
) -> tuple[list[str], tuple[int, int], str]:
    """The old paths, the meant one first, and the place and the new text of their literal."""
    every = routes.routes(inventory, web.linked(inventory))
    route = next((route for route in every if route.node.id == node.id), None)
    if route is None or route.node.sha256 != node.sha256:
        raise PreconditionError(f"{node.path} has changed meanwhile.", code="stale")
    at = named_path(route, asked)
    olds = sorted(templates_of(route, at), key=lambda text: normal(text) != normal(asked or ""))
    _check_other(olds[0], new)
    return olds, route.registration.paths[at].place, new_local(route, at, every, new)


def _of_client(inventory: Inventory, node: NodeRef, new: str) -> tuple[tuple[int, int], str]:
    """The path within the URL's literal; what a constant adds before it has to stay."""
    if node.literal == (0, 0):
        raise PreconditionError(
            f"The URL of {node.id} is not one literal.", code="no_literal", path=node.path
        )
    raw, _ = inventory.workspace.read(node.path, 1 << 31)
    source = view_of(raw, node.path).text[slice(*node.literal)].decode("utf-8", "replace")
    url = _IN_SOURCE.match(source)
    written = url[1] or "" if url else ""
    head = (node.url_path or "").removesuffix(_plain(written)) if written else ""
    if written and not (node.url_path or "").endswith(_plain(written)):
        raise _no_literal(node, "is not written in one place")
    rest = new[len(head.rstrip("/")) :] if head else new
    if head and not begins(new, head):
        raise PreconditionError(
            f"{new} does not begin with {head}, which the client's base URL says.",
            code="prefix",
            path=node.path,
            hint="Change the base URL itself.",
        )
    if sorted(_HOLES.findall(rest)) != sorted(_HOLES.findall(written)):
        raise PreconditionError(
            f"The path has the holes {_plain(written)!r}: they must stay.",
            code="parameters",
            path=node.path,
            hint="Write each as `{expr}`, exactly as `astedit locate` shows it.",
        )
    start = node.literal[1]
    if url and url[1]:
        start = node.literal[0] + len(source[: url.start(1)].encode())
    spelled = _HOLES.sub(lambda m: f"${{{m[1]}}}", rest) if "${" in written else rest
    return (start, start + len(written.encode())), spelled


def _plain(written: str) -> str:
    return _HOLES.sub(lambda m: f"{{{m[1]}}}", written)


def _unchanged(inventory: Inventory, arguments: Mapping[str, str]) -> Iterator[str]:
    """What still asks for the old paths of a route: clients and tests, as hints."""
    if arguments["kind"] != "route":
        return
    olds = arguments["old"].split("\n")
    for old in olds[1:]:
        yield f"Changed too, by the same literal: {old}."
    calls = clients(inventory, web.linked(inventory))
    asking = [(old, node) for old in olds for node in _asking(calls, old)]
    for old, node in asking[:_LISTED]:
        what = "test" if node.library == "test" else "client"
        yield (
            f"Not changed: the {what} at {node.path}:{node.start_line} asks for {old} ({node.id})."
        )
    if len(asking) > _LISTED:
        yield f"Not changed: {len(asking) - _LISTED} more clients."


def _asking(calls: list[NodeRef], template: str) -> Iterator[NodeRef]:
    """The calls of a path that the template stands for."""
    parts = re.split(r"(\{[^{}]*\})", normal(template))
    texts = ("[^/]+" if part.startswith("{") else re.escape(part) for part in parts)
    pattern = re.compile("".join(texts))
    return (call for call in calls if pattern.fullmatch(path_of(call.url_path or "")))


_SPELLED = re.compile(r"<[^<>]*>|\{(?:[^{}]|\{[^{}]*\})*\}|(?<=/):[A-Za-z_]\w*(?:\([^()]*\))?")


def named_path(route: Route, asked: str | None) -> int:
    """Which path of a registration is meant: its only one, or that which was asked for.

    Raises `PreconditionError` if that cannot be told, and if it is written nowhere or as a
    regular expression.
    """
    registration = route.registration
    if registration.is_regex:
        hint = "Edit it with `astedit edit`: what else it would match, set-path cannot tell."
        raise _no_literal(route.node, "is a regular expression", hint)
    count = len(registration.paths)
    spelled = normal(asked or "")
    fits = [
        at
        for at in range(count)
        if count == 1 or (asked and spelled in map(normal, templates_of(route, at)))
    ]
    if len(fits) != 1:
        texts = [text for at in range(count) for text in templates_of(route, at)]
        raise PreconditionError(
            f"{route.node.id} is registered with {count} paths.",
            code="ambiguous",
            path=route.node.path,
            hint=f"Name it by one of them: {', '.join(texts)}.",
        )
    if registration.paths[fits[0]].place == NOWHERE:
        raise _no_literal(route.node, "is written nowhere", "Give the registration a path first.")
    return fits[0]


def _no_literal(node: NodeRef, why: str, hint: str | None = None) -> PreconditionError:
    message = f"The path of {node.id} {why}."
    return PreconditionError(message, code="no_literal", path=node.path, hint=hint)


def templates_of(route: Route, at: int) -> list[str]:
    """The full paths that one local path of a registration has."""
    local = route.registration.paths[at].text
    return [] if local is None else [full(chain, local) for chain in route.chains]


def new_local(route: Route, at: int, every: Sequence[Route], new: str) -> str:
    """The text that the registration's literal becomes, that of its path `at`.

    Raises `PreconditionError`: prefixes of other literals must stay, and so must the
    parameters that the handler takes.
    """
    old = route.registration.paths[at].text
    assert old is not None, "named_path has chosen it"
    _check_parameters(route, templates_of(route, at)[0], new)
    _check_free(route, every, new)
    local = _respelled(_without_prefix(route, every, new), old)
    if old.startswith("/") or (not old and local):
        return local if local.startswith("/") or not local else f"/{local}"
    return local.removeprefix("/")


def _without_prefix(route: Route, every: Sequence[Route], new: str) -> str:
    """What is left of the new path below the prefixes that other literals contribute."""
    for chain in route.chains:
        head = _text(chain).rstrip("/")
        if begins(normal(new), normal(head)):
            return new[_length(new, head) :]
    chain = route.chains[0]
    heads = (_text(chain[: at + 1]).rstrip("/") for at in range(len(chain)))
    lacking = (at for at, head in enumerate(heads) if not begins(normal(new), normal(head)))
    prefix = chain[next(lacking, -1)]
    sharing = sum(any(prefix in chain for chain in other.chains) for other in every)
    raise PreconditionError(
        f"{new} does not begin with {prefix.text!r}, which the {prefix.maker} at "
        f"{prefix.path}:{prefix.line} gives to {number(sharing, 'route')}.",
        code="prefix",
        path=route.node.path,
        hint="Keep the prefix, or change that literal with `astedit edit`.",
    )


def _length(new: str, head: str) -> int:
    """How many characters of `new` say what `head` says, however parameters are spelled."""
    for end in range(len(new), -1, -1):
        if normal(new[:end]) == normal(head):
            return end
    return len(head)


def _text(chain: Sequence[Prefix]) -> str:
    texts = [prefix.text for prefix in chain if prefix.text]
    return joined(*texts) if texts else ""


def _check_parameters(route: Route, old: str, new: str) -> None:
    """A handler is called with the path's parameters: they may change only if it may."""
    before, after = set(parameters(old)), set(parameters(new))
    handler = set(route.registration.parameters)
    is_handler = route.registration.region and route.node.language == "python"
    gone = sorted((before - after) & handler if is_handler else before - after)
    added = sorted(after - before - handler)
    if gone:
        why = "its handler still takes it" if is_handler else "its handler may take it"
        problem = f"{new} has no parameter {gone[0]!r}, and {why}."
    elif added:
        problem = f"The handler of {route.node.id} does not take the new parameter {added[0]!r}."
    else:
        return
    raise PreconditionError(
        problem, code="parameters", path=route.node.path, hint="Change the handler first."
    )


def _check_free(route: Route, every: Sequence[Route], new: str) -> None:
    """No route of the same root has that path and a method in common, itself included."""
    for other in every:
        mine, theirs = set(route.node.methods), set(other.node.methods)
        if other.node.root != route.node.root or (mine and theirs and not mine & theirs):
            continue
        if any(normal(text) == normal(new) for text in other.templates):
            raise PreconditionError(
                f"{new} is the path of {other.node.id} already.",
                code="collision",
                path=other.node.path,
            )


def _respelled(local: str, old: str) -> str:
    """The parameters in it spelled as they are in the old literal: `<int:id>` for `{id}`."""
    spelled = {
        tuple(parameters("/" + written[0])): written[0] for written in _SPELLED.finditer(old)
    }
    return _SPELLED.sub(
        lambda m: spelled.get(tuple(parameters("/" + m[0])), m[0]) if m[0][0] == "{" else m[0],
        local,
    )
