"""Routes and clients by identifier."""

from collections.abc import Iterator, Sequence

from astedit.language import for_path
from astedit.locating import routes
from astedit.locating.frameworks.table import is_known, may_call
from astedit.locating.frameworks.web_facts import ClientCall
from astedit.locating.identifier import Identifier
from astedit.locating.inventory.inventory import FileTest, Inventory, Look
from astedit.locating.result import Candidate, MatchReason, MeantNodes, NodeRef, number_ids
from astedit.locating.routers import LinkedFacts
from astedit.locating.urls import Address, address, begins


def clients(inventory: Inventory, linked: LinkedFacts) -> list[NodeRef]:
    """Every client call of the tree, by path and in source order."""
    nodes = [
        _node(inventory, linked, path, call)
        for path in sorted(linked.facts)
        for call in linked.facts[path].calls
    ]
    number_ids(nodes)
    return nodes


def _node(inventory: Inventory, linked: LinkedFacts, path: str, call: ClientCall) -> NodeRef:
    address_ = _address(call)
    return NodeRef(
        id=f"client:{path}::{call.enclosing}::{call.method} {address_.path}",
        kind="client",
        name=f"{call.method} {' '.join(filter(None, [address_.target, address_.path]))}",
        path=path,
        start_line=call.line,
        language=linked.files[path].language,
        root=inventory.roots.of(path),
        methods=[] if call.method == "ANY" else [call.method],
        target=address_.target,
        target_unresolved=address_.unresolved,
        url_path=address_.path,
        library=call.library,
        enclosing=call.enclosing,
        span=call.span,
        body=call.span,
        literal=call.literal,
        sha256=linked.files[path].facts.sha256,
    )


def _address(call: ClientCall) -> Address:
    """Whom a call asks for what; a test client asks nobody in particular."""
    if call.target is not None:
        return Address(call.target, False, address(call.url).path)
    whole = address(call.url, call.base)
    return Address(None, False, whole.path) if call.library == "test" else whole


def matching(nodes: list[NodeRef], parsed: Identifier) -> Iterator[Candidate]:
    """The calls that a target, perhaps with the first segments of a path, means."""
    for node in nodes:
        if node.target is None or node.target != parsed.target or node.url_path is None:
            continue
        if parsed.prefix is None:
            yield Candidate(node, float(len(node.target)), "client_target")
        elif begins(node.url_path, parsed.prefix):
            score = float(len(node.target) + len(parsed.prefix))
            yield Candidate(node, score, "client_target_path")


_LISTED = 4  # routes nearby that a message names


def linked(inventory: Inventory) -> LinkedFacts:
    """What all files of the tree say about routes and clients; read once for an inventory."""
    return inventory.once(_linked)


def _linked(inventory: Inventory) -> LinkedFacts:
    return LinkedFacts(inventory, _look(inventory, None))


def _look(inventory: Inventory, test: FileTest | None) -> Look:
    """A look for routes and clients, into files of languages that have any."""
    rows = ((path, for_path(path)) for path in inventory.files)
    paths = [path for path, row in rows if row is not None and is_known(row.name)]
    return inventory.look(test, None, paths)


def candidates(inventory: Inventory, parsed: Identifier, kinds: Sequence[str]) -> MeantNodes:
    """The routes and clients that an identifier may mean.

    What kept a file from being read matters; that its syntax is odd does not.
    """
    facts, root = _facts_for(inventory, parsed), inventory.workspace.root
    every = routes.routes(inventory, facts) if "route" in kinds else []
    calls = clients(inventory, facts) if "client" in kinds else []
    if parsed.id is not None:
        size, known = float(len(parsed.id)), [*(route.node for route in every), *calls]
        nodes = [Candidate(node, size, "exact_id") for node in known if node.id == parsed.id]
    else:
        reason: MatchReason = "route_method_path" if parsed.method else "route_template"
        size, meant = float(len(parsed.path or "")), routes.matching(every, parsed, root)
        nodes = [*(Candidate(route.node, size, reason) for route in meant)]
        nodes += matching(calls, parsed)
    return MeantNodes(nodes, Look(skipped=facts.look.skipped))


def _facts_for(inventory: Inventory, parsed: Identifier) -> LinkedFacts:
    """All files, since a prefix may stand anywhere; for a target those that hold its text."""
    if parsed.path or parsed.id_kind == "route":
        return linked(inventory)
    name = (parsed.target or "").encode("utf-8", "surrogateescape")
    if parsed.id is None:
        look = _look(inventory, lambda _, language, raw: name in raw and may_call(language, raw))
        return LinkedFacts(inventory, look)
    path = parsed.id.partition(":")[2].partition("::")[0]
    if not inventory.has(path):
        return LinkedFacts(inventory, Look())
    return LinkedFacts(inventory, inventory.look(None, None, [path]))


def near_misses(inventory: Inventory, parsed: Identifier) -> str | None:
    """A sentence about registered routes that differ a little from the one asked for."""
    near = routes.near(routes.routes(inventory, linked(inventory)), parsed)
    if not near:
        return None
    listed = " and ".join(f"`{text}`" for text in near[:_LISTED])
    if parsed.path in near:
        return f"{listed} is a route for other methods or of another service."
    return f"There is {listed}: parameter names, case and slashes count."
