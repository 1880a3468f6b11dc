"""Routes and clients by identifier. (spec: locate.md sections 5 and 6)"""

from collections.abc import Sequence

from astedit.locating import clients, routes
from astedit.locating.frameworks.web_marks import may_call, may_say
from astedit.locating.identifier import Identifier
from astedit.locating.inventory.inventory import Found, Tree
from astedit.locating.result import Candidate
from astedit.locating.routers import Linked


def linked(tree: Tree) -> tuple[Linked, Found]:
    """What all files of the tree say about routes and clients; read once for a tree."""
    if tree.web is None:
        found = _read(tree)
        tree.web = Linked(tree, found), found
    return tree.web


def _read(tree: Tree) -> Found:
    if tree.index is None:
        return tree.look(lambda _, language, raw: may_say(language, raw), None, True)
    from astedit.locating.known_empty import Silence

    silence = Silence(tree.index)
    found = tree.look(silence.may_say, None, True)
    silence.keep()
    return found


def candidates(
    tree: Tree, parsed: Identifier, kinds: Sequence[str]
) -> tuple[list[Candidate], Found]:
    """The routes and clients that an identifier may mean."""
    candidates: list[Candidate] = []
    known, found = _asked(tree, parsed)
    if "route" in kinds and (parsed.path or parsed.id_kind == "route"):
        every = routes.routes(tree, known)
        reason = "route_method_path" if parsed.method else "route_template"
        if parsed.id_kind == "route":
            same = [one.node for one in every if one.node.id == parsed.id]
            candidates += [Candidate(node, float(len(node.id)), "exact_id") for node in same]
        else:
            matched = routes.matching(every, parsed, tree.workspace.root)
            candidates += [Candidate(one.node, float(size), reason) for one, size in matched]  # type: ignore[arg-type]
    if "client" in kinds and parsed.id_kind == "client":
        calls = (node for node in clients.clients(tree, known) if node.id == parsed.id)
        candidates += [Candidate(node, float(len(node.id)), "exact_id") for node in calls]
    elif "client" in kinds and parsed.target:
        calls_of = clients.matching(clients.clients(tree, known), parsed)
        candidates += [Candidate(node, float(size), why) for node, why, size in calls_of]
    return candidates, _relevant(found, parsed)


def _asked(tree: Tree, parsed: Identifier) -> tuple[Linked, Found]:
    """All files, since a prefix may stand anywhere; for a target those that hold its text."""
    if parsed.path or parsed.id_kind == "route":
        return linked(tree)
    name = (parsed.target or "").encode("utf-8", "surrogateescape")
    if parsed.id is not None:
        path = parsed.id.partition(":")[2].partition("::")[0]
        paths = [path] if tree.has(path) else []
        found = tree.look(lambda *_: True, None, True, paths) if paths else Found()
    else:
        found = tree.look(
            lambda _, language, raw: name in raw and may_call(language, raw), None, True
        )
    return Linked(tree, found), found


def _relevant(found: Found, parsed: Identifier) -> Found:
    """What kept a file from being read matters; that its syntax is odd does not."""
    return Found(skipped=found.skipped)


def near_misses(tree: Tree, parsed: Identifier) -> str | None:
    """A sentence about registered routes that differ a little from the one asked for."""
    found = routes.near(routes.routes(tree, linked(tree)[0]), parsed)
    if not found:
        return None
    listed = " and ".join(f"`{text}`" for text in found[:4])
    if parsed.path in found:
        return f"{listed} is a route for other methods or of another service."
    return f"There is {listed}: parameter names, case and slashes count."
