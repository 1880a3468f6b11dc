"""Routes and clients by identifier."""

from collections.abc import Iterator, Sequence

from astedit.language import for_path
from astedit.locating import clients, routes
from astedit.locating.candidates import MeantNodes
from astedit.locating.frameworks.table import is_known, may_call, may_say
from astedit.locating.identifier import Identifier
from astedit.locating.inventory.inventory import Inventory, Look
from astedit.locating.inventory.symbol_prefilter import FileTest
from astedit.locating.result import Candidate, MatchReason
from astedit.locating.routers import LinkedFacts

_LISTED = 4  # routes nearby that a message names


def linked(inventory: Inventory) -> LinkedFacts:
    """What all files of the tree say about routes and clients; read once for an inventory."""
    return inventory.once(_linked)


def _linked(inventory: Inventory) -> LinkedFacts:
    if inventory.index is None:
        look = _look(inventory, lambda _, language, raw: may_say(language, raw))
        return LinkedFacts(inventory, look)
    from astedit.locating.known_empty import KnownEmpty

    known = KnownEmpty(inventory.index)
    look = _look(inventory, known.may_say)
    known.keep()
    return LinkedFacts(inventory, look)


def _look(inventory: Inventory, test: FileTest) -> Look:
    """A look for routes and clients, into files of languages that have any."""
    rows = ((path, for_path(path)) for path in inventory.files)
    paths = [path for path, row in rows if row is not None and is_known(row.name)]
    return inventory.look(test, None, True, paths)


def candidates(inventory: Inventory, parsed: Identifier, kinds: Sequence[str]) -> MeantNodes:
    """The routes and clients that an identifier may mean.

    What kept a file from being read matters; that its syntax is odd does not.
    """
    known = _asked(inventory, parsed)
    nodes: list[Candidate] = []
    if "route" in kinds:
        nodes += _routes(inventory, known, parsed)
    if "client" in kinds:
        nodes += _clients(inventory, known, parsed)
    return MeantNodes(nodes, Look(skipped=known.look.skipped))


def _routes(inventory: Inventory, known: LinkedFacts, parsed: Identifier) -> Iterator[Candidate]:
    if parsed.id_kind == "route":
        for route in routes.routes(inventory, known):
            if route.node.id == parsed.id:
                yield Candidate(route.node, float(len(route.node.id)), "exact_id")
    elif parsed.path:
        every = routes.routes(inventory, known)
        for route, length in routes.matching(every, parsed, inventory.workspace.root):
            reason: MatchReason = "route_method_path" if parsed.method else "route_template"
            yield Candidate(route.node, float(length), reason)


def _clients(inventory: Inventory, known: LinkedFacts, parsed: Identifier) -> Iterator[Candidate]:
    if parsed.id_kind == "client":
        for node in clients.clients(inventory, known):
            if node.id == parsed.id:
                yield Candidate(node, float(len(node.id)), "exact_id")
    elif parsed.target:
        yield from clients.matching(clients.clients(inventory, known), parsed)


def _asked(inventory: Inventory, parsed: Identifier) -> LinkedFacts:
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
    return LinkedFacts(inventory, inventory.look(lambda *_: True, None, True, [path]))


def near_misses(inventory: Inventory, parsed: Identifier) -> str | None:
    """A sentence about registered routes that differ a little from the one asked for."""
    near = routes.near(routes.routes(inventory, linked(inventory)), parsed)
    if not near:
        return None
    listed = " and ".join(f"`{text}`" for text in near[:_LISTED])
    if parsed.path in near:
        return f"{listed} is a route for other methods or of another service."
    return f"There is {listed}: parameter names, case and slashes count."
