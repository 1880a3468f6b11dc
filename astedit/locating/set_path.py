"""`set-path`: another path for one route or one client.

One literal changes. What else spells the old path is listed, never touched.
"""

import re
from collections.abc import Iterator

from astedit.engine.known_edits import plan_of_edits, view_of
from astedit.engine.run_context import Run
from astedit.errors import PreconditionError, RequestError
from astedit.locating import routes, web
from astedit.locating.answer import find_in, the_one
from astedit.locating.identifier import parse
from astedit.locating.inventory.inventory import Inventory
from astedit.locating.result import NodeRef
from astedit.locating.route_path import named_path, new_local, templates_of
from astedit.locating.urls import normal, path_of
from astedit.locating.web import clients
from astedit.model.plan import Plan
from astedit.model.request import EditRequest, Operation
from astedit.workspace.config import Config
from astedit.workspace.root import Workspace

_LISTED = 20  # clients that a hint names
_PLAIN = re.compile(r"/[^\s\"'`\\\x00-\x1f\x7f]*")
# Where the path begins in a URL as it is written: behind a host, or behind a first hole.
_IN_SOURCE = re.compile(r"(?:[A-Za-z][\w+.-]*://[^/?#]*|\$?\{[^{}]*\})?(/[^?#]*)?", re.S)
_HOLES = re.compile(r"\$?\{([^{}]*)\}")


def request_of_set_path(
    workspace: Workspace,
    identifier: str,
    new: str,
    *,
    state: str | None = None,
    config: Config | None = None,
) -> EditRequest:
    """The request that gives what `identifier` names the path `new`, to be run again.

    `state` and `config` are as for `Inventory`. Raises `NotLocated` unless it names one
    node, `RequestError` for what is no path or no route or client, and `PreconditionError`
    where one literal cannot say the new path.
    """
    inventory = Inventory(workspace, state=state, config=config)
    node = the_one(find_in(inventory, identifier))
    if node.kind == "symbol":
        raise RequestError(
            f"{node.id} is a symbol: it has no path.", code="no_path", hint="Use rename."
        )
    if not _PLAIN.fullmatch(new):
        raise RequestError(
            f"{new!r} is no path.", code="bad_path", hint="Begin with `/`; no spaces, no quotes."
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


def plan(request: EditRequest, workspace: Workspace, run: Run) -> Plan:
    """The plan of a set-path request: one literal of one file.

    Raises `StaleError` when that file is not the one that was located.
    """
    assert request.operation is not None
    arguments = request.operation.arguments
    start, _, end = arguments["region"].partition(":")
    change = (int(start), int(end), arguments["text"].encode("utf-8", "surrogateescape"))
    inventory = Inventory(workspace, state=run.state, config=run.config)
    hints = list(_unchanged(inventory, arguments)) if run.want_hunks else []
    return plan_of_edits(
        request,
        workspace,
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
        raise PreconditionError(
            f"The path of {node.id} is not written in one place.", code="no_literal", path=node.path
        )
    rest = new[len(head.rstrip("/")) :] if head else new
    if head and not (new + "/").startswith(head.rstrip("/") + "/"):
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
    start = node.literal[0] + len(source[: url.start(1)].encode()) if url and url[1] else -1
    if start < 0:
        start = node.literal[1]
    spelled = _HOLES.sub(lambda m: f"${{{m[1]}}}", rest) if "${" in written else rest
    return (start, start + len(written.encode())), spelled


def _plain(written: str) -> str:
    return _HOLES.sub(lambda m: f"{{{m[1]}}}", written)


def _unchanged(inventory: Inventory, arguments: dict[str, str]) -> Iterator[str]:
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
